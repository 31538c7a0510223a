"""Files of series, csv, npy and wav -> times and values."""

import csv
import pathlib
import warnings

import numpy as np
import scipy.io.wavfile

from simper_tf.recordings.errors import RawDataError

TEXTS = (".csv", ".tsv", ".txt")
# Names of a column that holds the time, and how many of its units make a second.
_TIME_UNITS = {"time": 1, "t": 1, "seconds": 1, "sec": 1, "s": 1, "time_s": 1, "time (s)": 1, "timestamp": 1,
               "ms": 1e3, "time_ms": 1e3, "time (ms)": 1e3, "milliseconds": 1e3}  # fmt: skip
# From so many samples a second on a wav file is sound, in which repetitions are told by how loud it is.
_SOUND_RATE, _LOUDNESS_RATE = 4000, 100
_REMEDY = "Write a column time in seconds and a column of numbers a channel, or mend the file."


def read(path: pathlib.Path, rate: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Returns `(T,)` seconds from the first sample, and `(T, C)` float32 values, each channel of deviation 1.

    Samples that are not finite are left out: what is short is filled by the neighbors, what is long is a hole.

    Args:
        path: A file of comma-separated text, a `.npy` array `(T,)` or `(T, C)`, or a `.wav` file. Of sound, at 4,000
            samples a second and more, the loudness in steps of 0.01 s.
        rate: Samples per second; None where the file says so, in a column of times or its header.

    Raises:
        RawDataError: it is none of these, does not say its rate, or is constant.
    """
    return normal(path, *_read(path, rate))


def normal(name: str | pathlib.Path, times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns what `read` does, of times and values that are at hand.

    Args:
        name: Of the series.
        times: `(T,)` seconds.
        values: `(T, C)` numbers.

    Raises:
        RawDataError: they are too few, do not follow one another in time, or are constant.
    """
    kept = np.isfinite(values).all(axis=1) & np.isfinite(times)
    times, values = times[kept], values[kept]
    if len(times) < 3:
        raise RawDataError(name, f"{len(times)} samples that are numbers", "three or more", _REMEDY)
    if (np.diff(times) <= 0).any():
        late = int(np.argmax(np.diff(times) <= 0)) + 1
        raise RawDataError(name, f"sample {late} not later than the one before it", "times that rise", _REMEDY)
    spread = values.std(axis=0)
    if not spread.any():
        raise RawDataError(name, "values that never change", "a series in which something repeats", "Record it again.")
    values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return times - times[0], values.astype(np.float32)


def load_array(path: pathlib.Path) -> np.ndarray:
    """Returns the array of a `.npy` file, which stays on disk until it is looked at.

    Raises:
        RawDataError: the file is damaged, or holds no numbers of one to four axes, at least 3 in time.
    """
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # Of damaged headers NumPy raises whatever its parser ran into.
        found = (str(error) or type(error).__name__).splitlines()[0]
        raise RawDataError(path, f"a damaged array ({found})", "what numpy.save writes", "Save it again.") from error
    if found.dtype.kind not in "iuf" or not 1 <= found.ndim <= 4 or 0 in found.shape or len(found) < 3:
        raise RawDataError(
            path,
            f"{found.dtype} of shape {found.shape}",
            "numbers (T,), (T, C), (T, H, W) or (T, H, W, C), T at least 3",
            "Save them so.",
        )
    return found


def _read(path, rate):
    if path.suffix.lower() in TEXTS:
        return _text(path, rate)
    with path.open("rb") as file:
        is_array = file.read(6) == b"\x93NUMPY"
    values, own = (load_array(path), rate) if is_array else _sound(path)
    values = np.asarray(values, np.float64).reshape(len(values), -1)
    return np.arange(len(values)) / _known(path, own), values


def _sound(path):
    """Returns samples and their rate, of sound its loudness."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.io.wavfile.WavFileWarning)
            rate, values = scipy.io.wavfile.read(path, mmap=True)
    except Exception as error:  # Of damaged headers SciPy raises whatever its parser ran into.
        found = (str(error) or type(error).__name__).splitlines()[0]
        raise RawDataError(path, f"a damaged wav file ({found})", "a whole one", "Save it again.") from error
    if rate < _SOUND_RATE:
        return values, rate
    step = rate // _LOUDNESS_RATE
    count = len(values) // step
    loud = [np.sqrt(np.square(values[k * step : (k + 1) * step], dtype=np.float64).mean()) for k in range(count)]
    return np.array(loud), rate / step


def _text(path, rate):
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        lines = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        mark = max(",;\t", key=lines[0].count)
        table = csv.reader(lines, delimiter=mark) if mark in lines[0] else (line.split() for line in lines)
        rows = list(table)
    except (UnicodeDecodeError, csv.Error, IndexError) as error:
        raise RawDataError(path, f"no table of numbers ({error})", "text with columns", _REMEDY) from error
    header = [] if not rows or _numbers(rows[0]) is not None else [name.strip().lower() for name in rows.pop(0)]
    width = len(rows[0]) if rows else 0
    table = [_numbers(row) for row in rows]
    wrong = next((k for k, row in enumerate(table) if row is None or len(row) != width), None)
    if wrong is not None or not width:
        found = f"row {wrong + 1 + bool(header)}: {','.join(rows[wrong])[:60]}" if rows else "no rows"
        raise RawDataError(path, found, "as many numbers in every row", _REMEDY)
    table = np.array(table)
    timed = next((k for k, name in enumerate(header) if name in _TIME_UNITS), None)
    if timed is None:
        return np.arange(len(table)) / _known(path, rate), table
    if width < 2:
        raise RawDataError(path, "a column of times alone", "a column of values beside it", _REMEDY)
    return table[:, timed] / _TIME_UNITS[header[timed]], np.delete(table, timed, axis=1)


def _numbers(row):
    """Returns the numbers of a row, NaN for an empty cell; None if one is something else."""
    try:
        return [float(cell) if cell.strip() else np.nan for cell in row]
    except ValueError:
        return None


def _known(path, rate):
    if rate is None:
        raise RawDataError(
            path, "samples without their rate", "a rate, or a column time in seconds", "Name it: --rate=100."
        )
    return rate
