"""Years with a part of them in text: a month, a quarter, a half, a week, a day; and days or months without a year."""

import re

import numpy as np

from simper_tf.tables.times import dates
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

_YEAR, _MONTH, _WORD = r"(?P<year>(?:1[5-9]|2[01])\d\d)", r"(?P<part>1[0-2]|0?[1-9])", rf"(?P<part>{dates.WORD})"
_SPACE = "[-_ /.:']{0,3}"  # Between them, such as in 1. Quartal 2015; none of what stands between cells.
# Parts of a year: marks that stand beside years of two digits as well; others, which say other things there, such as
# 1h30 and 4k7; and the numbers.
_MARKS = {
    "month": ("", "m|month|monat|mois", "1[0-2]|0?[1-9]"),
    "quarter": ("q|qtr|quarter|quartal", "t|k|kv|trim|trimestre", "0?[1-4]"),
    "half": ("", "h|s|half|semester", "0?[12]"),
    "week": ("w|wk|week|kw|cw|woche", "u|v|uge|uke|vecka|semaine", "0[1-9]|[1-4]\\d|5[0-3]|[1-9]"),
}


def _marked(short, long, number):
    """Yields how a year and a part of it are written: 2015Q1, Q1 2015, 1Q2015, 2015 1Q; 15Q1, Q1 15 and 1Q15."""
    marks, part, lone = f"(?:{short}{'|' * bool(short)}{long})", f"(?P<part>{number})", "(?P<part>[1-4])"
    yield rf"{_YEAR}{_SPACE}{marks}{_SPACE}{part}"
    yield rf"{marks}{_SPACE}{part}{_SPACE}{_YEAR}"
    yield rf"{part}{_SPACE}{marks}{_SPACE}{_YEAR}"
    yield rf"{_YEAR}[-_ /.:']{_SPACE}{part}{_SPACE}{marks}"
    if short:
        year = r"(?P<year>\d\d)"
        yield rf"{year}{_SPACE}(?:{short}){_SPACE}{part}"
        yield rf"(?:{short}){_SPACE}{part}[-_ /.:']{_SPACE}{year}"
        yield rf"{lone}{_SPACE}(?:{short}){_SPACE}{year}"


_YEAR_AND_MONTH = rf"{_YEAR}(?:\W{{1,2}}|\W?m){_MONTH}"
_FORMS = (
    ("month", re.compile(_YEAR_AND_MONTH)),
    ("month", re.compile(rf"{_MONTH}[-/. ]{_YEAR}")),
    ("word", re.compile(rf"{_YEAR}\W{{0,2}}{_WORD}")),
    ("word", re.compile(rf"{_WORD}\W{{0,2}}{_YEAR}")),
    ("week", re.compile(rf"{_YEAR}-?w(?P<part>\d\d?)-?(?P<rest>[1-7])")),
    ("day", re.compile(rf"{_YEAR}[-/. ](?P<part>\d{{3}})(?:[t ](?P<rest>\d.*))?")),
    *((kind, re.compile(form)) for kind, words in _MARKS.items() for form in _marked(*words)),
)
_AND_MORE = ("month", re.compile(rf"{_YEAR_AND_MONTH}\D.*"))  # Such as a remark.
# Two numbers, or a number and a month, that may be a month of a year of two digits, or a day of a month.
_PAIRS = (
    re.compile(rf"(?P<first>{dates.WORD})[-/ '.]{{0,2}}(?P<last>\d\d?)"),
    re.compile(rf"(?P<first>\d\d?)[-/ '.]{{0,2}}(?P<last>{dates.WORD})"),
    re.compile(r"(?P<first>\d\d?)[-/](?P<last>\d\d?)"),
)
# The names of months without anything more: others, such as mark or decay, may be labels.
MONTH = re.compile("jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?"
                   "|nov(ember)?|dec(ember)?")  # fmt: skip
_EVEN, _LIKE = 0.5, 0.1  # Unevenness of steps that may be meant, and by which share those of two readings differ.
_CENTURY = 69  # Years of two digits from which on the first is of the last century, as POSIX has it.


def is_one(cell: str) -> bool:
    """Returns whether a cell of lower case may be a year with a part of it, or a day of a month."""
    return any(form.fullmatch(cell) for _, form in _FORMS) or any(form.fullmatch(cell) for form in _PAIRS)


def begins(cell: str) -> bool:
    """Returns whether a cell begins with a year and a month, and goes on with what is no number."""
    return bool(re.fullmatch(rf"{_YEAR_AND_MONTH}[^\d,;|]+", cell))


def of_text(text: "pd.Series") -> tuple[np.ndarray | None, str] | None:
    """Returns `(T,)` seconds of cells of lower case, and a note on a guess; None where most cells are none of these.

    Seconds are None where several readings are as good, and the note says which.
    """
    few = text.dropna().head(50)
    for kind, form in (*_FORMS, _AND_MORE):
        if _are(few, form, 0.8) and _are(text, form):
            if kind == "month" and text.str.contains(r"\d\D+\d+\D+\d").any():  # They have days.
                continue
            return _of_parts(kind, text.str.extract(f"^(?:{form.pattern})$")), ""
    for form in _PAIRS:
        if _are(few, form, 0.8) and _are(text, form):
            return _of_pairs(text.str.extract(f"^(?:{form.pattern})$"), few.iloc[0])
    return None


def _are(text, form, most=0.9):
    return text.str.fullmatch(form.pattern).mean() > most


def _number(text):
    return pd.to_numeric(text, errors="coerce").to_numpy(np.float64, na_value=np.nan)


def _month(words):
    """Returns the numbers of months from their names, or as they are."""
    numbers = words.str[:3].map({word: k + 1.0 for k, word in enumerate(dates.MONTHS)})
    return numbers.fillna(pd.to_numeric(words, errors="coerce")).to_numpy(np.float64, na_value=np.nan)


def _of_parts(kind, parts):
    """Returns seconds of years with a month, quarter, half, week or day."""
    year = _number(parts["year"])
    year = _years(year) if np.nanmax(year) < 100 else year
    if kind == "word":
        return dates.of_calendar(year, _month(parts["part"]))
    part = _number(parts["part"])
    if kind in ("month", "quarter", "half"):
        months = {"month": 1, "quarter": 3, "half": 6}[kind]
        return dates.of_calendar(year, months * (part - 1) + 1)
    first = dates.of_calendar(year, np.where(np.isfinite(year), 1.0, np.nan))
    rest = parts["rest"] if "rest" in parts else pd.Series([np.nan] * len(parts), dtype="str")
    if kind == "week":
        fourth = first / dates.DAY + 3  # The 4th of January lies in the first week, which begins on Monday.
        day = pd.to_numeric(rest).fillna(1).to_numpy(np.float64)
        return dates.DAY * (fourth - (fourth + 3) % 7 + 7 * (part - 1) + day - 1)
    times = dates.times_of_day(rest) if rest.notna().any() else 0.0
    return None if times is None or np.nanmax(part) > 366 else first + dates.DAY * (part - 1) + times


def _years(digits):
    """Returns years of two digits, each within half a century of the one before."""
    years = digits.copy()
    known = np.isfinite(digits)
    years[known] = np.unwrap(digits[known], period=100)
    return years + (1900 if years[known][0] >= _CENTURY else 2000)


def _of_pairs(parts, example):
    """Returns seconds of the one reading whose steps are about alike, and a note; None of several, and which."""
    first, last = parts["first"], parts["last"]
    have_words = [bool(column.str.contains("[a-z]").any()) for column in (first, last)]
    are_strict = all(
        column.dropna().map(lambda word: bool(MONTH.fullmatch(word.rstrip(".")))).all()
        for column, has_words in zip((first, last), have_words, strict=True)
        if has_words
    )
    readings = []
    for month, other in ((first, last), (last, first)):
        if any(have_words) and not month.str.contains("[a-z]").any():
            continue
        month, other = _month(month), _number(other)
        readings.append(("a month and a year", _in_year(month, other)))
        if are_strict:
            readings.append(("a day and a month", _of_days(month, other)))
    readings = [(what, seconds) for what, seconds in readings if seconds is not None]
    unevenness = [dates.unevenness(seconds) for _, seconds in readings]
    fine = [reading for reading, off in zip(readings, unevenness, strict=True) if off < _EVEN]
    fine = fine or [reading for reading, off in zip(readings, unevenness, strict=True) if np.isfinite(off)]
    if not fine and have_words[0] and first.ne(first.shift()).mean() > 0.5:
        fine = readings[:1]  # Of rows in any order.
    steps = [abs(np.nanmean(np.diff(seconds))) for _, seconds in fine]
    if not fine:
        return None, ""
    if max(steps) > (1 + _LIKE) * min(steps):
        return None, f"{example}, which may be {' or '.join(dict.fromkeys(what for what, _ in fine))}"
    return fine[0][1], "" if have_words[0] else f"Dates such as {example} are taken for {fine[0][0]}."


def _in_year(month, year):
    """Returns seconds of months of years of two digits; None where they are none, or the same month of all years."""
    known = np.isfinite(month + year)
    if not known.any() or not dates.is_between(month[known], 1, 12) or (month[known] == month[known][0]).all():
        return None
    return dates.of_calendar(_years(np.where(known, year, np.nan)), np.where(known, month, np.nan))


def _of_days(month, day):
    """Returns seconds of days of months, of which one year follows the other; None where they are none."""
    known = np.isfinite(month + day)
    if not known.any() or not dates.is_between(month[known], 1, 12) or not dates.is_between(day[known], 1, 31):
        return None
    months = month.copy()
    months[known] = np.unwrap(month[known], period=12) - 1
    # From a leap year on, so that a 29th of February is a day.
    return dates.of_calendar(2000 + months // 12, months % 12 + 1) + dates.DAY * (day - 1)
