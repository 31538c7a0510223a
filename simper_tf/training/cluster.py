"""Processes that train one model together: which they are, by `TF_CONFIG`, and how they meet before they begin."""

import contextlib
import dataclasses
import json
import os
import socket
import time
from collections.abc import Mapping

EXPECTED = (
    'Expected the form {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}}, the same '
    "cluster for every process and an index each; a `chief` beside the workers may come first."
)
# Seconds between two attempts to reach the chief, and that a conversation of one line may take.
_AGAIN, _ANSWER = 0.2, 10.0
_LONGEST = 4096  # Bytes of a line.


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

    def meet(self, task: str, seconds: float):
        """Returns when all workers are there, at the latest after some seconds; a small server of the chief tells them.

        Args:
            task: What the workers are to do, in a line; they refuse one another where it differs.
            seconds: Time to wait for the others.

        Raises:
            Missing: some worker did not come in time, another has its place, or another task; names it.
            OSError: this worker's own address is in use, or is none of this machine.
        """
        card = json.dumps([*self.addresses, task])
        with contextlib.closing(self._own_address()) as server:
            if self.is_chief:
                self._receive(server, card, time.monotonic() + seconds, seconds)
        if not self.is_chief:
            self._report(card, time.monotonic() + seconds, seconds)

    def _own_address(self):
        """Returns a socket at this worker's port, as TensorFlow would share a port that is in use."""
        address, server = self.addresses[self.index], socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("", split_address(address)[1]))
        except OSError as error:
            server.close()
            raise OSError(
                f"TF_CONFIG: worker {self.index} is to listen at {address}, but that port is in use or may not be used "
                f"({error.strerror}). End the process that has it, or name another port in the TF_CONFIG of all."
            ) from error
        server.listen(len(self.addresses))
        return server

    def _receive(self, server, card, end, seconds):
        """Waits for a line of each other worker, and answers all of them at once."""
        there: dict[int, socket.socket] = {}
        with contextlib.ExitStack() as opened:
            while len(there) < len(self.addresses) - 1:
                server.settimeout(max(end - time.monotonic(), 0.001))
                try:
                    caller, _ = server.accept()
                except TimeoutError:
                    away = [k for k in range(1, len(self.addresses)) if k not in there]
                    said = self._missing(away, seconds)
                    for each in there.values():
                        _send(each, said)
                    raise Missing(said) from None
                opened.enter_context(caller)
                said = _line(caller)
                if not (isinstance(said, list) and len(said) == 2):
                    continue  # Somebody looks which ports are open.
                index, theirs = said
                if index in there or theirs != card:
                    said = self._differs(index, json.loads(theirs), json.loads(card))
                    for each in (*there.values(), caller):
                        _send(each, said)
                    raise Missing(said)
                there[index] = caller
            for each in there.values():
                _send(each, "")

    def _report(self, card, end, seconds):
        """Calls the chief until it answers; it does when all are there."""
        host, port = split_address(self.addresses[0])
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection((host, port), _ANSWER) as chief:
                _send(chief, [self.index, card])
                chief.settimeout(max(end - time.monotonic(), 0) + _ANSWER)
                said = _line(chief)
                if said:
                    raise Missing(said)
                if said == "":
                    return
            time.sleep(_AGAIN)
        raise Missing(self._missing([0], seconds))

    def _missing(self, indices, seconds):
        who = ", ".join(f"{self._title(k)} at {self.addresses[k]}" for k in indices)
        return (
            f"After {seconds:g} s these of the {len(self.addresses)} workers have not come: {who}. Look what they say, "
            "start all of them, or wait longer by --worker_seconds."
        )

    def _differs(self, index, theirs, own):
        if theirs[:-1] != own[:-1]:
            return (
                f"TF_CONFIG of {self._title(index)} names the workers {', '.join(theirs[:-1])}, that of the chief "
                f"{', '.join(own[:-1])}. Give all of them the same cluster."
            )
        if theirs[-1] != own[-1]:
            return (
                f"{self._title(index).capitalize()} was started with other flags than the chief, or another version. "
                "Start all workers with the same ones."
            )
        return f"TF_CONFIG: two processes say that they are {self._title(index)}. Give each an index of its own."

    def _title(self, index):
        return f"worker {index}" if index else "the chief (worker 0)"


def from_environment(environment: Mapping[str, str] = os.environ) -> Cluster | None:
    """Returns the workers that `TF_CONFIG` names, None where it is not set.

    Raises:
        ValueError: it is malformed; says what was found and what is expected.
    """
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


def _cluster(found):
    jobs, task = dict(found["cluster"]), dict(found["task"])
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
    """Returns host and port of an address, `host:port`.

    Raises:
        ValueError: it has another form.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise ValueError(f"{address!r} is no host:port.")
    return host.strip("[]"), int(port)


def _send(connection, message):
    with contextlib.suppress(OSError):  # Who has gone needs no answer.
        connection.sendall(f"{json.dumps(message)}\n".encode())


def _line(connection):
    """Returns what the other side says in a line; None if it says nothing that is understood."""
    if connection.gettimeout() is None:
        connection.settimeout(_ANSWER)
    received = b""
    with contextlib.suppress(OSError, ValueError):
        while not received.endswith(b"\n") and len(received) < _LONGEST * 16:
            part = connection.recv(_LONGEST)
            if not part:
                break
            received += part
        return json.loads(received)
    return None


def _short(text):
    return text if len(text) <= 200 else f"{text[:200]} ..."
