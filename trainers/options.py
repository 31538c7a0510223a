"""The flags of all trainers: one for each field of `Settings`, and one for each option that somebody brings along."""

import functools
import pathlib

from absl import flags

from simper_tf.training import run_folder
from simper_tf.training.settings import Settings, owners, setting_fields

_KINDS = {bool: flags.DEFINE_boolean, int: flags.DEFINE_integer, float: flags.DEFINE_float, str: flags.DEFINE_string}
# Heading of the help -> flags, in the order of their definition.
GROUPS: dict[str, list[str]] = {}


def define(values: flags.FlagValues = flags.FLAGS):
    """Defines every flag in some `FlagValues`; each trainer calls this before it parses its command line."""
    for field in setting_fields():
        _define(field, values)
    for name, (option, told) in _brought_along().items():
        kind = flags.DEFINE_boolean if option.kind is bool and not option.is_tuple else flags.DEFINE_string
        kind(name, None, told, flag_values=values, module_name=__name__)
    flags.mark_flag_as_required("run_dir", flag_values=values)


def settings(values: flags.FlagValues = flags.FLAGS) -> Settings:
    """Returns the settings that parsed flags stand for.

    Raises:
        ValueError: a flag has not the form it needs, or means nothing with the others.
    """
    known = owners()
    # An empty text takes back what a flagfile has set.
    given = {name: values[name].value for name in _brought_along() if values[name].value not in (None, "")}
    parsers = {name: option for owner in known.values() for who in owner.values() for name, option in who.items()}
    options = {name: parsers[name].parse(str(value)) for name, value in given.items()}
    fields = {field.name: _value(field, values[field.name].value) for field in setting_fields()}
    return Settings(**fields, options=options)


def of_run(values: flags.FlagValues = flags.FLAGS) -> Settings:
    """Returns the settings of the run in `--run_dir`, with those that the command line sets.

    Raises:
        ValueError: there is no run, it has other flags, or one of its flags has an impossible value.
    """
    if values.overwrite:
        raise ValueError(
            "--overwrite deletes a run before it is trained anew, but this command reads one. Leave it out."
        )
    folder = pathlib.Path(values.run_dir)
    written(folder)
    for name, value in run_folder.read_flags(folder).items():
        if name in values and not values[name].present:
            values[name].parse(value)
    adopted = settings(values)
    run_folder.check_same(folder, adopted, "Leave these flags out, or name the folder of another run")
    return adopted


def written(folder: pathlib.Path) -> Settings:
    """Returns the settings that the flags in the folder of a run stand for.

    Raises:
        ValueError: there is no run, or one of its flags has an impossible value.
    """
    found, values = run_folder.read_flags(folder), flags.FlagValues()
    define(values)
    try:
        values(["", f"--run_dir={folder}", *(f"--{name}={text}" for name, text in found.items() if name in values)])
        return settings(values)
    except (flags.Error, ValueError) as error:
        raise ValueError(
            f"{folder / run_folder.FLAGS} is damaged: {str(error).rstrip('.')}. Mend that line, or train anew with "
            "--overwrite."
        ) from error


def is_given(name: str) -> bool:
    """Returns whether the command line, or a flagfile, has a flag."""
    return bool(flags.FLAGS[name].present)


def _define(field, values):
    told, help = field.metadata, field.metadata["help"]
    GROUPS.setdefault(told["group"], []).append(field.name)
    if told["choices"]:
        flags.DEFINE_enum(
            field.name, field.default, sorted(told["choices"]), help, flag_values=values, module_name=__name__
        )
    elif isinstance(field.default, tuple):
        default = [str(value) for value in field.default]
        flags.DEFINE_list(field.name, default, help, flag_values=values, module_name=__name__)
    else:
        bounds = {"lower_bound": told["lower"]} if told["lower"] is not None else {}
        default = None if field.name == "run_dir" else field.default
        _KINDS[type(field.default)](field.name, default, help, flag_values=values, module_name=__name__, **bounds)


def _value(field, value):
    if isinstance(field.default, tuple):
        kind = int if field.name in ("decay_epochs", "size") else float
        try:
            return tuple(kind(part) for part in value)
        except ValueError as error:
            many = "whole numbers, such as 24,32" if kind is int else "two rising numbers, such as 0.5,2"
            raise ValueError(f"--{field.name} takes {many}. Found: {','.join(value)}") from error
    return field.default if value is None else value


@functools.cache
def _brought_along():
    """Returns name -> an `Option` and its help: whose it is, with their defaults."""
    found = {}
    for kind, named in owners().items():
        for who, options in named.items():
            for name, option in options.items():
                found.setdefault(name, {})[who] = option
                group = {"protocol": "evaluation", "appearance": "views"}.get(kind, f"{kind}s")
                if name not in GROUPS.setdefault(group, []):
                    GROUPS[group].append(name)
    return {name: (next(iter(by.values())), _help(by)) for name, by in found.items()}


def _help(by):
    defaults = ", ".join(f"{who} {_shown(option.default)}" for who, option in by.items())
    return f"{next((option.doc for option in by.values() if option.doc), '')} Default of {defaults}.".strip()


def _shown(value):
    if value is None:
        return "(from the data)"
    return ",".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)
