"""Times of samples: their column and unit, and how rounded, repeated and absurd ones are mended."""

import itertools
import re
from typing import TYPE_CHECKING

import numpy as np

from simper_tf.tables import dates, rates
from simper_tf.tables.series_files import REMEDY
from simper_tf.utils.errors import RawDataError

if TYPE_CHECKING:
    import pandas as pd

# Words that a name of times begins with, and words that make it one anywhere.
_FIRST = re.compile(
    r"times?|timestamps?|timesteps?|ts|timer|elapsed|epoch?|datetime|date|unixtime|clock|gpst(ime)?|i?tow|utc"
    # In German, Spanish, French, Dutch, Polish, Finnish, Turkish, Russian, Chinese and Korean.
    r"|zeit|tiempo|temps|tijd|czas|aika|zaman|время|时间|時間|시간"
    r"|mins|minutes|hours|hrs|days|weeks|months"  # One of them may be a part of a date.
    r"|s|secs?|seconds|m?s|msecs?|[uµμ]secs?|[µμ]s|millis|milliseconds?|[un]s|micros|microseconds|nanoseconds|[mhb]?jd"
)
_ANYWHERE = re.compile(r"time|timestamps?|datetime|elapsed|unix|epoch?")
_NO_TIMES = re.compile(r"samples?|frames?|index|rows?|of|zone|offset")
_JULIAN = ("jd", "mjd", "hjd", "bjd")  # Days, as astronomers count them.
# Seconds of a unit anywhere in a name, and of those that are one at its end only.
_SECONDS = {word: unit for word, unit in rates.SECONDS.items() if unit <= 1 and word != "s"}
_LAST = {
    **rates.SECONDS, "m": 60.0, **dict.fromkeys(("d", *_JULIAN), dates.DAY),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), 7 * dates.DAY),
    **dict.fromkeys(("month", "months"), dates.YEAR / 12),
    **dict.fromkeys(("year", "years", "yr", "yrs", "jahre", "ans", "años", "anni"), dates.YEAR),
    # In German, French, Spanish and Italian.
    **dict.fromkeys(("sek", "sekunden", "secondes", "segundos", "secondi"), 1.0),
    **dict.fromkeys(("minuten", "minutos", "minuti"), 60.0),
    **dict.fromkeys(("std", "stunden", "heures", "horas", "ore"), 3600.0),
    **dict.fromkeys(("tage", "jours", "días", "dias", "giorni"), dates.DAY),
}  # fmt: skip
# Days as astronomers, MATLAB and spreadsheets count them, from about 1859, 1889 and 1927 on.
_DAYS_OF_DATES = (2.4e6, 2.5e6), (6.9e5, 7.7e5), (1e4, 8e4)
_RARE = 400  # Days from one Julian date to the next, at most: a star may hide half a year.
_SINCE_1970, _THIS_CENTURY = 1e8, 41  # Seconds in 1973, and times as many in 2099.
# Times so many recordings away from its middle are none: pauses of hours within seconds are less.
_ABSURD = 1000
_MOST_ABSURD = 0.01  # Share of the samples that may have such times: more are two recordings, not slips of a clock.
# Share of the steps that may run backwards: a slip of the clock or a packet that is late, no order that is another.
BACKWARDS = 0.02
# And where neighbors come in the wrong order, as messages of a phone do, and by how many usual steps at most.
_SWAPPED, _STEPS_BACK = 0.1, 3
# Share of the whole time by which a clock may step back, and of the rows that it must leave in place: an hour of a day
# is more, and what lies around it could not be told.
_SLIP, _IN_PLACE = 0.02, 0.5
# Of the usual step: what is less is close, as rows are that come between others. Half of those out of place are, or
# more; where packets are late a stamp may repeat at their edges.
_CLOSE, _BETWEEN = 0.75, 0.25
# Factor within which steps are about the usual one, and how many are at least: a phone's frames are dropped or late.
_ALIKE, _MOSTLY = 2.0, 0.9
_HOLE = 4  # Steps from one sample to the next from which on some are missing: jitter makes two, seldom three.
_FEWEST = 20  # Steps of which it can be told that they are rounded: fewer lie on a grid by chance.
_EVEN_STEPS = (
    0.9  # Share of equal steps from which on times are even, but for holes: rounding makes two kinds of steps.
)
_CLOCKS = 20  # Steps of the clock over which repeated stamps are smoothed: long beside its ticks, short beside drift.


def named(name: str, unit: str = "") -> tuple[bool, float | None]:
    """Returns whether the name of a column says that it holds times, and the seconds of its unit, None if unknown.

    Example: `named("elapsed (s)")` is `(True, 1.0)`; `named("timestamp_ms")` is `(True, 0.001)`.
    """
    words = re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name).lower())
    if not words or any(map(_NO_TIMES.fullmatch, words)):
        return False, None
    is_alone_t = words[0] == "t" and (len(words) == 1 or words[1] in _LAST)
    if not (
        _FIRST.fullmatch(words[0]) or is_alone_t or words == ["x", "value"] or any(map(_ANYWHERE.fullmatch, words))
    ):
        return False, None
    known = [dates.DAY] if any(word in _JULIAN for word in words) else []
    known += [_LAST[words[-1]]] if words[-1] in _LAST else [_SECONDS[word] for word in words if word in _SECONDS]
    return True, _LAST.get(unit) or (known[0] if known else None)


def seconds(name: str, unit: str, column: "np.ndarray | pd.Series") -> tuple[np.ndarray | None, str]:
    """Returns `(T,)` seconds of a column, None where it holds no times, and a sentence where their unit is a guess."""
    if not isinstance(column, np.ndarray):
        return dates.of_text(column)
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
    None is that of numbers which their name calls dates or an epoch, and which are none.
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
    # A clock as fine as that ticks more often than every three hours.
    for unit, lowest in ((1e-9, 1e17), (1e-6, 1e14), (1e-3, 1e11), (1.0, _SINCE_1970)):
        if lowest <= size < _THIS_CENTURY * lowest and unit * step < 1e4:
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


def are_julian(values: np.ndarray) -> bool:
    """Returns whether numbers are days as astronomers count them, from the years 1858 to 2132, in broken numbers.

    Whole ones may as well count the milliseconds of a clock.
    """
    return dates.is_between(values, *_DAYS_OF_DATES[0]) and not dates.is_whole(values) and np.diff(values).max() < _RARE


def mend(name, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Returns times that rise, which samples they belong to, and notes on what was done to them.

    Times that repeat or are rounded are spread evenly; those far from all others are left out.

    Args:
        name: Of the recording.
        times: `(T,)` seconds; NaN where there is none.

    Returns:
        `(N,)` seconds that rise; `(T,)` bool, N of them true; sentences.

    Raises:
        RawDataError: times run backwards, never change, or many are absurd.
    """
    kept, notes = np.isfinite(times), []
    if kept.sum() < 3:
        raise RawDataError(name, f"{kept.sum()} samples with a time", "three or more", REMEDY)
    if number := int((~kept).sum()):
        notes.append(f"{number} of {len(times)} rows without a time are left out.")
    rises = np.diff(times[kept])
    if not (rises > 0).any():
        raise RawDataError(name, "times that never rise", "the time of each sample", REMEDY)
    span = _ABSURD * kept.sum() * float(np.median(rises[rises > 0]))
    absurd = kept & (np.abs(times - np.median(times[kept])) > span)
    if number := int(absurd.sum()):
        first = int(np.argmax(absurd))
        found = f"the time {times[first]:.6g} in row {first + 1}, far from all others"
        if number > max(1, _MOST_ABSURD * len(times)):
            raise RawDataError(name, found, "times of one recording", REMEDY)
        notes.append(f"{number} of {len(times)} rows are left out: {found}.")
        kept &= ~absurd
    times = times[kept]
    if (np.diff(times) < 0).any():
        times, note = _without_slips(name, times)
        notes.append(note)
    spread, note = _spread(times - times[0])
    return spread, kept, notes + note


def come_between(times: np.ndarray) -> bool:
    """Returns whether rows that are sorted by their times come between others, as where a clock stepped back.

    A packet that is late leaves its place empty. Of times without a usual step nothing is told.
    """
    rises = np.diff(times)
    rises = rises[rises > 0]
    usual = float(np.median(rises)) if len(rises) else 0.0
    if not are_alike(rises, usual):
        return False
    steps = np.diff(times)
    close = (np.diff(np.sort(times)) < _CLOSE * usual).sum() - ((steps >= 0) & (steps < _CLOSE * usual)).sum()
    return bool(close > _BETWEEN * (~_are_in_place(times)).sum())


def are_alike(rises: np.ndarray, usual: float) -> bool:
    """Returns whether most steps are about the usual one."""
    return len(rises) > 0 and bool(np.mean((rises > usual / _ALIKE) & (rises < usual * _ALIKE)) > _MOSTLY)


def are_swapped(times: np.ndarray) -> bool:
    """Returns whether neighbors come in the wrong order here and there, each where a place is left for it."""
    steps = np.diff(times)
    if np.mean(steps < 0) > _SWAPPED or not (steps > 0).any():
        return False
    return bool(-steps.min() <= _STEPS_BACK * np.median(steps[steps > 0])) and not come_between(times)


def are_back(times: np.ndarray, most: float = _SLIP) -> bool:
    """Returns whether times run backwards seldom, and each time by a share of the whole at most, or never."""
    steps = np.diff(times)
    return bool(np.mean(steps < 0) < BACKWARDS and -steps.min() <= most * np.ptp(times))


def _are_in_place(times):
    """Returns which times are later than none after them, and earlier than none before."""
    return np.maximum.accumulate(times) <= np.minimum.accumulate(times[::-1])[::-1]


def _without_slips(name, times):
    """Returns times that step back seldom and by little, spread evenly where they do, and a note; refuses others."""
    steps = np.diff(times)
    late = int(np.argmax(steps < 0)) + 1
    in_place = _are_in_place(times)
    if not are_back(times) or in_place.mean() < _IN_PLACE:
        found = f"sample {late + 1} at {times[late]:.12g} s after one at {times[late - 1]:.12g} s"
        raise RawDataError(name, found, "times that do not run backwards", REMEDY)
    index, usual = np.arange(len(times)), float(np.median(steps[steps > 0]))
    kept = np.flatnonzero(in_place)
    mended = np.interp(index, kept, times[kept])
    mended[: kept[0]] -= usual * np.arange(kept[0], 0, -1)
    mended[kept[-1] + 1 :] += usual * np.arange(1, len(times) - kept[-1])
    number, most = int((steps < 0).sum()), float(-steps.min())
    back = f"The clock steps back by {most:.3g} s in row {late + 1}"
    if number > 1:
        back = f"The clock steps back {number} times, by {most:.3g} s at most"
    return mended, f"{back}: the {int((~in_place).sum())} times around are spread evenly."


def _spread(times):
    """Returns times that rise, even where rounding alone made them uneven, and a note on it."""
    steps = np.diff(times)
    repeated = int((steps == 0).sum())
    clock = float(np.median(steps[steps > 0]))
    quantum = clock if repeated else _quantum(times, steps)
    if not repeated and not quantum:
        return times, []
    # Rounded to the nearest, a stamp is off by half a step of its clock; cut off and read twice, by two.
    limit = 2 * quantum if repeated else 0.75 * quantum
    edges = [0, *(np.flatnonzero(steps > _HOLE * clock) + 1), len(times)]
    mended, is_even = times.copy(), True
    for start, end in itertools.pairwise(edges):
        part, fits = _evenly(times[start:end], limit)
        if fits or repeated:
            mended[start:end] = part if fits else _smoothed(times[start:end])
        is_even &= fits
    if (np.diff(mended) <= 0).any():
        mended = _between(times)
    if not repeated:
        moved = float(np.max(np.abs(mended - times)))
        # What moves a sample by less than 2 % of a step needs no word.
        if not is_even or moved < 0.02 * clock:
            return (mended if is_even else times), []
        return mended, [f"Time stamps rounded to {quantum:.3g} s are spread evenly."]
    rate = 1 / float(np.median(np.diff(mended)))
    note = f"{repeated:,} of {len(times):,} time stamps repeat: the samples are spread evenly, {rate:.4g} a second."
    return mended, [note]


def _quantum(times, steps):
    """Returns the step of the clock to which times are rounded, 0 where they are even already, or not rounded."""
    median = np.median(steps)
    if len(steps) < _FEWEST or np.mean(np.abs(steps - median) < 0.01 * median) > _EVEN_STEPS:
        return 0.0
    few = times[:10_000]
    for quantum in (float(np.min(steps)), *(10.0**-digits for digits in range(7))):
        scaled = few / quantum
        # Of 10,000 stamps: doubles round by less, up to 4e11 steps.
        if np.abs(scaled - np.round(scaled)).max() < 1e-4:
            return quantum
    return 0.0


def _evenly(times, limit):
    """Returns times on a straight line, and whether they are on it but for so much."""
    number = len(times)
    if number < 3:
        return times, (np.diff(times) > 0).all()
    index = np.arange(number) - (number - 1) / 2
    slope = float(np.sum(index * times) / np.sum(index**2))
    line = times.mean() + slope * index
    return line, slope > 0 and bool(np.abs(line - times).max() <= limit)


def _between(times):
    """Returns times whose repetitions are spread up to the next stamp."""
    stamps, first, counts = np.unique(times, return_index=True, return_counts=True)
    lengths = np.diff(stamps)
    usual = float(np.median(lengths)) if len(lengths) else 1.0
    lengths = np.minimum(np.append(lengths, usual), _HOLE * usual)
    group = np.repeat(np.arange(len(stamps)), counts)
    return stamps[group] + (np.arange(len(times)) - first[group]) / counts[group] * lengths[group]


def _smoothed(times):
    """Returns repeated times spread, without the unevenness that the steps of the clock leave."""
    import scipy.ndimage  # A quarter of a second of computing, for few files.

    spread = _between(times)
    line, _ = _evenly(spread, 0)
    width = max(round(_CLOCKS * len(times) / len(np.unique(times))), 3)
    smooth = line + scipy.ndimage.uniform_filter1d(spread - line, width, mode="nearest")
    return smooth if (np.diff(smooth) > 0).all() else spread
