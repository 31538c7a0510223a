"""Dates, times of day and years: what makes seconds of their parts, and which numbers are such."""

import re
import warnings

import numpy as np

from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

DAY = 86400.0  # Seconds.
YEAR = 365.2425 * DAY  # Of the Gregorian calendar.
FIRST_YEAR, LAST_YEAR = 1500, 2200  # Of climate's proxies and projections.
HALF = r"([ap])\.?\s?m\.?"  # Of a day, such as AM or p.m.
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WORD = rf"(?:{'|'.join(MONTHS)})[a-z]*\.?"  # Of a month.
# A date with the name of its month, such as 3-Jan-2015, and what follows; a cell of a table has no separator in it.
IN_WORDS = rf"(?i:(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[. ]+)?(?:\d\d?[-/ .]*)?{WORD}[-/ .']*\d[^,;|]*)"
# Spans as pandas writes them, in words or by ISO 8601: 1 days 00:00:00.04, P1DT0H0M0.04S.
SPAN = r"-?\d+ days?(?: [+-]?\d\d:\d\d:\d\d(?:\.\d+)?)?|-?P\d+DT\d+H\d+M\d+(?:\.\d+)?S"
# Steps of times that are years with a fraction: months, weeks and days, and by which share they may be off. A rate of
# 50 or 360 Hz is off by more. The others are steps of clocks as well: only a name tells them.
_STEPS_OF_YEARS, _OFF = (1 / 12, 1 / 52, 1 / 52.18, 1 / 365, 1 / 365.25), 0.01
_HOLE = 1.5  # Steps from which on rows are missing: that of a month is 1.02 of the usual one, rounding adds to it.
# Quarters, halves and whole years where a name says so, of old series and of plans. Under such a name a step may be off
# by a tenth, as months of two digits are.
_NAMED_STEPS, _FIRST_NAMED, _LAST_NAMED = (1 / 4, 1 / 2, 1), 1700, 2100
_NAMED_YEARS, _NAMED_OFF = re.compile(r"date|year|yr|jahr|decimal"), 0.1
_FEWEST_DIGITS = 20  # Numbers of which it can be told that they are times of day: all minutes below 60 by chance.


def moments(text, **given):
    """Returns seconds from the first moment on, None where a tenth of the filled cells are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Both orders of day and month are tried.
        moments = pd.to_datetime(text, errors="coerce", utc=True, **given)
    if not moments.notna().sum() > 0.9 * text.notna().sum():
        return None
    # Apart from their fractions: 292 years are more nanoseconds than 64 bits hold.
    whole, fractions = moments.dt.as_unit("s"), moments.dt.microsecond * 1e-6 + moments.dt.nanosecond * 1e-9
    first = moments.first_valid_index()
    return ((whole - whole[first]).dt.total_seconds() + (fractions - fractions[first])).to_numpy(np.float64)


def of_calendar(year, month):
    """Returns seconds since 1970 of the first of months, NaN where a part is missing."""
    is_known = np.isfinite(year + month)
    months = 12 * (np.where(is_known, year, 1970) - 1970) + np.where(is_known, month, 1) - 1
    seconds = months.astype(np.int64).astype("datetime64[M]").astype("datetime64[s]").astype(np.float64)
    return np.where(is_known, seconds, np.nan)


def unevenness(seconds):
    """Returns the deviation of steps over their mean; infinity where they rise and fall."""
    steps = np.diff(seconds[np.isfinite(seconds)])
    mean = steps.mean() if len(steps) else 0.0
    # A few rows may come late, and clocks are put back.
    is_one_way = len(steps) and (np.mean(steps < 0) < 0.02 or np.mean(steps > 0) < 0.02)
    return steps.std() / abs(mean) if is_one_way and mean else np.inf


def past_midnight(times: np.ndarray) -> np.ndarray:
    """Returns seconds of times of day, a day more from each midnight on; the newest may be the first."""
    is_known = np.isfinite(times)
    steps = np.diff(times[is_known], prepend=times[is_known][:1])
    way = -1 if np.mean(steps < 0) > 0.5 else 1
    times[is_known] += way * DAY * np.cumsum(way * steps < -DAY / 2)
    return times


def times_of_day(text):
    """Returns seconds of times of day, None for anything else. Two parts are minutes and seconds, or hours and minutes.

    They are of hours before AM or PM, if midnight is passed, or if they are whole and five apart or more.
    """
    parts = text.str.extract(rf"^(?:(\d+):)?(\d+):(\d+(?:[.,:]\d+)?)(?:\s?{HALF})?$", re.IGNORECASE)
    if not parts[2].notna().sum() > 0.9 * text.notna().sum():
        return None
    hours, minutes = (pd.to_numeric(parts[k]).fillna(0).to_numpy(np.float64) for k in (0, 1))
    seconds = pd.to_numeric(parts[2].str.replace(r"[,:]", ".", regex=True)).to_numpy(np.float64)
    if parts[0].isna().all() and not (seconds % 1 > 0).any():
        steps = np.diff((60 * minutes + seconds)[np.isfinite(seconds)])
        is_passed = ((steps < -60 * 22) & (minutes[np.isfinite(seconds)][1:] == 0)).any()  # From 22 h or later to 0 h.
        is_hours = parts[3].notna().any() or is_passed or (len(steps) and np.median(np.abs(steps)) >= 5)
        if np.nanmax(minutes) <= 24 and is_hours:
            hours, minutes, seconds = minutes, seconds, np.where(np.isfinite(seconds), 0.0, np.nan)
    if parts[3].notna().any():
        hours = hours % 12 + 12 * parts[3].str.lower().eq("p").to_numpy(bool)
    return 3600 * hours + 60 * minutes + seconds


def is_named_years(name: str) -> bool:
    """Returns whether the name of a column says that its numbers may be years."""
    return bool(_NAMED_YEARS.search(name.lower()))


def of_years(values: np.ndarray, name: str = "") -> bool:
    """Returns whether numbers are years with a fraction, a month, a week or a day apart, such as 1958.208.

    Args:
        values: Of a column.
        name: Of the column of times that they are; with one they may be a quarter or a year apart.
    """
    values = values[np.isfinite(values)]
    if len(values) < 3 or not (values.min() >= FIRST_YEAR and values.max() <= LAST_YEAR):
        return False
    off = _NAMED_OFF if is_named_years(name) else _OFF
    steps = np.diff(values)
    steps *= np.sign(np.median(steps))  # The newest row may be the first.
    if not (middle := float(np.median(steps))) > 0:
        return False
    usual = [middle, steps[np.abs(steps) < _HOLE * middle].mean()] + [steps.mean()] * bool(name)
    if any(abs(step / named - 1) < off for named in _STEPS_OF_YEARS for step in usual):
        return True
    is_recent = values.min() >= _FIRST_NAMED and values.max() <= _LAST_NAMED
    if not name:  # Middles of years, such as 1700.5: whole numbers count, and samples a second apart start anywhere.
        return is_recent and bool((values % 1 == 0.5).all() and (steps == np.round(steps)).all() and middle == 1)
    return is_recent and any(abs(middle / named - 1) < _OFF for named in _NAMED_STEPS)


def of_broken_months(values: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Returns years and months of numbers that are months with a year behind the point, as 6.2015; None for others."""
    digits = np.round(1e4 * values)
    years, months = digits % 1e4, digits // 1e4
    is_such = (
        np.isfinite(values).sum() > 2
        and np.nanmax(np.abs(1e4 * values - digits)) < 1e-6
        and is_between(months, 1, 12)
        and is_between(years, FIRST_YEAR, LAST_YEAR)
        and len(np.unique(months[np.isfinite(months)])) > 1
    )
    return (years, months) if is_such and np.isfinite(unevenness(12 * years + months)) else None


def of_clock_digits(values: np.ndarray, is_beside_days: bool = False) -> np.ndarray | None:
    """Returns seconds of whole numbers that are times of day, such as 93059 before 93100; None for others.

    Beside days they may be hours and minutes alone, such as 930, or whole hours, such as 900.
    """
    digits = values[np.isfinite(values)]
    if (
        len(digits) < _FEWEST_DIGITS
        or not is_between(digits, 0, 240_000)
        or not is_whole(digits)
        or np.ptp(digits) < 100
    ):
        return None
    if is_beside_days and digits.max() <= 2400:
        values = 100 * values
    elif len(np.unique(digits % 100)) < 3 and not is_beside_days:
        return None
    hours, minutes, seconds = values // 10_000, values // 100 % 100, values % 100
    is_clock = np.nanmax(minutes) < 60 and np.nanmax(seconds) < 60
    return 3600 * hours + 60 * minutes + seconds if is_clock else None


def is_whole(column: np.ndarray) -> bool:
    """Returns whether a column has three numbers or more, all of them whole."""
    finite = column[np.isfinite(column)]
    return len(finite) > 2 and bool((finite == np.round(finite)).all())


def is_between(column: np.ndarray, lowest: float, highest: float) -> bool:
    """Returns whether all numbers of a column, of which there is one, lie in a range."""
    finite = column[np.isfinite(column)]
    return bool(finite.min() >= lowest and finite.max() <= highest)
