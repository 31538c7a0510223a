"""A process of its own for all that parses files: what their bytes do to it is one sentence here.

A parser that crashes, takes all memory or computes without end ends that process alone. It starts when it is first
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
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import weakref
from collections.abc import Iterator

from simper_tf.utils import systems
from simper_tf.utils.errors import (
    BrokenInstallationError,
    FullDiskError,
    RawDataError,
    UnreadableError,
    is_broken,
    is_full,
)

# What can be done about a file that nothing reads.
REMEDY = "a complete file that can be read", "Fetch it again, or leave it out."
# Bytes of addresses: 8K video takes half of them, and what a damaged header asks for has no end.
MEMORY = 6 * 2**30
# Bytes that a table may take beside its numbers, and those of a number: as it is read, as mended, as handed over.
BESIDE, A_NUMBER = 3 * 2**29, 24
_KEPT = 2**29  # Bytes by which a process that is kept may have grown: what one file leaves takes from the next.
# Seconds of computing without an answer after which a decoder goes in a circle, and of sleep after which it waits for
# itself. Neither passes faster on a busy machine.
PATIENCE = 60
SECONDS_A_NUMBER = 5e-6  # Three times what columns of text take.
_LONGEST_MESSAGE = 2**28  # Bytes: a picture of 8K has fewer than 2**27.
_MOST_LETTERS = 200  # Of a foreign error, which may hold half the file.
_READY, _PART, _END, _DEFECT, _FULL, _BROKEN = "ready", "part", "end", "defect", "full", "broken"
_REFUSALS = {"refused": RawDataError, "unreadable": UnreadableError}
_FATES = {
    "SIGXCPU": "no end of reading after {PATIENCE} s of computing",
    "SIGALRM": "a reader that has stood still for {PATIENCE} s",
    "SIGKILL": "a reader that was ended from outside, as by a system that is short of memory (SIGKILL)",
}
_GROWN = "grown"  # Of a process at its end that is not to be kept.
_ENVIRONMENT = {
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}  # Each thread's would take addresses.
_most = _beside = 0  # Bytes of addresses that this process may take, if it is a worker, and without those of numbers.
_idle = collections.deque()  # Workers that have answered all they were asked.
_all = weakref.WeakSet()


def answers(task: str, path, memory: int | None = None, **arguments) -> Iterator[tuple]:
    """Yields `(facts, content)` from a generator function that runs in the worker: what JSON holds, and bytes.

    Nothing in them is unpickled.

    Args:
        task: `module:function`; its first argument is the path of a file, or a list of paths.
        path: The file, or files, as errors name them.
        memory: Bytes that the worker may take beside what it has and what it calls `expect` for; by default it may take
            `MEMORY` in all.
        **arguments: Its other arguments, as JSON holds them.

    Raises:
        RawDataError: the function raises anything, or does not survive the file.
        BrokenInstallationError: its module cannot be loaded, or another that every installation has.
        OSError: no worker can be started, or the folder of temporary files is full.
    """
    names = {os.path.abspath(name): name for name in (path if isinstance(path, list) else [path])}  # noqa: PTH100  (`absolute` keeps `..`)
    worker = _Worker.ready()
    try:
        request = {"task": task, "paths": [*names], "is_list": isinstance(path, list), "memory": memory}
        worker.ask({**request, "arguments": arguments, "home": _home(task.split(":")[0])})
        while (message := worker.next())[0] == _PART:
            yield message[1], worker.content()
        _raise_failure(message, names, worker)
    finally:
        worker.keep_or_end()


def _home(module):
    """Returns the folder that a loaded module is found in: `tfds build` has it on the path for a while alone."""
    loaded = sys.modules.get(module)
    return loaded and str(pathlib.Path(loaded.__file__).parents[module.count(".")])


def _raise_failure(message, names, worker):
    kind, failure = message
    first = next(iter(names.values()))
    if kind in _REFUSALS:
        place, named = pathlib.Path(failure[0]), pathlib.Path(next(iter(names)))
        beside = pathlib.Path(first).with_name(place.name) if place.parent == named.parent else place
        raise _REFUSALS[kind](names.get(failure[0], beside), *failure[1:])
    if kind == _DEFECT:
        found = f"what its reader stumbles over ({failure.splitlines()[-1][:_MOST_LETTERS]})"
        raise UnreadableError(first, found, *REMEDY) from RuntimeError(failure)
    if kind == _FULL:
        raise FullDiskError(*failure, tempfile.gettempdir())
    if kind == _BROKEN:
        raise BrokenInstallationError(failure)
    if kind != _END:
        raise UnreadableError(first, worker.fate(), *REMEDY)


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
                [sys.executable, "-c", code], env={**os.environ, **_ENVIRONMENT}, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, **systems.handing(theirs), **systems.apart(),
            )  # fmt: skip
        _all.add(self)
        if self.next()[0] != _READY:
            raise OSError(f"The reader of files cannot be started: {sys.executable} {self.fate()}.")

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
        self._is_done = kind in (_READY, *_REFUSALS, _DEFECT, _FULL, _BROKEN, _END) and facts != _GROWN
        return kind, facts

    def content(self):
        """Returns the bytes of the next message; none where the process has ended or waits for itself."""
        asleep = 0
        while not self._pipe.poll(1.0):
            asleep = asleep + 1 if systems.is_asleep(self._process.pid) else 0
            if asleep >= PATIENCE:
                self._process.send_signal(signal.SIGALRM)
        try:
            return self._pipe.recv_bytes(_LONGEST_MESSAGE)
        except (EOFError, OSError):
            return b""

    def fate(self):
        """Returns how the process ended, for a message."""
        code = self._process.wait()
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return _FATES.get(name, f"damage or a size that ends its reader ({name})").format(PATIENCE=PATIENCE)

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
    for worker in [known for known in _all if known.owner == os.getpid()]:
        worker.end()


def main(number: int):
    """Answers requests that come through a file descriptor until there are no more: what others print is not in it."""
    systems.end_by_signals()
    systems.leave_signals()
    global _most
    _most = systems.limit_memory(MEMORY)
    systems.leave_no_core()
    with systems.handed(number) as pipe:
        _tell(pipe, _READY)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Native libraries print what they like.
        with contextlib.suppress(EOFError, OSError):
            while True:
                _answer(pipe, **json.loads(pipe.recv_bytes()))


def allow(numbers: int = 0):
    """Has the system end a worker after `PATIENCE` more seconds of computing, unless this is called again.

    A table of so many numbers, which is read at once, gets longer.
    """
    if not _most:  # Another process may compute for as long as it likes.
        return
    more = PATIENCE + int(numbers * SECONDS_A_NUMBER)
    systems.limit_computing(int(time.process_time()) + more)


def expect(number: int):
    """Lets this process take memory and time for so many numbers of a table in all, if it is a worker."""
    if _most:
        allow(number)
        systems.limit_memory(min(_beside + A_NUMBER * number, _most), lowers_only=False)


def _answer(pipe, task, paths, is_list, memory, arguments, home):
    """Sends what a task yields, and how it ended."""
    global _beside
    try:
        allow()
        module, function = task.split(":")
        if home and home not in sys.path:
            sys.path.append(home)
        run, before = _loaded(module, function), systems.taken()
        _beside = min(_most, before + memory) if memory else _most
        expect(0)
        for facts, content in run(paths if is_list else paths[0], **arguments):
            _tell(pipe, _PART, facts)
            pipe.send_bytes(content)
        _tell(pipe, _END, _GROWN if systems.taken() > before + _KEPT else None)
    except RawDataError as error:
        kind = next(kind for kind, form in reversed(_REFUSALS.items()) if isinstance(error, form))
        _tell(pipe, kind, (str(error.path), error.found, error.expected, error.action))
    except MemoryError:
        bound = memory or _most
        systems.limit_memory(_most, lowers_only=False)  # To say so.
        found = f"what {bound / 2**30:.3g} GiB{' beside its numbers' if memory else ''} are not enough for"
        _tell(pipe, "unreadable", (paths[0], found, *REMEDY))
    except BrokenPipeError:  # Nobody wants the rest.
        raise
    except Exception as error:
        if is_full(error):
            _tell(pipe, _FULL, (error.errno, error.strerror))
            return
        if is_broken(error) or isinstance(error, BrokenInstallationError):
            _tell(pipe, _BROKEN, getattr(error, "said", str(error)))
            return
        _tell(pipe, _DEFECT, f"{traceback.format_exc()}\n{type(error).__name__}: {str(error)[:_MOST_LETTERS]}".strip())


def _loaded(module, function):
    """Returns a function of a module; whatever keeps that from being loaded is no fault of a file."""
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, NameError, SyntaxError) as error:
        raise BrokenInstallationError(str(error)) from error


def _tell(pipe, kind, facts=None):
    pipe.send_bytes(json.dumps((kind, facts)).encode())
