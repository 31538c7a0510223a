"""Labels of recordings: a file of comma-separated text, a line for each stretch that somebody has counted."""

import csv
import dataclasses
import math
import pathlib
from collections.abc import Sequence

import numpy as np

from simper_tf.recordings.source_contract import Source
from simper_tf.utils.errors import RawDataError

# Name of a column -> the factor from what it holds to Hz, given the seconds of the stretch.
_UNITS = {"hz": lambda seconds: 1.0, "per_minute": lambda seconds: 1 / 60, "count": lambda seconds: 1 / seconds}
_NUMBERS = (*_UNITS, "from", "to")  # Columns of numbers.
# Seconds by which a clip may stick out of a stretch: people tell tenths.
_SLACK = 0.1
_REMEDY = (
    "Write the columns recording, one of hz, per_minute and count, and, for a part of a recording, from and to in "
    "seconds."
)


@dataclasses.dataclass(frozen=True)
class Stretch:
    """A stretch of a recording in which somebody knows how often something repeats.

    Attributes:
        recording: Its name, as the recordings have it.
        start, end: In seconds from the first frame.
        hertz: Repetitions a second.
        line: In the file, from 1.
        is_count: Whether all of the stretch was counted, pauses included; else `hertz` is a tempo.
    """

    recording: str
    start: float
    end: float
    hertz: float
    line: int
    is_count: bool = False


def stretches_in(path: str | pathlib.Path, recordings: Sequence[Source], band: tuple[float, float]) -> list[Stretch]:
    """Returns the stretches of a file that lie in some recordings.

    Cells are parted by commas, semicolons or tabs. Columns are `recording`, a file's name or the end of its path; one
    of `hz`, `per_minute` and `count`; and, where not the whole recording is meant, `from` and `to` in seconds.

    A RawDataError says that it cannot be read, that a line is not so or names no recording or several, that a frequency
    lies outside the band `(low, high)` in Hz, or that two stretches of a recording overlap.
    """
    path = pathlib.Path(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            comma = max(",;\t", key=file.readline().count)  # Spreadsheets of many countries write decimal commas.
            file.seek(0)
            lines = csv.DictReader(file, strict=True, skipinitialspace=True, delimiter=comma)
            unit = _unit(path, lines.fieldnames or [])
            # A csv line may span several lines of text.
            points = {} if comma == "," else {ord(","): "."}  # 1,500 beside commas may be a thousand.
            stretches = [_stretch(path, lines.line_num, line, unit, recordings, band, points) for line in lines]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RawDataError(path, f"what cannot be read ({error})", "comma-separated text", _REMEDY) from error
    _refuse_overlaps(path, stretches)
    return stretches


def of_clips(
    stretches: Sequence[Stretch], recordings: Sequence[str], starts: Sequence[float], seconds: float
) -> np.ndarray:
    """Returns `(N,)` float32 labels in Hz of clips that lie within a stretch, NaN of the others.

    Of each clip its recording and its start in seconds are given; all last as many seconds.
    """
    hertz = np.full(len(recordings), np.nan, np.float32)
    for stretch in stretches:
        inside = (np.array(starts) >= stretch.start - _SLACK) & (np.array(starts) + seconds <= stretch.end + _SLACK)
        hertz[inside & (np.array(recordings) == stretch.recording)] = stretch.hertz
    return hertz


def known(where: str, name: str, recordings: Sequence[str]) -> str:
    """Returns the one recording whose path ends like a name; a RawDataError of `where` if it is none or several."""
    parts = pathlib.PurePath(name.strip()).parts
    fitting = [path for path in recordings if parts and pathlib.PurePath(path).parts[-len(parts) :] == parts]
    if len(fitting) != 1:
        which = (
            f"{len(fitting)} of the recordings, {fitting[0]} and {fitting[1]}" if fitting else "none of the recordings"
        )
        remedy = "Write as much of the path as tells it from the others." if fitting else "Correct the name."
        raise RawDataError(where, f"{name!r}, which names {which}", f"the name of one, such as {recordings[0]}", remedy)
    return fitting[0]


def _unit(path, names):
    units = [name for name in _UNITS if name in names]
    if "recording" not in names or len(units) != 1 or ("from" in names) != ("to" in names):
        raise RawDataError(path, f"the columns {', '.join(names) or '(none)'}", "those of labels", _REMEDY)
    return units[0]


def _stretch(path, line, cells, unit, recordings, band, points):
    where, numbers = f"{path}, line {line}", {name: (cells.get(name) or "").translate(points) for name in _NUMBERS}
    named = [source.name for source in recordings]
    recording = known(where, cells["recording"] or "", named)
    start, end = (_number(where, name, numbers[name], empty) for name, empty in (("from", 0.0), ("to", math.inf)))
    if unit == "count" and end == math.inf:
        end = recordings[named.index(recording)].info().seconds
    if not 0 <= start < end:
        raise RawDataError(
            where, f"a stretch from {start:g} to {end:g} s", "from 0 or later to a later second", _REMEDY
        )
    value = _number(where, unit, numbers[unit])
    hertz, (low, high) = value * _UNITS[unit](end - start), band
    if not low <= hertz <= high:
        raise RawDataError(
            where, f"{unit} {value:g}, {hertz:.4g} Hz", f"what lies in the band, {low:g} to {high:g} Hz",
            "Correct it or its unit, or learn with another `band`: nothing outside of it is read.",
        )  # fmt: skip
    return Stretch(recording, start, end, hertz, line, unit == "count")


def _number(where, name, text, empty=None):
    text = text.strip()
    if not text and empty is not None:
        return empty
    try:
        return float(text)
    except ValueError:
        raise RawDataError(where, f"{text!r} as {name}", "a number", _REMEDY) from None


def _refuse_overlaps(path, stretches):
    last = None
    for stretch in sorted(stretches, key=lambda stretch: (stretch.recording, stretch.start)):
        if last and last.recording == stretch.recording and stretch.start < last.end - _SLACK:
            raise RawDataError(
                f"{path}, lines {last.line} and {stretch.line}", f"stretches of {stretch.recording} that overlap",
                "one label for each moment", "Leave one out, or shorten it.",
            )  # fmt: skip
        last = stretch
