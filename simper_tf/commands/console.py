"""Lines, progress, signals and errors of commands."""

import abc
import contextlib
import math
import os
import re
import signal
import sys
import time

from simper_tf.utils.errors import printable

# The exit code that shells give a program ended from the keyboard.
INTERRUPTED = 130


class OutputClosed(OSError):
    """Nobody reads what is printed any more, such as behind `| head`, or the disk it goes to is full."""


def say(text, start="", end="\n"):
    """Prints lines that appear at once, also in a pipe, whatever the names in them would have a terminal do.

    Args:
        text: The lines.
        start, end: What is printed before and behind them, as it is.

    Raises:
        OutputClosed: it cannot be printed.
    """
    try:
        print(start + "\n".join(map(printable, str(text).split("\n"))), end=end, flush=True)
    except OSError as error:
        # Python would try again at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputClosed(f"standard output: {error.strerror}; nothing that was finished is lost.") from error


def clock(seconds):
    """Returns seconds as m:ss or h:mm:ss."""
    minutes, seconds = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Counter:
    """Prints how many items of a known number are done: in place on a terminal, else a line every tenth of them.

    Args:
        what: Words before the numbers.
        total: How many there are.
    """

    def __init__(self, what, total):
        self.what, self.total, self._began, self._tenth = what, total, time.monotonic(), None

    def __call__(self, done):
        """Shows the number with the time left, as if all took the same time."""
        left = (time.monotonic() - self._began) / done * (self.total - done)
        self.show(done, f"{clock(left)} left")

    def show(self, done, rest):
        """Shows the number with other words behind it."""
        text, tenth = f"{self.what} {done}/{self.total}  {rest}", 10 * done // self.total
        if sys.stdout and sys.stdout.isatty():
            say(text, start="\r\x1b[K", end="\n" if done == self.total else "")
        elif tenth != self._tenth:
            self._tenth = tenth
            say(text)


class ToldToStop(abc.ABC):
    """Between `with` and its end, what tells this process to stop calls `_told`: Ctrl-C, SIGTERM and SIGHUP.

    A SIGHUP that is ignored, as `nohup` has it, stays ignored.
    """

    def __enter__(self):
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        self._previous = {number: signal.signal(number, self._told) for number in numbers}
        return self

    def __exit__(self, *_):
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @abc.abstractmethod
    def _told(self, number: int, frame=None): ...


class StopRequest(ToldToStop):
    """Becomes true at the first signal to stop, so that a loop can end where its state is whole.

    A second one interrupts at once.
    """

    def __init__(self):
        self.signal = None

    def __call__(self):
        return self.signal is not None

    def _told(self, number, frame=None):
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number
        # Where a terminal is gone, or a line is half printed, there is nothing to be said.
        with contextlib.suppress(OutputClosed, RuntimeError):
            say("\nStopping after this step; once more to stop at once.")


def expected() -> tuple[type[Exception], ...]:
    """Returns the errors that a user, a disk or a signal can cause; any other is a defect of ours."""
    tensorflow = sys.modules.get("tensorflow")
    return (ValueError, OSError, FloatingPointError, *((tensorflow.errors.OpError,) if tensorflow else ()))


def one_line(error: BaseException) -> str:
    """Returns the one line of an error's text that says what is wrong; TensorFlow wraps it in many."""
    text = str(error).strip() or type(error).__name__
    _, asserted, condition = text.partition("assertion failed: ")
    if asserted:
        return condition.splitlines()[0].replace("[", "").replace("]", "")
    return re.sub(r"\[Errno -?\d+\] ", "", text.splitlines()[0])
