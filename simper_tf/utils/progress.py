"""Lines that appear at once, and how far something is."""

import math
import os
import sys
import time

from simper_tf.utils.errors import printable


class OutputClosed(OSError):
    """Nobody reads what is printed any more, such as behind `| head`, or the disk it goes to is full."""


def say(text, start="", end="\n"):
    """Prints lines that appear at once, also in a pipe, whatever the names in them would have a terminal do.

    What stands before and behind them, `start` and `end`, is printed as it is.

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
    """Prints how many of `total` items are done: in place on a terminal, else a line every tenth of them."""

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
