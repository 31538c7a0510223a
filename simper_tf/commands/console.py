"""Signals and errors of commands; their lines and progress are those of `utils.progress`."""

import abc
import contextlib
import re
import signal
import sys
from collections.abc import Collection

from simper_tf.utils.errors import BrokenInstallationError
from simper_tf.utils.options import written
from simper_tf.utils.progress import Counter, OutputClosed, clock, say  # noqa: F401  (what commands print by)

# The exit code that shells give a program ended from the keyboard.
INTERRUPTED = 130


class Interruption(KeyboardInterrupt):
    """A signal has told this process to stop.

    Args:
        number: Of the signal.

    Attributes:
        code: The exit code that shells give a program ended by it.
    """

    def __init__(self, number: int):
        super().__init__()
        self.code = 128 + number


class ToldToStop(abc.ABC):
    """Between `with` and its end, what tells this process to stop calls `_told`: Ctrl-C, SIGTERM and SIGHUP.

    A SIGHUP that is ignored, as `nohup` has it, stays ignored.
    """

    def __enter__(self):
        numbers = [signal.SIGINT, signal.SIGTERM]
        hang_up = getattr(signal, "SIGHUP", None)  # Windows has none.
        if hang_up and signal.getsignal(hang_up) != signal.SIG_IGN:
            numbers.append(hang_up)
        self._previous = {number: signal.signal(number, self._told) for number in numbers}
        return self

    def __exit__(self, *_):
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @abc.abstractmethod
    def _told(self, number: int, frame=None): ...


class AtOnce(ToldToStop):
    """Raises an `Interruption` at a signal to stop."""

    def _told(self, number, frame=None):
        raise Interruption(number)


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
            raise Interruption(number)
        self.signal = number
        # Where a terminal is gone, or a line is half printed, there is nothing to be said.
        with contextlib.suppress(OutputClosed, RuntimeError):
            say("\nStopping after this step; once more to stop at once.")


class WrongWord(ValueError):
    """What a flag says or names cannot be used; it ends with the exit code of wrong words."""


@contextlib.contextmanager
def checking_words():
    """Makes a `WrongWord` of each ValueError of a block that checks what flags say."""
    try:
        yield
    except ValueError as error:
        raise WrongWord(str(error).replace("Received: ", "Found: ")) from error


def expected() -> tuple[type[Exception], ...]:
    """Returns the errors that a user, a disk or a signal can cause; any other is a defect of ours."""
    tensorflow = sys.modules.get("tensorflow")
    known = ValueError, OSError, FloatingPointError, BrokenInstallationError
    return (*known, *((tensorflow.errors.OpError,) if tensorflow else ()))


def in_flags(sentence: str, names: Collection[str]) -> str:
    """Returns a sentence of the library as a command says it: `rate=30` in backticks as --rate=30.

    Args:
        sentence: Help, a note or what an error says.
        names: Of the flags of the command; other names stay as they are.
    """
    return written(sentence, lambda name, value: f"--{name}{value.removesuffix('=True')}" if name in names else None)


def one_line(error: BaseException) -> str:
    """Returns the one line of an error's text that says what is wrong; TensorFlow wraps it in many."""
    text = str(error).strip() or type(error).__name__
    _, asserted, condition = text.partition("assertion failed: ")
    if asserted:
        return condition.splitlines()[0].replace("[", "").replace("]", "")
    return re.sub(r"\[Errno -?\d+\] ", "", text.splitlines()[0])
