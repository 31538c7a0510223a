"""Beats in spans of a wide band: each has a tempo of its own, and the first clear one is told, or the surest.

Hearts and movements come first, then what is slower or faster.
"""

import dataclasses
import math

from simper_tf.reading import result
from simper_tf.reading.series import beat_courses, beats, spectral_lines
from simper_tf.signals import filters
from simper_tf.tables import series_files

# In Hz. Each is some six times as high as low, less than `_WIDE`, and overlaps the next.
_SPANS = ((0.6, 3.5), (0.17, 1.0), (0.05, 0.3), (2.1, 12.0), (7.0, 42.0))
# A band so many times as high as low is read span by span. So many periods of the lowest frequency must be there.
_WIDE, PERIODS = 8.0, 5
_NARROW = 4.0  # So many times as high as low is a span that samples end, at least: noise in less is almost a wave.
HIGHEST = _SPANS[-1][1]
_SLOW = 3  # First spans, that are all read, so that a multiple of what is slow is known.
_SURE = 0.9  # Confidence above which none is surer.


def limits_of(times, band):
    """Returns the lowest and the highest frequency in Hz that are sought."""
    low, high = band or (0.0, math.inf)
    return low, min(high, filters.HIGHEST_SHARE / series_files.usual_step(times))


def heard_in(times, values, limits, is_quick):
    """Returns the beats of a stretch, the Hz of other clear ones, and whether the first span alone is clear.

    Of a wide band they are those of the first span that is clear, or of the surest one.

    Args:
        times: `(T,)` seconds.
        values: `(T, C)` numbers.
        limits: Of `limits_of`.
        is_quick: Whether spans after the first are left out where that is clear.
    """
    if len(times) < beats.FEWEST_SAMPLES:
        return beats.Beats(0.0, ()), [], False
    # Of a short series, in which nothing slow can be seen, the faster spans would make up a number.
    if times[-1] - times[0] < PERIODS / _SPANS[0][0] or limits[1] < _WIDE * limits[0]:
        even = beat_courses.evenly(times, values)
        return _found(even, limits, spectral_lines.power_of(even)), [], False
    heard = heard_in_spans(times, values, limits, is_quick=is_quick)
    first = _preferred(heard)
    others = [found.frequency for found in heard if found is not first and found.confidence >= result.SURE]
    return first, others, bool(heard) and first is heard[0] and first.confidence >= result.SURE and not others


def heard_in_spans(times, values, limits, is_all=False, is_quick=False):
    """Returns the beats of the slow spans, and of faster ones while none is clear.

    Args:
        times, values, limits, is_quick: As of `heard_in`.
        is_all: Whether all spans are read.
    """
    even = beat_courses.evenly(times, values)
    heard, power = [], spectral_lines.power_of(even)
    for number, band in bands(times, even.rate, limits):
        is_clear = any(found.confidence >= result.SURE for found in heard)
        if is_clear and (is_quick or (number >= _SLOW and not is_all)):
            break
        heard.append(_found(even, band, power))
    return heard


def bands(times, rate, limits):
    """Yields the number and the `(low, high)` of each span of a stretch that its samples show."""
    low = max(limits[0], PERIODS / float(times[-1] - times[0]))
    highest, covered = beats.FASTEST_SHARE * rate, 0.0
    for number, (first, last) in enumerate(_SPANS):
        if number >= _SLOW and highest < min(last, limits[1]):
            first = min(first, highest / _NARROW)
        first, last = max(first, low), min(last, limits[1], highest)
        # A band of less than half an octave holds a single tempo, and no rival of it.
        if last > 1.5 * first and (number < _SLOW or last > covered):
            covered = max(covered, last)
            yield number, (first, last)


def _found(even, band, power):
    """Returns beats in a band; they are none where something faster repeats."""
    found = beats.find_in(even, band)
    is_none = spectral_lines.is_part(found.frequency, *power) or spectral_lines.is_beside(
        found.frequency, beat_courses.WAVE[1] * band[1], *power
    )
    return dataclasses.replace(found, confidence=0.0) if is_none else found


def _preferred(heard):
    """Returns the first beats that are clear and no multiple of slower ones that are likelier; else the surest.

    Of two that are both sure, a pair is told as one repetition, as of two feet; a pattern of three as three.
    """
    clear = [found for found in heard if found.confidence >= result.SURE]
    for found in clear:
        if not any(_is_part_of(found, other) for other in clear):
            return found
    return max(heard, key=lambda found: found.confidence, default=beats.Beats(0.0, ()))


def multiple(first, second):
    """Returns 2 or 3 where a frequency is so many times as high as another, 0 elsewhere."""
    times = round(first / second)
    return times if times in (2, 3) and abs(first / second / times - 1) < spectral_lines.MULTIPLE else 0


def _is_part_of(found, slower):
    times = multiple(found.frequency, slower.frequency)
    sure, other = (min(answer.confidence, _SURE) for answer in (found, slower))
    return bool(times) and (other > sure or (times == 2 and other == sure))
