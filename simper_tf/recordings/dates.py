"""Dates, times of day and calendars: moments in text, or spread over columns such as year, month and hour."""

import re
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

from simper_tf.recordings.tables import Table

DAY = 86400.0
YEAR = 365.2425 * DAY
FIRST_YEAR, LAST_YEAR = 1500, 2200
# Parts of a moment: words of the name of their column, and the numbers that it holds, whole but for seconds.
_PARTS = {
    "year": (r"years?|yr|yyyy|yy|jahr|a[nñ][no]|ann[ée]e", FIRST_YEAR, LAST_YEAR),
    "month": (r"months?|mon|mnth|mm|mo|monat|mes|mois", 1, 12),
    "day": (r"days?|dd|dy|dom|tag|d[ií]a|jour", 1, 31),
    "hour": (r"hours?|hrs?|hh|stunde|hora|heure", 0, 24),
    "minute": (r"minutes?|min|mins|mi|mn", 0, 59),
    "second": (r"seconds?|secs?|ss", 0, 60),
    "doy": (r"doy|yday|dayofyear|jday|julianday", 1, 366),
}  # fmt: skip
_OTHER_PARTS = re.compile(r"weekday|week|weeks|dow|doy|yday|day ?of ?(week|year)|season|quarter")
_DATE = re.compile(
    r"\d\d?[:.]\d\d|\d{4}[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}"
    r"|(?i:\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/ .,]*\d)"
)
# Such as 1982 1, 1982M01 or 1982-Q1.
_MONTH = re.compile(r"^(?:1[5-9]|2[01])\d\d(?:\W{1,2}|\W?[MmQq])(?:1[0-2]|0?[1-9])(?:\D.*)?$")
# Steps of times that are years with a fraction: months, weeks and days, and by which share they may be off. A rate of
# 50 or 360 Hz is off by more. The others are steps of clocks as well: only a name tells them.
_STEPS_OF_YEARS, _OFF = (1 / 12, 1 / 52, 1 / 52.18, 1 / 365, 1 / 365.25), 0.01
_NAMED_STEPS, _FIRST_NAMED, _LAST_NAMED = (1 / 4, 1 / 2, 1), 1700, 2100
_NAMED_YEARS, _NAMED_OFF = re.compile(r"date|year|yr|jahr|decimal"), 0.1
# Digits of a moment: how they are written, and in which place the year stands.
_FEWEST_DIGITS = 20  # Numbers of which it can be told that they are times of day.
_DIGITS = {"%Y%m%d": 1e4, "%Y%m": 1e2, "%Y%m%d%H": 1e6, "%Y%m%d%H%M": 1e8, "%Y%m%d%H%M%S": 1e10}


class Moments(NamedTuple):
    """Times that columns of a calendar tell.

    Attributes:
        seconds: `(T,)` float64.
        columns: The columns that tell them.
        note: A sentence on what was taken for them.
    """

    seconds: np.ndarray
    columns: set[int]
    note: str


def of_text(column: pd.Series) -> tuple[np.ndarray | None, str]:
    """Returns `(T,)` seconds of dates or times of day, None where most cells are neither, and a note on a guess.

    Where day and month may be exchanged, the reading of evener steps is taken, or that of a shorter time.
    """
    filled = column.dropna()
    if not len(filled) or not filled.head(50).str.contains(f"{_DATE.pattern}|{_MONTH.pattern}").mean() > 0.8:
        return None, ""
    text = column.str.strip(" []'\"").str.replace(r"[T_ ](\d\d)\.(\d\d)\.(\d\d)", r" \1:\2:\3", regex=True)
    if (times := _of_clock(text)) is not None:
        return times, _note_on_clock(text, times)
    if (told := _of_months(text)) is not None:
        return told, ""
    readings = [_moments(text, format="ISO8601")]
    if readings[0] is None:
        readings = [_moments(text, dayfirst=True), _moments(text, dayfirst=False), _moments(text, format="mixed")]
    readings = [seconds for seconds in readings if seconds is not None]
    return min(readings, key=lambda seconds: (round(_unevenness(seconds), 6), np.ptp(seconds)), default=None), ""


def _moments(text, **given):
    """Returns seconds from the first moment on, None where a tenth of the filled cells are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Both orders of day and month are tried.
        moments = pd.to_datetime(text, errors="coerce", utc=True, **given)
    if not moments.notna().sum() > 0.9 * text.notna().sum():
        return None
    return (moments - moments.dropna().iloc[0]).dt.total_seconds().to_numpy(np.float64)


def _of_months(text):
    """Returns seconds of years with a month or a quarter, None for anything else."""
    if not text.str.fullmatch(_MONTH.pattern).mean() > 0.9 or text.str.contains(r"\d\D+\d+\D+\d").any():
        return None
    parts = text.str.extract(r"^(\d{4})\W{0,2}([MmQq]?)(\d\d?)")
    year, month = (pd.to_numeric(parts[k]).to_numpy(np.float64) for k in (0, 2))
    if parts[1].str.lower().eq("q").any():
        return _of_calendar(year, 3 * month - 2) if np.nanmax(month) <= 4 else None
    return _of_calendar(year, month)


def _of_calendar(year, month):
    """Returns seconds since 1970 of the first of months, NaN where a part is missing."""
    told = np.isfinite(year + month)
    months = 12 * (np.where(told, year, 1970) - 1970) + np.where(told, month, 1) - 1
    seconds = months.astype(np.int64).astype("datetime64[M]").astype("datetime64[s]").astype(np.float64)
    return np.where(told, seconds, np.nan)


def _unevenness(seconds):
    """Returns the deviation of steps over their mean; infinity where they rise and fall."""
    steps = np.diff(seconds[np.isfinite(seconds)])
    mean = steps.mean() if len(steps) else 0.0
    is_one_way = len(steps) and (np.mean(steps < 0) < 0.02 or np.mean(steps > 0) < 0.02)
    return steps.std() / abs(mean) if is_one_way and mean else np.inf


def _of_clock(text):
    """Returns seconds of `13:58:58.081`, `0:01.5` or `1:58:58 PM`; midnight is passed, None for anything else."""
    times = _times_of_day(text)
    if times is None:
        return None
    told = np.isfinite(times)
    times[told] += DAY * np.cumsum(np.diff(times[told], prepend=times[told][:1]) < -DAY / 2)
    return times


def _times_of_day(text):
    """Returns seconds of times of day, None for anything else. Two parts are minutes and seconds, or hours and minutes.

    They are of hours if midnight is passed, or whole and five apart or more.
    """
    parts = text.str.extract(r"^(?:(\d+):)?(\d+):(\d+(?:[.,:]\d+)?)(?: ?([AaPp])[Mm])?$")
    if not parts[2].notna().sum() > 0.9 * text.notna().sum():
        return None
    hours, minutes = (pd.to_numeric(parts[k]).fillna(0).to_numpy(np.float64) for k in (0, 1))
    seconds = pd.to_numeric(parts[2].str.replace(r"[,:]", ".", regex=True)).to_numpy(np.float64)
    if parts[0].isna().all() and not (seconds % 1 > 0).any():
        steps = np.diff((60 * minutes + seconds)[np.isfinite(seconds)])
        is_passed = ((steps < -60 * 22) & (minutes[np.isfinite(seconds)][1:] == 0)).any()
        if np.nanmax(minutes) <= 24 and len(steps) and (is_passed or np.median(steps) >= 5):
            hours, minutes, seconds = minutes, seconds, np.where(np.isfinite(seconds), 0.0, np.nan)
    if parts[3].notna().any():
        hours = hours % 12 + 12 * parts[3].str.lower().eq("p").to_numpy(bool)
    return 3600 * hours + 60 * minutes + seconds


def _note_on_clock(text, times):
    """Returns a note where times of two whole parts, such as 00:05, may be of hours or of minutes; else nothing."""
    if np.nanmax(times) >= DAY or not text.dropna().str.fullmatch(r"\d\d?:\d\d").all():
        return ""
    is_hours = np.nanmax(times) >= 3600 and not (times[np.isfinite(times)] % 60 > 0).any()
    parts = "hours and minutes" if is_hours else "minutes and seconds"
    return f"Times such as {text.dropna().iloc[-1]} are taken for {parts}."


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
    middle, mean = float(np.median(np.diff(values))), float(values[-1] - values[0]) / (len(values) - 1)
    if middle > 0 and any(abs(step / one - 1) < off for one in _STEPS_OF_YEARS for step in (middle, mean)):
        return True
    is_recent = values.min() >= _FIRST_NAMED and values.max() <= _LAST_NAMED
    return bool(name) and is_recent and any(abs(middle / one - 1) < _OFF for one in _NAMED_STEPS)


def of_clock_digits(values: np.ndarray) -> np.ndarray | None:
    """Returns seconds of whole numbers that are times of day, such as 93059 before 93100; None for others."""
    told = values[np.isfinite(values)]
    if len(told) < _FEWEST_DIGITS or not _is_between(told, 0, 240_000) or not _is_whole(told) or np.ptp(told) < 100:
        return None
    hours, minutes, seconds = values // 10_000, values // 100 % 100, values % 100
    is_clock = np.nanmax(minutes) < 60 and np.nanmax(seconds) < 60 and len(np.unique(told % 100)) > 2
    return 3600 * hours + 60 * minutes + seconds if is_clock else None


def of_columns(table: Table) -> Moments | None:
    """Returns moments that several columns of a table tell; None where they tell none.

    Such are year and month, with a day and an hour or without; a year alone, a row each; whole numbers as 20240131; and
    days, once for each hour of a column beside them.
    """
    parts = _parts(table)
    for told in (_of_parts(table, parts), _of_digits(table), _of_days_and_hours(table, parts)):
        if told is not None and not np.isnan(told.seconds).all() and np.isfinite(_unevenness(told.seconds)):
            return told._replace(columns=told.columns | calendar_columns(table))
    return None


def calendar_columns(table: Table) -> set[int]:
    """Returns the columns whose names say that they hold parts of dates, such as the month or the day of the week."""
    if not any(table.names):
        return set()
    others = {k for k, name in enumerate(table.names) if _OTHER_PARTS.fullmatch(name.lower().replace("_", " ").strip())}
    return others | {k for part, k in _parts(table).items() if part not in ("minute", "second")}  # A minimum?


def _parts(table):
    """Returns the column of each part of a moment, by names or, where there are none, by what the first ones hold."""
    numbers = {k: column for k, column in enumerate(table.columns) if not isinstance(column, pd.Series)}
    numbers = {k: column for k, column in numbers.items() if np.isfinite(column).sum() > 2}
    if any(table.names):
        names = {k: re.sub(r"[^a-zñíé]+", "", table.names[k].lower()) for k in numbers}
        pairs = ((part, next((k for k in numbers if re.fullmatch(_PARTS[part][0], names[k])), None)) for part in _PARTS)
    else:
        pairs = zip(_PARTS, (k if k in numbers else None for k in range(len(_PARTS))), strict=True)
    parts = {}
    for part, k in pairs:
        is_fine = k is not None and (part == "second" or _is_whole(numbers[k]))
        if is_fine and _is_between(numbers[k], *_PARTS[part][1:]):
            parts[part] = k
        elif not any(table.names):
            break
    return parts


def _is_whole(column):
    finite = column[np.isfinite(column)]
    return len(finite) > 2 and bool((finite == np.round(finite)).all())


def _is_between(column, lowest, highest):
    finite = column[np.isfinite(column)]
    return bool(finite.min() >= lowest and finite.max() <= highest)


def _of_parts(table, parts):
    """Returns moments of a year, with a month or without.

    Without names a column is a part only where those before it repeat: others are numbers that happen to be as small.
    """
    if "year" not in parts:
        return None
    columns, has_names = {part: table.columns[k] for part, k in parts.items()}, any(table.names)
    by_day = "doy" in parts and "month" not in parts and not _is_strict(columns["year"])
    if not by_day and ("month" not in parts or (not has_names and _is_strict(columns["year"]))):
        is_yearly = _is_strict(columns["year"]) and (has_names or (np.abs(np.diff(columns["year"])) == 1).all())
        note = "" if has_names else "The first column is taken for years."
        return Moments(columns["year"] * YEAR, {parts["year"]}, note) if is_yearly else None
    months = np.ones_like(columns["year"]) if by_day else columns["month"]
    day, used = "doy" if by_day else "day", {parts["year"], parts["doy" if by_day else "month"]}
    seconds = _of_calendar(columns["year"], months)
    seconds = seconds - seconds[np.isfinite(seconds)][:1].sum()  # Since 1970 there are too many for milliseconds.
    for part, unit, first in ((day, DAY, 1), ("hour", 3600.0, 0), ("minute", 60.0, 0), ("second", 1.0, 0)):
        if part not in parts or (not has_names and _is_strict(seconds)):
            break
        seconds, used = seconds + unit * (columns[part] - first), used | {parts[part]}
    return Moments(seconds, used, "")


def _is_strict(seconds):
    """Returns whether all steps are in one direction, and none is 0."""
    steps = np.diff(seconds)
    return bool((steps > 0).all() or (steps < 0).all())


def _of_digits(table):
    """Returns moments of numbers such as 20240131, 202401 or 2024.01, in a column named a date or without a name."""
    for k, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if isinstance(column, pd.Series) or not re.search(r"date|day|time|month|yyyy|^$", name.lower()):
            continue
        if name and _is_whole(np.round(100 * column, 6)) and not _is_whole(column):
            column = np.round(100 * column)  # 1871.1 is October.
        for form, place in _DIGITS.items():
            if (not name and form == "%Y%m") or not _is_whole(column):
                continue
            if not _is_between(column, place * FIRST_YEAR, place * LAST_YEAR):
                continue
            if (told := _moments(pd.Series(column).astype("Int64").astype("str"), format=form)) is not None:
                return Moments(told, {k}, "")
    return None


def _of_days_and_hours(table, parts):
    """Returns moments of days in text that repeat, with the hours of a column beside them or the times of another."""
    texts = {k: column for k, column in enumerate(table.columns) if isinstance(column, pd.Series)}
    days = {k: seconds for k, column in texts.items() if (seconds := of_text(column)[0]) is not None}
    days = {k: seconds for k, seconds in days.items() if np.nanmax(seconds % DAY) == 0 and _repeats(seconds)}
    if not days:
        return None
    k, seconds = next(iter(days.items()))
    if "hour" in parts:
        minutes = table.columns[parts["minute"]] if "minute" in parts else 0
        used = {k, *(parts[part] for part in ("hour", "minute") if part in parts)}
        return Moments(seconds + 3600 * table.columns[parts["hour"]] + 60 * minutes, used, "")
    for other in texts.keys() - {k}:
        text = texts[other].str.strip(" []'\"").str.replace(r"^(\d\d)\.(\d\d)\.(\d\d)$", r"\1:\2:\3", regex=True)
        if (times := _times_of_day(text)) is not None:
            return Moments(seconds + times, {k, other}, "")
    return None


def _repeats(seconds):
    return bool(np.mean(np.diff(seconds) == 0) > 0.5)
