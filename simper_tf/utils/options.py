"""Options, declared once: typed fields of frozen dataclasses with their help, from which flags and settings come."""

import dataclasses
import functools
import inspect
import math
import re
import textwrap
import types
import typing
from collections.abc import Callable, Collection

from simper_tf.utils.config import Frozen, check_number


def option(
    default,
    help: str,
    *,
    choices: Collection[str] | None = None,
    low: float | None = None,
    high: float = math.inf,
    above: bool = False,
    rare: bool = False,
    is_flag: bool = True,
    **more,
):
    """Returns a field of a dataclass of options.

    Args:
        default: Value where nothing is given.
        help: What it does, in a sentence or two.
        choices: Names that it takes; None for anything.
        low, high: Ends of the range of a number, or of the numbers of a tuple; `low` None for no range.
        above: Whether `low` itself is out.
        rare: Whether few users set it, so that only the long help shows it.
        is_flag: Whether the command line has it; the others keep their default there, or follow from the data.
        more: What else somebody wants to know of it, by name.

    Example:
        >>> @dataclasses.dataclass(frozen=True)
        ... class MeanOptions(Options):
        ...     outputs: int = option(2, "Series that the encoder returns.", low=1)
        >>> MeanOptions().outputs
        2
    """
    bounds = {"low": low, "high": high, "above": above}
    metadata = {"help": help, "choices": choices, **bounds, "rare": rare, "is_flag": is_flag}
    return dataclasses.field(default=default, metadata=metadata | more)


# A setting in a sentence, such as `rate`, or `rate=30`.
_SETTING = re.compile(r"`(\w+)(=[^`]*)?`")


def written(sentence: str, write: Callable[[str, str], str | None]) -> str:
    """Returns a sentence in which settings in backticks stand as somebody calls them, such as --rate=30 for `rate=30`.

    `write` gets the name of a setting and `=value`, or nothing; it returns None for one that stays as it is.
    """
    return _SETTING.sub(lambda found: write(found[1], found[2] or "") or found[0], sentence)


@dataclasses.dataclass(frozen=True)
class Options(Frozen):
    """Base: the options of a method, an encoder or a protocol, checked as they are made.

    Raises:
        ValueError: a number is out of its range, or a name is none of the choices.

    Example:
        >>> @dataclasses.dataclass(frozen=True)
        ... class NormOptions(Options):
        ...     norm: str = option("batch", "What standardizes features.", choices=("batch", "group"))
        >>> NormOptions("layer")
        Traceback (most recent call last):
        ValueError: `norm` must be one of batch, group. Received: 'layer'.
    """

    def __post_init__(self):
        for field in declared(self):
            metadata, value = field.metadata, getattr(self, field.name)
            if metadata["choices"] and value not in metadata["choices"]:
                known = ", ".join(metadata["choices"])
                raise ValueError(f"`{field.name}` must be one of {known}. Received: {value!r}.")
            if metadata["low"] is not None and value is not None:
                for number in value if isinstance(value, tuple) else (value,):
                    bounds = metadata["low"], metadata["high"], metadata["above"]
                    check_number(field.name, number, *bounds, whole=kind_of(field)[0] is int)


def declared(kind) -> list[dataclasses.Field]:
    """Returns the fields of a dataclass, or of an object of one, that are made by `option`."""
    return [field for field in dataclasses.fields(kind) if "is_flag" in field.metadata]


def options_of(owner) -> dict[str, dataclasses.Field]:
    """Returns the options that users set of a method, an encoder, a protocol or a dataclass of options, by name."""
    kind = owner if dataclasses.is_dataclass(owner) else getattr(owner, "Options", Options)
    return {field.name: field for field in declared(kind) if field.metadata["is_flag"]}


def takes(kind: type[Options]) -> Callable:
    """Returns a decorator of functions that are called by keywords of `kind` and get them as one, called `options`.

    Example:
        >>> @dataclasses.dataclass(frozen=True)
        ... class ScaleOptions(Options):
        ...     factor: float = option(2.0, "What values are multiplied by.")
        >>> @takes(ScaleOptions)
        ... def scaled(value, options):
        ...     return options.factor * value
        >>> scaled(3, factor=4.0)
        12.0
    """

    def decorate(function):
        names = {field.name for field in dataclasses.fields(kind)}

        @functools.wraps(function)
        def called(*arguments, **given):
            own = {name: value for name, value in given.items() if name in names}
            others = {name: value for name, value in given.items() if name not in names}
            return function(*arguments, **others, options=kind(**own))

        return explain(called, kind, function)

    return decorate


def explain(owner, kind: type[Options], function: Callable):
    """Gives a function or class the signature and the documentation of its options and of `function`; returns it."""
    fields = dataclasses.fields(kind)
    signature = inspect.signature(function)
    plain = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "options") and parameter.kind != parameter.VAR_KEYWORD
    ]
    by_keyword = inspect.Parameter.KEYWORD_ONLY
    own = [inspect.Parameter(f.name, by_keyword, default=f.default, annotation=f.type) for f in fields]
    owner.Options = kind
    parameters = sorted(plain + own, key=lambda parameter: parameter.kind)
    owner.__signature__ = signature.replace(parameters=parameters)
    owner.__doc__ = f"{inspect.cleandoc(owner.__doc__ or '')}\n\nOptions:\n{described(kind)}\n"
    return owner


def described(kind: type[Options]) -> str:
    """Returns the options of a dataclass with their defaults and help, a paragraph each."""
    lines = [f"{field.name}: {field.metadata['help']} Default: {text_of(field.default)}." for field in declared(kind)]
    return "\n".join(textwrap.fill(line, 116, initial_indent=" " * 4, subsequent_indent=" " * 8) for line in lines)


def kind_of(field: dataclasses.Field) -> tuple[type, bool]:
    """Returns the type of the values of an option, or of the numbers in them, and whether it takes several."""
    parts = typing.get_args(field.type) if isinstance(field.type, types.UnionType) else (field.type,)
    several = [part for part in parts if typing.get_origin(part) is tuple]
    return (typing.get_args(several[0])[0] if several else parts[0]), bool(several)


def parse(field: dataclasses.Field, text: str):
    """Returns the value of an option for a text, such as 0.5,2 for two numbers; a ValueError if it stands for none."""
    kind, several = kind_of(field)
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"`{field.name}` is true or false. Found: {text!r}.")
        return text.lower() == "true"
    try:
        values = tuple(kind(part) for part in (text.split(",") if several else [text]))
    except ValueError as error:
        what = "numbers separated by commas" if several else {int: "a whole number", float: "a number"}[kind]
        raise ValueError(f"`{field.name}` takes {what}. Found: {text!r}.") from error
    return values if several and ("," in text or isinstance(field.default, tuple)) else values[0]


def text_of(value) -> str:
    """Returns a value as it is written at the command line."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
