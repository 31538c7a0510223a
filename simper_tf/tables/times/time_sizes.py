"""Units of times that no name tells: by their size, and by the step from one to the next."""

import itertools
import re
from typing import NamedTuple

import numpy as np

from simper_tf.tables.times import dates

# Days as astronomers, MATLAB and spreadsheets count them, from about 1859, 1889 and 1927 on.
_DAYS_OF_DATES = (2.4e6, 2.5e6), (6.9e5, 7.7e5), (1e4, 8e4)
_MOSTLY = 0.9  # Share of the steps that are alike where some samples are lost.
_EARLIER = 0.2  # Share of them behind which an earlier one follows: a night has five or more.
_RARE = 400  # Days from one Julian date to the next, at most: a star may hide half a year.
# From 2011 to 2036 in 1/256 s, as Hexoskin counts; milliseconds so large are of about 1984, or of another epoch.
_IN_256THS, _POWERS = (1.3e9 * 256, 2.1e9 * 256), 2.0 ** np.arange(9)
# Of 100 ns since the years 1 and 1601, as .NET and Windows count them, from 1966 and 1981 on: since 1970 they would be
# nanoseconds of 1989 and 1973.
_TICK, _IN_TICKS = 1e-7, ((6.2e17, 6.6e17), (1.2e17, 1.4e17))
_CLOCKS = (1.0e9, 2.2e9)  # Seconds of 2001 and 2039.
SINCE_1970, _LAST_CENTURY, _THIS_CENTURY = 1e8, 10, 41  # Seconds in 1973, and times as many in 2001 and in 2099.
# Seconds from one of them to the next up to which times of the last century are those of a thousandth since a phone or
# a board was started, a day ago or more; but for whole minutes, as weather has them.
_LONGEST_OLD = 3600.0
_UNITS = (1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds"), (1e-9, "nanoseconds"), (0.0, "")

Guess = tuple[float | None, str]


class _Times(NamedTuple):
    """Times without a unit.

    Attributes:
        values: `(T,)` finite numbers.
        rises: Steps from one to the next in their direction.
        step: Their median.
        size: Median of the values, without their sign.
        name: Of their column.
    """

    values: np.ndarray
    rises: np.ndarray
    step: float
    size: float
    name: str


def by_size(times: np.ndarray, name: str = "") -> Guess:
    """Returns the seconds of the unit that times without one have by their size, and a sentence where it is a guess.

    Seconds, milliseconds, microseconds and nanoseconds since 1970 differ by a thousand. Of other times the step tells.
    None is that of numbers which their name calls dates or an epoch, and which are none; and of those that may count
    milliseconds or parts of a second, which are named.
    """
    times = times[np.isfinite(times)]
    steps = np.diff(times)
    are_newest_first = len(steps) > 0 and np.mean(steps < 0) > 0.5
    rises = np.abs(steps[steps < 0 if are_newest_first else steps > 0])
    if not len(rises):
        return 1.0, ""
    seen = _Times(times, rises, float(np.median(rises)), float(np.median(np.abs(times))), name)
    guesses = (guess(seen) for guess in (_years, _in_256ths, _ticks, _since_1970, _days, _counts, _by_step))
    return next((guess for guess in guesses if guess is not None), (1.0, ""))


def _years(seen: _Times) -> Guess | None:
    if not dates.of_years(seen.values, seen.name):
        return None
    return dates.YEAR, f"Times from {seen.values[0]:.7g} to {seen.values[-1]:.7g} are taken for years."


def _in_256ths(seen: _Times) -> Guess | None:
    if not _IN_256THS[0] <= seen.size < _IN_256THS[1] or np.isin(seen.rises, _POWERS).mean() <= _MOSTLY:
        return None
    return None, f"times {seen.step:g} apart, which may be milliseconds or 1/256 s"


def _ticks(seen: _Times) -> Guess | None:
    if not any(low <= seen.size < high for low, high in _IN_TICKS):
        return None
    return _TICK, f"Times such as {seen.values[0]:.9g} are taken for ticks of 100 ns."


def _since_1970(seen: _Times) -> Guess | None:
    for (unit, _), (finer, word) in itertools.pairwise(_UNITS):
        lowest, step = SINCE_1970 / unit, unit * seen.step
        # A clock as fine as that ticks more often than every three hours.
        if not lowest <= seen.size < _THIS_CENTURY * lowest or step >= 1e4:
            continue
        # Microseconds of the last century were recorded by nobody, so they are nanoseconds at any usual rate.
        is_old = seen.size < _LAST_CENTURY * lowest and (0.01 if unit == 1e-6 else 3) < step < _LONGEST_OLD
        if is_old and word and step % 60 and dates.is_whole(seen.values):
            return finer, f"Times such as {seen.values[0]:.12g} are taken for {word} since a start."
        return unit, ""
    return None


def _days(seen: _Times) -> Guess | None:
    is_date = "date" in seen.name.lower()
    for lowest, highest in _DAYS_OF_DATES if is_date else _DAYS_OF_DATES[:1]:
        if lowest < seen.size < highest and (is_date or seen.step < 1):
            return dates.DAY, f"Times from {seen.values[0]:.9g} to {seen.values[-1]:.9g} are taken for days."
    return (None, "") if is_date else None


def _counts(seen: _Times) -> Guess | None:
    """None of rounds of a training, or steps of a simulation."""
    name = seen.name.lower()
    is_step = re.search(r"time.?steps?$", name) and seen.step >= 1 and dates.is_whole(seen.values)
    return (None, "") if is_step or "epoch" in name else None


def _by_step(seen: _Times) -> Guess | None:
    for unit, word, lowest, highest in (
        # Steps of 1 to 3 are samples, or seconds. Of days 2e-6 are a sixth of a second.
        (1e-3, "milliseconds", 3, 1000), (1e-6, "microseconds", 1000, 1e6), (1e-9, "nanoseconds", 1e6, 1e10),
        (dates.DAY, "days", 0, 2e-6),
    ):  # fmt: skip
        if lowest <= seen.step < highest:
            return unit, f"Times without a unit, {seen.step:.4g} apart, are taken for {word}."
    return None


def unit_since_1970(values: np.ndarray) -> float | None:
    """Returns the seconds of the unit in which all numbers are times from 2001 to 2039, counted from 1970; else None.

    Example: `unit_since_1970(np.array([1466529361088, 1466529362091]))` is 0.001.
    """
    units = (1.0, 1e-3, 1e-6, 1e-9) if np.isfinite(values).sum() > 1 else ()
    return next((unit for unit in units if dates.is_between(values * unit, *_CLOCKS)), None)


def are_julian(values: np.ndarray) -> bool:
    """Returns whether numbers are days as astronomers count them, from the years 1858 to 2132, in broken numbers.

    Whole ones may as well count the milliseconds of a clock. Some nights may stand in another order.
    """
    values = values[np.isfinite(values)]
    steps = np.diff(values)
    if dates.is_whole(values) or not len(steps) or min(np.mean(steps < 0), np.mean(steps > 0)) > _EARLIER:
        return False
    return dates.is_between(values, *_DAYS_OF_DATES[0]) and np.diff(np.sort(values)).max() < _RARE
