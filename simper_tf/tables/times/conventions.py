"""Conventions of netCDF, in HDF5 as well: packed values, numbers that stand for none, and units of times."""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from simper_tf.tables.times import time_units

UNITS = ".units"  # Behind the name of an array that of its units.
_SINCE = re.compile(r"\s*(\w+)\s+since\b.*", re.IGNORECASE | re.DOTALL)
_FILLERS = ("_FillValue", "missing_value")


def described(name: str, values: np.ndarray | None, about: Mapping) -> Iterator[tuple[str, np.ndarray]]:
    """Yields an array by its name, unpacked, its units, and each number that stands beside it, such as a rate.

    Args:
        name: Of the array, or of what holds it.
        values: Its numbers as they are stored; None where it has none.
        about: Its attributes.
    """
    if values is not None:
        yield name, _unpacked(values, about)
    for key, value in about.items():
        value = value.decode(errors="replace") if isinstance(value, bytes) else value
        if np.size(value) == 1 and np.asarray(value).dtype.kind in "iuf":
            yield f"{name}.{key}", np.asarray(value)
        elif key == "units" and isinstance(value, str):
            yield name + UNITS, np.asarray(value)


def _unpacked(values, about):
    """Returns what stored numbers stand for, NaN for none."""
    fillers = [number for key in _FILLERS for number in _numbers(about.get(key))]
    (scale, *_), (offset, *_) = ([*_numbers(about.get(key)), usual] for key, usual in
                                 (("scale_factor", 1.0), ("add_offset", 0.0)))  # fmt: skip
    lacks = np.isin(values, fillers)
    if (scale, offset) == (1, 0) and not lacks.any():
        return values
    return np.where(lacks, np.nan, scale * values.astype(np.float64) + offset)


def _numbers(value):
    value = np.ravel(() if value is None else value)
    return value.tolist() if value.dtype.kind in "iuf" else []


def is_time(name: str, units: str) -> bool:
    """Returns whether an array holds times, by its name or by units such as `days since 1950-01-01`."""
    return bool(_SINCE.fullmatch(units)) or time_units.named(name, units.lower())[0]


def seconds(name: str, units: str, column) -> np.ndarray | None:
    """Returns `(T,)` seconds of an array of times; None where it holds none.

    Args:
        name, units: Of the array; "" without units.
        column: `(T,)` float64, or texts.
    """
    since = _SINCE.fullmatch(units)
    if since and isinstance(column, np.ndarray) and (unit := time_units.named("time", since[1].lower())[1]):
        return column * unit
    return time_units.seconds(name, units.lower(), column)[0]
