"""Calendars: moments that several columns of a table tell, such as year, month and hour."""

import re
from typing import NamedTuple

import numpy as np

from simper_tf.tables.texts.delimited import Table
from simper_tf.tables.times import date_texts, dates
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

# Parts of a moment: words of the name of their column, and the numbers that it holds, whole but for seconds.
_PARTS = {
    "year": (r"[a-z]{0,4}years?|yr|yyyy|yy|jahr|a[nñ][no]|ann[ée]e", dates.FIRST_YEAR, dates.LAST_YEAR),
    "month": (r"months?|mon|mnth|mm|mo|monat|mes|mois", 1, 12),
    "day": (r"days?|dd|dy|dom|tag|d[ií]a|jour", 1, 31),
    "hour": (r"hours?|hrs?|hh|stunde|hora|heure", 0, 24),
    "minute": (r"minutes?|min|mins|mi|mn", 0, 59),
    "second": (r"seconds?|secs?|ss", 0, 60),
    "doy": (r"doy|yday|dayofyear|jday|julianday", 1, 366),
}  # fmt: skip
_OTHER_PARTS = re.compile(r"weekday|week|weeks|dow|doy|yday|day ?of ?(week|year)|season|quarter")
# Digits of a moment: how they are written, and in which place the year stands.
_DIGITS = {"%Y%m%d": 1e4, "%Y%m": 1e2, "%Y%j": 1e3, "%Y%m%d%H": 1e6, "%Y%m%d%H%M": 1e8, "%Y%m%d%H%M%S": 1e10}
_NAMED = ("%Y%m", "%Y%j")  # Such as many numbers are: a name must say that they are dates.
_DATED = re.compile(r"date|day|time|month|yyyy|datum|fecha|monat|mois|\bmes\b|periodo?")
_MOSTLY = 0.9  # Share of the steps of a column of hours that are of one hour: 23 of 24.
_FEWEST = 8  # Numbers that are dates whatever their name is, if all are days: one number of four is a day by chance.


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


def of_columns(table: Table) -> Moments | None:
    """Returns moments that several columns of a table tell; None where they tell none.

    Such are year and month, with a day and an hour or without; a year alone, a row each; whole numbers as 20240131; and
    days, once for each hour of a column beside them. Beside any days may stand times of day such as 930.
    """
    parts = _parts(table)
    for times in (_of_parts(table, parts), _of_digits(table), _of_days_and_hours(table, parts)):
        if times is not None and not np.isnan(times.seconds).all() and np.isfinite(dates.unevenness(times.seconds)):
            times = _by_clock(table, times) or times
            return times._replace(columns=times.columns | part_columns(table))
    return None


def part_columns(table: Table) -> set[int]:
    """Returns the columns whose names say that they hold parts of dates, such as the month or the day of the week."""
    if not any(table.names):
        return set()
    others = {k for k, name in enumerate(table.names) if _OTHER_PARTS.fullmatch(name.lower().replace("_", " ").strip())}
    return others | {k for part, k in _parts(table).items() if part not in ("minute", "second")}  # A minimum?


def _parts(table):
    """Returns the column of each part of a moment, by names or, where there are none, by what the first ones hold."""
    numbers = {k: column for k, column in enumerate(table.columns) if isinstance(column, np.ndarray)}
    numbers = {k: column for k, column in numbers.items() if np.isfinite(column).sum() > 2}
    if any(table.names):
        names = {k: re.sub(r"[^a-zñíé]+", "", table.names[k].lower()) for k in numbers}
        pairs = ((part, next((k for k in numbers if re.fullmatch(_PARTS[part][0], names[k])), None)) for part in _PARTS)
    else:
        pairs = zip(_PARTS, (k if k in numbers else None for k in range(len(_PARTS))), strict=True)
    parts = {}
    for part, k in pairs:
        is_fine = k is not None and (part == "second" or dates.is_whole(numbers[k]))
        is_count = is_fine and part == "year" and any(table.names) and (np.abs(np.diff(numbers[k])) == 1).all()
        if is_fine and (is_count or dates.is_between(numbers[k], *_PARTS[part][1:])):
            parts[part] = k
        elif not any(table.names):
            break
    return parts


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
        return Moments(columns["year"] * dates.YEAR, {parts["year"]}, note) if is_yearly else None
    months = np.ones_like(columns["year"]) if by_day else columns["month"]
    day, used = "doy" if by_day else "day", {parts["year"], parts["doy" if by_day else "month"]}
    seconds = dates.of_calendar(columns["year"], months)
    seconds = seconds - seconds[np.isfinite(seconds)][:1].sum()  # Since 1970 there are too many for milliseconds.
    for part, unit, first in ((day, dates.DAY, 1), ("hour", 3600.0, 0), ("minute", 60.0, 0), ("second", 1.0, 0)):
        if part not in parts or (not has_names and _is_strict(seconds)):
            break
        seconds, used = seconds + unit * (columns[part] - first), used | {parts[part]}
    return Moments(seconds, used, "")


def _is_strict(seconds):
    """Returns whether all steps are in one direction, and none is 0."""
    steps = np.diff(seconds)
    return bool((steps > 0).all() or (steps < 0).all())


def _of_digits(table):
    """Returns moments of numbers such as 20240131, 202401 or 2024.01, in a column named a date or without a name.

    Under any other name they must be days, all of them, and each later than the one before.
    """
    for k, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if not isinstance(column, np.ndarray):
            continue
        is_named = bool(_DATED.search(name.lower()))
        parts = dates.of_broken_months(column) if is_named or not name else None
        if parts is not None and (is_named or np.ptp(parts[0]) > 0):  # Numbers without a name seldom pass a year so.
            return Moments(dates.of_calendar(*parts), {k}, "")
        if name and not is_named and (len(column) < _FEWEST or not _is_strict(column)):
            continue
        if is_named and dates.is_whole(np.round(100 * column, 6)) and not dates.is_whole(column):
            column = np.round(100 * column)  # 1871.1 is October.
        for form, place in _DIGITS.items():
            if (not is_named and form in _NAMED) or not dates.is_whole(column):
                continue
            if not dates.is_between(column, place * dates.FIRST_YEAR, place * dates.LAST_YEAR):
                continue
            if (moments := dates.moments(pd.Series(column).astype("Int64").astype("str"), format=form)) is not None:
                return Moments(moments, {k}, "")
    return None


def _of_days_and_hours(table, parts):
    """Returns moments of days in text that repeat, with the hours of a column beside them or the times of another.

    The half of the day may be a column of its own, beside times without days as well. Times may be digits such as 930.
    """
    texts = {k: column for k, column in enumerate(table.columns) if not isinstance(column, np.ndarray)}
    if 0 in texts and not any(table.names) and any(map(_are_hours, table.columns[1:2])):
        parts = {"hour": 1}
    if not texts or ("hour" not in parts and len(texts) < 2 and not any(_clocks(table))):
        return None
    halves = next((k for k, column in texts.items() if _is_half(column)), None)
    days = {k: seconds for k, column in texts.items() if (seconds := date_texts.of_text(column)[0]) is not None}
    days = {k: seconds for k, seconds in days.items() if np.nanmax(seconds % dates.DAY) == 0}
    has_days, days = bool(days), {k: seconds for k, seconds in days.items() if (np.diff(seconds) == 0).any()}
    if not days and (has_days or halves is None):
        return None
    k, seconds = next(iter(days.items()), (None, None))
    if days and "hour" in parts and np.mean(np.diff(seconds) == 0) > 0.5:
        units = {part: unit for part, unit in (("hour", 3600), ("minute", 60), ("second", 1)) if part in parts}
        seconds = seconds + sum(unit * table.columns[parts[part]] for part, unit in units.items())
        return Moments(seconds, {k, *(parts[part] for part in units)}, "")
    for other in texts.keys() - {k}:
        text = texts[other].str.strip(" []'\"").str.replace(r"^(\d\d)\.(\d\d)\.(\d\d)$", r"\1:\2:\3", regex=True)
        text = text if halves is None else text + " " + texts[halves].str.strip()
        if (times := dates.times_of_day(text)) is not None:
            times = seconds + times if days else dates.past_midnight(times)
            return Moments(times, {k, other, halves} - {None}, "")
    return _by_clock(table, Moments(seconds, {k}, "")) if days else None


def _by_clock(table, moments):
    """Returns moments of days that repeat at the times of day of a column of digits; None where there is none."""
    is_known = np.isfinite(moments.seconds)
    days = moments.seconds[is_known]
    if not (np.diff(days) == 0).any() or ((days - days[0]) % dates.DAY).any():
        return None
    for k, times in _clocks(table):
        if k not in moments.columns and _is_strict((moments.seconds + times)[is_known]):
            return moments._replace(seconds=moments.seconds + times, columns=moments.columns | {k})
    return None


def _clocks(table):
    """Yields the columns of digits that may be times of day beside days, and their seconds."""
    for k, column in enumerate(table.columns):
        if isinstance(column, np.ndarray) and (times := dates.of_clock_digits(column, True)) is not None:
            yield k, times


def _are_hours(column):
    """Returns whether a column counts the hours of days, one after another."""
    if not isinstance(column, np.ndarray) or not np.isfinite(column).all() or not dates.is_whole(column):
        return False
    steps = np.diff(column)
    return dates.is_between(column, *_PARTS["hour"][1:]) and np.ptp(column) > 20 and np.mean(steps == 1) > _MOSTLY


def _is_half(column):
    """Returns whether a column says of each row whether it is before noon."""
    words = column.dropna().str.strip()
    return len(words) > 0 and words.str.fullmatch(dates.HALF, case=False).all()
