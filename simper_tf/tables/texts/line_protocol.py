"""Line protocol, as databases of time series take it: `ecg,person=p1 value=-0.57,quality=1i 1704448272000000000`."""

import collections
import re

import numpy as np

# Name with tags, fields, and whole nanoseconds, or milli- or microseconds or seconds, since 1970.
_LINE = re.compile(r"([^\s,#]+(?:,[^\s,=]+=[^\s,]+)*) ((?:[^\s,=]+=[^\s,]+,?)+) (\d{9,19})\s*")
_NUMBER = re.compile(r"([^\s,=]+)=([+-]?[\d.]+(?:e[+-]?\d+)?)[iu]?(?=,|$)", re.IGNORECASE)
_MOSTLY = 0.8  # Share of lines, but for remarks, that must be of it.


def is_one(lines: list[str]) -> bool:
    """Returns whether the lines of a head are of line protocol."""
    kinds = [bool(_LINE.fullmatch(line)) for line in lines if not line.startswith("#")]
    return len(kinds) > 2 and np.mean(kinds) > _MOSTLY


def columns(lines) -> tuple[dict[str, np.ndarray], list[str]]:
    """Returns the numbers of each field beside `time`, NaN where a line has none, and notes.

    Of several names or tags, that with most lines is read.

    Args:
        lines: Of a file.
    """
    found = collections.defaultdict(list)
    for line in lines:
        if match := _LINE.fullmatch(line):
            fields = {name: float(value) for name, value in _NUMBER.findall(match[2])}
            found[match[1]].append((float(match[3]), fields))
    name = max(found, key=lambda name: len(found[name]))
    notes = [f"Of {len(found)} series {name!r} is read, with most lines."] if len(found) > 1 else []
    rows = found[name]
    numbers = {"time": np.array([moment for moment, _ in rows])}
    for field in dict.fromkeys(field for _, fields in rows for field in fields):
        numbers[field] = np.array([fields.get(field, np.nan) for _, fields in rows])
    return numbers, notes
