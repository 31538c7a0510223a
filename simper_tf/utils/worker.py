"""A process of its own for decoders: what the bytes of a file do to a native library is one sentence here.

A decoder that crashes, takes all memory or computes without end ends that process alone. It starts when it is first
needed, serves one file after another, and ends with this one. It sends answers through a socket, a few ahead of their
reader, and waits where nobody reads.
"""

import atexit
import collections
import contextlib
import importlib
import json
import multiprocessing.connection
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import traceback
import weakref
from collections.abc import Iterator

from simper_tf.utils.errors import RawDataError

# What can be done about a file that no decoder reads.
REMEDY = "a complete file that can be decoded", "Fetch it again, or leave it out."
# Bytes of addresses: 8K video takes half of them, and what a damaged header asks for has no end.
MEMORY = 6 * 2**30
# Seconds of computing without an answer after which a decoder goes in a circle, and of sleep after which it waits for
# itself. Neither passes faster on a busy machine.
PATIENCE = 60
_LONGEST_MESSAGE = 2**28
_READY, _PART, _END, _REFUSED, _DEFECT = "ready", "part", "end", "refused", "defect"
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}  # Each thread's would take addresses.
_idle = collections.deque()  # Workers that have answered all they were asked.
_all = weakref.WeakSet()


def answers(task: str, path, **arguments) -> Iterator[tuple]:
    """Yields `(facts, content)` from a generator function that runs in the worker: what JSON holds, and bytes.

    Args:
        task: `module:function`; its first argument is the path of a file, or a list of paths.
        path: The file, or files, as errors name them.
        **arguments: Its other arguments, as JSON holds them.

    Raises:
        RawDataError: the function raises it, or a decoder does not survive the file.
        OSError: no worker can be started.
    """
    names = {os.path.abspath(one): one for one in (path if isinstance(path, list) else [path])}  # noqa: PTH100
    worker = _Worker.ready()
    try:
        worker.ask({"task": task, "paths": [*names], "is_list": isinstance(path, list), "arguments": arguments})
        while (message := worker.next())[0] == _PART:
            yield message[1], worker.content()
        _raise_failure(message, names, worker)
    finally:
        worker.keep_or_end()


def _raise_failure(message, names, worker):
    kind, failure = message
    if kind == _REFUSED:
        raise RawDataError(names.get(failure[0], failure[0]), *failure[1:])
    if kind == _DEFECT:
        raise RuntimeError(failure)
    if kind != _END:
        raise RawDataError(next(iter(names.values())), worker.fate(), *REMEDY)


class _Worker:
    """A process that runs `main`."""

    def __init__(self):
        self._pipe, theirs = multiprocessing.connection.Pipe()
        self._is_done = True
        self.owner = os.getpid()
        # The modules of this process, wherever they come from, and nothing of its own program.
        code = f"import sys; sys.path[:] = {sys.path!a}; from {__name__} import main; main({theirs.fileno()})"
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], env={**os.environ, **_ENVIRONMENT}, pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for this process, which then ends that one.
            )  # fmt: skip
        _all.add(self)
        if self.next()[0] != _READY:
            raise OSError(f"The decoder of videos cannot be started: {sys.executable} {self.fate()}.")

    @classmethod
    def ready(cls):
        """Returns an idle worker, or a new one; those of a process that this one was forked from are not its own."""
        while _idle:
            with contextlib.suppress(IndexError):  # Another thread was faster.
                worker = _idle.pop()
                if worker.owner == os.getpid() and worker._process.poll() is None:
                    return worker
        return cls()

    def ask(self, request):
        self._is_done = False
        with contextlib.suppress(OSError):  # It has died; that there is no answer says so.
            self._pipe.send_bytes(json.dumps(request).encode())

    def next(self):
        """Returns `(kind, what JSON holds)` of the next message; `("", None)` where the process has ended."""
        message = self.content()
        kind, facts = json.loads(message) if message else ("", None)
        self._is_done = kind not in ("", _PART)
        return kind, facts

    def content(self):
        """Returns the bytes of the next message; none where the process has ended or waits for itself."""
        asleep = 0
        while not self._pipe.poll(1.0):
            asleep = asleep + 1 if self._is_asleep() else 0
            if asleep >= PATIENCE:
                self._process.send_signal(signal.SIGALRM)
        try:
            return self._pipe.recv_bytes(_LONGEST_MESSAGE)
        except (EOFError, OSError):
            return b""

    def _is_asleep(self):
        """Returns whether no thread of the process computes or waits for a disk, where the system tells that."""
        states = []
        with contextlib.suppress(OSError):
            for stat in pathlib.Path(f"/proc/{self._process.pid}/task").glob("*/stat"):
                states.append(stat.read_text().rpartition(")")[2].split()[0])
        return bool(states) and set(states) == {"S"}

    def fate(self):
        """Returns how the process ended, for a message."""
        code = self._process.wait()
        if code == -signal.SIGXCPU:
            return f"no end of decoding after {PATIENCE} s of computing"
        if code == -signal.SIGALRM:
            return f"a decoder that has stood still for {PATIENCE} s"
        return f"what the decoder does not survive ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"

    def keep_or_end(self):
        if self._is_done:
            _idle.append(self)
        else:
            self.end()

    def end(self):
        self._process.kill()
        self._pipe.close()
        self._process.wait()


@atexit.register
def _end_all():
    """Ends the workers of this process, which nobody else would wait for where there is no init."""
    for worker in [one for one in _all if one.owner == os.getpid()]:
        worker.end()


def main(number: int):
    """Answers requests that come through a file descriptor until there are no more: what others print is not in it."""
    for end in (signal.SIGALRM, signal.SIGXCPU):  # Both survive from a program that does otherwise.
        signal.signal(end, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM, signal.SIGXCPU})
    _limit(resource.RLIMIT_AS, MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    with multiprocessing.connection.Connection(number) as pipe:
        _tell(pipe, _READY)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Native libraries print what they like.
        with contextlib.suppress(EOFError, OSError):
            while True:
                _answer(pipe, **json.loads(pipe.recv_bytes()))


def allow():
    """Has the system end this process after `PATIENCE` more seconds of computing, unless this is called again."""
    _limit(resource.RLIMIT_CPU, int(time.process_time()) + PATIENCE, lowers_only=False)


def _limit(what, most, lowers_only=True):
    """Sets a soft limit to `most`, or to what is allowed; one that is lower stays."""
    soft, hard = resource.getrlimit(what)
    known = [limit for limit in ((soft, hard) if lowers_only else (hard,)) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(what, (min([*known, most]), hard))


def _answer(pipe, task, paths, is_list, arguments):
    """Sends what a task yields, and how it ended."""
    try:
        allow()
        module, function = task.split(":")
        run = getattr(importlib.import_module(module), function)
        for facts, content in run(paths if is_list else paths[0], **arguments):
            _tell(pipe, _PART, facts)
            pipe.send_bytes(content)
        _tell(pipe, _END)
    except RawDataError as error:
        _tell(pipe, _REFUSED, (str(error.path), error.found, error.expected, error.action))
    except MemoryError:
        memory, _ = resource.getrlimit(resource.RLIMIT_AS)
        _tell(pipe, _REFUSED, (paths[0], f"a frame for which {memory / 2**30:.3g} GiB are not enough", *REMEDY))
    except BrokenPipeError:  # Nobody wants the rest.
        raise
    except Exception:
        _tell(pipe, _DEFECT, traceback.format_exc())


def _tell(pipe, kind, facts=None):
    pipe.send_bytes(json.dumps((kind, facts)).encode())
