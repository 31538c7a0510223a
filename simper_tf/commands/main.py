"""The console command `simper`: words are parsed and refused before anything heavy is imported."""

import argparse
import dataclasses
import importlib
import itertools
import os
import re
import shutil
import sys
from collections.abc import Collection, Sequence

import simper_tf
from simper_tf.commands import console
from simper_tf.utils import endings
from simper_tf.utils.errors import LEARNING, is_full, missing, printable
from simper_tf.utils.options import declared, kind_of, parse, text_of

HELP = """\
simper: how often something repeats in videos and series,
and models that learn it without labels.

  simper demo                    read a sample: a counted video and a picture
  simper predict clip.mp4        how often something repeats, and when
  simper predict clip.mp4 --video=counted.mp4
                                 the same, with the count on a copy of the video
  simper train 'clips/*.mp4'     learn from your recordings: runs/mine
  simper predict new.mp4 --model=runs/mine
                                 what the learned model reads beside the count

Commands:
{commands}

Recordings are video files, folders, 'patterns/**/*.mp4', series (.csv, .wav,
.edf and others) and numbers of cameras. Flags are --flag=value or --flag value.

  simper COMMAND --help          the flags of a command
  simper --version               the version
  python -m simper_tf COMMAND    the same, where `simper` is not on the path

A checkout of the project has more: data sets by name (rotating_digits, ...),
and runs with checkpoints, scores and plots: python -m trainers.pretrain --help.
"""
_WIDEST = 100  # Columns of help.

_ENDINGS = (
    f"Looked for in folders: videos ({' '.join(endings.VIDEOS)}), series "
    f"({' '.join((*endings.SERIES, *endings.INSTRUMENTS, *endings.PACKED_TEXTS))}), and "
    f"pictures, which are one recording ({' '.join(endings.PICTURES)})."
)


@dataclasses.dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        purpose: What it does, in a line.
        runs: `module:function` below `simper_tf.commands`.
        options: `module:class` below `simper_tf` of its options.
        takes: What words without -- are; empty for none.
        needs: Modules without which it does nothing, beside those that the package always brings.
        extra: The pip extra that brings them.
        interrupted: What is said where it is ended from the keyboard.
    """

    purpose: str
    runs: str
    options: str
    takes: str = ""
    needs: tuple[str, ...] = ()
    extra: str = ""
    interrupted: str = "nothing was written"


COMMANDS = {
    "predict": Command(
        "Read how often something repeats in recordings.",
        "predict:run", "commands.command_options:Predict", "RECORDING",
        interrupted="what was read is kept, and the same command goes on",
    ),
    "demo": Command(
        "Read the sample recording that comes with the package.",
        "demo:demo", "commands.command_options:Demo",
    ),
    "train": Command(
        "Learn from recordings, without labels, and export a model.",
        "train:train", "commands.command_options:Train", "RECORDING", needs=LEARNING, extra="train",
        interrupted="the same command goes on with what it has learned",
    ),
    "evaluate": Command(
        "Compare what is read with your counts, or print a run's scores.",
        "evaluate:evaluate", "commands.command_options:Evaluate", "RECORDING",
    ),
    "export": Command(
        "Write a trained encoder for phones and browsers.",
        "export:export", "commands.command_options:Export", needs=LEARNING, extra="train",
    ),
    "validate": Command(
        "Say which recordings can be learned from, and why others cannot.",
        "train:validate", "commands.command_options:Clips", "RECORDING", needs=LEARNING, extra="train",
    ),
    "app": Command(
        "Serve a page in the browser that reads recordings.",
        "page_server:serve", "commands.command_options:App", needs=("flask", "waitress"), extra="app",
    ),
}  # fmt: skip


def main(words: Sequence[str] | None = None) -> int | None:
    """Runs the command that words name.

    Args:
        words: Those behind `simper`; None for those of the command line.

    Returns:
        The exit code, None for 0.

    Raises:
        SystemExit: words are wrong, an extra is missing, or a recording or a disk cannot be used; says so in a line.
    """
    words = list(sys.argv[1:] if words is None else words)
    if not words or words[0] in ("--help", "-h", "help"):
        print(_help(), end="")
        return None
    if words[0] in ("--version", "-V"):
        print(f"simper {simper_tf.__version__}")
        return None
    name, command = words[0], COMMANDS.get(words[0])
    if command is None:
        _end(f"simper: error: there is no command {printable(name)!r}.{_near(name, COMMANDS)} Try simper --help.")
    given, options = parsed(name, words[1:])
    learns = getattr(options, "model", "")
    cluster = ("distributed",) if getattr(options, "scheduler", "") else ()
    needed = (command.needs, command.extra), (LEARNING if learns else (), "train"), (cluster, "cluster")
    if sentence := next(filter(None, itertools.starmap(missing, needed)), ""):
        _end(f"simper {name}: error: {sentence}")
    # Its threads wait for each other in circles, which takes longer than matrices as small as those of a reading.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return _guarded(name, command, [given] * bool(command.takes) + [options])


def parsed(name: str, words: Sequence[str]):
    """Returns the words of a command without --, and its options.

    Raises:
        SystemExit: words are wrong.
    """
    command = COMMANDS[name]
    parser = _parser(name, command)
    words, behind = _parted(words)
    arguments, unknown = parser.parse_known_intermixed_args(words)
    if unknown:
        word = printable(unknown[0].partition("=")[0])
        if word.startswith("-"):
            flags = [f"--{field.name}" for field in declared(_named(command.options))]
            near = f" The file is ./{word}." if os.path.lexists(unknown[0]) else _near(word, flags)
            parser.error(f"there is no flag {word}.{near}")
        parser.error(f"it takes flags alone. Found: {word}.")
    given = vars(arguments)
    recordings = [*given.pop("recordings", []), *behind]
    if behind and not command.takes:
        parser.error(f"it takes flags alone. Found: {printable(behind[0])}.")
    if command.takes and not recordings:
        parser.error("there is nothing to read. Name a file, a folder, a pattern or the number of a camera.")
    if "" in recordings:  # It would stand for the folder at hand.
        parser.error("the name of a recording is empty. Is a variable of the shell not set?")
    try:
        return recordings, _named(command.options)(**given)
    except ValueError as error:
        parser.error(str(error).replace("Received: ", "Found: "))


def _parted(words):
    """Returns the words before `--` and those behind it, which are recordings whatever they begin with."""
    words = list(words)
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line.

    Attributes:
        names: Of its flags.
    """

    names: Collection[str] = ()

    def error(self, message):
        message = console.in_flags(message, self.names)
        message = re.sub(r"^argument --\w+: (?=--)", "", message)  # Ours name the flag themselves.
        end = "" if message.endswith(("?", ".")) else "."
        _end(f"{self.prog}: error: {message}{end} Try {self.prog} --help.")


def _parser(name, command):
    parser = _Parser(
        prog=f"simper {name}", description=command.purpose, allow_abbrev=False, usage=_usage(name, command),
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=26, width=_columns()),
        epilog=_ENDINGS if name == "predict" else "", add_help=False,
    )  # fmt: skip
    if command.takes:
        about = "A video, a series, a folder, a 'pattern/*.mp4' or the number of a camera."
        parser.add_argument_group("Recordings").add_argument("recordings", nargs="*", metavar=command.takes, help=about)
    flags = parser.add_argument_group("Flags")
    fields = declared(_named(command.options))
    parser.names = {field.name for field in fields}
    for field in fields:
        _add(flags, field)
    flags.add_argument("-h", "--help", action="help", help="Print this.")
    return parser


def _columns():
    """Returns the columns that help may fill: those of the terminal, if it is narrow."""
    return min(shutil.get_terminal_size((_WIDEST, 0)).columns, _WIDEST)


def _usage(name, command):
    return " ".join(filter(None, [f"simper {name}", command.takes and f"{command.takes} ...", "[--flag=value ...]"]))


def _add(parser, field):
    help_text = field.metadata["help"].replace("%", "%%")
    if kind_of(field) == (bool, False):
        action = argparse.BooleanOptionalAction if field.default else "store_true"
        parser.add_argument(f"--{field.name}", action=action, default=field.default, help=help_text)
        return

    def read(text):
        try:
            return parse(field, text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    shown = f"{field.default:g}" if isinstance(field.default, float) else text_of(field.default)
    default = "" if field.default in (None, "", ()) else f" Default: {shown}."
    choices = f" One of {', '.join(field.metadata['choices'])}." if field.metadata["choices"] else ""
    form = field.metadata.get("form", field.name.upper())
    parser.add_argument(
        f"--{field.name}", type=read, default=field.default, metavar=form, help=help_text + choices + default
    )


def _guarded(name, command, arguments):
    """Calls what a command runs, and turns errors that a user can cause into one line."""
    from simper_tf.commands import early_checks  # Takes as long to load as the help.

    try:
        early_checks.check(name, arguments[0] if command.takes else (), arguments[-1])
        with console.AtOnce():
            return _named(f"commands.{command.runs}")(*arguments)
    except KeyboardInterrupt as error:
        print(f"\nsimper {name}: interrupted; {command.interrupted}.", file=sys.stderr)
        return getattr(error, "code", console.INTERRUPTED)
    except Exception as error:
        if not isinstance(error, console.expected()):
            raise
        said = console.in_flags(console.one_line(error), {field.name for field in declared(arguments[-1])})
        if is_full(error):
            said += f". Make room there; {command.interrupted}."
        _end(f"simper {name}: error: {printable(said)}", code=2 if isinstance(error, console.WrongWord) else 1)


def _help():
    lines = [f"  {name:<9} {command.purpose[0].lower()}{command.purpose[1:-1]}" for name, command in COMMANDS.items()]
    return HELP.format(commands="\n".join(lines))


def _named(path):
    """Returns what `module:name` below the package stands for, which is imported now."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(f"simper_tf.{module}"), name)


def _near(word, known):
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _end(sentence, code=2):
    print(sentence, file=sys.stderr)
    raise SystemExit(code)
