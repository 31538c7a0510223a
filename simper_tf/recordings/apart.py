"""Videos decoded in a process of their own: what their bytes do to a native decoder is one sentence here.

A decoder that crashes, takes all memory or goes in a circle ends that process alone. It is started when it is first
needed, serves one file after another, and is ended with this one. Frames come small, through a pipe of their own, ahead
of their reader.
"""

import atexit
import collections
import contextlib
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import weakref

import numpy as np

from simper_tf.recordings import captures, decoder, mp4
from simper_tf.recordings.errors import RawDataError

_PIPE = 2**20  # Bytes that wait in it: some hundred frames.
_PATIENCE = 1.0  # Seconds that decoders have to end by themselves once nothing can be asked any more.
_idle = collections.deque()  # Decoders that have answered all they were asked.
_all = weakref.WeakSet()


def probe(path):
    """Returns `mp4.probe` of a file.

    Raises:
        RawDataError: as there, or the decoder fails on it.
        OSError: the decoder cannot be started.
    """
    with _asked(path, None) as messages:
        ((_, found),) = messages
        return mp4.VideoInfo(*json.loads(found))


def decoded(path, start, end, shape, box=None):
    """Yields what `mp4.decoded` does of a file.

    Raises:
        RawDataError: as there, or the decoder fails on it.
        OSError: the decoder cannot be started.
    """
    with _asked(path, (start, end, shape, box)) as messages:
        for letter, content in messages:
            if letter == decoder.FRAME:
                (moment,) = decoder.TIME.unpack_from(content)
                yield moment, np.frombuffer(content, np.uint8, offset=decoder.TIME.size).reshape(*shape, 3)


@contextlib.contextmanager
def _asked(path, interval):
    """Opens an iterator of the answers to a request; its decoder is kept if all of them were taken."""
    running = _Decoder.ready()
    try:
        running.ask({"path": str(pathlib.Path(path).absolute()), "interval": interval})
        yield running.answers(path)
    finally:
        running.keep_or_end()


class _Decoder:
    """A process that runs `decoder.main`."""

    def __init__(self):
        out, theirs = os.pipe()
        self._out, self._owner, self._is_done = os.fdopen(out, "rb"), os.getpid(), True
        # The modules of this process, wherever they come from, and nothing of its own program.
        path = f"import sys; sys.path[:] = {sys.path!a}"
        code = f"{path}; from simper_tf.recordings import decoder; decoder.main({theirs})"
        environment = {**os.environ, **decoder.ENVIRONMENT}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "pass_fds": (theirs,)}
        try:
            with _deaf_to_ctrl_c():
                self._process = subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes)
        finally:
            os.close(theirs)
        _all.add(self)
        with contextlib.suppress(OSError):  # Where so large a pipe is not allowed, a smaller one does.
            fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, _PIPE)
        if self._next()[0] != decoder.READY:
            raise OSError(f"the decoder of videos cannot be started: {sys.executable} ended with {self.end(_PATIENCE)}")

    @classmethod
    def ready(cls):
        """Returns an idle decoder, or a new one; those of a process that this one was forked from are not its own."""
        while _idle:
            with contextlib.suppress(IndexError):  # Another thread was faster.
                found = _idle.pop()
                if found._owner == os.getpid() and found._process.poll() is None:
                    return found
        return cls()

    def ask(self, request):
        self._is_done = False
        with contextlib.suppress(BrokenPipeError):  # It has died; that there is no answer says so.
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()

    def answers(self, path):
        """Yields the letter and content of each message up to the last."""
        while not self._is_done:
            letter, content = self._next()
            if not letter:
                raise RawDataError(path, self._failure(), *captures.REMEDY)
            self._is_done = letter != decoder.FRAME
            if letter == decoder.REFUSED:
                raise RawDataError(path, *json.loads(content))
            if letter == decoder.DEFECT:
                raise RuntimeError(json.loads(content))
            yield letter, content

    def keep_or_end(self):
        if self._is_done:
            _idle.append(self)
        else:
            self.end()

    def hang_up(self):
        """Has the process end by itself, unless it is in the middle of something."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def end(self, patience=0.0):
        """Ends the process, after some seconds in which it may do so by itself, and returns its exit code."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        self._process.kill()
        self._out.close()
        self.hang_up()
        return self._process.wait()

    def _next(self):
        """Returns the next message; an empty letter where the process has ended."""
        head = self._out.read(decoder.HEAD.size)
        if len(head) < decoder.HEAD.size:
            return b"", b""
        letter, length = decoder.HEAD.unpack(head)
        content = self._out.read(length)
        return (letter, content) if len(content) == length else (b"", b"")

    def _failure(self):
        code = self._process.wait()
        if code == -signal.SIGALRM:
            return f"no end of decoding, for {decoder.PATIENCE} s"
        return f"what the decoder does not survive ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"


@contextlib.contextmanager
def _deaf_to_ctrl_c():
    """Has what is started here never hear of Ctrl-C, which is for this process; it hears of it afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@atexit.register
def _end_all():
    """Ends the decoders of this process, which nobody else would wait for where there is no init."""
    own, limit = [each for each in _all if each._owner == os.getpid()], time.monotonic() + _PATIENCE
    for each in own:
        each.hang_up()
    for each in own:
        each.end(max(limit - time.monotonic(), 0.0))
