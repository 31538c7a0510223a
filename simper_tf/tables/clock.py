"""Clocks of samples: how times that are rounded, repeated, absurd or run backwards are mended."""

import itertools

import numpy as np

from simper_tf.signals import filters
from simper_tf.tables.series_files import REMEDY
from simper_tf.utils.errors import RawDataError

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
_UNITS = (("second", 1, 60), ("minute", 60, 3600), ("hour", 3600, 86400), ("day", 86400, np.inf))  # And how long each.
_CLOCKS = 20  # Steps of the clock over which repeated stamps are smoothed: long beside its ticks, short beside drift.


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
    often = _how_often(float(np.median(np.diff(mended))))
    return mended, [f"{repeated:,} of {len(times):,} time stamps repeat: the samples are spread evenly, {often}."]


def _how_often(step):
    """Returns a step in seconds in words, such as 100 a second, or every 30 minutes."""
    if step <= 1:
        return f"{1 / step:.4g} a second"
    word, unit = next((word, unit) for word, unit, most in _UNITS if step < 0.999 * most)
    number = f"{step / unit:.3g}"
    return f"every {word}" if number == "1" else f"every {number} {word}s"


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
    spread = _between(times)
    line, _ = _evenly(spread, 0)
    width = max(round(_CLOCKS * len(times) / len(np.unique(times))), 3)
    smooth = line + filters.smooth(spread - line, width)
    return smooth if (np.diff(smooth) > 0).all() else spread
