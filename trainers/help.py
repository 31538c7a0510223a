"""`--help` of a command: its flags with their defaults, in groups; `--helpfull` has those that few users set too."""

import re
import shutil
import sys
import textwrap

from absl import flags

from simper_tf.commands.console import in_flags

FULL = {"--helpfull", "-helpfull"}
ASKED = {"--help", "-help", "-h", "--helpshort", "-?", *FULL}
# Where what a flag does begins, in a line.
_COLUMN = 28
# Heading -> name of a flag -> whether few users set it.
Groups = dict[str, dict[str, bool]]


def text(command: str, doc: str, groups: Groups, values: flags.FlagValues = flags.FLAGS, full: bool = True) -> str:
    """Returns the help of a command as `python -m` takes it, from the documentation of its module and its flags.

    Without groups the flags of the module that runs are shown; not `full`, without those that few users set.
    """
    shown = {"this command": dict.fromkeys(_own(values), False), **groups}
    parts = [doc.strip(), f"usage: python -m {command} --flag=value ... [--flagfile=FILE]"]
    for heading, names in shown.items():
        lines = [
            _flag(values[name], values) for name, is_rare in names.items() if name in values and (full or not is_rare)
        ]
        if lines:
            parts.append("\n".join([f"Flags of {heading}:", *lines]))
    hidden = sum(is_rare for names in groups.values() for is_rare in names.values())
    if hidden and not full:
        parts.append(f"{hidden} more flags, which few need: --helpfull.")
    return "\n\n".join(parts) + "\n"


def _own(values):
    """Returns the flags of the command alone: libraries define flags too, and `trainers.options` those in groups."""
    modules = values.flags_by_module_dict()
    # Those of the module that runs stand under the name of the program.
    ours = [m for m in modules if m == sys.argv[0] or (m.startswith("trainers.") and m != "trainers.options")]
    return [flag.name for module in ours for flag in modules[module]]


def _flag(flag, values):
    default = "" if flag.default in (None, "", []) else f"={_shown(flag.default)}"
    width = min(shutil.get_terminal_size().columns, 100)
    # absl puts the choices first, joined by |.
    said = re.sub(r"^<(.*?)>: (.*)", lambda match: f"{match[2]} One of {match[1].replace('|', ', ')}.", flag.help)
    said = in_flags(said, values)
    wrapped = textwrap.fill(said, width, initial_indent=" " * _COLUMN, subsequent_indent=" " * _COLUMN)
    name = f"  --{flag.name}{default}"
    return f"{name:<{_COLUMN}}{wrapped[_COLUMN:]}" if len(name) < _COLUMN else f"{name}\n{wrapped}"


def _shown(value):
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
