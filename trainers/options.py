"""Flags of the trainers: one for each field of `Settings`, and one for each option that methods and others declare."""

import functools
import pathlib

from absl import flags

from simper_tf.methods import METHODS
from simper_tf.training import run_folder
from simper_tf.training.settings import Settings, free_names, owners, setting_fields
from simper_tf.utils.options import kind_of, parse, text_of
from trainers.help import Groups

_KINDS = {bool: flags.DEFINE_boolean, int: flags.DEFINE_integer, float: flags.DEFINE_float, str: flags.DEFINE_string}
# Kind of owner -> heading of its flags.
_HEADINGS = {
    "method": "methods", "encoder": "encoders", "sampler": "encoders", "appearance": "views", "protocol": "evaluation",
}  # fmt: skip
# What evaluation and export may change of a run, by heading.
OF_EVALUATION = ("the run", "the data", "evaluation")
OF_EXPORT = ("the run", "the data", "the exported model")


def define(values: flags.FlagValues = flags.FLAGS):
    """Defines every flag in some `FlagValues`; each trainer calls this before it parses its command line."""
    for field in setting_fields():
        _define_setting(field, {"flag_values": values, "module_name": __name__})
    for name, by_owner in _options().items():
        kind = flags.DEFINE_boolean if kind_of(_first(by_owner)) == (bool, False) else flags.DEFINE_string
        kind(name, None, _help(by_owner), flag_values=values, module_name=__name__)
    flags.mark_flag_as_required("run_dir", flag_values=values)


def groups(headings: tuple[str, ...] = ()) -> Groups:
    """Returns the flags as help shows them: all, or of some headings those that may change on the same run."""
    shown = {field.metadata["group"]: {} for field in setting_fields()}
    for field in setting_fields():
        shown[field.metadata["group"]][field.name] = field.metadata["rare"]
    for name, by_owner in _options().items():
        kind = next(kind for kind, _ in by_owner)
        shown.setdefault(_HEADINGS[kind], {})[name] = all(field.metadata["rare"] for field in by_owner.values())
    if not headings:
        return shown
    free = free_names()
    return {head: {name: rare for name, rare in shown[head].items() if name in free} for head in headings}


def settings(values: flags.FlagValues = flags.FLAGS) -> Settings:
    """Returns the settings that parsed flags stand for; a ValueError of a wrong form, or of flags that do not fit."""
    # An empty text takes back what a flagfile has set.
    given = {name: values[name].value for name in _options() if values[name].value not in (None, "")}
    options = {name: parse(_first(_options()[name]), str(value)) for name, value in given.items()}
    fields = {field.name: _value(field, values[field.name].value) for field in setting_fields()}
    return Settings(**fields, options=options)


def of_run(values: flags.FlagValues = flags.FLAGS) -> Settings:
    """Returns the settings of the run in `--run_dir`, with those that the command line sets.

    A ValueError says that there is no run, that it has other flags, or that one of its flags is impossible.
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
    advice = "Leave these flags out, or name the folder of another run"
    if adopted.dataset != run_folder.read_flags(folder).get("dataset"):
        advice += f". To read another data set as it is: {_reading_another(folder, adopted)}"
    run_folder.check_same(folder, adopted, advice)
    return adopted


def written(folder: pathlib.Path) -> Settings:
    """Returns the settings that the flags in the folder of a run stand for; a ValueError if there are none or wrong."""
    given, values = run_folder.read_flags(folder), flags.FlagValues()
    define(values)
    try:
        values(["", f"--run_dir={folder}", *(f"--{name}={text}" for name, text in given.items() if name in values)])
        return settings(values)
    except (flags.Error, ValueError) as error:
        raise ValueError(
            f"{folder / run_folder.FLAGS} is damaged: {str(error).rstrip('.')}. Mend that line, or train anew with "
            "--overwrite."
        ) from error


def _reading_another(folder, adopted):
    """Returns the command of a run that reads another data set with what a run has learned, and trains nothing."""
    head = "--keep_head " if METHODS[adopted.method].predicts_labels else ""
    return (
        f"python -m trainers.pretrain --flagfile={folder / run_folder.FLAGS} --encoder_from={folder} {head}--steps=0 "
        f"--epochs=0 --dataset={adopted.dataset} --run_dir={folder}_on_{adopted.dataset.replace('/', '_')}"
    )


def _define_setting(field, where):
    metadata, default = field.metadata, None if field.name == "run_dir" else field.default
    if metadata["choices"]:
        flags.DEFINE_enum(field.name, default, sorted(metadata["choices"]), metadata["help"], **where)
    elif kind_of(field)[1]:
        flags.DEFINE_list(field.name, [str(value) for value in default], metadata["help"], **where)
    else:
        bounds = {"lower_bound": metadata["low"]} if metadata["low"] is not None else {}
        _KINDS[kind_of(field)[0]](field.name, default, metadata["help"], **where, **bounds)


def _value(field, value):
    """Returns the value of a setting, given that of its flag: absl keeps several as texts."""
    kind, several = kind_of(field)
    if not several:
        return field.default if value is None else value
    try:
        return tuple(kind(part) for part in value)
    except ValueError as error:
        many = "whole numbers, such as 24,32" if kind is int else "two rising numbers, such as 0.5,2"
        raise ValueError(f"--{field.name} takes {many}. Found: {','.join(value)}") from error


@functools.cache
def _options():
    """Returns name -> the fields of that name by their owner, `(kind, name)`."""
    by_name = {}
    for kind, named in owners().items():
        for who, fields in named.items():
            for name, field in fields.items():
                by_name.setdefault(name, {})[kind, who] = field
    return by_name


def _first(by_owner):
    return next(iter(by_owner.values()))


def _help(by_owner):
    """Returns the help of an option, with its default, or defaults, and whose they are."""
    defaults = {}
    for (_, who), field in by_owner.items():
        defaults.setdefault(text_of(field.default), []).append(
            "simper; others have their own" if who == "appearance" else who
        )
    of_most = len(defaults) == 1 and len(by_owner) > 5
    defaults_of = ", ".join(text + f" ({', '.join(whose)})" * (not of_most) for text, whose in defaults.items())
    return f"{_first(by_owner).metadata['help']} Default: {defaults_of}."
