"""Series of any file: times and channels of tables and tracks, arrays, sound, and recorders of laboratories."""

import math
import pathlib
import re
import tempfile
from typing import NamedTuple

import numpy as np

from simper_tf.tables import clock, day_parts, even_series, kept_columns, series_files, time_columns, unknown_rates
from simper_tf.tables.formats import (
    array_files,
    fits,
    named_arrays,
    packed,
    recorders,
    sampled,
    sound,
    tracks,
    wfdb_records,
)
from simper_tf.tables.texts import dates_across, delimited, json_texts, long_texts, months_across, sheets
from simper_tf.tables.times import rates
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError

# Reader of each ending that is no table.
_BINARY = {
    ".npy": array_files.array, **dict.fromkeys((".wav", ".flac", ".mp3"), sound.sound),
    **dict.fromkeys((".edf", ".bdf"), recorders.edf), ".acq": recorders.acq, ".xdf": recorders.xdf,
    **dict.fromkeys((".hea", ".dat"), wfdb_records.signals), ".npz": named_arrays.archive,
    **dict.fromkeys((".mat", *endings.HDF5), named_arrays.matlab),
}  # fmt: skip
# Reader of each ending that is a table, but no text of columns.
_TABLES = {
    **dict.fromkeys(sheets.ENDINGS, lambda path, columns: sheets.table_of(path)), ".fit": tracks.fit,
    **dict.fromkeys((".gpx", ".tcx", ".xml"), tracks.xml), **dict.fromkeys((".fits", ".fts"), fits.table_of),
    **dict.fromkeys((".json", ".jsonl"), lambda path, columns: sheets.table_of(path, is_json=True)),
}  # fmt: skip
_JSON = ".json"  # As which it is read under any ending of a text.
_HEAD_ROWS = 2**14  # Of a text of which only the beginning is wanted, at first.
_LONG = 2**26  # Bytes of a text from which on it is read block by block: held at once it takes five times as many.
_NAMED = 20  # Columns that a refusal lists.
_MARKERS = 3  # Channels that are not all 0 at once in what is recorded; one or two may cross 0 together.


class _Held(NamedTuple):
    """What a file holds of its channels: `(T, C)` values, and `(T,)` seconds, such that stay in the file, or a rate."""

    names: list[str]
    values: np.ndarray | even_series.Stored
    times: np.ndarray | even_series.Stored | float
    notes: list[str]
    numbers: list[int]  # Of the channels in the file, from 0.
    is_forward: bool = True  # Whether rows come as their times do.


def parts(path: str, rate, is_fallback, time, columns, member="", start=0.0, end=math.inf, folder=None):
    """Yields what is known of a `Series`, then how many samples come, and their times and values as bytes.

    It runs in the worker.
    """
    path, tempfile.tempdir = pathlib.Path(path), folder  # Which goes with all in it, whatever befalls the worker.
    with sampled.reading(path, "a recording"), packed.opened(path, member) as inner:
        try:
            held = _read(inner, rate, is_fallback, time, columns, end)
            if isinstance(held.times, float | even_series.Stored):
                yield from even_series.parts(path, *held[:4], start, end, held.numbers, bool(columns))
            else:
                named = held.names, held.notes, held.numbers
                series = series_files.normal(path, held.times, held.values, *named, are_wanted=bool(columns))
                yield from _uneven(series, start, end)
        except OverflowError as error:  # Of a library; its words are those of its author.
            found = f"numbers or dates too large to compute with ({error})"
            action = "Leave out rows that are far from all others."
            raise RawDataError(path, found, "those of a recording", action) from error


def _uneven(series, start, end):
    low, high = np.searchsorted(series.times, (start, end)).tolist()
    yield {"names": series.names, "notes": series.notes, "most": high - low, "seconds": series.seconds}, b""
    for first in range(low, high, even_series.ROWS):
        part = slice(first, min(first + even_series.ROWS, high))
        yield part.stop - first, series.times[part].tobytes() + series.values[part].tobytes()


def _read(path, rate, is_fallback, time, columns, end):
    """Returns the `_Held` of a file."""
    given = (None, rate) if is_fallback else (rate, None)
    with path.open("rb") as file:
        start = file.read(12)
    is_wave = start[:4] in (b"RIFF", b"RIFX") and start[8:] == b"WAVE"
    ending = ".npy" if start.startswith(b"\x93NUMPY") else ".wav" if is_wave else path.suffix.lower()
    ending = ".fits" if start.startswith(b"SIMPLE  =") else ending  # Astronomers write .fit as well.
    ending = ".nc" if start.startswith(endings.ARRAYS) else ending
    is_text = ending == ".dat" and not path.with_suffix(".hea").exists() and not re.search(rb"[^\t\r\n -~]", start)
    if ending not in _BINARY or is_text:
        ending = _JSON if ending not in _TABLES and json_texts.is_one(path) else ending
        wanted = path, ending, given, time, columns
        return _of_head(*wanted, end) or _of_long(*wanted) or _of_table(*wanted)
    held = _BINARY[ending](path)
    if time:
        raise RawDataError(path, "samples without columns of times", f"a column {time}", "Leave the wish out.")
    kept = [_number(path, held.names, column) for column in columns] or [*range(len(held.names))]
    given = [each and each / held.step for each in given]
    stated = [rates.Stated(held.rate, "its header")] if held.rate else rates.of_file_name(path.stem)
    times, rows, notes = _believed(path, held.times, held.values, given, stated)
    values = held.values.of(kept) if isinstance(held.values, even_series.Stored) else held.values[rows][:, kept]
    return _Held([held.names[k] for k in kept], values, times, [*held.notes, *notes], kept)


def _of_head(path, ending, given, time, columns, end):
    """Returns what `_read` does of as many rows of a text as last until an end; None where it must be read whole."""
    rows = _HEAD_ROWS
    while end < math.inf and ending not in _TABLES:
        try:
            held = _of_table(path, ending, given, time, columns, rows)
        except RawDataError:  # Such as a column that is empty so far.
            return None
        seconds = len(held.values) / held.times if isinstance(held.times, float) else float(np.ptp(held.times))
        if seconds > end:
            return held if isinstance(held.times, float) or held.is_forward else None
        if len(held.values) < rows // 2:  # There are no more.
            return None
        # A fifth more than the rate so far needs; not more than 64 times as many, as the first rows may be a burst.
        rows = int(rows * min(max(1.2 * end / seconds, 2), 64))
    return None


def _of_long(path, ending, given, time, columns):
    """Returns what `_read` does of a long text whose numbers all are there, at times that rise; None of another one."""
    if ending in _TABLES or path.stat().st_size < _LONG:
        return None
    try:
        held = _of_table(path, ending, given, time, columns, _HEAD_ROWS)
        head = delimited.table_of(path, _HEAD_ROWS).columns
        layout = long_texts.told_by(head, held.values, held.times, bool(columns)) if held.is_forward else None
        stored = layout and long_texts.stored(
            path, layout, kept_columns.FILLERS, long_texts.are_kept(layout, head, held.times)
        )
    except (RawDataError, ValueError, OSError):  # Said of the whole, if it holds there.
        return None
    return stored and held._replace(values=stored[0], times=stored[1])


def _of_table(path, ending, given, time, columns, most=None):
    """Returns what `_read` does: cells, then names and units, then times, then channels; of the first rows, or all."""
    table = _TABLES[ending](path, columns) if ending in _TABLES else delimited.table_of(path, most)
    return _laid_out(path, table, given, time, columns)


def of_data_frame(name: str, frame, rate: float | None, time: str, columns: list[str]) -> series_files.Series:
    """Returns the series of a pandas object, as that of a file with the same columns."""
    held = _laid_out(pathlib.Path(name), sheets.of_data_frame(name, frame), (rate, None), time, columns)
    times = np.arange(len(held.values)) / held.times if isinstance(held.times, float) else held.times
    return series_files.normal(name, times, held.values, held.names, held.notes, held.numbers, bool(columns))


def _laid_out(path, table, given, time, columns):
    """Returns the `_Held` of a table: its times, then its channels."""
    table = dates_across.turned(table)
    table = table if time or columns else months_across.unrolled(table)
    known = given[0] or (table.stated[0].rate if table.stated else None)
    column = _number(path, table.names, time) if time else None
    table, own_times = _of_rows_with_times(table, time_columns.times_of(table, known, column))
    if columns:
        wanted = [_number(path, table.names, column) for column in columns]
        channels, said = {k: _numbers(path, table, k) for k in wanted}, []
    else:
        channels, said = kept_columns.signals(path, table, own_times.columns)
    notes, names = [*table.notes, *own_times.notes, *said], [table.names[k] for k in channels]
    seconds, values = own_times.seconds, np.stack([*channels.values()], axis=1)
    is_forward = seconds is None or bool(seconds[0] < seconds[-1])
    if seconds is not None:
        seconds, values, names, said = time_columns.in_order(seconds, values, names, own_times.are_dates)
        notes += said
    numbers = [*channels] * (len(names) // len(channels))
    if own_times.are_dates and not columns:
        seconds, values, names, said = day_parts.unrolled(seconds, values, names)
        notes, numbers = [*notes, *said], numbers[: len(names)]
    stated = table.stated or rates.stated(table.names) or rates.of_file_name(path.stem)
    if own_times.doubt and not (stated or any(given)):
        action = (
            "Name the samples per second: `rate=NUMBER`. Or write units beside names, such as time [s/256], and years "
            "with four digits, such as 06/2015."
        )
        raise RawDataError(path, own_times.doubt, "times that can be read in one way", action)
    clock_words = "" if seconds is not None else time_columns.like_times(table)
    times, rows, said = _believed(path, seconds, values, given, stated, clock_words)
    if seconds is None:
        return _Held(names, values[rows], times, [*notes, *said], numbers)
    if own_times.are_dates:
        time_columns.refuse_repeated(path, seconds)
    inside, cut = _inside(values[rows])
    times = times if isinstance(times, float) else times[inside]
    return _Held(names, values[rows][inside], times, [*notes, *said, *cut], numbers, is_forward)


def _number(path, names, wanted):
    """Returns which column a name, or a number from 1, stands for."""
    if wanted in names:
        return names.index(wanted)
    if wanted.isdecimal() and 0 < int(wanted) <= len(names):
        return int(wanted) - 1
    there = ", ".join(name or str(k + 1) for k, name in enumerate(names[:_NAMED]))
    raise RawDataError(path, f"no column {wanted}", "a name or a number from 1", f"There are: {there}.")


def _numbers(path, table, k):
    if not isinstance(column := table.columns[k], np.ndarray):
        raise RawDataError(path, f"text in column {table.names[k] or k + 1}", "numbers", "Name another column.")
    return column


def _believed(path, seconds, values, given, stated, clock_words=""):
    """Returns `(N,)` seconds, or a rate for all rows, of which rows of the values they are, and notes.

    Believed are, in this order: a rate that is given, a column of times, rates that are stated, a rate that is given
    for files that do not say. Times that agree with a rate are taken in place of it: they know of gaps.

    Args:
        path: Of the file.
        seconds: `(T,)` of a column; None without one.
        values: `(T, C)`.
        given: The rate that is given, and the one for files that do not say; None for none.
        stated: Rates that words state.
        clock_words: A sentence on a column that may hold times, where none was taken for them.
    """
    (first, last), notes = given, []
    claims, times = [rates.Stated(first, "as given")] if first else [], None
    if seconds is not None:
        try:
            times, kept, mended = clock.mend(path, seconds)
            claims.append(rates.Stated(1 / float(np.median(np.diff(times))), "by the column of times"))
        except RawDataError as error:
            if not first:
                raise
            notes = [f"The column of times is not used: found {error.found}."]
    claims += [claim._replace(words=f"by {claim.words!r}") for claim in stated]
    if not claims:
        claims = [rates.Stated(last or unknown_rates.refuse(path, values, clock_words), "as given")]
    best, *others = claims
    if other := next((claim for claim in others if not rates.agree(best.rate, claim.rate)), None):
        said = [f"{claim.rate:.6g} samples a second {claim.words}" for claim in (best, other)]
        if not first and times is None:
            raise RawDataError(path, " and ".join(said), "one rate", f"Name it, such as `rate={best.rate:.6g}`.")
        notes.append(f"{said[0]} hold against {said[1]}.")
    if times is not None and rates.agree(best.rate, 1 / float(np.median(np.diff(times)))):
        return times, kept, [*mended, *notes]
    return float(best.rate), slice(None), notes


def _of_rows_with_times(table, times):
    """Returns a table and its times without the rows that have no time: other columns of times have those."""
    if times.seconds is None or not (lacks := ~np.isfinite(times.seconds)).any() or lacks.all():
        return table, times
    note = f"{lacks.sum()} of {len(lacks)} rows without a time are left out."
    columns = [column[~lacks] for column in table.columns]
    return table._replace(columns=columns), times._replace(seconds=times.seconds[~lacks], notes=[*times.notes, note])


def _inside(values):
    """Returns the rows without those of zeros at both ends, as motion capture fills what it does not see, and notes."""
    filled = np.flatnonzero(values.any(axis=1))
    if values.shape[1] < _MARKERS or not len(filled) or len(filled) == len(values):
        return slice(None), []
    inside = slice(int(filled[0]), int(filled[-1]) + 1)
    cut = len(values) - len(values[inside])
    return inside, [f"{cut} rows of zeros at the ends are left out."] * bool(cut)
