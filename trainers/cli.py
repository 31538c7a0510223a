"""What all trainers share at the command line: errors in one line, interrupts, progress."""

import pathlib
import sys

from absl import app, flags, logging

from simper_tf.commands.console import (  # noqa: F401  (what trainers print with)
    INTERRUPTED,
    Counter,
    OutputClosed,
    StopRequest,
    ToldToStop,
    clock,
    say,
    show_training,
    silence_decoders,
)
from simper_tf.recordings.errors import printable
from trainers import help, look_for_devices

# What a user, a disk or a signal can cause; anything else is a defect of ours and shows its traceback.
EXPECTED = (ValueError, OSError, FloatingPointError)


def run(main, groups=None, takes=""):
    """Runs `main()` with parsed flags and turns expected errors into one line and an exit code that is not 0.

    `--verbosity=1` shows the traceback of these too; `--help` and `--helpfull` the flags of the command.

    Args:
        main: A function in the module of the command, whose documentation says what the command does.
        groups: Flags as help shows them, such as `options.groups()`; None for those of the module that runs.
        takes: What words without -- are, such as "RECORDING..."; `main` then takes a list of them.
    """
    program = pathlib.Path(sys.argv[0]).stem
    if help.ASKED & {*sys.argv[1:]}:
        full = bool(help.FULL & {*sys.argv[1:]})
        print(help.text(program, sys.modules[main.__module__].__doc__, groups or {}, takes=takes, full=full), end="")
        return

    def guarded(argv):
        look_for_devices()
        if not flags.FLAGS["verbosity"].present:
            logging.set_verbosity(logging.ERROR)
        if len(argv) > 1 and not takes:
            sys.exit(f"{program}: error: flags start with --. Found: {' '.join(argv[1:])}")
        try:
            main(argv[1:]) if takes else main()
        except expected() as error:
            if logging.get_verbosity() >= logging.DEBUG:
                raise
            sys.exit(f"{program}: error: {printable(_one_line(error))}")
        except KeyboardInterrupt:
            print(f"\n{program}: interrupted; nothing that was finished is lost.", file=sys.stderr)
            sys.exit(INTERRUPTED)

    app.run(guarded)


def expected() -> tuple[type[Exception], ...]:
    """Returns `EXPECTED`, and the errors of TensorFlow where it is loaded."""
    tensorflow = sys.modules.get("tensorflow")
    return (*EXPECTED, tensorflow.errors.OpError) if tensorflow else EXPECTED


def _one_line(error):
    """Returns the one line of an error's text that says what is wrong; TensorFlow wraps it in many."""
    text = str(error).strip() or type(error).__name__
    _, asserted, condition = text.partition("assertion failed: ")
    if asserted:
        return condition.splitlines()[0].replace("[", "").replace("]", "")
    return text.splitlines()[0]
