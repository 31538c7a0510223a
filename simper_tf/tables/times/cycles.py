"""Columns that count again and again, such as the hours of each day: parts of the time, and no signals."""

import numpy as np

from simper_tf.tables.times import dates

_FEWEST = 7  # Numbers of a cycle, as of days of a week.
_MOSTLY, _EVEN = 0.9, 0.01  # Share of numbers that count so, and share of a step by which rounding moves it.


def counts_again(column: np.ndarray, is_clock: bool = False) -> bool:
    """Returns whether a column counts by one and begins again and again, at the same number but not after as many.

    Such are hours or settlement periods of days, of which some are shorter or longer.

    Args:
        column: `(T,)`.
        is_clock: Whether it may be the time since the start of each block, of any step.
    """
    values = column[np.isfinite(column)]
    steps = np.diff(values)
    falls = steps < 0
    if len(values) < _MOSTLY * len(column) or not falls.any() or falls.sum() > len(steps) / _FEWEST:
        return False
    step = float(np.median(steps))
    if step <= 0 or not (is_clock or (step == 1 and dates.is_whole(values))):
        return False
    are_even = np.abs(steps[~falls] - step) < _EVEN * step
    begins, depth = values[1:][falls] == values.min(), np.median(-steps[falls])
    most = min(are_even.mean(), begins.mean())
    return bool(most > _MOSTLY and depth >= (_FEWEST - 1) * step)
