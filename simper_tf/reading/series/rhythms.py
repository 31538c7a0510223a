"""Rhythms of a slow series, such as of tides, temperatures or traffic: days, weeks and years at once.

It is read whole, on a clock on which it lasts less than a minute, and in stretches, on clocks that are slower by less,
all channels together and each by itself. Every clear rhythm is an answer, at the sharp line of the spectrum where there
is one.
"""

import dataclasses
import itertools
import math
from typing import NamedTuple

import numpy as np

from simper_tf.reading import result
from simper_tf.reading.series import beat_courses, beat_tops, beats, tempo_spans, tempos, uneven
from simper_tf.reading.series.beat_stretches import STRETCH, answer_on, answers_on
from simper_tf.reading.series.spectral_lines import FINER, MULTIPLE, power_of
from simper_tf.signals import filters, samples
from simper_tf.tables import series_files

# It is read as if it lasted so many seconds and, if it has more samples than that shows, as if there were so many a
# second.
_AS_IF, _AS_IF_RATE = 40.0, 125.0
_STEP = 5.0  # From a clock to the next slower one: what is seen five times in a stretch of one is seen on the other.
_OVERLAP = 2.0  # Two clocks share an octave.
_HOLE = 0.1  # Share of it that is missing in one place, beyond which its parts are read each by itself.
_MOST_CHANNELS = 8  # Of it that are read each by itself as well.
# From a clock to the next faster one, the share of the power that a rhythm on it must have, as mains hum has seldom,
# the most stretches of half a minute, and the share of the time that must have samples.
_FASTER, _LOUD, _MOST_STRETCHES, _DENSE = 10.0, 0.36, 500, 0.5
# Repetitions that are no chance though they fill a part of it, and share of it that fewer must fill.
_MANY, _MOST = 10, 0.5
# Share by which a line may be off the mean of intervals, and share of the power there that a sharp one has.
_LINE, _SHARP = 0.06, 0.7
_SHOWN, _HARMONICS = 0.02, 3  # Share of its power that a rhythm with its first harmonics has at least.


def of_slow(times, values, band):
    """Returns answers on all clear rhythms of a slow series; the surest one where none is clear."""
    if uneven.is_one(times) and (found := uneven.clearest(times, values, band)) is not None:
        return found
    whole, fine = float(np.ptp(times)) / _AS_IF, float(np.median(np.diff(times))) * _AS_IF_RATE
    channels = _channels(values)
    looks = len(channels) * (1 + (fine < whole))
    heard = []
    for channel in channels:
        heard += _heard(_seen(times, values, whole, channel), band, looks, is_whole=True)
    low, high = band or (0.0, math.inf)
    low = max(low, tempo_spans.HIGHEST / whole)
    for channel in channels if fine < whole else ():
        seen = _seen(times, values, fine, channel)
        answers = _heard(seen, band, looks)
        if any(answer.is_clear and answer.hertz < low < high for answer in answers):
            # Stretches tell one rhythm each, such as weeks; days may be too fast for the whole.
            answers += _heard(seen, (low, high), 2 * looks)
        heard += answers
        if any(answer.is_clear for answer in answers):  # Many samples take long.
            break
    return _distinct(heard)


def slower(times, values, band):
    """Returns answers on the clear rhythms that stretches of half a minute are too short for."""
    whole = float(np.ptp(times)) / _AS_IF
    clocks = [whole]
    while clocks[-1] > _STEP:
        clocks.append(clocks[-1] / _STEP)
    channels = _channels(values)
    heard = []
    for clock, finer in itertools.pairwise([*clocks, 1.0]):
        low, high = band or (0.0, math.inf)
        high = min(high, _OVERLAP * tempo_spans.PERIODS / STRETCH / finer)
        for channel in channels if low < high and clock > 1 else ():
            seen, looks = _seen(times, values, clock, channel), len(channels) * len(clocks)
            heard += _heard(seen, (low, high), looks, is_whole=clock == whole)
    return [answer for answer in _distinct(heard) if answer.is_clear]


def faster(times, values, band):
    """Returns answers on the clear rhythms that are too fast for the usual clock, each most of what is so fast."""
    step, clock, heard = series_files.usual_step(times), 1.0, []
    last = beat_courses.TOP_RATE * step
    if len(times) * step < _DENSE * np.ptp(times):
        return []
    while not heard and clock > beat_courses.FOLDS * last:
        clock = max(clock / _FASTER, last)
        if np.ptp(times) > _MOST_STRETCHES * STRETCH * clock:
            break
        channels = range(min(values.shape[1], _MOST_CHANNELS))
        loud = filter(_is_loud, (_seen(times, values, clock, channel) for channel in channels))
        answers = [answer for seen in loud for answer in _heard(seen, band, values.shape[1], least=_LOUD)]
        heard = [answer for answer in answers if answer.is_clear]
    return _distinct(heard)


def _is_loud(seen):
    """Returns whether something has most of the power that is shown on a clock."""
    power, spacing, _ = seen.power
    tried = spacing * np.arange(FINER * tempo_spans.PERIODS, max(len(power), FINER * tempo_spans.PERIODS + 1))
    return bool(_share(tried, *seen.power).max() >= _LOUD)


def _channels(values):
    """Returns what is read of a series: all channels together, and each by itself."""
    return (None, *(range(values.shape[1]) if 1 < values.shape[1] <= _MOST_CHANNELS else ()))


def _distinct(heard):
    """Returns clear answers of different frequencies, the surest first; the surest unclear one where none is clear."""
    heard.sort(key=lambda answer: (not answer.is_clear, -answer.confidence))
    chosen = []
    for answer in heard:
        is_new = all(abs(math.log(answer.hertz / other.hertz)) > result.SAME_TEMPO for other in chosen)
        if is_new and (answer.is_clear or not chosen):
            chosen.append(answer)
    return chosen


def parts(times):
    """Yields the parts of a slow series between long holes."""
    steps = np.diff(times)
    # A hole of 20 steps may be long though it is a small share: slow answers need neighbors on their clock.
    edges = [0, *(np.flatnonzero(steps > max(_HOLE * np.ptp(times), 20 * np.median(steps))) + 1), len(times)]
    yield from (slice(*pair) for pair in itertools.pairwise(edges) if pair[1] - pair[0] >= beats.FEWEST_SAMPLES)


class _Seen(NamedTuple):
    """A series, or a channel of it, on a clock that is so many times as slow and begins with it."""

    times: np.ndarray
    values: np.ndarray
    power: tuple[np.ndarray, float, float]  # As of `power_of`.
    clock: float
    start: float  # Seconds of the series.
    channel: int | None


def _seen(times, values, clock, channel):
    own, some = (times - times[0]) / clock, values if channel is None else values[:, [channel]]
    return _Seen(own, some, power_of(beat_courses.evenly(own, some)), clock, float(times[0]), channel)


def _heard(seen, band, looks, is_whole=False, least=0.0):
    """Returns answers on what is seen on a clock; each has at least a share of the power."""
    limits = band and tuple(seen.clock * np.array(band))
    answers = _of_whole(seen, limits, looks) if is_whole else []
    answers = answers or answers_on(seen.times, seen.values, limits, looks)[0]
    answers = [each for each in answers if _is_often(each, seen.times) and _share(each.hertz, *seen.power) >= least]
    answers = [slowed(_on_line(each, *seen.power[:2]), seen.clock, seen.start) for each in answers]
    if seen.channel is None:
        return answers
    return [dataclasses.replace(each, channel=seen.channel) for each in answers]


def _of_whole(seen, band, looks):
    """Returns answers on the clear rhythms of all spans of a series that is read whole."""
    spans = tempo_spans.heard_in_spans(seen.times, seen.values, tempo_spans.limits_of(seen.times, band), is_all=True)
    heard = [tempos.judged([found], looks)[0] for found in spans]
    clear = [each for each in heard if each.confidence >= result.SURE and _share(each.frequency, *seen.power) >= _SHOWN]
    answers = [answer for found in clear if (answer := answer_on(beat_tops.at_tops(found), seen.times)) is not None]
    return [answer for answer in answers if _is_often(answer, seen.times)]


def _is_often(answer, times):
    """Returns whether a rhythm of a slow series is seen often, or in most of it: of many stretches one may mislead."""
    return answer.count >= _MANY or answer.end - answer.start > _MOST * np.ptp(times)


def _on_line(answer, power, spacing):
    """Returns an answer at the sharp line of the spectrum near its frequency: days, tides and years are even."""
    at = answer.hertz / spacing
    low, high = int(at * (1 - _LINE)), int(at * (1 + _LINE)) + 2
    top = low + int(np.argmax(power[low:high]))
    lobe = power[max(top - 2 * FINER, 0) : top + 2 * FINER + 1]
    if not low < top < high - 1 or lobe.sum() < _SHARP * power[low - FINER : high + FINER].sum():
        return answer
    offset = samples.top_offset(*np.log(np.maximum(power[top - 1 : top + 2], 1e-12)))
    return dataclasses.replace(answer, hertz=float(top + offset) * spacing)


def _share(hertz, power, spacing, rate):
    """Returns the share of the power that a frequency, or each of several, and its first harmonics have."""
    at = np.multiply.outer(np.arange(1, _HARMONICS + 1), np.asarray(hertz) / spacing)
    reach, sums = np.maximum(MULTIPLE * at, FINER), np.concatenate(([0.0], np.cumsum(power)))
    low, high = (np.clip(edges.astype(int), 0, len(power)) for edges in (at - reach, at + reach + 2))
    lines = np.where(at < filters.HIGHEST_SHARE * rate / spacing, sums[high] - sums[low], 0.0)
    return lines.sum(axis=0) / max(power[FINER:].sum(), 1e-12)


def slowed(answer, clock, start):
    """Returns an answer on a clock that is so many times as slow and begins then."""

    def spans(those):
        return tuple((start + clock * first, start + clock * last) for first, last in those)

    return dataclasses.replace(
        answer, repetitions=spans(answer.repetitions), peaks=tuple(start + clock * peak for peak in answer.peaks),
        pauses=spans(answer.pauses), hertz=answer.hertz / clock, error=answer.error / clock,
        times=start + clock * answer.times,
    )  # fmt: skip
