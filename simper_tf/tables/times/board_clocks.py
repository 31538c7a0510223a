"""Clocks of boards: whole numbers that rise by about one step, or by several where samples are lost, under no name."""

import numpy as np

from simper_tf.tables.times import dates

_FEWEST = 20  # Numbers of which it can be told: fewer rise so by chance.
_ONE, _LONGER = 0.25, 1.5  # Quantile of the steps at which none is lost, and by which factor steps of two are longer.
_MOSTLY, _AT_ONCE = 0.9, 0.5  # Shares of the steps that are about one or several, and about one.
# Share of a step by which a sample may be late, and of that after which the next step is shorter, as it is of a clock:
# counts that are summed know nothing of those before.
_LATE, _MADE_UP = 0.05, 0.2
_WHOLE, _SMALL = 1.0, 0.25  # By which rounding moves a step, and share of a small one that it may be late at most.
# Correlation of neighbors, from which on the next step makes up, with so many deviations of chance; and from which on
# steps change slowly, as the load of a meter does.
_SHORTER, _CHANCE, _SLOWLY = 0.1, 3.0, 0.5
_EXACT = 1e-9  # What computing leaves of steps that all are the same.
_MILLISECONDS = (2, 200)  # From one sample of a board to the next.
_SCALE = 1e4  # What reaches less far by even steps may be wavelengths, angles or depths.
_UNTIL_SECONDS = 1e8  # From which on numbers are seconds since 1970.
# Whole days as spreadsheets, MATLAB and astronomers count them, and which day the first of 1970 is.
_DAYS = ((1e4, 8e4, 25_569), (6.9e5, 7.7e5, 719_529), (2.4e6, 2.5e6, 2_440_588))
_WEEK = 7


def step(values: np.ndarray) -> float | None:
    """Returns the usual step of whole numbers that rise as a clock does; None for others.

    A third of its samples may be lost. Sums of counts rise by all kinds of steps, or by such that change slowly.
    """
    if len(values) < _FEWEST or not np.isfinite(values).all() or not dates.is_whole(values):
        return None
    steps = np.diff(values)
    if steps.min() <= 0:
        return None
    ones = steps[steps <= _LONGER * np.quantile(steps, _ONE)]
    mean = float(ones.mean())
    off = steps - mean * np.maximum(np.round(steps / mean), 1)
    alike = _alike(off)
    makes_up = alike < -max(_SHORTER, _CHANCE / np.sqrt(len(off)))
    near = np.abs(off) < (max(_WHOLE, _MADE_UP * mean) if makes_up else max(min(_WHOLE, _SMALL * mean), _LATE * mean))
    is_clock = near.mean() > _MOSTLY and np.mean(near & (steps < _LONGER * mean)) > _AT_ONCE and alike < _SLOWLY
    return float(np.median(ones)) if is_clock else None


def _alike(off):
    """Returns the correlation of neighbors, of numbers whose mean is about 0; 0 where all are the same."""
    spread = float(np.mean(off**2))
    return float(np.mean(off[1:] * off[:-1])) / spread if spread > _EXACT else 0.0


def milliseconds(values: np.ndarray) -> float | None:
    """Returns the usual step of whole numbers that are milliseconds of a board if they stand first; None for others.

    Steps without any jitter are those of many scales: seconds, wavelengths, angles. Those of a board begin anywhere
    between them.
    """
    usual = step(values)
    if usual is None or not _MILLISECONDS[0] <= usual <= _MILLISECONDS[1] or values[-1] >= _UNTIL_SECONDS:
        return None
    is_even = not (np.diff(values) % usual).any()
    if is_even and (values[-1] < _SCALE or not values[0] % usual):
        return None
    is_other = dates.of_clock_digits(values) is not None or _are_years(values) or _are_days(values)
    return None if is_other else usual


def _are_years(values):
    """Returns whether all numbers may be years."""
    return dates.is_between(values, dates.FIRST_YEAR, dates.LAST_YEAR)


def _are_days(values):
    """Returns whether numbers may be whole days of dates: weeks apart, or the same day of months, first or last."""
    epoch = next((first for low, high, first in _DAYS if dates.is_between(values, low, high)), None)
    if epoch is None:
        return False
    days = (values - epoch).astype(np.int64).astype("datetime64[D]")
    of_month = [(each - each.astype("datetime64[M]")).astype(int) for each in (days, days + 1)]
    return not (np.diff(values) % _WEEK).any() or any(np.ptp(each) == 0 for each in of_month)
