"""Samples scaled and handed over block by block, so that a day takes no more memory than an hour."""

import bisect
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from simper_tf.tables import series_files
from simper_tf.utils import worker
from simper_tf.utils.errors import RawDataError

ROWS = 2**17  # That are read at once.


class Stored:
    """Samples that stay in their file until they are asked for, `(T, C)`.

    Attributes:
        shape: As of the array that they would make.

    Args:
        shape: `(T, C)`.
        read: Returns those from a first row to a last, `(N, C)`, of any kind of number.
        check: Called before all of them are read; raises RawDataError where they are not what the file says.
    """

    def __init__(self, shape: tuple[int, int], read: Callable[[int, int], np.ndarray], check=lambda: None):
        self.shape, self._read, self.check = shape, read, check

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, part: slice) -> np.ndarray:
        first, last, _ = part.indices(len(self))
        return np.asarray(self._read(first, last), np.float64).reshape(last - first, -1)

    def of(self, channels: Sequence[int]) -> "Stored":
        """Returns some of the channels."""
        return Stored((len(self), len(channels)), lambda *span: self[slice(*span)][:, list(channels)], self.check)


def parts(
    name, names, values, times: float | Stored, notes, start: float, end: float, numbers=(), are_wanted: bool = False
) -> Iterator[tuple]:
    """Yields what `channels.parts` does, of samples at an even rate, or at times that stay in their file.

    Args:
        name: Of the series.
        names, notes: As of a `series_files.Series`.
        values: `(T, C)`, an array or `Stored`.
        times: Samples per second, or `(T, 1)` seconds that rise.
        start, end: Seconds from the first sample that is a number.
        numbers: Of the channels in the file, from 0; () for all of it.
        are_wanted: Whether somebody named the channels: those that never change stay.

    Raises:
        RawDataError: fewer than three samples are numbers, or nothing changes.
    """
    first, last = _first(name, values), _last(values)
    low, high = (first + _place(times, first, last + 1 - first, moment) for moment in (start, end))
    is_whole = (low, high) == (first, last + 1)
    if is_whole and isinstance(values, Stored):
        values.check()
    spread = _Spread(len(names))
    for _, block in _blocks(values, low, high):
        spread.add(block)
    if spread.count < 3:
        raise RawDataError(name, f"{spread.count} samples that are numbers", "three or more", series_files.REMEDY)
    changes = spread.highest > spread.lowest
    if is_whole and not changes.any():
        raise series_files.never_changes(name)
    notes, shown = list(notes), (changes if changes.any() else ~changes) | are_wanted  # A part may stand still.
    notes += series_files.left_out(names, np.flatnonzero(~shown), "never changes", numbers)
    kept = [name for name, good in zip(names, shown, strict=True) if good]
    origin, after = _moments(times, np.array([first, last]))
    seconds = after - origin + (1 / times if isinstance(times, float) else series_files.usual_step(times))
    yield {"names": kept, "notes": notes, "most": spread.count, "seconds": float(seconds)}, b""
    for rows, block in _blocks(values, low, high):
        numbers = spread.scaled(block)[:, shown].astype(np.float32)
        if len(rows):
            yield len(rows), (_moments(times, rows) - origin).tobytes() + numbers.tobytes()


def _place(times, first, count, moment):
    """Returns how many of so many samples from a first one on come before a moment."""
    if moment == math.inf:
        return count
    if isinstance(times, float):
        return min(max(math.ceil(moment * times - 1e-9), 0), count)
    origin = times[first : first + 1].item()
    return bisect.bisect_left(range(count), moment, key=lambda k: times[first + k : first + k + 1].item() - origin)


def _moments(times, rows):
    """Returns the seconds of rows that rise, one at least."""
    if isinstance(times, float):
        return rows / times
    return times[int(rows[0]) : int(rows[-1]) + 1][rows - rows[0], 0]


def _blocks(values, low, high):
    """Yields the numbers of rows, and the rows, of all that are numbers."""
    for start in range(low, high, ROWS):
        worker.allow()
        block = values[start : min(start + ROWS, high)]
        kept = np.isfinite(block).all(axis=1)
        yield start + np.flatnonzero(kept), block[kept]


def _first(name, values):
    for rows, _ in _blocks(values, 0, len(values)):
        if len(rows):
            return int(rows[0])
    raise RawDataError(name, "0 samples that are numbers", "three or more", series_files.REMEDY)


def _last(values):
    edges = range(len(values), 0, -ROWS)
    found = (rows for edge in edges for rows, _ in _blocks(values, max(edge - ROWS, 0), edge) if len(rows))
    return int(next(found)[-1])


class _Spread:
    """Mean and deviation of channels, of blocks one after another (Chan, Golub and LeVeque, 1979).

    Attributes:
        count: Rows so far.
        lowest, highest: Of each channel.
    """

    def __init__(self, channels):
        self.count, self.lowest, self.highest = 0, np.full(channels, np.inf), np.full(channels, -np.inf)
        # Of values over the largest so far: squares of what is huge or tiny are not numbers.
        self._largest, self._mean, self._squares = np.zeros(channels), np.zeros(channels), np.zeros(channels)

    def add(self, block):
        if not len(block):
            return
        self.lowest = np.minimum(self.lowest, block.min(axis=0))
        self.highest = np.maximum(self.highest, block.max(axis=0))
        largest = np.maximum(self._largest, np.abs(block).max(axis=0))
        smaller = self._largest / np.where(largest > 0, largest, 1)
        self._mean, self._squares, self._largest = self._mean * smaller, self._squares * smaller**2, largest
        block = self._over(block)
        mean, total = block.mean(axis=0), self.count + len(block)
        self._squares += ((block - mean) ** 2).sum(axis=0) + (mean - self._mean) ** 2 * self.count * len(block) / total
        self._mean, self.count = self._mean + (mean - self._mean) * len(block) / total, total

    def scaled(self, block):
        """Returns rows with mean 0 and deviation 1."""
        deviation = np.sqrt(self._squares / self.count)
        # Rounding gives what is constant a deviation.
        return (self._over(block) - self._mean) / np.where(self.highest > self.lowest, deviation, 1)

    def _over(self, block):
        return block / np.where(self._largest > 0, self._largest, 1)
