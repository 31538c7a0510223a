"""Long texts of numbers at even times, read block by block: a day held at once takes five times its bytes."""

import pathlib
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simper_tf.tables import delimited, even_series

_OFF = 0.3  # Share of a step by which steps, and times from a straight line, differ at most that are read as even.
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


def stored(path: pathlib.Path, layout: Layout, fillers: Sequence[float]) -> tuple[even_series.Stored, float] | None:
    """Returns all channels of a text, in a file that goes with this process, and their rate; None of uneven ones.

    Args:
        path: Of the text.
        layout: Of its columns.
        fillers: Numbers that may stand for none.

    Raises:
        ValueError: a cell holds no number.
        RawDataError: it is too large.
        OSError: nothing can be written.
    """
    spool, count, width = tempfile.TemporaryFile(), 0, len(layout.channels)  # noqa: SIM115  (it is read later)
    marks, last = [], np.zeros(0)
    columns = [*([] if layout.time is None else [layout.time]), *layout.channels]
    for block in delimited.blocks(path, columns, even_series.ROWS):
        values = block[:, -width:]
        if not np.isfinite(block).all() or np.isin((values.min(axis=0), values.max(axis=0)), fillers).any():
            return None
        if layout.time is not None:
            moments = np.append(last, block[:, 0])
            if not _are_even(np.arange(len(moments)), moments):
                return None
            marks += [(count, block[0, 0]), (count + len(block) - 1, block[-1, 0])]
            last = block[-1:, 0]
        spool.write(np.ascontiguousarray(values).tobytes())
        count += len(block)
    step = layout.seconds
    if layout.time is not None:
        places, moments = np.array(marks).T
        if not _are_even(places, moments):
            return None
        step *= (moments[-1] - moments[0]) / (count - 1)

    def read(first, end):
        spool.seek(8 * width * first)
        return np.frombuffer(spool.read(8 * width * (end - first)))

    return even_series.Stored((count, width), read), float(1 / step)


def _are_even(places, moments):
    """Returns whether times rise evenly with their places."""
    step = (moments[-1] - moments[0]) / max(places[-1] - places[0], 1)
    near = np.abs(moments - moments[0] - (places - places[0]) * step) <= _OFF * abs(step)
    return bool(near.all() and (len(places) < 2 or step > 0))
