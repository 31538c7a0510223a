"""A series of any file, asked of the worker: what starts as fast as the command does, without pandas."""

import math
import pathlib
import tempfile
from typing import NamedTuple

import numpy as np

from simper_tf.utils import raw_files, worker
from simper_tf.utils.errors import RawDataError

MOST_NOTES = 3  # Of one kind: a table may have hundreds of columns.
REMEDY = "Write a column time in seconds and a column of numbers a channel, or mend the file."
# Steps from one sample to the next of which the usual one is told: those of a day would fill the memory once more.
_MOST_STEPS, _RUN = 2**20, 2**14


class Series(NamedTuple):
    """Numbers over time.

    Attributes:
        times: `(T,)` float64 seconds from the first sample of the file, rising.
        values: `(T, C)` float32, each channel of mean 0 and deviation 1.
        names: Of the channels, "" where they have none.
        notes: Sentences on what was mended or left out.
        seconds: Length of the file, as far as it was read where only that tells it.
    """

    times: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float


def series_of(
    path: pathlib.Path, rate: float | None = None, is_fallback: bool = False, time="", columns=(), member: str = "",
    start: float = 0.0, end: float = math.inf,
) -> Series:  # fmt: skip
    """Reads a series of numbers from a file.

    Samples without a number are left out; the hole is in the times. Of sound it is the loudness every 0.01 s. Believed
    are, in this order: the rate that is given, a column of times, a rate that the file states. Where two of them
    disagree, a note names both.

    Args:
        path: A file with one of `endings.SERIES`; a `.npy` array is told by its first bytes as well.
        rate: Samples per second.
        is_fallback: Whether the rate is only for a file that does not say.
        time: Name of the column of times, or its number from 1; "" where it is looked for.
        columns: Names or numbers of the channels; all by default.
        member: Of a `.zip` file of several, the name of one.
        start, end: Seconds from the first sample between which samples are returned. NumPy arrays, sound, EDF and
            WFDB are read there alone; a text up to its end.

    Raises:
        RawDataError: the file is damaged, holds no series, has no such column, or does not tell its rate.

    Example:
        >>> pulse = series_of(pathlib.Path("pulse.csv"), time="t", columns=["red"])  # doctest: +SKIP
        >>> pulse.values.shape  # doctest: +SKIP
        (1800, 1)
    """
    raw_files.refuse_unreadable(path, "a recording", "Name a file that can be read.")
    wishes = {
        "rate": rate, "is_fallback": is_fallback, "time": str(time), "columns": [str(column) for column in columns],
        "member": member, "start": start, "end": end,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        parts = worker.answers("simper_tf.tables.channels:parts", path, memory=worker.BESIDE, folder=folder, **wishes)
        facts, _ = next(parts)
        # As many as there may be, of which memory is taken as they come: parts put together would take it twice.
        times = np.empty(facts["most"])
        values = np.empty((facts["most"], len(facts["names"])), np.float32)
        size = 0
        for count, content in parts:
            moments, numbers = np.split(np.frombuffer(content, np.uint8), [8 * count])
            times[size : size + count] = moments.view(np.float64)
            values[size : size + count] = numbers.view(np.float32).reshape(count, -1)
            size += count
    return Series(times[:size], values[:size], tuple(facts["names"]), tuple(facts["notes"]), facts["seconds"])


def is_table(path: pathlib.Path) -> bool:
    """Returns whether a text of any ending is a table of numbers; raises RawDataError where no reader survives it."""
    ((answer, _),) = worker.answers("simper_tf.tables.texts.delimited:are_tables", path)
    return answer


def normal(
    name, times: np.ndarray, values: np.ndarray, names=None, notes=(), numbers=(), are_wanted: bool = False
) -> Series:
    """Returns a `Series` of times and values at hand.

    Args:
        name: Of the series.
        times: `(T,)` seconds that rise.
        values: `(T, C)` numbers.
        names, notes: As in `Series`.
        numbers: Of the channels in the file, from 0; () for all of it.
        are_wanted: Whether somebody named the channels: those that never change stay.

    Raises:
        RawDataError: fewer than three samples are numbers, times do not rise, or nothing changes.
    """
    names, notes = list(names or [""] * values.shape[1]), list(notes)
    kept = np.isfinite(values).all(axis=1) & np.isfinite(times)
    if not kept.all():
        times, values = times[kept], values[kept]
    if len(times) < 3:
        raise RawDataError(name, f"{len(times)} samples that are numbers", "three or more", REMEDY)
    if (late := times[1:] <= times[:-1]).any():
        found = f"sample {int(np.argmax(late)) + 1} not later than the one before it"
        raise RawDataError(name, found, "times that rise", REMEDY)
    changes = np.ptp(values, axis=0) > 0
    if not changes.any():
        raise never_changes(name)
    shown = changes | are_wanted
    notes += left_out(names, np.flatnonzero(~shown), "never changes", numbers)
    names = [name for name, good in zip(names, shown, strict=True) if good]
    highest = np.abs(values[:, shown]).max(axis=0)
    values = values[:, shown] / np.where(highest > 0, highest, 1)  # Squares of what is huge are not numbers.
    spread, mean = values.std(axis=0), values.mean(axis=0)
    values -= mean
    values /= np.where(changes[shown], spread, 1)  # Rounding gives what is constant a deviation.
    values = values.astype(np.float32)
    length = float(times[-1] - times[0]) + usual_step(times)
    return Series(times - times[0], values, tuple(names), tuple(notes), length)


def never_changes(name) -> RawDataError:
    """Returns the refusal of a series in which nothing can repeat."""
    return RawDataError(name, "values that never change", "a series in which something repeats", "Record it again.")


def left_out(names: list[str], columns, what: str, numbers=()) -> list[str]:
    """Returns sentences on columns that are left out, of the first names.

    Args:
        names: Of columns.
        columns: Which of them are left out.
        what: Why.
        numbers: Of the columns in their file, from 0, where these are not all of it.
    """
    numbers = numbers or range(len(names))
    named = dict.fromkeys(repr(names[k]) if names[k] else f"number {numbers[k] + 1}" for k in columns)
    return [f"The column {name} {what} and is left out." for name in [*named][:MOST_NOTES]]


def usual_step(times) -> float:
    """Returns the median of the seconds from one sample to the next; of a long series, that of runs all over it."""
    if len(times) <= _MOST_STEPS:
        return float(np.median(np.diff(times[:], axis=0)))
    firsts = np.linspace(0, len(times) - _RUN, _MOST_STEPS // _RUN).astype(int)
    return float(np.median([np.diff(times[first : first + _RUN], axis=0) for first in firsts]))
