"""Times of samples: which names and numbers are times, and the seconds of their unit."""

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from simper_tf.tables import date_texts, dates, rates

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
# Days as astronomers, MATLAB and spreadsheets count them, from about 1859, 1889 and 1927 on.
_DAYS_OF_DATES = (2.4e6, 2.5e6), (6.9e5, 7.7e5), (1e4, 8e4)
_MOSTLY = 0.9  # Share of the steps that are alike where some samples are lost.
_EARLIER = 0.2  # Share of them behind which an earlier one follows: a night has five or more.
_RARE = 400  # Days from one Julian date to the next, at most: a star may hide half a year.
# A part of a second as the unit, such as s/256 or 1/1024 s.
_PART = re.compile(r"\bs(?:ec(?:onds?)?)? ?/ ?(\d{2,6})\b|\b1 ?/ ?(\d{2,6}) ?s(?:ec(?:onds?)?)?\b")
# From 2011 to 2036 in 1/256 s, as Hexoskin counts; milliseconds so large are of about 1984, or of another epoch.
_IN_256THS, _POWERS = (1.3e9 * 256, 2.1e9 * 256), 2.0 ** np.arange(9)
# Of 100 ns since the years 1 and 1601, as .NET and Windows count them, from 1966 and 1981 on: since 1970 they would be
# nanoseconds of 1989 and 1973.
_TICK, _IN_TICKS = 1e-7, ((6.2e17, 6.6e17), (1.2e17, 1.4e17))
_CLOCKS = (1.0e9, 2.2e9)  # Seconds of 2001 and 2039.
_SINCE_1970, _LAST_CENTURY, _THIS_CENTURY = 1e8, 10, 41  # Seconds in 1973, and times as many in 2001 and in 2099.
# Seconds from one of them to the next up to which times of the last century are those of a thousandth since a phone or
# a board was started, a day ago or more; but for whole minutes, as weather has them.
_LONGEST_OLD = 3600.0
_UNITS = (1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds"), (1e-9, "nanoseconds"), (0.0, "")


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
    if known is not None and known > 1 and np.nanmedian(np.abs(column)) >= _SINCE_1970:
        known = None  # The time of a heart rate, such as time_hr, is no hour.
    if known is None:
        if (clock_times := dates.of_clock_digits(column)) is not None:
            return clock_times, "Times such as 93100 are taken for hours, minutes and seconds."
        known, note = by_size(column, name)
    return (None if known is None else column * known), note


def by_size(times: np.ndarray, name: str = "") -> tuple[float | None, str]:
    """Returns the seconds of the unit that times without one have by their size, and a sentence where it is a guess.

    Seconds, milliseconds, microseconds and nanoseconds since 1970 differ by a thousand. Of other times the step tells.
    None is that of numbers which their name calls dates or an epoch, and which are none; and of those that may count
    milliseconds or parts of a second, which are named.
    """
    times = times[np.isfinite(times)]
    steps = np.diff(times)
    rises = np.abs(
        steps[steps < 0 if len(steps) and np.mean(steps < 0) > 0.5 else steps > 0]
    )  # The newest row may be the first.
    if not len(rises):
        return 1.0, ""
    step, size = float(np.median(rises)), float(np.median(np.abs(times)))
    if dates.of_years(times, name):
        return dates.YEAR, f"Times from {times[0]:.7g} to {times[-1]:.7g} are taken for years."
    if _IN_256THS[0] <= size < _IN_256THS[1] and np.isin(rises, _POWERS).mean() > _MOSTLY:
        return None, f"times {step:g} apart, which may be milliseconds or 1/256 s"
    if any(low <= size < high for low, high in _IN_TICKS):
        return _TICK, f"Times such as {times[0]:.9g} are taken for ticks of 100 ns."
    # A clock as fine as that ticks more often than every three hours.
    for (unit, _), (finer, word) in itertools.pairwise(_UNITS):
        lowest = _SINCE_1970 / unit
        if lowest <= size < _THIS_CENTURY * lowest and unit * step < 1e4:
            # Microseconds of the last century were recorded by nobody, so they are nanoseconds at any usual rate.
            is_old = size < _LAST_CENTURY * lowest and (0.01 if unit == 1e-6 else 3) < unit * step < _LONGEST_OLD
            if is_old and word and unit * step % 60 and dates.is_whole(times):
                return finer, f"Times such as {times[0]:.12g} are taken for {word} since a start."
            return unit, ""
    is_date = "date" in name.lower()
    for lowest, highest in _DAYS_OF_DATES if is_date else _DAYS_OF_DATES[:1]:
        if lowest < size < highest and (is_date or step < 1):
            return dates.DAY, f"Times from {times[0]:.9g} to {times[-1]:.9g} are taken for days."
    is_count = re.search(r"time.?steps?$", name.lower()) and step >= 1 and dates.is_whole(times)
    if is_date or is_count or "epoch" in name.lower():  # A round of a training, or of a simulation.
        return None, ""
    for unit, word, lowest, highest in (
        # Steps of 1 to 3 are samples, or seconds. Of days 2e-6 are a sixth of a second.
        (1e-3, "milliseconds", 3, 1000), (1e-6, "microseconds", 1000, 1e6), (1e-9, "nanoseconds", 1e6, 1e10),
        (dates.DAY, "days", 0, 2e-6),
    ):  # fmt: skip
        if lowest <= step < highest:
            return unit, f"Times without a unit, {step:.4g} apart, are taken for {word}."
    return 1.0, ""


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
