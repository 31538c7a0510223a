"""Files of series, csv, npy and wav -> times and values."""

import array
import codecs
import csv
import itertools
import pathlib
from collections.abc import Callable

import numpy as np

from simper_tf.recordings import columns, wav
from simper_tf.recordings.commas import Commas
from simper_tf.recordings.errors import RawDataError

TEXTS = (".csv", ".tsv", ".txt")
# From so many samples a second on a wav file is sound, in which repetitions are told by how loud it is.
_SOUND_RATE, _LOUDNESS_RATE = 4000, 100
# Values held at once, 0.5 GB of them: those of 18 hours at a thousand a second. Letters of a line of text.
_MOST, _LONGEST_LINE = 2**26, 2**20
_REMEDY = "Write a column time in seconds and a column of numbers a channel, or mend the file."


def read(
    path: pathlib.Path, rate: float | None, note: Callable[[str], None] = lambda text: None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns `(T,)` seconds from the first sample, and `(T, C)` float32 values, each channel of deviation 1.

    Samples that are not finite are left out: what is short is filled by the neighbors, what is long is a hole.

    Args:
        path: A file of comma-separated text, a `.npy` array `(T,)` or `(T, C)`, or a `.wav` file. Of sound, at 4,000
            samples a second and more, the loudness in steps of 0.01 s.
        rate: Samples per second; None where the file says so, in a column of times or its header.
        note: Called with a sentence on each column that is left out.

    Raises:
        RawDataError: it is none of these, does not say its rate, or is constant; see also `columns.split`.
    """
    try:
        times, values = _read(path, rate, note)
    except OSError as error:  # Such as a disk that fails.
        found = f"what cannot be read ({error.strerror or error})"
        raise RawDataError(path, found, "a recording", "Copy it again.") from error
    return normal(path, times, values)


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
    largest = np.abs(values).max(axis=0)
    values = values / np.where(largest > 0, largest, 1)  # Squares of what is huge or tiny are not numbers.
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
    stated, size = found.offset + found.nbytes, path.stat().st_size
    if stated != size:
        raise RawDataError(path, f"{size} bytes", f"{stated}, as its header says", "Save it again.")
    return found


def _read(path, rate, note):
    if path.suffix.lower() in TEXTS:
        return _text(path, rate, note)
    with path.open("rb") as file:
        is_array = file.read(6) == b"\x93NUMPY"
    if is_array:
        values, own = load_array(path), rate
        _refuse_long(path, values.size)
        values = np.asarray(values, np.float64).reshape(len(values), -1)
    else:
        values, own = _sound(path)
    return np.arange(len(values)) / _known(path, own), values


def _sound(path):
    """Returns `(T, C)` samples and their rate, of sound its loudness."""
    sound = wav.read(path)
    if sound.rate < _SOUND_RATE:
        _refuse_long(path, sound.raw.size)
        return sound.values(), sound.rate
    step = sound.rate // _LOUDNESS_RATE
    count = len(sound) // step
    loud = [np.sqrt(np.square(sound.values(k * step, (k + 1) * step)).mean()) for k in range(count)]
    return np.reshape(loud, (-1, 1)), sound.rate / step


def _refuse_long(path, number):
    if number > _MOST:
        raise RawDataError(path, f"{number:,} values", f"{_MOST:,} or fewer", "Cut it into parts, or thin it out.")


def _text(path, rate, note):
    try:
        header, table = _table(path)
    except (UnicodeError, csv.Error) as error:
        raise RawDataError(path, f"no table of numbers ({error})", "text with columns", _REMEDY) from error
    times, values, notes = columns.split(path, header, table)
    for each in notes:
        note(each)
    return np.arange(len(table)) / _known(path, rate) if times is None else times, values


def _table(path):
    """Returns the names of the columns, none where there are none, and `(T, C)` numbers."""
    header, table, width, commas = [], array.array("d"), 0, Commas(path)
    for number, row in enumerate(_rows(path), 1):
        values = _numbers(row)
        if number == 1:
            width = len(row)
            if values is None:
                header = [name.strip().lower() for name in row]
                continue
        commas.note(number, row)
        if values is None or len(values) != width:
            raise RawDataError(path, f"row {number}: {','.join(row)[:60]}", "as many numbers in every row", _REMEDY)
        table.extend(values)
        _refuse_long(path, len(table))
    commas.check()
    if not table:
        raise RawDataError(path, "no rows", "as many numbers in every row", _REMEDY)
    return header, np.reshape(table, (-1, width))


def _rows(path):
    """Yields the cells of each row; what separates them is what the first row has most of."""
    lines = _lines(path)
    first = next(lines, "")
    mark = max(",;\t", key=first.count)
    lines = itertools.chain([first] * bool(first), lines)
    return csv.reader(lines, delimiter=mark) if mark in first else (line.split() for line in lines)


def _lines(path):
    """Yields the lines of a text without blank ones and comments, one at a time.

    It is UTF-16 where its first bytes say so; else numbers are ASCII, whatever names are written in.
    """
    with path.open("rb") as file:
        is_wide = file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    with path.open(encoding="utf-16" if is_wide else "utf-8-sig", errors="strict" if is_wide else "replace") as file:
        while line := file.readline(_LONGEST_LINE):
            if len(line) == _LONGEST_LINE:
                raise RawDataError(path, f"a line of {_LONGEST_LINE:,} letters or more", "text with columns", _REMEDY)
            if line.strip() and not line.lstrip().startswith("#"):
                yield line


def _numbers(row):
    """Returns the numbers of a row, NaN for an empty cell; None if one is something else.

    A comma in a cell is the decimal sign, as in much of the world: `Commas` refuses where it may be none.
    """
    if any("_" in cell for cell in row):  # Which Python takes for a number.
        return None
    try:
        return [float(cell.replace(",", ".")) if cell.strip() else np.nan for cell in row]
    except ValueError:
        return None


def _known(path, rate):
    if rate is None:
        raise RawDataError(
            path, "samples without their rate", "a rate, or a column time in seconds", "Name it: --rate=100."
        )
    return rate
