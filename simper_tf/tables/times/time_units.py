"""Times of samples: which names and numbers are times, and the seconds of their unit."""

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from simper_tf.tables.times import date_texts, dates, rates, time_sizes

if TYPE_CHECKING:
    import pandas as pd

# Words for time, which make a name that of times wherever they stand in it.
_TIME = (
    r"(?:sample|frame|device|elapsed|sensor|system|local|unix|gps|utc|host)?times?|\w*timestamps?|datetime|elapsed|unix"
    r"|epoch?|timesteps?"
    # In German, French, Dutch, Danish, Norwegian, Swedish, Spanish, Polish, Czech, Finnish, Estonian, Romanian,
    # Croatian, Lithuanian, Hungarian, Turkish, Russian, Greek, Chinese, Japanese and Korean.
    r"|(?:mess|uhr|aufnahme)?zeit(?:stempel|punkt)?|horodatage|tijd(?:stip|stempel)?|tids(?:punkt|stempel)|tiempo|czas"
    r"|čas|aika|aeg|timp|vrijeme|laikas|idő|zaman|время|χρόνος|时间戳?|時間|시간"
)
# And words that do so at its beginning. One of them may be a part of a date, such as days.
_FIRST = (
    rf"{_TIME}|ts|timer|date|clock|gpst|i?tow|utc|temps|mins|minutes|hours|hrs|days|weeks|months"
    r"|datenum|filetime|s|secs?|seconds|m?s|msecs?|[uµμ]secs?|[µμ]s|millis|milliseconds?|[un]s|micros|microseconds|nanoseconds|[mhb]?jd"
)
# Time in Italian, Portuguese, Danish, Norwegian and Swedish, but also beats a minute of music, and numbers of tracks.
_VAGUE = "tempo|tid"
_COUNTED = re.compile(r"samples?|frames?|index|rows?")  # Beside a word for time it is theirs: sample time is a time.
_NO_TIMES = re.compile(r"of|zone|offset")
_JULIAN = ("jd", "mjd", "hjd", "bjd", "datenum")  # Days, as astronomers and MATLAB count them.
# Seconds of a unit anywhere in a name, and of those that are one at its end only.
_SECONDS = {word: unit for word, unit in rates.SECONDS.items() if unit <= 1 and word != "s"}
_LAST = {
    **rates.SECONDS, "m": 60.0, **dict.fromkeys(("d", *_JULIAN), dates.DAY),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), 7 * dates.DAY),
    **dict.fromkeys(("month", "months"), dates.YEAR / 12),
    **dict.fromkeys(("year", "years", "yr", "yrs", "jahre", "ans", "años", "anni"), dates.YEAR),
    # In German, French, Spanish, Italian, Danish, Swedish, Polish, Russian, Chinese and Japanese.
    **dict.fromkeys(("sek", "sekunden", "secondes", "seg", "segundos", "secondi", "sekunder", "с", "сек", "秒"), 1.0),
    **dict.fromkeys(("мс", "毫秒"), 1e-3), "мкс": 1e-6, "нс": 1e-9,
    **dict.fromkeys(("minuten", "minutos", "minuti", "minuter", "minutter", "minut", "мин", "分"), 60.0),
    **dict.fromkeys(("std", "stunden", "heures", "horas", "ore", "godz", "ч"), 3600.0),
    **dict.fromkeys(("tage", "jours", "días", "dias", "giorni"), dates.DAY),
}  # fmt: skip
# A word for time with its unit at once, such as timems; t with units below a second alone, as tmin is a minimum.
_GLUED = re.compile(
    rf"({_TIME}|ts|timer|clock|temps|{_VAGUE})({'|'.join(word for word in _LAST if len(word) > 1)})"
    rf"|(t)({'|'.join(_SECONDS)})"
)
_START = re.compile(r"1\d{9}(\.\d+)?")  # Seconds since 1970, from which wristbands count those of the column.
_OF_AXIS = re.compile(r"^x ?[\[(]", re.IGNORECASE)  # Such as X[s].
_TIME, _FIRST, _VAGUE = map(re.compile, (_TIME, _FIRST, _VAGUE))
# A part of a second as the unit, such as s/256 or 1/1024 s.
_PART = re.compile(r"\bs(?:ec(?:onds?)?)? ?/ ?(\d{2,6})\b|\b1 ?/ ?(\d{2,6}) ?s(?:ec(?:onds?)?)?\b")


def named(name: str, unit: str = "") -> tuple[bool, float | None]:
    """Returns whether the name of a column says that it holds times, and the seconds of its unit, None if unknown.

    Example: `named("elapsed (s)")` is `(True, 1.0)`; `named("timestamp_ms")` is `(True, 0.001)`.
    """
    if _START.fullmatch(name):
        return True, 1.0
    words = _words(name)
    quantity = next((word for word in reversed(words) if word not in _LAST), "")
    if (
        not words
        or any(map(_NO_TIMES.fullmatch, words))
        or (any(map(_COUNTED.fullmatch, words)) and not _TIME.fullmatch(quantity))
    ):
        return False, None
    is_alone = words[0] == "t" and (len(words) == 1 or words[1] in _LAST)
    is_told = bool(_VAGUE.fullmatch(words[0])) and all(word in _LAST for word in words[1:] or [unit])
    is_axis = words[0] == "x" and (unit in rates.SECONDS or (_OF_AXIS.search(name) and words[-1] in rates.SECONDS))
    if not (
        is_alone
        or is_told
        or is_axis
        or _FIRST.fullmatch(words[0])
        or words == ["x", "value"]
        or any(map(_TIME.fullmatch, words))
    ):
        return False, None
    if part := _PART.search(f"{name} {unit}".lower()):
        return True, 1 / float(part[1] or part[2])
    known = [dates.DAY] if is_julian(name) else []
    known += [_LAST[words[-1]]] if words[-1] in _LAST else [_SECONDS[word] for word in words if word in _SECONDS]
    return True, _LAST.get(unit) or (known[0] if known else None)


def is_vague(name: str) -> bool:
    """Returns whether the name of a column may be that of times, or of something else that rises now and then."""
    return bool(_VAGUE.fullmatch(name.strip().lower()))


def is_julian(name: str) -> bool:
    """Returns whether the name of a column says that it holds days as astronomers count them."""
    return any(word in _JULIAN for word in _words(name))


def _words(name):
    """Returns the words of a name, in lower case, of which a unit is one: SampleTimestampUs has three, timems two."""
    name = unicodedata.normalize("NFC", name)
    name = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z][^\W\d_A-Z])|(?<=[^\W\d_A-Z]{2})(?=[A-Z])", " ", name)
    words = []
    for word in re.findall(r"[^\W\d_]+|\d+", name.lower()):
        glued = None if _FIRST.fullmatch(word) else _GLUED.fullmatch(word)
        words += filter(None, glued.groups()) if glued else [word] * (word != "in")
    return words


def seconds(name: str, unit: str, column: "np.ndarray | pd.Series") -> tuple[np.ndarray | None, str]:
    """Returns `(T,)` seconds of a column, None where it holds no times, and a sentence where their unit is a guess.

    Where it may be one or another, seconds are None, and the sentence says which.
    """
    if not isinstance(column, np.ndarray):
        return date_texts.of_text(column)
    known, note = named(name, unit)[1], ""
    if known is not None and known > 1 and np.nanmedian(np.abs(column)) >= time_sizes.SINCE_1970:
        known = None  # The time of a heart rate, such as time_hr, is no hour.
    if known is None:
        if (clock_times := dates.of_clock_digits(column)) is not None:
            return clock_times, "Times such as 93100 are taken for hours, minutes and seconds."
        known, note = time_sizes.by_size(column, name)
    return (None if known is None else column * known), note
