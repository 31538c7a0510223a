"""Arguments of functions and classes as settings: which there are, of what type, and what their documentation says.

So a method, an encoder or a protocol brings its settings along, and nobody lists them a second time.
"""

import dataclasses
import functools
import inspect
import re
import types
import typing
from collections.abc import Callable

SCALARS = (bool, int, float, str)


@dataclasses.dataclass(frozen=True)
class Option:
    """An argument that can be given as text.

    Attributes:
        name: Name of the argument.
        kind: Type of its values, or of the numbers it holds.
        is_tuple: Whether it holds several, separated by commas as text.
        default: Value where nothing is given.
        doc: Its first sentence in the documentation of the function.
    """

    name: str
    kind: type
    is_tuple: bool
    default: object
    doc: str

    def parse(self, text: str):
        """Returns the value that a text stands for.

        Raises:
            ValueError: it stands for none.
        """
        if self.kind is bool:
            if text.lower() not in ("true", "false"):
                raise ValueError(f"--{self.name} is true or false. Found: {text!r}.")
            return text.lower() == "true"
        try:
            values = tuple(self.kind(part) for part in (text.split(",") if self.is_tuple else [text]))
        except ValueError as error:
            many = "numbers separated by commas" if self.is_tuple else f"a value of the type {self.kind.__name__}"
            raise ValueError(f"--{self.name} takes {many}. Found: {text!r}.") from error
        return values if self.is_tuple and ("," in text or not _is_scalar(self.default)) else values[0]


def options_of(function: Callable) -> dict[str, Option]:
    """Returns the options of a function, or of a class by its `__init__`, by name.

    They are its keyword-only arguments, and the fields of a dataclass, whose type is a scalar or a tuple of scalars.
    A class that passes keywords on has the options of its bases too. One whose default is None is left to whoever calls
    the function: it follows from something else.
    """
    fixed = ()
    if isinstance(function, functools.partial):
        function, fixed = function.func, function.keywords
    found = {}
    for each in constructors(function) if inspect.isclass(function) else [function]:
        called = each.__init__ if inspect.isclass(each) else each
        hints, docs = typing.get_type_hints(called), _sentences(inspect.getdoc(each) or "")
        for name, parameter in inspect.signature(called).parameters.items():
            kinds = _kinds(hints.get(name))
            told = parameter.kind is parameter.KEYWORD_ONLY or dataclasses.is_dataclass(each)
            if told and kinds and parameter.default is not None and name not in {*fixed, "seed"}:
                kind, is_tuple = kinds
                found[name] = Option(name, kind, is_tuple, parameter.default, docs.get(name, ""))
    return found


def constructors(kind: type) -> list[type]:
    """Returns a class and its bases, these first, as far as constructors pass on keywords that they do not know."""
    found = []
    for each in kind.__mro__:
        if "__init__" in vars(each):
            found.append(each)
            if all(p.kind is not p.VAR_KEYWORD for p in inspect.signature(each.__init__).parameters.values()):
                break
    return found[::-1]


def _kinds(hint):
    """Returns the scalar type of an annotation and whether it holds several of them; None if there is no such type."""
    if hint in SCALARS:
        return hint, False
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        found = [_kinds(part) for part in typing.get_args(hint) if part is not type(None)]
        found = [kinds for kinds in found if kinds]
        return (found[0][0], any(several for _, several in found)) if found else None
    if typing.get_origin(hint) is tuple and typing.get_args(hint)[0] in SCALARS:
        return typing.get_args(hint)[0], True
    return None


def _is_scalar(value):
    return isinstance(value, SCALARS)


def _sentences(text):
    """Returns what a documentation says of each argument or attribute, up to its first full stop."""
    found = {}
    for section in re.findall(r"^(?:Args|Attributes):\n((?:(?: {4}.*)?\n?)*)", text, re.MULTILINE):
        for names, said in re.findall(r"^ {4}(\w[\w, ]*): ((?:.*\n?)(?: {8}.*\n?)*)", section, re.MULTILINE):
            sentence = re.split(r"(?<=\.)\s", " ".join(said.split()), maxsplit=1)[0]
            found |= dict.fromkeys(re.split(r", ?", names), sentence)
    return found
