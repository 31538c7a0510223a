"""`--help` of a command: all its flags with their defaults, in groups, and no hint to another help."""

import shutil
import sys
import textwrap

from absl import flags

ASKED = {"--help", "-help", "-h", "--helpshort", "--helpfull", "-?"}


def text(
    program: str, doc: str, groups: dict[str, list[str]], values: flags.FlagValues = flags.FLAGS, takes: str = ""
) -> str:
    """Returns the help of a command.

    Args:
        program: Its name.
        doc: What it does, the documentation of its module.
        groups: Heading -> names of flags; flags of the command in none of them come first.
        values: Where its flags are defined.
        takes: What words without -- are; empty for none.
    """
    grouped = {name for names in groups.values() for name in names}
    # Libraries define flags too. Those of the module that runs stand under the name of the program.
    ours = [m for m in values.flags_by_module_dict() if m == sys.argv[0] or m.startswith("trainers.")]
    own = [flag.name for m in ours for flag in values.flags_by_module_dict()[m] if flag.name not in grouped]
    command = " ".join(filter(None, [f"python -m trainers.{program}", takes]))
    parts = [doc.strip(), f"usage: {command} --flag=value ... [--flagfile=FILE]"]
    for heading, names in {"this command": own, **groups}.items():
        known = [values[name] for name in dict.fromkeys(names) if name in values]
        if known:
            parts.append("\n".join([f"Flags of {heading}:", *(_flag(flag) for flag in known)]))
    return "\n\n".join(parts) + "\n"


def _flag(flag):
    default = "" if flag.default in (None, "", []) else f"={_shown(flag.default)}"
    width = min(shutil.get_terminal_size().columns, 100)
    told = textwrap.fill(flag.help, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return f"  --{flag.name}{default}\n{told}"


def _shown(value):
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
