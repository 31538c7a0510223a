"""What all trainers share at the command line: errors in one line, interrupts, progress."""

import math
import signal
import sys
import time

import tensorflow as tf
from absl import app, flags, logging

from simper_tf.readers.errors import printable

# What a user, a disk or a signal can cause; anything else is a defect of ours and shows its traceback.
EXPECTED = (ValueError, OSError, FloatingPointError, tf.errors.OpError)

# The exit code that shells give a program ended from the keyboard.
INTERRUPTED = 130


def run(main):
    """Runs `main()` with parsed flags and turns expected errors into one line and an exit code that is not 0.

    `--verbosity=1` shows the traceback of these too.
    """

    def guarded(argv):
        if not flags.FLAGS["verbosity"].present:
            logging.set_verbosity(logging.ERROR)
        program = sys.argv[0].rsplit("/", 1)[-1].removesuffix(".py")
        if len(argv) > 1:
            sys.exit(f"{program}: error: flags start with --. Found: {' '.join(argv[1:])}")
        try:
            main()
        except EXPECTED as error:
            if logging.get_verbosity() >= logging.DEBUG:
                raise
            sys.exit(f"{program}: error: {printable(_one_line(error))}")
        except KeyboardInterrupt:
            print(f"\n{program}: interrupted; nothing that was finished is lost.", file=sys.stderr)
            sys.exit(INTERRUPTED)

    app.run(guarded)


class StopRequest:
    """Becomes true at the first Ctrl-C or SIGTERM, so that a loop can end where its state is whole.

    A second Ctrl-C interrupts at once.
    """

    def __init__(self):
        self.signal = None

    def __enter__(self):
        self._previous = {s: signal.signal(s, self._note) for s in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_):
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def __call__(self):
        return self.signal is not None

    def _note(self, number, _):
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number
        say("\nStopping after this step; once more to stop at once.")


def say(text):
    """Prints a line that appears at once, also in a pipe."""
    print(text, flush=True)


def show_training(progress):
    """Prints a `training.Progress`: in place on a terminal, else a line every tenth of the run."""
    logs = "  ".join(f"{name} {value:.3f}" for name, value in progress.logs.items())
    _show(
        "step",
        progress.step,
        progress.num_steps,
        f"{clock(progress.seconds_left)} left  "
        f"{progress.clips_per_second:.0f} clips/s  waiting for data {progress.waiting:.0%}  {logs}",
    )


class Counter:
    """Prints how many items of a known number are done, with the time left.

    Args:
        what: Words before the numbers.
        total: How many there are.
    """

    def __init__(self, what, total):
        self.what, self.total, self.began = what, total, time.monotonic()

    def __call__(self, done):
        left = (time.monotonic() - self.began) / done * (self.total - done)
        _show(self.what, done, self.total, f"{clock(left)} left")


def clock(seconds):
    """Returns seconds as m:ss or h:mm:ss."""
    minutes, seconds = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


_tenths_shown = set()


def _show(what, done, total, rest):
    text = f"{what} {done}/{total}  {rest}"
    tenth = (what, 10 * done // total)
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="\n" if done == total else "", flush=True)
    elif tenth not in _tenths_shown:
        _tenths_shown.add(tenth)
        say(text)


def _one_line(error):
    """Returns the one line of an error's text that says what is wrong; TensorFlow wraps it in many."""
    text = str(error).strip() or type(error).__name__
    _, asserted, condition = text.partition("assertion failed: ")
    if asserted:
        return condition.splitlines()[0].replace("[", "").replace("]", "")
    return text.splitlines()[0]
