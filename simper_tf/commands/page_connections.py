"""Connections of the page: few at once, and none that stays open without a request."""

import functools
import math
import time

# Bytes of a request that stay in memory, as those of a camera do, which are never stored.
IN_MEMORY = 2**21
MEGABYTE = 1_000_000  # Bytes, as disks are sold.
# Connections that are open, requests that are worked at, and seconds after which one that sends nothing more is ended.
_CONNECTIONS, _THREADS, _SILENT = 512, 32, 60
# Seconds within which the head of a first request must have arrived, and a whole request.
_GREETING, _ARRIVING = 5, 600


def server(app, host: str, port: int, max_megabytes: float):
    """Returns a server of the application that listens; `run` serves and `close` ends it.

    Raises:
        OSError: the address is in use.
        ValueError: the extra `app` is not installed.
    """
    try:
        import waitress
    except ImportError as error:
        raise ValueError("The page needs waitress: pip install '.[app]' in the checkout.") from error
    try:
        made = waitress.create_server(
            app, host=host, port=port, ipv4=":" not in host, ipv6=":" in host, threads=_THREADS,
            channel_timeout=_SILENT, cleanup_interval=1, connection_limit=_CONNECTIONS, ident=None,
            max_request_body_size=round(max_megabytes * MEGABYTE), channel_request_lookahead=1,
            inbuf_overflow=IN_MEMORY,
        )  # fmt: skip
    except OSError as error:
        raise OSError(f"--port={port} on {host} cannot be used ({error.strerror}): name another.") from error
    except ValueError as error:
        raise ValueError(f"--host={host} is no address of this machine. Name one, such as 127.0.0.1.") from error
    made.channel_class = _limited(made.channel_class)
    made.maintenance = functools.partial(_without_silent, made, made.maintenance)
    return made


def _without_silent(serving, maintenance, now):
    """Does what a server does once a second, and ends connections that were opened and never asked for anything."""
    maintenance(now)
    for connection in serving.active_channels.values():
        connection.will_close = connection.will_close or time.monotonic() > connection.greeted_by


def _limited(channel):
    """Returns a class of connections that end where a request takes too long to arrive, by however few bytes."""

    class Limited(channel):
        _began = math.inf

        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            self.greeted_by = time.monotonic() + _GREETING

        def received(self, data):
            completed = super().received(data)
            if completed or self.request is None or self.request.headers_finished:
                self.greeted_by = math.inf
            self._began = math.inf if self.request is None else min(self._began, time.monotonic())
            self.will_close = self.will_close or time.monotonic() > self._began + _ARRIVING
            return completed

    return Limited
