"""Flags of declared options: absl's flags in, a dataclass of options out."""

import dataclasses

from absl import flags

from simper_tf.utils.options import Options, declared, kind_of, parse, text_of

_KINDS = {bool: flags.DEFINE_boolean, int: flags.DEFINE_integer, float: flags.DEFINE_float, str: flags.DEFINE_string}


def define(kind: type[Options], values: flags.FlagValues = flags.FLAGS):
    """Defines a flag for each option of a dataclass."""
    for field in declared(kind):
        define_one(field, values, __name__)


def options(kind: type[Options], values: flags.FlagValues = flags.FLAGS) -> Options:
    """Returns the options that parsed flags stand for.

    Raises:
        ValueError: a flag has not the form it needs.
    """
    return kind(**{field.name: _value(field, values[field.name].value) for field in declared(kind)})


def define_one(field: dataclasses.Field, values: flags.FlagValues, module: str, default=dataclasses.MISSING):
    """Defines the flag of one option.

    Args:
        field: The option.
        values: Where it is defined.
        module: Name of the module under which help lists it.
        default: Its default, where that is another than the option's.
    """
    told, to = field.metadata, {"flag_values": values, "module_name": module}
    default = field.default if default is dataclasses.MISSING else default
    if told["choices"]:
        flags.DEFINE_enum(field.name, default, sorted(told["choices"]), told["help"], **to)
    elif kind_of(field)[1]:
        given = None if default is None else [str(value) for value in default]
        flags.DEFINE_list(field.name, given, told["help"], **to)
    else:
        bounds = {"lower_bound": told["low"]} if told["low"] is not None else {}
        _KINDS[kind_of(field)[0]](field.name, default, told["help"], **to, **bounds)


def _value(field, value):
    """Returns the value of an option, given that of its flag: absl keeps several as texts."""
    return parse(field, text_of(value)) if isinstance(value, list) else value
