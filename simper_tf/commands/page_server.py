"""A page in the browser that reads a recording: an application for any WSGI server, and one that serves it."""

import base64
import contextlib
import functools
import math
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

from simper_tf.commands import console, html_page, learners, page_form, sample
from simper_tf.commands.command_options import App
from simper_tf.reading import drawing, readings, records
from simper_tf.recordings import search
from simper_tf.utils import quiet
from simper_tf.utils.errors import RawDataError, guarding, printable

_MEGABYTE = 1_000_000
# Names by which a browser on this machine can call it.
_HERE = ("127.0.0.1", "localhost")
# Connections that are open, requests that are worked at, and seconds after which one that sends nothing more is ended.
_CONNECTIONS, _THREADS, _SILENT = 512, 32, 60
# Seconds within which the head of a first request must have arrived, a whole request, and that a recording may last.
_GREETING, _ARRIVING, _LONGEST = 5, 600, 7200
# Recordings that are read or wait; more are asked to come again. Threads for the rest of the page are left.
_WAITING = 24


class _Left(BaseException):
    """The browser that asked has closed the connection."""


def serve(asked: App):
    """Serves the page until this process is told to stop."""
    model = None
    if asked.model:
        quiet.start()
        from simper_tf.reading import exported

        model = exported.Exported(asked.model)
    with uploads() as folder:
        app = make(model, asked.max_megabytes, asked.host, folder)
        serving = server(app, asked.host, asked.port, asked.max_megabytes)
        console.say(f"http://{asked.host}:{serving.effective_port} shows the page; Ctrl-C ends it.")
        with _Stopping(serving):
            serving.run()
    console.say("Ended; nothing that was uploaded is kept.")


@contextlib.contextmanager
def uploads() -> Iterator[str]:
    """Yields a folder that goes when the block ends, or this process, however that is."""
    folder = tempfile.mkdtemp(prefix="simper-app-")
    # It waits for the end of its input, which comes with the end of this process, and is not told of Ctrl-C.
    words = ["sh", "-c", 'read -r line; rm -rf "$1"', "sh", folder]
    with subprocess.Popen(words, stdin=subprocess.PIPE, process_group=0):
        yield folder


class _Queue:
    """Readings that follow one another in the order in which they came."""

    def __init__(self):
        self._came, self._left = [], threading.Condition()

    @contextlib.contextmanager
    def turn(self, tell: Callable[[int], None]) -> Iterator[None]:
        """Waits for those that came before, with their number told about once a second, until the block is the next."""
        mine = object()
        with self._left:
            self._came.append(mine)
        try:
            while before := self._before(mine):
                tell(before)
            yield
        finally:
            with self._left:
                self._came.remove(mine)
                self._left.notify_all()

    def _before(self, one):
        with self._left:
            self._left.wait_for(lambda: self._came[0] is one, timeout=1.0)
            return self._came.index(one)


class _Stopping(console.ToldToStop):
    """Ends a server when this process is told to stop."""

    def __init__(self, serving):
        self._serving = serving

    def _told(self, number, frame=None):
        # From another thread, since it waits for the loop that this one is in.
        threading.Thread(target=self._serving.close).start()
        raise SystemExit


def make(model=None, max_megabytes: float = 2000.0, host: str = "127.0.0.1", folder: str | None = None):
    """Returns the application.

    A request is received before anything waits, so that a slow upload keeps nobody. One recording is read at a time.

    Args:
        model: An `exported.Exported` that reads too; None for none.
        max_megabytes: The largest recording that is taken.
        host: Where it will listen: on this machine alone, requests that name another are refused, so that no page of
            another site can reach it by a name of its own.
        folder: Where uploads lie while they are read; None for that of temporary files.

    Raises:
        ValueError: the extra `app` is not installed.
    """
    try:
        import flask
    except ImportError as error:
        raise ValueError("The page needs Flask: pip install '.[app]' in the checkout.") from error
    app = flask.Flask("simper_tf", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = round(max_megabytes * _MEGABYTE)
    if host in _HERE:
        app.config["TRUSTED_HOSTS"] = list(_HERE)
    queue, waiting = _Queue(), threading.BoundedSemaphore(_WAITING)
    shares = {}  # Of recordings: number that the page has drawn -> the part that is read, or how many come before.

    @app.get("/")
    def ask():
        return page_form.form(max_megabytes)

    @app.get("/sample.mp4")
    def play():
        return flask.send_file(sample.PATH)

    @app.get("/progress/<key>")
    def progress(key):
        return flask.jsonify(shares.get(key))

    @app.post("/read")
    @app.post("/sample")
    def show():
        given = flask.request.headers
        if given.get("Origin", flask.request.host_url.rstrip("/")) != flask.request.host_url.rstrip("/"):
            return page_form.refusal("Only this page itself may send recordings here."), 403
        key = None
        if not waiting.acquire(blocking=False):
            return page_form.refusal(f"{_WAITING} recordings are waiting already. Send it again in a minute."), 503
        try:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                form, (path, name) = flask.request.form, _received(flask.request, pathlib.Path(own))
                key = form.get("key")
                check = _leaving(flask.request.environ, functools.partial(shares.__setitem__, key))
                with queue.turn(lambda before: check({"before": before})):
                    return _answered(path, name, page_form.asked(form), model, check)
        except _Left:
            return "", 499
        except ValueError as error:
            return page_form.refusal(str(error)), 400
        except OSError as error:
            reason = f"It could not be read: {error}. Cut it, or free some space."
            return page_form.refusal(reason), 500
        finally:
            shares.pop(key, None)
            waiting.release()

    @app.errorhandler(413)
    def too_large(_):
        if (flask.request.content_length or 0) <= max_megabytes * _MEGABYTE:
            return page_form.refusal("The form has more fields than the page sends. Send it from the page itself."), 413
        return page_form.refusal(
            f"The recording has more than {max_megabytes:g} MB. Cut it, or start the page with more --max_megabytes."
        ), 413

    return app


def _received(request, folder):
    """Returns path and name of the recording of a request, which is written into a folder.

    Raises:
        ValueError: it has none.
    """
    if request.path == "/sample":
        return pathlib.Path(shutil.copy(sample.PATH, folder)), sample.PATH.name
    upload = request.files.get("recording")
    if not (upload and upload.filename):
        raise ValueError("There is no recording. Choose a file first.")
    name = pathlib.PurePath(upload.filename.replace("\\", "/")).name
    path = folder / f"recording{pathlib.PurePath(name).suffix[:16]}"
    upload.save(path)
    return path, name


def _leaving(environ, tell):
    """Returns a function that tells which part of a recording is read.

    It raises `_Left` once the browser that sent the request is gone, as far as servers say so.
    """
    is_gone = environ.get("waitress.client_disconnected", lambda: False)

    def check(share=None):
        tell(share)
        if is_gone():
            raise _Left

    return check


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
            max_request_body_size=round(max_megabytes * _MEGABYTE), channel_request_lookahead=1,
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


def _answered(path, name, asked, model, check):
    """Returns the page of a recording that was uploaded."""
    wishes, unit, rate = asked
    drawn = [path.with_name(f"{width}.png") for width in ("wide", "narrow")]
    try:
        with guarding(path, _Left, OSError):
            done = _read(path, name, wishes, rate, model, check)
            for picture, narrow in zip(drawn, (False, True), strict=True):
                drawing.figure(done, unit, narrow).savefig(picture, format="png", dpi=110)
    except RawDataError as error:
        raise ValueError(page_form.as_on_the_page(str(error).replace(str(path), name))) from error
    record = records.of(done, unit)
    csv = base64.b64encode(records.table(records.answer_rows(record)).encode()).decode()
    return page_form.answer(done, html_page.recording(record, *drawn), csv)


def _read(path, name, wishes, rate, model, check=None):
    """Returns a file as a `readings.Done` of a name.

    Raises:
        RawDataError: it cannot be read.
    """
    named = search.find([str(path)], rate, rate is not None)
    for problem in named.problems:
        raise problem
    (source,) = named.sources
    if (seconds := source.info().seconds) > _LONGEST:
        expected = f"{console.clock(_LONGEST)} or less"
        raise RawDataError(path, console.clock(seconds), expected, "Cut it, or read it by simper predict.")
    notes = ()
    try:
        if model:
            model.check(source)
    except RawDataError as error:
        model, notes = None, (learners.not_asked(error),)
    done = readings.read(source, wishes, check and (lambda second: check(min(second / seconds, 1.0))))
    if model:
        done = learners.with_model(source, wishes, done, model)
    return readings.renamed(done, printable(name), notes)
