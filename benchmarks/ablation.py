"""Rules of a reader switched off one by one: what outcomes move."""

import contextlib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks import films, real
from simper_tf.evaluation import markdown_tables

COUNTED = (real.RIGHT, films.OCTAVE, real.NAMED, real.WRONG, real.SILENT, real.ANSWERED)
# A wrong answer is worse than none.
RANKS = {
    real.RIGHT: 2, real.REFUSED: 2, real.NAMED: 1, real.SILENT: 1, films.OCTAVE: 0, real.WRONG: 0, real.ANSWERED: 0,
}  # fmt: skip
Rows = list[dict[str, tuple[str, ...]]]


class Rule(NamedTuple):
    """How a rule is switched off.

    Attributes:
        what: It does, in words.
        where: Module of a function or number.
        name: Of that.
        instead: What stands there without the rule.
        inside: Names of what is remembered otherwise, see `REMEMBERED`, and is other then.
    """

    what: str
    where: Any
    name: str
    instead: Any
    inside: tuple[str, ...] = ()


@contextlib.contextmanager
def without(name: str, rules: Mapping[str, Rule]) -> Iterator[None]:
    """Switches a rule off.

    Raises:
        ValueError: there is no such rule.
    """
    if name not in rules:
        raise ValueError(f"{name}: there is no such rule. There are: {', '.join(rules)}.")
    rule = rules[name]
    with mock.patch.object(rule.where, rule.name, rule.instead):
        yield


def said(
    read: Callable[[], Any], rules: Mapping[str, Rule], names: Iterable[str], remembered
) -> Iterator[tuple[str, Any]]:
    """Yields what is read with every rule, by the name "", and without each of some.

    Args:
        read: Reads a recording.
        rules: By name.
        names: Of those that are switched off.
        remembered: Modules and names of functions that compute once what most rules leave as it is.
    """
    known: dict = {}
    for name in ("", *names):
        inside = rules[name].inside if name else ()
        with contextlib.ExitStack() as patches:
            for where, function in remembered:
                if function not in inside:
                    remembering = _remembering(getattr(where, function), known)
                    patches.enter_context(mock.patch.object(where, function, remembering))
            if name:
                patches.enter_context(without(name, rules))
            outcome = read()
        yield name, outcome


def _remembering(function: Callable, known: dict) -> Callable:
    """A function that computes what it is given once."""

    def remembering(*given):
        digest = hashlib.blake2b(function.__name__.encode())
        for argument in given:
            for part in argument if isinstance(argument, tuple) else (argument,):
                digest.update(np.ascontiguousarray(part).tobytes())
        key = digest.digest()
        if key not in known:
            known[key] = function(*given)
        return known[key]

    return remembering


def report(parts: Iterable[tuple[str, Rows]], rules: Mapping[str, Rule]) -> str:
    """Returns Markdown: outcomes without each rule that moves some, in a table for each part; and the other rules.

    Args:
        parts: Heads, and outcomes of each recording by the name of the rule that is off: one, or one for each window.
        rules: By name.
    """
    texts, idle = [], []
    for head, rows in parts:
        seen = {name: [outcome for row in rows for outcome in row[name]] for name in rows[0]}
        columns = [counted for counted in COUNTED if any(counted in outcomes for outcomes in seen.values())]
        lines = []
        for name, outcomes in seen.items():
            count = Counter(outcomes)
            moved = [RANKS[now] - RANKS[before] for now, before in zip(outcomes, seen[""], strict=True)]
            better, worse = sum(move > 0 for move in moved), sum(move < 0 for move in moved)
            if name and not better + worse:
                idle.append(name)
                continue
            what = f"{name}: {rules[name].what}" if name else "with every rule"
            cells = [count[column] for column in columns] + ([better, worse] if name else ["-", "-"])
            lines.append([what, *map(str, cells)])
        columns = [f"controls {column}" if column == real.ANSWERED else column for column in columns]
        texts.append(head + "\n\n" + markdown_tables.markdown_table(("without", *columns, "better", "worse"), lines))
    idle = [name for name in dict.fromkeys(idle) if idle.count(name) == len(texts)]
    return "\n\n".join([*texts, *[f"Nothing moves without: {', '.join(idle)}."] * bool(idle)])
