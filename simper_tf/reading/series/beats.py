"""Beats of a series, such as those of a heart or breaths: each is found, with its time, and how sure that is.

A spectrum shows a line of what repeats evenly. Hearts do not: with intervals that differ by a tenth, the line is
smeared. So beats are found one by one where a course looks like what they have in common, at intervals near a period;
the search is that of beat trackers in music (Ellis, Journal of New Music Research, 2007), with a likeness to a template
that is learned from the series itself. Several courses and periods are tried, and the odds of each tell which holds.
"""

import dataclasses
import math
import operator
from collections.abc import Mapping

import numpy as np

from simper_tf.reading import fitted
from simper_tf.reading.series import beat_courses, beat_shapes
from simper_tf.signals import filters, samples

# The interval may be so many times shorter or longer than the period. A change of it costs this much in units of
# likeness, times the square of its logarithm.
_FACTOR, _COST = 1.7, 3.0
_REACH = 0.5  # Periods before and after a beat that belong to it.
_ROUNDS = 2  # Of learning the template and finding beats.
_FEWEST = 3  # Beats of which a mean interval can be told.
FEWEST_SAMPLES = 16  # Fewer cannot be filtered forward and back by two second-order sections.
_PERIODS = 6  # Peaks of the autocorrelation of a course that are tried as the period.
_FASTER = 0.8  # Likeness between beats, and of neighbors, from which on what repeats is faster.
_BRIDGED = 0.35  # Of a period that may lack samples: what lies across is known well enough.
_LOST = 0.4  # Beats less like the template than this are lost in a disturbance: intervals to them do not count.
_EVEN = 0.02  # Unevenness below which intervals are even.
_SEEN, FASTEST_SHARE = 1.6, 0.33  # Periods that must be there; share of the rate that the fastest frequency may have.
_SAME = 0.04  # Logarithm of the ratio of two frequencies that are the same.
# Odds that a tried period is right, of `_compared`, and that the best of them is, of `sureness`: `python -m
# benchmarks.fit_series` fits both to series that it draws.
COEFFICIENTS = "beats.json"
# Likeness between beats over that of beats, and middle half of heights over their median, where more says no more.
_MOST_BETWEEN, _MOST_SWAY = 1.5, 2.0
_USUAL = (0.6, 3.5)  # Hz of hearts and movements.
_FINE = 2.0  # Doublings of a sample from which on more samples a cycle say no more.
_MOST_ODDS = 6.0  # On either side, as a logarithm: 403 to 1.


@dataclasses.dataclass(frozen=True)
class Try:
    """Beats that were found on one course with one period.

    Attributes:
        course: Its name.
        frequency: Hz, of the mean interval.
        times: `(N,)` seconds of the beats.
        likeness: `(N,)` correlation of each with their template.
        alike: Correlation of neighbors.
        between: Highest likeness in the middle of two beats, over that of beats.
        uneven: Deviation of the logarithm of intervals.
        halves: How much more like one another beats are that are two apart.
        explained: Share of the power of the course that the mean beat explains.
        second: Correlation of neighbors on the second best course with this frequency.
        features: What its odds are made of, see `_compared`.
        odds: Logarithm of the odds that its frequency is right.
        moments, source: `(M,)` seconds, and the channel, or the common part of all, that the course was made of.
        channel: Number of that channel; None for the common part.
    """

    course: str
    frequency: float
    times: np.ndarray
    likeness: np.ndarray
    alike: float
    between: float
    uneven: float
    halves: float
    explained: float = 0.0
    second: float = 0.0
    features: Mapping[str, float] = dataclasses.field(default_factory=dict)
    odds: float = 0.0
    moments: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0), repr=False)
    source: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0), repr=False)
    channel: int | None = None


@dataclasses.dataclass(frozen=True)
class Beats:
    """What repeats in a series.

    Attributes:
        confidence: In [0, 1], that the first candidate is right: 0.5 and more speak for it.
        candidates: The likeliest first, each another frequency; none where nothing can be told.
    """

    confidence: float
    candidates: tuple[Try, ...]

    @property
    def frequency(self) -> float:
        """Hz of the first candidate, NaN without one."""
        return self.candidates[0].frequency if self.candidates else math.nan

    @property
    def is_faster(self) -> bool:
        """Whether what lies between beats is like them, so that something repeats faster than the band."""
        return bool(self.candidates) and min(self.candidates[0].between, self.candidates[0].second) > _FASTER

    @property
    def times(self) -> np.ndarray:
        """`(N,)` seconds of the beats of the first candidate."""
        return self.candidates[0].times if self.candidates else np.zeros(0)


def find(times: np.ndarray, values: np.ndarray, band: tuple[float, float]) -> Beats:
    """Finds the beats of a series.

    Args:
        times: `(T,)` seconds that rise, with jitter and holes or without.
        values: `(T, C)` numbers, in any unit.
        band: `(low, high)` in Hz in which they are sought; two periods must be there.

    Example:
        >>> times = np.arange(0, 10, 0.02)
        >>> round(find(times, np.sin(2 * np.pi * 1.3 * times)[:, None], (0.6, 3.5)).frequency, 2)
        1.3
    """
    return find_in(beat_courses.evenly(times, values), band) if len(times) >= FEWEST_SAMPLES else Beats(0.0, ())


def find_in(even: beat_courses.Even, band: tuple[float, float]) -> Beats:
    """Finds the beats of samples at even steps, as `find`."""
    return chosen(tries(even, band))


def tries(even: beat_courses.Even, band: tuple[float, float]) -> list[Try]:
    """Returns a `Try` for each course of a series and each of its likely periods."""
    values, holes, rate, start = even
    band = max(band[0], _SEEN * rate / len(values)), min(band[1], FASTEST_SHARE * rate)
    if band[0] >= band[1] or not np.ptp(values, axis=0).any():
        return []
    courses, thinned, source, channel = beat_courses.best(values, rate, band)
    moments = start + np.arange(len(values)) / rate
    places = np.arange(len(courses["wave"])) * rate / thinned
    holes = holes[np.minimum(places.astype(int), len(values) - 1)]
    found = []
    for name, course in courses.items():
        lags = beat_courses.lags(course, thinned, band, _PERIODS)[0]
        for lag, phase in zip(lags.tolist(), _phases(course, lags), strict=True):
            attempt = _tried(name, course, phase, lag, holes, start, thinned)
            # As in `beat_courses.lags`: a lag is whole.
            if attempt and 0.95 * band[0] <= attempt.frequency <= 1.05 * band[1]:
                found.append(dataclasses.replace(attempt, moments=moments, source=source, channel=channel))
    return [_compared(attempt, found) for attempt in found]


def chosen(found: list[Try]) -> Beats:
    """Returns the likeliest tries, of each frequency one, and the confidence that the first is right."""
    candidates: list[Try] = []
    for attempt in sorted(found, key=lambda attempt: -attempt.odds):
        if all(abs(math.log(attempt.frequency / other.frequency)) >= _SAME for other in candidates):
            candidates.append(attempt)
    if not candidates:
        return Beats(0.0, ())
    confidence = filters.logistic(fitted.odds(COEFFICIENTS, "sure", sureness(candidates[0])))
    heard = Beats(confidence, tuple(candidates))
    return dataclasses.replace(heard, confidence=0.0) if heard.is_faster else heard


def sureness(first: Try) -> dict[str, float]:
    """Returns what the confidence in the first candidate is made of.

    Its odds; the likeness of its beats, and on the second best course; the height of its line; how much the heights of
    beats vary, but for the outer quarters, and their intervals; their number, as a logarithm; how far the samples of a
    cycle are below four, as one; and whether it is a tempo of hearts and movements.
    """
    step = float(first.moments[1] - first.moments[0])
    places = (first.times - first.moments[0]) / step
    heights, _ = beat_shapes.heights(first.source, places, 0.5 / (first.frequency * step))
    middle, spread = samples.quantile(heights, 0.5), samples.quantile(heights, 0.75) - samples.quantile(heights, 0.25)
    return {
        "odds": min(max(first.odds, -_MOST_ODDS), _MOST_ODDS),
        "alike": first.alike,
        "second": first.second,
        "line": beat_shapes.line(first.source, 1 / step, first.frequency),
        "sway": min(spread / max(abs(middle), 1e-6), _MOST_SWAY),
        "uneven": max(float(np.std(np.log(np.diff(first.times)))), _EVEN),
        "count": math.log2(len(first.times)),
        "coarse": max(_FINE + math.log2(step * first.frequency), 0.0),
        "usual": float(_USUAL[0] <= first.frequency <= _USUAL[1]),
    }


def _compared(attempt, found):
    """Returns a try with its odds and the features that they are made of, beside the other tries.

    What lies between beats; how uneven intervals are; the likeness of neighbors at half the frequency; how much more
    like one another beats are that are two apart; what its beats explain of a course; how far their number is from that
    of their intervals, as a logarithm; and the share of the time that they fill.
    """

    def near(factor=1.0):
        return [other for other in found if abs(math.log(other.frequency / (factor * attempt.frequency))) < _SAME]

    best, same = {}, near()
    for other in same:
        best[other.course] = max(best.get(other.course, 0.0), other.alike)
    second = sorted((0.0, *best.values()))[-2]
    half = max((other.alike for other in near(0.5)), default=0.0)
    explained = max(other.explained for other in same)
    whole, filled = (float(np.ptp(times)) * attempt.frequency for times in (attempt.moments, attempt.times))
    features = {
        "between": min(max(attempt.between, -_MOST_BETWEEN), _MOST_BETWEEN),
        "uneven": max(attempt.uneven, _EVEN),
        "half": half,
        "halves": attempt.halves,
        "explained": explained,
        "regular": -abs(math.log((len(attempt.times) - 1) / filled)),
        "cover": min(len(attempt.times) / whole, 1.0),
    }
    odds = fitted.odds(COEFFICIENTS, "tried", features)
    return dataclasses.replace(attempt, second=second, features=features, odds=odds)


def _tried(name, course, phase, period, holes, start, rate):
    """Returns the beats near a period in samples; None for too few."""
    half, is_known = max(round(_REACH * period), 2), holes <= _BRIDGED * period / rate
    places, curve, spread = _tracked(phase, period), course, beat_shapes.spread(course, 2 * half + 1)
    for _ in range(_ROUNDS):
        if len(places) < _FEWEST:
            return None
        curve = beat_shapes.likeness(course, beat_shapes.mean(beat_shapes.segments(course, places, half)), spread)
        places = _tracked(curve, period)
    places = places[is_known[places]]
    alike = np.flatnonzero(curve[places] > _LOST)
    places = places[alike[0] : alike[-1] + 1] if len(alike) else places[:0]
    if len(places) < _FEWEST:
        return None
    intervals = _intervals(places, curve, is_known, half)
    segments = beat_shapes.segments(course, places, half)
    next_ones, others = (beat_shapes.correlations(segments[:-k], segments[k:]) for k in (1, 2))
    return Try(
        course=name,
        frequency=float(rate / intervals.mean()),
        times=start + places / rate,
        likeness=curve[places],
        alike=samples.quantile(next_ones, 0.6),  # A disturbed beat spoils two.
        # A mean likeness below 0.05 is none, by which nothing is divided.
        between=beat_shapes.between(curve, places) / max(float(curve[places].mean()), 0.05),
        uneven=float(np.std(np.log(intervals))),
        halves=samples.quantile(others, 0.5) - samples.quantile(next_ones, 0.5),
        explained=beat_shapes.explained(course, places, segments),
    )


def _intervals(places, curve, is_known, half):
    """Returns the intervals, in samples, between beats that are no guesses, and are seen whole if enough are."""
    exact = places + beat_shapes.shift(curve, places)
    whole = np.logical_and.reduceat(is_known, places)[:-1]
    sound = whole & (np.minimum(curve[places[:-1]], curve[places[1:]]) > _LOST)
    inside = (places >= half) & (places < len(curve) - half)
    for kept in (sound & inside[:-1] & inside[1:], sound, whole):
        if np.count_nonzero(kept) >= _FEWEST:
            return np.diff(exact)[kept]
    return np.diff(exact)


def _phases(course, periods):
    """Returns the cosine of the phase of what is about as fast as each period, `(N, T)`."""
    spectrum = np.fft.rfft(course)[: (len(course) + 1) // 2]
    cycles = np.maximum(np.arange(len(spectrum)), 1e-9) * periods[:, None] / len(course)  # Per period.
    inside = np.exp(-0.5 * (np.log(cycles) / math.log(_FACTOR)) ** 2)
    waves = np.fft.ifft(spectrum * inside, len(course))
    return waves.real / np.maximum(np.abs(waves), 1e-9)


def _tracked(curve, period):
    """Returns the places, `(N,)` samples, at which a curve is highest in sum, with a cost for uneven intervals."""
    falls, are_nodes = curve[:-1] > curve[1:], curve > 0
    are_nodes[:-1] &= falls
    are_nodes[1:] &= ~falls
    nodes = np.flatnonzero(are_nodes)
    if not len(nodes):
        return nodes
    low, high = math.ceil(period / _FACTOR), math.floor(period * _FACTOR)
    first, last = np.searchsorted(nodes, (nodes - high, nodes - low + 1))
    reached = last - first
    ends = np.cumsum(reached)
    earlier = np.arange(ends[-1]) + np.repeat(first - ends + reached, reached)
    costs = (_COST * np.log((np.repeat(nodes, reached) - nodes[earlier]) / period) ** 2).tolist()
    # In lists: each node has a few others within reach, and an array of a few takes longer to make than to use.
    best, before = curve[nodes].tolist(), [-1] * len(nodes)
    first, last, ends = first.tolist(), last.tolist(), [0, *ends.tolist()]
    for k, node in enumerate(nodes.tolist()):
        gains = list(map(operator.sub, best[first[k] : last[k]], costs[ends[k] : ends[k + 1]]))
        if gains and ((top := max(gains)) > 0 or node > high):
            best[k] += top
            before[k] = first[k] + gains.index(top)
    end = min(int(np.searchsorted(nodes, len(curve) - high)), len(nodes) - 1)
    row = [end + best[end:].index(max(best[end:]))]
    while before[row[-1]] >= 0:
        row.append(before[row[-1]])
    return nodes[row[::-1]]
