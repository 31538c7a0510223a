"""Series of any file: times and channels of text tables, arrays, sound, EDF, WFDB and MATLAB files."""

import pathlib
import re
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.ndimage
import scipy.signal

from simper_tf.recordings import sampled, tables
from simper_tf.recordings import times as clock
from simper_tf.recordings.errors import RawDataError
from simper_tf.recordings.tables import REMEDY

_BINARY = {
    ".npy": sampled.array, ".wav": sampled.sound, ".flac": sampled.sound, ".edf": sampled.edf, ".bdf": sampled.edf,
    ".hea": sampled.wfdb, ".dat": sampled.wfdb, ".mat": sampled.matlab,
}  # fmt: skip
# Rows from which on a column may be told to rise evenly, and the share of its step by which a rounded one is off.
_FEWEST, _EVEN = 8, 0.25
_MOST_NOTES = 3
# Share of the most numbers of a column that another one, and the rows of all, must have.
_SPARSE = 0.5
_USUAL_RATES = (10, 20, 25, 30, 32, 50, 60, 64, 100, 125, 128, 200, 250, 256, 300, 360, 500, 512, 1000, 2000)
_PULSE = 1.2  # Hz of a heart at rest, by which a rate is proposed.


class Series(NamedTuple):
    """Numbers over time.

    Attributes:
        times: `(T,)` float64 seconds from the first sample, rising.
        values: `(T, C)` float32, each channel of mean 0 and deviation 1.
        names: Of the channels, "" where they have none.
        notes: Sentences on what was mended or left out.
    """

    times: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    notes: tuple[str, ...]


def read(path: pathlib.Path, rate: float | None = None) -> Series:
    """Reads a series of numbers from a file.

    Samples without a number are left out; the hole is in the times. Of sound it is the loudness every 0.01 s.

    Args:
        path: A file with one of `endings.SERIES`; a `.npy` array is told by its first bytes as well.
        rate: Samples per second, for a file that does not say; times whose unit is known hold against it.

    Raises:
        RawDataError: the file is damaged, holds no series, or does not tell its rate.
    """
    path = pathlib.Path(path)
    try:
        names, values, times, notes = _read(path, rate)
    except OSError as error:  # Such as a disk that fails.
        found = f"what cannot be read ({error.strerror or error})"
        raise RawDataError(path, found, "a recording", "Copy it again.") from error
    return normal(path, times, values, names, notes)


def normal(name, times: np.ndarray, values: np.ndarray, names=None, notes=()) -> Series:
    """Returns a `Series` of times and values at hand.

    Args:
        name: Of the series.
        times: `(T,)` seconds that rise.
        values: `(T, C)` numbers.
        names, notes: As in `Series`.

    Raises:
        RawDataError: fewer than three samples are numbers, times do not rise, or nothing changes.
    """
    names, notes = list(names or [""] * values.shape[1]), list(notes)
    kept = np.isfinite(values).all(axis=1) & np.isfinite(times)
    times, values = times[kept], values[kept]
    if len(times) < 3:
        raise RawDataError(name, f"{len(times)} samples that are numbers", "three or more", REMEDY)
    if (np.diff(times) <= 0).any():
        late = int(np.argmax(np.diff(times) <= 0)) + 1
        raise RawDataError(name, f"sample {late} not later than the one before it", "times that rise", REMEDY)
    changes = np.ptp(values, axis=0) > 0
    if not changes.any():
        raise RawDataError(name, "values that never change", "a series in which something repeats", "Record it again.")
    notes += _notes(names, np.flatnonzero(~changes), "never changes")
    values, names = values[:, changes], [name for name, good in zip(names, changes, strict=True) if good]
    values = values / np.abs(values).max(axis=0)  # Squares of what is huge or tiny are not numbers.
    spread = values.std(axis=0)
    values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return Series(times - times[0], values.astype(np.float32), tuple(names), tuple(notes))


def _read(path, rate):
    """Returns names, `(T, C)` values, `(T,)` times and notes of a file."""
    with path.open("rb") as file:
        start = file.read(12)
    is_wave = start[:4] in (b"RIFF", b"RIFX") and start[8:] == b"WAVE"
    ending = ".npy" if start.startswith(b"\x93NUMPY") else ".wav" if is_wave else path.suffix.lower()
    is_text = ending == ".dat" and not path.with_suffix(".hea").exists() and not re.search(rb"[^\t\r\n -~]", start)
    if ending not in _BINARY or is_text:
        return _of_table(path, rate)
    held = _BINARY[ending](path)
    if held.times is not None:
        times, kept, notes = clock.mend(path, held.times)
        return held.names, held.values[kept], times, [*held.notes, *notes]
    own = held.rate or rate or _named_rate(path) or _unknown(path, held.values)
    return held.names, held.values, np.arange(len(held.values)) / own, list(held.notes)


def _of_table(path, rate):
    table = tables.read(path)
    notes, names = list(table.notes), table.names
    times, used, said = _times(path, table, rate)
    notes += said
    left = [k for k in range(len(names)) if k not in used]
    words = [k for k in left if isinstance(table.columns[k], pd.Series)]
    notes += _notes(names, words, "holds text")
    numbers = {k: table.columns[k] for k in left if k not in words}
    empty = [k for k, column in numbers.items() if not np.isfinite(column).any()]
    notes += _notes(names, empty, "holds no number")
    numbers = {k: column for k, column in numbers.items() if k not in empty}
    counting = [k for k, column in numbers.items() if _counts(column)]
    if len(counting) < len(numbers):
        notes += _notes(names, counting, "rises evenly, as numbers of rows do,")
        numbers = {k: column for k, column in numbers.items() if k not in counting}
    if not numbers:
        found = "a column of times alone" if used and not words and not empty else "0 samples that are numbers"
        raise RawDataError(path, found, "a column of values beside it", REMEDY)
    dense = _dense(numbers)
    for k in [k for k in numbers if k not in dense][:_MOST_NOTES]:
        share = f"{np.isfinite(numbers[k]).sum()} of {len(numbers[k])} rows"
        notes += _notes(names, [k], f"has numbers in {share}")
    values = np.stack([numbers[k] for k in dense], axis=1)
    if times is None:
        own = table.rate or rate or tables.stated_rate(names) or _named_rate(path) or _unknown(path, values)
        times = np.arange(len(values)) / own
        return [names[k] for k in dense], values, times, notes
    times, kept, said = clock.mend(path, times)
    return [names[k] for k in dense], values[kept], times, notes + said


def _times(path, table, rate):
    """Returns `(T,)` seconds or None, the columns that hold times, and notes."""
    candidates, has_names = [], any(table.names)
    for k, (name, unit, column) in enumerate(zip(table.names, table.units, table.columns, strict=True)):
        is_time, _ = clock.named(name, unit)
        strength = 2 if is_time else 1
        if is_time or isinstance(column, pd.Series):
            seconds, note = clock.seconds(name, unit, column)
        elif (k == 0 and not has_names) or (not name and rate is None):
            known, note = _unnamed(column)
            seconds = column * known if known else None
        else:
            continue
        if seconds is not None and np.isfinite(seconds).any():
            candidates.append((k, seconds, note, strength))
    rising = [entry for entry in candidates if _rises(entry[1])]
    if not rising:
        if any(clock.named(table.names[k])[0] for k, *_ in candidates if table.names[k].lower().startswith("time")):
            k, seconds, note, _ = candidates[0]
            return seconds, {k}, []  # Whoever mends them says what is wrong.
        return None, {entry[0] for entry in candidates if isinstance(table.columns[entry[0]], pd.Series)}, []
    best = max(rising, key=lambda entry: (entry[3], round(_distinct(entry[1]), 2), not entry[2], -entry[0]))
    if best[2] and (rate or table.rate):  # A stated rate holds against a unit that is guessed.
        return None, {entry[0] for entry in rising}, []
    others = [entry[0] for entry in rising if entry[0] != best[0]]
    notes = [best[2]] * bool(best[2]) + _notes(table.names, others, "holds times as well")
    return best[1], {entry[0] for entry in rising}, notes


def _rises(seconds):
    """Returns whether hardly any of the times runs backwards."""
    steps = np.diff(seconds[np.isfinite(seconds)])
    return len(steps) > 1 and (steps > 0).any() and np.mean(steps < 0) < 0.02


def _distinct(seconds):
    """Returns the share of steps that are none."""
    return float(np.mean(np.diff(seconds[np.isfinite(seconds)]) != 0))


def _unnamed(column):
    """Returns the seconds of the unit of a first column without a name that rises evenly, None if it holds no times."""
    values = column[np.isfinite(column)]
    step = _even_step(values)
    size = float(np.median(np.abs(values))) if len(values) else 0.0
    if step is not None and (step < 1 or (size > 1e8 and step != 1)):
        unit, _ = clock.by_size(values)
        return unit, f"The first column rises by {step * unit:.4g} and is taken for seconds."
    return None, ""


def _even_step(values):
    """Returns the step of a column that rises evenly but for rounding; None for another one."""
    if len(values) < _FEWEST:
        return None
    steps = np.diff(values)
    middle = float(np.median(steps))
    rises = (steps >= 0).all() and middle > 0 and values[-1] < np.inf
    line = np.linspace(values[0], values[-1], len(values))
    return middle if rises and np.abs(values - line).max() <= _EVEN * middle * 4 else None


def _counts(column):
    """Returns whether a column counts rows, from its start or over and over, such as 0 to 255."""
    if len(column) < _FEWEST or not np.isfinite(column).all():
        return False
    if _even_step(column) is not None:
        return True
    steps = np.diff(column)
    wraps = steps[steps != 1]
    return len(wraps) * _FEWEST <= len(steps) and len(np.unique(wraps)) == 1 and wraps[0] < -_FEWEST + 2


def _dense(numbers):
    """Returns the columns that leave at least half of the rows which the fullest of them has."""
    finite = np.stack([np.isfinite(column) for column in numbers.values()], axis=1)
    counts = finite.sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    left = np.logical_and.accumulate(finite[:, order], axis=1).sum(axis=0)
    size = int(np.searchsorted(-left, -_SPARSE * counts.max(), side="right"))
    keys = list(numbers)
    return [keys[k] for k in sorted(order[: max(size, 1)])]


def _notes(names, columns, what):
    """Returns sentences on columns that are left out, of the first ones."""
    return [f"The column {_named(names, k)} {what} and is left out." for k in list(columns)[:_MOST_NOTES]]


def _named(names, number):
    return repr(names[number]) if names[number] else f"number {number + 1}"


def _named_rate(path):
    """Returns the samples per second that the name of a file states, such as `ecg_1000hz.csv`."""
    match = re.search(r"(?<![a-z\d.])(\d+(?:\.\d+)?)\s?hz(?![a-z])", path.stem.lower())
    return float(match[1]) if match and float(match[1]) > 0 else None


def _unknown(path, values):
    """Raises RawDataError that proposes a rate: the usual one at which the values would repeat as a heart does."""
    values = values[np.isfinite(values[:, 0]), 0][: 2**14]
    if len(values) < 3:
        raise RawDataError(path, f"{len(values)} samples that are numbers", "three or more", REMEDY)
    smooth = scipy.ndimage.uniform_filter1d(values, max(len(values) // 500, 1))
    rise = np.maximum(np.diff(smooth), 0)  # Of spikes as of waves, there is one a repetition.
    lag = _period(scipy.ndimage.uniform_filter1d(rise, max(len(values) // 100, 1)))
    proposed = min(_USUAL_RATES, key=lambda usual: abs(np.log(usual / (_PULSE * lag))))
    raise RawDataError(
        path, "samples without their rate", "a rate, or a column time in seconds",
        f"Name it, such as --rate={proposed}, at which it would repeat {60 * proposed / lag:.0f} times a minute.",
    )  # fmt: skip


def _period(values):
    """Returns the lag of the highest peak of the autocorrelation; 100 samples where it has none."""
    curve = scipy.signal.correlate(values - values.mean(), values - values.mean())[len(values) - 1 :]
    peaks, _ = scipy.signal.find_peaks(curve[: len(values) // 2])
    return max((k for k in peaks if k >= 5), key=curve.__getitem__, default=100)
