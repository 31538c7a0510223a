"""Processes that train one model together, as `TF_CONFIG` names them."""

import contextlib
import dataclasses
import errno
import json
import os
import socket
import time
from collections.abc import Mapping

EXPECTED = (
    'Expected the form {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}}, the same '
    "cluster for every process and an index each; a `chief` beside the workers may come first."
)
# Seconds between two attempts to reach a worker, and that one attempt may take.
_AGAIN, _ATTEMPT = 0.2, 10.0


class Missing(ValueError):
    """Some worker did not come in time, or came with another task in mind."""


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The workers of a run, one process each.

    Attributes:
        addresses: `host:port` of every worker; the first is the chief, to whom the folder of the run belongs.
        index: Which of them this process is.
    """

    addresses: tuple[str, ...]
    index: int

    @property
    def is_chief(self) -> bool:
        """Whether the folder of the run belongs to this process."""
        return self.index == 0

    def check_port(self):
        """Refuses a port in use, which TensorFlow would share with whoever has it: an OSError."""
        address = self.addresses[self.index]
        try:
            with socket.socket() as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(split_address(address))
                server.listen(1)
        except OSError as error:
            # The host may be known to others by a name that this machine does not have itself.
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                return
            raise OSError(
                f"TF_CONFIG: worker {self.index} is to listen at {address}, but that port is in use or may not be used "
                f"({error.strerror}). End the process that has it, or name another port in the TF_CONFIG of all."
            ) from error

    def wait_for_others(self, seconds: float):
        """Returns when TensorFlow listens at the ports of all other workers; raises Missing after so many seconds.

        The chief calls this before its own TensorFlow waits for them, which it would do without end.
        """
        end, away = time.monotonic() + seconds, [k for k in range(len(self.addresses)) if k != self.index]
        while away := [k for k in away if not _listens(self.addresses[k])]:
            if time.monotonic() > end:
                raise self.missing(away, seconds)
            time.sleep(_AGAIN)

    def missing(self, indices, seconds: float) -> Missing:
        """Returns the error of workers that have not come within some seconds."""
        who = ", ".join(f"{self.title(k)} at {self.addresses[k]}" for k in indices)
        return Missing(
            f"After {seconds:g} s these of the {len(self.addresses)} workers have not come: {who}. Start all of them, "
            "read what they print, or wait longer by `worker_seconds`."
        )

    def title(self, index: int) -> str:
        """Returns a worker in print."""
        return f"worker {index}" if index else "the chief (worker 0)"


def _listens(address):
    with contextlib.suppress(OSError), socket.create_connection(split_address(address), _ATTEMPT):
        return True
    return False


def from_environment(environment: Mapping[str, str] = os.environ) -> Cluster | None:
    """Returns the workers that `TF_CONFIG` names, None where it is not set; a ValueError if it is malformed."""
    text = environment.get("TF_CONFIG", "").strip()
    if not text:
        return None
    try:
        return _cluster(json.loads(text))
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        why = "A part is missing, or has another form."
        if isinstance(error, ValueError):
            why = f"It is no JSON, {error}." if isinstance(error, json.JSONDecodeError) else str(error)
        raise ValueError(f"TF_CONFIG: {why} Found: {_short(text)}. {EXPECTED}") from error


def _cluster(config):
    jobs, task = dict(config["cluster"]), dict(config["task"])
    others = sorted(jobs.keys() - {"chief", "worker"})
    if others:
        raise ValueError(f"There are tasks of the kind {', '.join(others)}, and only workers train here.")
    if task["type"] not in jobs:
        raise ValueError(f"The task is a {task['type']!r}, but the cluster has none.")
    chiefs, workers = [[str(address) for address in jobs.get(name, [])] for name in ("chief", "worker")]
    index, addresses = task["index"], (*chiefs, *workers)
    if not isinstance(index, int):
        raise ValueError(f"The index {index!r} is no whole number.")
    if len(chiefs) > 1:
        raise ValueError(f"There are {len(chiefs)} chiefs.")
    if not 0 <= index < len(jobs[task["type"]]):
        raise ValueError(f"There is no {task['type']} {index}.")
    for address in addresses:
        split_address(address)
    twice = {address for address in addresses if addresses.count(address) > 1}
    if twice:
        raise ValueError(f"{', '.join(twice)} is there twice.")
    return Cluster(addresses, index + (len(chiefs) if task["type"] == "worker" else 0))


def split_address(address: str) -> tuple[str, int]:
    """Returns host and port of an address, `host:port`; a ValueError of another form."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise ValueError(f"{address!r} is no host:port.")
    return host.strip("[]"), int(port)


def _short(text):
    return text if len(text) <= 200 else f"{text[:200]} ..."
