"""The command line that all trainers share: parsed flags, errors in one line, progress of training."""

import re
import sys

from absl import app, flags, logging

from simper_tf.commands.console import (  # noqa: F401  (what trainers print by)
    INTERRUPTED,
    Counter,
    StopRequest,
    ToldToStop,
    clock,
    expected,
    in_flags,
    one_line,
    say,
)
from simper_tf.utils import quiet
from simper_tf.utils.errors import printable
from trainers import help

# What absl says of a flag -> what we say.
_OF_ABSL = {
    r"^flag --(\w+)=None: .* other than None\.$": r"--\1 is missing",
    r"^flag --(\w+)=(.*): value should be one of <(.*)>$": r"--\1 is one of \3. Found: \2",
    r"^flag --(\w+)=(.*): invalid literal for int.*": r"--\1 takes a whole number. Found: \2",
    r"^flag --(\w+)=(.*): could not convert string to float.*": r"--\1 takes a number. Found: \2",
    r"^flag --(\w+)=(.*): \('Non-boolean argument.*": r"--\1 takes true or false. Found: \2",
    r"^flag --(\w+)=(.*): .* is not (an? .*)$": r"--\1 takes \3. Found: \2",
    r"^flag --(\w+)=(.*): .* is not \w+ >= (.*)$": r"--\1 must be at least \3. Found: \2",
    r"^ERROR:: Unable to open flagfile: .*: '(.*)'$": r"--flagfile=\1: no such file",
    r"^Unknown command line flag '(\w+)'": r"there is no flag --\1",
    r" Did you mean: (\w+).*": r" Did you mean --\1?",
}


def run(main, groups=None):
    """Runs `main()` with parsed flags and turns expected errors into one line and an exit code that is not 0.

    `--verbosity=1` shows the traceback of these too; `--help` and `--helpfull` the flags of the command.

    Args:
        main: A function in the module of the command, whose documentation says what the command does.
        groups: Flags as help shows them, such as `options.groups()`; None for those of the module that runs.
    """
    module = sys.modules[main.__module__]
    # As `python -m` takes it; what Python is given as a line has no name.
    command = module.__spec__.name.removesuffix(".__main__") if module.__spec__ else sys.argv[0]
    program = command.rpartition(".")[2]
    if help.ASKED & {*sys.argv[1:]}:
        full = bool(help.FULL & {*sys.argv[1:]})
        print(help.text(command, module.__doc__, groups or {}, full=full), end="")
        return

    def guarded(argv):
        if not flags.FLAGS["verbosity"].present:
            logging.set_verbosity(logging.ERROR)
        if len(argv) > 1:
            sys.exit(f"{program}: error: flags start with --. Found: {' '.join(argv[1:])}")
        try:
            main()
        except KeyboardInterrupt:
            print(f"\n{program}: interrupted; nothing that was finished is lost.", file=sys.stderr)
            sys.exit(INTERRUPTED)
        except Exception as error:
            if not isinstance(error, expected()) or logging.get_verbosity() >= logging.DEBUG:
                raise
            sys.exit(f"{program}: error: {printable(in_flags(one_line(error), flags.FLAGS))}")

    if "tensorflow" in sys.modules:
        quiet.look_for_devices()  # TensorFlow does when absl begins, and not quietly.
    app.run(guarded, flags_parser=lambda argv: parsed(command, argv))


def parsed(command, argv, values=flags.FLAGS):
    """Returns the words of a command line that are no flags; ends in one line where flags are wrong."""
    try:
        return values(argv)
    except flags.Error as error:
        said = str(error).strip().splitlines()[0]
        for pattern, ours in _OF_ABSL.items():
            said = re.sub(pattern, ours, said)
        said = said if said.endswith(("?", ".")) else f"{said}."
        program = command.rpartition(".")[2]
        sys.exit(f"{program}: error: {printable(said)} Try python -m {command} --help.")


def show_training(progress, counter):
    """Prints a `training.Progress` by the `Counter` of its run."""
    logs = "  ".join(f"{name} {value:.3f}" for name, value in progress.logs.items())
    counter.show(
        progress.step,
        f"{clock(progress.seconds_left)} left  "
        f"{progress.clips_per_second:.0f} clips/s  waiting for data {progress.waiting:.0%}  {logs}",
    )
