"""Dates, times of day and years: moments in the text or the numbers of one column."""

import re
import warnings

import numpy as np

from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

DAY = 86400.0  # Seconds.
YEAR = 365.2425 * DAY  # Of the Gregorian calendar.
FIRST_YEAR, LAST_YEAR = 1500, 2200  # Of climate's proxies and projections.
# Digits of a day and a time without marks, such as 20010112 0000.
_COMPACT = r"^(\d{4})(0[1-9]|1[0-2])([0-2]\d|3[01])[T_ ]([01]\d|2[0-4])([0-5]\d)([0-5]\d)?$"
HALF = r"([ap])\.?\s?m\.?"  # Of a day, such as AM or p.m.
_A_YEAR, _MONTHS = (
    r"(?:1[5-9]|2[01])\d\d",
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
)
_WORD = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_DATE = re.compile(
    r"\d\d?[:.]\d\d|\d{4}[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d\d?[-/]\d{4}" rf"|(?i:\b{_WORD}[-/ .,']*\d)"
)
# A date with the name of its month, such as 3-Jan-2015, and what follows; a cell of a table has no separator in it.
IN_WORDS = rf"(?i:(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[. ]+)?(?:\d\d?[-/ .]*)?{_WORD}[-/ .']*\d[^,;|]*)"
# Spans as pandas writes them, in words or by ISO 8601: 1 days 00:00:00.04, P1DT0H0M0.04S.
SPAN = r"-?\d+ days?(?: [+-]?\d\d:\d\d:\d\d(?:\.\d+)?)?|-?P\d+DT\d+H\d+M\d+(?:\.\d+)?S"
# Other writings of what pandas reads: 05-00-00 or 05.00.00 behind a date, 3/Jan/2015:05:00:00 of the logs of servers,
# and the signs of year, month and day in Chinese, Japanese and Korean.
_WRITINGS = (
    (r"[T_ ](\d\d)([.-])(\d\d)\2(\d\d)", r" \1:\3:\4"),
    (r"([-/ ]\d{4}):(\d\d:)", r"\1 \2"),
    (r"[年月년월] ?(?=\d)", "-"),
    (r"[年月日년월일]", ""),
)
# Years with a part of them, in lower case: such as 1982 1, 1982M01, 1/1982 or 1982-Q1; Q1 1970; 1991 Jul; Jul-91;
# 2021-W03 or 2021-W03-5; 2011/268, the day of the year, with a time of day or without.
_PARTS = (
    ("month", re.compile(rf"({_A_YEAR})(?:\W{{1,2}}|\W?m)(1[0-2]|0?[1-9])(?:\D.*)?|(1[0-2]|0?[1-9])[-/. ]({_A_YEAR})")),
    ("quarter", re.compile(rf"({_A_YEAR})\W{{0,2}}q([1-4])|q([1-4])\W{{0,2}}({_A_YEAR})")),
    ("word", re.compile(rf"({_A_YEAR})\W{{0,2}}({_WORD})|({_WORD})\W{{0,2}}({_A_YEAR})")),
    ("short", re.compile(rf"({_WORD})[-/ ']{{1,2}}(\d\d)")),
    ("week", re.compile(rf"({_A_YEAR})\W?w(\d\d?)(?:\W?([1-7]))?")),
    ("day", re.compile(rf"({_A_YEAR})[-/. ](\d{{3}})(?:[t ](\d.*))?")),
)
# Steps of times that are years with a fraction: months, weeks and days, and by which share they may be off. A rate of
# 50 or 360 Hz is off by more. The others are steps of clocks as well: only a name tells them.
_STEPS_OF_YEARS, _OFF = (1 / 12, 1 / 52, 1 / 52.18, 1 / 365, 1 / 365.25), 0.01
_HOLE = 1.5  # Steps from which on rows are missing: that of a month is 1.02 of the usual one, rounding adds to it.
# Quarters, halves and whole years where a name says so, of old series and of plans. Under such a name a step may be off
# by a tenth, as months of two digits are.
_NAMED_STEPS, _FIRST_NAMED, _LAST_NAMED = (1 / 4, 1 / 2, 1), 1700, 2100
_NAMED_YEARS, _NAMED_OFF = re.compile(r"date|year|yr|jahr|decimal"), 0.1
_FEWEST_DIGITS = 20  # Numbers of which it can be told that they are times of day: all minutes below 60 by chance.


def of_text(column: "pd.Series") -> tuple[np.ndarray | None, str]:
    """Returns `(T,)` seconds of dates or times of day, None where most cells are neither, and a note on a guess.

    Where day and month may be exchanged, the reading of evener steps is taken, or that of a shorter time.
    """
    filled = column.dropna()
    # Most of the first 50: a header of two lines, a row of units or a word for what is missing may stand among them.
    if not len(filled) or not _usual(filled.head(50)).map(_is_date).mean() > 0.8:
        return None, ""
    if filled.head(50).str.fullmatch(SPAN).mean() > 0.9:
        return pd.to_timedelta(column, errors="coerce").dt.total_seconds().to_numpy(np.float64), ""
    text = _usual(column)
    if (times := _of_clock(text)) is not None:
        return times, _note_on_clock(text, times)
    if (moments_read := _of_parts(text.str.lower())) is not None:
        return moments_read, ""
    readings = [moments(text, format="ISO8601")]
    if readings[0] is None:
        readings = [moments(text, dayfirst=True), moments(text, dayfirst=False), moments(text, format="mixed")]
    readings = [seconds for seconds in readings if seconds is not None]
    return min(readings, key=lambda seconds: (round(unevenness(seconds), 6), np.ptp(seconds)), default=None), ""


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


def _usual(column):
    """Returns dates as most write them."""
    text = column.str.strip(" []'\"").str.replace(_COMPACT, _marked, regex=True)
    for written, usual in _WRITINGS:
        text = text.str.replace(written, usual, regex=True)
    return text


def _marked(match):
    year, month, day, hour, minute, second = match.groups("00")
    return f"{year}-{month}-{day} {hour}:{minute}:{second}"


def _is_date(cell):
    return bool(_DATE.search(cell) or re.fullmatch(SPAN, cell)) or any(
        form.fullmatch(cell.lower()) for _, form in _PARTS
    )


def _of_parts(text):
    """Returns seconds of years with a month, quarter, week or day, None for anything else."""
    for kind, form in _PARTS:
        if not text.str.fullmatch(form.pattern).mean() > 0.9 or (
            kind == "month" and text.str.contains(r"\d\D+\d+\D+\d").any()
        ):
            continue
        parts = text.str.extract(f"^(?:{form.pattern})$")
        if kind == "short":  # Jul-91, or the 15th of July of a year that nobody names: then the month repeats.
            changes = parts[0].ne(parts[0].shift()).mean() > 0.5
            return moments(parts[0].str[:3] + parts[1], format="%b%y") if changes else None
        year, part = (parts[0], parts[1]) if kind in ("week", "day") else (
            parts[0].fillna(parts[3]), parts[1].fillna(parts[2])
        )  # fmt: skip
        year = pd.to_numeric(year).to_numpy(np.float64, na_value=np.nan)
        if kind == "word":
            return of_calendar(year, part.str[:3].map({word: k + 1.0 for k, word in enumerate(_MONTHS)}).to_numpy())
        part = pd.to_numeric(part).to_numpy(np.float64, na_value=np.nan)
        if kind in ("month", "quarter"):
            return of_calendar(year, part if kind == "month" else 3 * part - 2)
        first = of_calendar(year, np.where(np.isfinite(year), 1.0, np.nan))
        if kind == "week":
            fourth = first / DAY + 3  # The 4th of January lies in the first week, which begins on Monday.
            day = pd.to_numeric(parts[2]).fillna(1).to_numpy(np.float64)
            return DAY * (fourth - (fourth + 3) % 7 + 7 * (part - 1) + day - 1)
        times = times_of_day(parts[2]) if parts[2].notna().any() else 0.0
        return None if times is None or np.nanmax(part) > 366 else first + DAY * (part - 1) + times
    return None


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


def _of_clock(text):
    """Returns seconds of `13:58:58.081`, `0:01.5` or `1:58:58 PM`; midnight is passed, None for anything else."""
    times = times_of_day(text)
    return None if times is None else past_midnight(times)


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


def _note_on_clock(text, times):
    """Returns a note where times of two whole parts, such as 00:05, may be of hours or of minutes; else nothing."""
    if np.nanmax(times) >= DAY or not text.dropna().str.fullmatch(r"\d\d?:\d\d").all():
        return ""
    # An hour and more, each on a whole minute.
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


def of_clock_digits(values: np.ndarray) -> np.ndarray | None:
    """Returns seconds of whole numbers that are times of day, such as 93059 before 93100; None for others."""
    digits = values[np.isfinite(values)]
    if (
        len(digits) < _FEWEST_DIGITS
        or not is_between(digits, 0, 240_000)
        or not is_whole(digits)
        or np.ptp(digits) < 100
    ):
        return None
    hours, minutes, seconds = values // 10_000, values // 100 % 100, values % 100
    is_clock = np.nanmax(minutes) < 60 and np.nanmax(seconds) < 60 and len(np.unique(digits % 100)) > 2
    return 3600 * hours + 60 * minutes + seconds if is_clock else None


def is_whole(column: np.ndarray) -> bool:
    """Returns whether a column has three numbers or more, all of them whole."""
    finite = column[np.isfinite(column)]
    return len(finite) > 2 and bool((finite == np.round(finite)).all())


def is_between(column: np.ndarray, lowest: float, highest: float) -> bool:
    """Returns whether all numbers of a column, of which there is one, lie in a range."""
    finite = column[np.isfinite(column)]
    return bool(finite.min() >= lowest and finite.max() <= highest)
