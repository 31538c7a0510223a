"""Columns of text that hold dates, times of day, or spans of time."""

import re

import numpy as np

from simper_tf.tables.times import dates, year_parts
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

# Digits of a day and a time without marks, such as 20010112 0000 or 20010112:0000.
_COMPACT = r"^(\d{4})(0[1-9]|1[0-2])([0-2]\d|3[01])[T_ :]([01]\d|2[0-4])([0-5]\d)([0-5]\d)?$"
_DATE = re.compile(
    r"\d\d?[:.]\d\d|\d{4}[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4}|\d\d?[-/]\d{4}" rf"|(?i:\b{dates.WORD}[-/ .,']*\d)"
)
# Other writings of what pandas reads: an hour by its start and end, 05-00-00 or 05.00.00 behind a date,
# 3/Jan/2015:05:00:00 of the logs of servers, 22:13:20:500, and the signs of year, month and day in Chinese, Japanese
# and Korean.
_WRITINGS = (
    (r"^(\d[\d./-]+ \d\d?:\d\d(?::\d\d)?) (?:-|–|to) \d[\d./-]+ \d\d?:\d\d.*$", r"\1"),
    (r"[T_ ](\d\d)([.-])(\d\d)\2(\d\d)", r" \1:\3:\4"),
    (r"([-/ ]\d{4}):(\d\d:)", r"\1 \2"),
    (r"(:\d\d:\d\d):(\d{3})$", r"\1.\2"),
    (r"[年月년월] ?(?=\d)", "-"),
    (r"[年月日년월일]", ""),
)


def of_text(column: "pd.Series") -> tuple[np.ndarray | None, str]:
    """Returns `(T,)` seconds of dates or times of day, None where most cells are neither, and a note on a guess.

    Where day and month may be exchanged, the reading of evener steps is taken, or that of a shorter time. Where such
    readings are as good, seconds are None, and the note names them.
    """
    filled = column.dropna()
    # Most of the first 50: a header of two lines, a row of units or a word for what is missing may stand among them.
    if not len(filled) or not _usual(filled.head(50)).map(_is_date).mean() > 0.8:
        return None, ""
    if filled.head(50).str.fullmatch(dates.SPAN).mean() > 0.9:
        return pd.to_timedelta(column, errors="coerce").dt.total_seconds().to_numpy(np.float64), ""
    text = _usual(column)
    if (found := year_parts.of_text(text.str.lower())) is not None:
        return found
    if (times := dates.times_of_day(text)) is not None:
        times = dates.past_midnight(times)
        return times, _note_on_clock(text, times)
    readings = [dates.moments(text, format="ISO8601")]
    if readings[0] is None:
        readings = [
            dates.moments(text, dayfirst=True),
            dates.moments(text, dayfirst=False),
            dates.moments(text, format="mixed"),
        ]
    readings = [seconds for seconds in readings if seconds is not None]
    return min(readings, key=lambda seconds: (round(dates.unevenness(seconds), 6), np.ptp(seconds)), default=None), ""


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
    is_whole = bool(_DATE.search(cell) or re.fullmatch(dates.SPAN, cell)) or year_parts.is_one(cell.lower())
    return is_whole or year_parts.begins(cell.lower())


def _note_on_clock(text, times):
    """Returns a note where times of two whole parts, such as 00:05, may be of hours or of minutes; else nothing."""
    if np.nanmax(times) >= dates.DAY or not text.dropna().str.fullmatch(r"\d\d?:\d\d").all():
        return ""
    # An hour and more, each on a whole minute.
    is_hours = np.nanmax(times) >= 3600 and not (times[np.isfinite(times)] % 60 > 0).any()
    parts = "hours and minutes" if is_hours else "minutes and seconds"
    return f"Times such as {text.dropna().iloc[-1]} are taken for {parts}."
