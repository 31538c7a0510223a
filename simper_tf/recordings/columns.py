"""Columns of a table -> its times, and those that are channels: no empty ones, and none that only counts rows."""

import re
from collections.abc import Sequence

import numpy as np

from simper_tf.recordings.errors import RawDataError

# Names of a column that holds the time: these, and whatever begins so, with a unit behind it or without.
_NAMES = {"t": "", "s": "s", "sec": "s", "seconds": "s", "ms": "ms", "milliseconds": "ms"}
_TIME = re.compile(r"(?:time[ _]?stamps?|times?|t(?=\s*[\[(/]))(?![a-z0-9])(.*)")
# The last word of a name is its unit, in brackets or behind a sign.
_UNIT = re.compile(r".*?([a-zµμ]*)[\s\])]*")
# How many of a unit make a second; times without one are taken for seconds.
_A_SECOND = {"": 1, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
             "ms": 1e3, "msec": 1e3, "millis": 1e3, "millisecond": 1e3, "milliseconds": 1e3}  # fmt: skip
# Rows from which on a column may be told to rise evenly, and the share of its step by which a rounded one is off.
_FEWEST, _EVEN = 8, 0.25
_MOST_NOTES = 3
_LEAVE_OUT = "Leave that column out, or fill it."


def split(name, header: Sequence[str], table: np.ndarray) -> tuple[np.ndarray | None, np.ndarray, list[str]]:
    """Returns the times of a table, its channels, and sentences on the columns that are left out.

    Args:
        name: Of the table.
        header: Names of the columns, lower case; none where there are none.
        table: `(T, columns)` numbers, NaN where there is none.

    Returns:
        `(T,)` seconds, None without a column of times; `(T, C)` numbers; notes.

    Raises:
        RawDataError: the times have another unit, there are times alone, a column has so few numbers that less than
            half of the rows remain, or one rises evenly, as times under another name do.
    """
    header = [*header, *[""] * (table.shape[1] - len(header))]
    timed, unit = _timed(name, header)
    times = None if timed is None else table[:, timed] / _A_SECOND[unit]
    kept = [k for k in range(len(header)) if k != timed]
    if not kept:
        raise RawDataError(name, "a column of times alone", "a column of values beside it", "Write one.")
    finite = np.isfinite(table)
    has_any = finite.any(axis=0)
    empty = [k for k in kept if not has_any[k]]
    counting = [] if len(kept) - len(empty) < 2 else _counting(name, header, table, kept, times is not None)
    notes = [f"The column {_named(header, k)} holds no number and is left out." for k in empty[:_MOST_NOTES]]
    notes += [
        f"The column {_named(header, k)} rises evenly, as numbers of rows do, and is left out."
        for k in counting[:_MOST_NOTES]
    ]
    dropped = {*empty, *counting}
    left = [k for k in kept if k not in dropped]
    if not left:  # Whoever reads them says that there is nothing.
        return times, table[:, kept], notes
    _refuse_sparse(name, header, finite, left)
    return times, table if len(left) == table.shape[1] else table[:, left], notes


def _timed(name, header):
    """Returns which column holds the times, and their unit; None and "" if none does."""
    found = [(k, unit) for k, unit in enumerate(map(_unit, header)) if unit is not None]
    for k, unit in found:
        if unit in _A_SECOND:
            return k, unit
    if found:
        k, unit = found[0]
        expected = "times in seconds, or in milliseconds under a name such as time_ms"
        raise RawDataError(name, f"the column {_named(header, k)}", expected, f"Write them in seconds, not {unit}.")
    return None, ""


def _unit(name):
    """Returns the unit of a column of times by its name, "" for none; None for another column."""
    if name in _NAMES:
        return _NAMES[name]
    match = _TIME.fullmatch(name)
    return match and _UNIT.fullmatch(match[1])[1]


def _counting(name, header, table, columns, is_timed):
    """Returns the columns that count rows; refuses those that may be times, where there are none."""
    rises = (np.diff(table[:_FEWEST], axis=0) > 0).all(axis=0)  # Of thousands of columns hardly any does.
    found = [(k, step) for k, step in ((k, _even_step(table[:, k])) for k in columns if rises[k]) if step]
    for k, step in found:
        if not is_timed and step != 1:
            found = f"the column {_named(header, k)}, which rises by {step:.4g} from row to row"
            action = "Name it time if it holds seconds, or leave it out."
            raise RawDataError(name, found, "a column of values, or one of times with a name that says so", action)
    return [k for k, _ in found] if len(found) < len(columns) else []


def _even_step(values):
    """Returns the step of a column that rises evenly but for rounding; None for another one."""
    steps = np.diff(values)
    if len(values) < _FEWEST or not np.isfinite(values).all() or not (steps > 0).all():
        return None
    middle = float(np.median(steps))
    return middle if np.abs(steps - middle).max() <= _EVEN * middle else None


def _refuse_sparse(name, header, finite, columns):
    """Raises RawDataError if a column costs more than half of the rows that the others have in common."""
    finite = finite[:, columns]
    lacking = len(columns) - finite.sum(axis=1)
    left = int(np.sum(lacking == 0))
    numbers = finite.sum(axis=0)
    worst = int(np.argmin(numbers))
    others = left + int(np.sum(~finite[lacking == 1, worst]))
    if len(columns) > 1 and 2 * left < others:
        found = f"numbers in {numbers[worst]} of {len(finite)} rows of the column {_named(header, columns[worst])}"
        raise RawDataError(name, found, f"them in half or more of the {others} rows of the others", _LEAVE_OUT)


def _named(header, number):
    return f"{header[number]!r}" if header[number] else f"number {number + 1}"
