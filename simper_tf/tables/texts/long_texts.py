"""Long texts of numbers at times that rise, read block by block: held at once they take five times their bytes."""

import pathlib
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simper_tf.tables import even_series
from simper_tf.tables.texts import delimited

_OFF = 0.3  # Share of a step by which steps, and times from a straight line, differ at most that are read as even.
_SAME = 1e-9  # Share of the whole time by which computing moves times.
_NEAR = 1e-3  # Share of a step to which a column is the times of the head.


class Layout(NamedTuple):
    """What the head of a text tells of the rest.

    Attributes:
        time: Number of the column of times; None without one.
        seconds: Of one of its units; of a text without times, from a row to the next.
        channels: Numbers of the columns that are channels.
    """

    time: int | None
    seconds: float
    channels: list[int]


def told_by(columns: Sequence, values: np.ndarray, times: np.ndarray | float, are_chosen: bool) -> Layout | None:
    """Returns the layout by the first rows of a text; None where it leaves anything open.

    Args:
        columns: Of those rows, `(T,)` numbers or texts.
        values: `(T, C)` channels that were made of them.
        times: `(T,)` seconds that were made of them, or a rate.
        are_chosen: Whether somebody has chosen the channels: others are left out.
    """
    numbers = {k: column for k, column in enumerate(columns) if isinstance(column, np.ndarray)}
    places = [[k for k, column in numbers.items() if np.array_equal(column, wave)] for wave in values.T]
    if any(len(found) != 1 for found in places):  # Such as two that are alike so far.
        return None
    channels = [k for (k,) in places]
    rest = {*range(len(columns))} - {*channels}
    if isinstance(times, float):
        return Layout(None, 1 / times, channels) if are_chosen or not rest else None
    for k in sorted(rest & {*numbers}) if are_chosen or len(rest) == 1 else ():
        seconds = np.ptp(times) / max(np.ptp(numbers[k]), 1e-300)
        off = np.abs((numbers[k] - numbers[k][0]) * seconds - (times - times[0]))
        if off.max() < _NEAR * np.ptp(times) / len(times):
            return Layout(k, float(seconds), channels)
    return None


def are_kept(layout: Layout, columns: Sequence, times: np.ndarray | float) -> bool:
    """Returns whether times that were made of the first rows are those that stand there, none of them mended."""
    if layout.time is None or isinstance(times, float):
        return False
    own = layout.seconds * (columns[layout.time] - columns[layout.time][0])
    return len(own) == len(times) and float(np.abs(own - (times - times[0])).max()) < _SAME * float(np.ptp(times))


def stored(
    path: pathlib.Path, layout: Layout, fillers: Sequence[float], rises: bool
) -> tuple[even_series.Stored, float | even_series.Stored] | None:
    """Returns all channels of a text, in a file that goes with this process, and their rate, or uneven times.

    Args:
        path: Of the text.
        layout: Of its columns.
        fillers: Numbers that may stand for none.
        rises: Whether uneven times are taken as they stand, if each is later than the one before.

    Returns:
        None where a number may stand for none, or times are none of these.

    Raises:
        ValueError: a cell holds no number.
        RawDataError: it is too large.
        OSError: nothing can be written.
    """
    spool, count, width = tempfile.TemporaryFile(), 0, len(layout.channels)  # noqa: SIM115  (it is read later)
    marks, last, is_even = [], np.zeros(0), True
    columns = [*([] if layout.time is None else [layout.time]), *layout.channels]
    kept = len(columns) if rises else width  # Even times are told by their rate.
    for block in delimited.blocks(path, columns, even_series.ROWS):
        values = block[:, -width:]
        if not np.isfinite(block).all() or np.isin((values.min(axis=0), values.max(axis=0)), fillers).any():
            return None
        if layout.time is not None:
            moments = np.append(last, block[:, 0])
            is_even = is_even and _are_even(np.arange(len(moments)), moments)
            if not is_even and not (rises and (np.diff(moments) > 0).all()):
                return None
            marks += [(count, block[0, 0]), (count + len(block) - 1, block[-1, 0])]
            last = block[-1:, 0]
        spool.write(np.ascontiguousarray(block[:, -kept:]))
        count += len(block)

    def rows(first, end):
        spool.seek(8 * kept * first)
        return np.frombuffer(spool.read(8 * kept * (end - first))).reshape(end - first, -1)

    values = even_series.Stored((count, width), lambda *span: rows(*span)[:, -width:])
    if layout.time is None:
        return values, 1 / layout.seconds
    places, moments = np.array(marks).T
    if is_even and _are_even(places, moments):
        return values, float((count - 1) / (layout.seconds * (moments[-1] - moments[0])))
    times = even_series.Stored((count, 1), lambda *span: layout.seconds * (rows(*span)[:, 0] - moments[0]))
    return (values, times) if rises else None


def _are_even(places, moments):
    """Returns whether times rise evenly with their places."""
    step = (moments[-1] - moments[0]) / max(places[-1] - places[0], 1)
    near = np.abs(moments - moments[0] - (places - places[0]) * step) <= _OFF * abs(step)
    return bool(near.all() and (len(places) < 2 or step > 0))
