"""Tables of a row a day and a column a part of it, such as hours: unrolled to one series."""

import re

import numpy as np

from simper_tf.tables.series_files import left_out

_DAY = 86400.0
_NUMBERS = (24, 48, 96, 144, 288)  # Of parts: hours, and half, quarter, sixth and twelfth ones.
# A time of day, at which a part begins or ends; that of its end may follow.
_TIME = r"(\d{1,2})[:.h](\d\d)(?:[:.]\d\d)?"
_CLOCK = re.compile(rf"{_TIME}(?:\s*(?:-|–|to)\s*{_TIME})?")
# A part by its number, such as H1, hour 01, HE24 or SP48.
_COUNTED = re.compile(r"(?:h|hr|hour|he|hour[ _-]?ending|sp|(?:settlement[ _-]?)?period|interval)[ _-]?0*(\d{1,3})")


def unrolled(
    seconds: np.ndarray, values: np.ndarray, names: list[str]
) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Returns times, values, names and notes of a table whose rows are days and whose columns are parts of them.

    Others come back as they are. A table of days holds all parts, by time or by number; other columns are left out.

    Args:
        seconds: `(T,)` of dates, rising.
        values: `(T, C)`.
        names: Of the columns.
    """
    kept, parts = _parts([name.strip().lower() for name in names])
    days = np.diff(seconds) / _DAY
    if kept is None or not len(days) or days.min() < 1 or (days % 1).any():
        return seconds, values, names, []
    moments = (seconds[:, None] + parts).ravel()
    others = [k for k in range(len(names)) if k not in kept]
    notes = ["Its rows are days and its columns parts of them: they are one series."]
    return moments, values[:, kept].reshape(-1, 1), [""], [*notes, *left_out(names, others, "is no part of a day")]


def _parts(names):
    """Returns the columns that are all parts of a day, in their order, and the second of it at which each begins."""
    for told in (_second_of, _number_of):
        found = {k: part for k, name in enumerate(names) if (part := told(name)) is not None}
        order = sorted(found, key=found.get)
        steps = np.diff([found[k] for k in order])
        if len(order) in _NUMBERS and np.allclose(steps, steps[0]) and steps[0] in (1, _DAY / len(order)):
            return order, np.arange(len(order)) * _DAY / len(order)
    return None, None


def _second_of(name):
    match = _CLOCK.fullmatch(name)
    return 3600.0 * int(match[1]) + 60.0 * int(match[2]) if match else None


def _number_of(name):
    match = _COUNTED.fullmatch(name)
    return int(match[1]) if match else None
