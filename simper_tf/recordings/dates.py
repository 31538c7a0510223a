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
# Parts of a moment: words of the name of their column, and the whole numbers that it holds.
_PARTS = {
    "year": (r"years?|yr|yyyy|jahr|a[nñ][no]|ann[ée]e", FIRST_YEAR, LAST_YEAR),
    "month": (r"months?|mon|mnth|mm|mo|monat|mes|mois", 1, 12),
    "day": (r"days?|dd|dom|tag|d[ií]a|jour", 1, 31),
    "hour": (r"hours?|hrs?|hh|stunde|hora|heure", 0, 24),
    "minute": (r"minutes?|min|mins|mi", 0, 59),
}  # fmt: skip
_OTHER_PARTS = re.compile(r"weekday|week|weeks|dow|doy|yday|day ?of ?(week|year)|season|quarter")
_DATE = re.compile(
    r"\d\d?[:.]\d\d|\d{4}[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}"
    r"|(?i:\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-/ .,]*\d)"
)
_MONTH = re.compile(r"^(?:1[5-9]|2[01])\d\d\D{1,2}(?:1[0-2]|0?[1-9])(?:\D.*)?$")  # Such as 1982 1 or 1982M01.
# Steps of times that are years with a fraction: months, quarters, weeks and days, and by which share they may be off.
_STEPS_OF_YEARS, _OFF = (1 / 12, 1 / 4, 1 / 2, 1 / 52, 1 / 52.18, 1 / 365, 1 / 365.25), 0.1


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


def of_text(column: pd.Series) -> np.ndarray | None:
    """Returns `(T,)` seconds of dates or times of day, None where most cells are neither.

    Where day and month may be exchanged, the reading of evener steps is taken.
    """
    filled = column.dropna()
    if not len(filled) or not filled.head(50).str.contains(f"{_DATE.pattern}|{_MONTH.pattern}").mean() > 0.8:
        return None
    text = column.str.strip(" []'\"").str.replace(r"[T_ ](\d\d)\.(\d\d)\.(\d\d)", r" \1:\2:\3", regex=True)
    for told in (_of_clock(text), _of_months(text)):
        if told is not None:
            return told
    readings = [_moments(text, format="ISO8601")]
    if readings[0] is None:
        readings = [_moments(text, dayfirst=True), _moments(text, dayfirst=False), _moments(text, format="mixed")]
    readings = [seconds for seconds in readings if seconds is not None]
    return min(readings, key=_unevenness, default=None)


def _moments(text, **given):
    """Returns seconds from the first moment on, None where a tenth of the cells are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Both orders of day and month are tried.
        moments = pd.to_datetime(text, errors="coerce", utc=True, **given)
    if not moments.notna().mean() > 0.9:
        return None
    return (moments - moments.dropna().iloc[0]).dt.total_seconds().to_numpy(np.float64)


def _of_months(text):
    """Returns seconds of years with a month, None for anything else."""
    if not text.str.fullmatch(_MONTH.pattern).mean() > 0.9 or text.str.contains(r"\d\D+\d+\D+\d").any():
        return None
    parts = text.str.extract(r"^(\d{4})\D{1,2}(\d\d?)").apply(pd.to_numeric)
    return _of_calendar(parts[0].to_numpy(np.float64), parts[1].to_numpy(np.float64))


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


def of_years(values: np.ndarray) -> bool:
    """Returns whether numbers are years with a fraction, a month, a week or a day apart, such as 1958.208."""
    values = values[np.isfinite(values)]
    if len(values) < 3 or not (values.min() >= FIRST_YEAR and values.max() <= LAST_YEAR):
        return False
    step = float(np.median(np.diff(values)))
    return any(abs(step / one - 1) < _OFF for one in _STEPS_OF_YEARS)


def of_columns(table: Table) -> Moments | None:
    """Returns moments that several columns of a table tell; None where they tell none.

    Such are year and month, with a day and an hour or without; a year alone, a row each; whole numbers as 20240131; and
    days, once for each hour of a column beside them.
    """
    parts = _parts(table)
    for told in (_of_parts(table, parts), _of_digits(table), _of_days_and_hours(table, parts)):
        if told is not None and not np.isnan(told.seconds).all() and np.isfinite(_unevenness(told.seconds)):
            return told._replace(columns=told.columns | set(parts.values()) | _others(table))
    return None


def _parts(table):
    """Returns the column of each part of a moment, by names or, where there are none, by what the first ones hold."""
    whole = {k: column for k, column in enumerate(table.columns) if not isinstance(column, pd.Series)}
    whole = {k: column for k, column in whole.items() if _is_whole(column)}
    if any(table.names):
        names = {k: re.sub(r"[^a-zñíé]+", "", table.names[k].lower()) for k in whole}
        pairs = ((part, next((k for k in whole if re.fullmatch(_PARTS[part][0], names[k])), None)) for part in _PARTS)
    else:
        pairs = zip(_PARTS, (k if k in whole else None for k in range(len(_PARTS))), strict=True)
    parts = {}
    for part, k in pairs:
        if k is not None and _is_between(whole[k], *_PARTS[part][1:]):
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


def _others(table):
    """Returns columns of further parts, such as the day of the week: no channels."""
    return {k for k, name in enumerate(table.names) if _OTHER_PARTS.fullmatch(name.lower().replace("_", " ").strip())}


def _of_parts(table, parts):
    """Returns moments of a year, with a month or without."""
    if "year" not in parts:
        return None
    columns = {part: table.columns[k] for part, k in parts.items()}
    if "month" not in parts:
        is_yearly = (np.diff(columns["year"]) == 1).all()
        return Moments(columns["year"] * YEAR, {parts["year"]}, "") if is_yearly else None
    seconds = _of_calendar(columns["year"], columns["month"])
    for part, unit, first in (("day", DAY, 1), ("hour", 3600.0, 0), ("minute", 60.0, 0)):
        if part not in parts:
            break
        seconds = seconds + unit * (columns[part] - first)
    return Moments(seconds, set(parts.values()), "")


def _of_digits(table):
    """Returns moments of whole numbers such as 20240131, in a column that is named a date or has no name."""
    for k, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if isinstance(column, pd.Series) or not re.search(r"date|day|yyyymmdd|^$", name.lower()):
            continue
        is_near = _is_whole(column) and _is_between(column, 1e4 * FIRST_YEAR, 1e4 * LAST_YEAR)
        if is_near and (told := _moments(pd.Series(column).astype("Int64").astype("str"), format="%Y%m%d")) is not None:
            return Moments(told, {k}, "")
    return None


def _of_days_and_hours(table, parts):
    """Returns moments of days in text that repeat, with the hours of a column beside them or the times of another."""
    texts = {k: column for k, column in enumerate(table.columns) if isinstance(column, pd.Series)}
    days = {k: seconds for k, column in texts.items() if (seconds := of_text(column)) is not None}
    days = {k: seconds for k, seconds in days.items() if np.nanmax(seconds % DAY) == 0 and _repeats(seconds)}
    if not days:
        return None
    k, seconds = next(iter(days.items()))
    if "hour" in parts:
        minutes = table.columns[parts["minute"]] if "minute" in parts else 0
        used = {k, *(parts[part] for part in ("hour", "minute") if part in parts)}
        return Moments(seconds + 3600 * table.columns[parts["hour"]] + 60 * minutes, used, "")
    for other in texts.keys() - {k}:
        if (times := _times_of_day(texts[other].str.strip(" []'\""))) is not None:
            return Moments(seconds + times, {k, other}, "")
    return None


def _repeats(seconds):
    return bool(np.mean(np.diff(seconds) == 0) > 0.5)
