"""Beats of a series, such as those of a heart or breaths: each is found, with its time, and how sure that is.

A spectrum shows a line of what repeats evenly. Hearts do not: with intervals that differ by a tenth, the line is
smeared. So beats are found one by one where a course looks like what they have in common, at intervals near a period;
the search is that of beat trackers in music (Ellis, Journal of New Music Research, 2007), with a likeness to a template
that is learned from the series itself. Several courses and periods are tried, and the odds of each tell which holds.
"""

import dataclasses
import itertools
import math

import numpy as np

from simper_tf.reading import beat_courses

# The interval may be so many times shorter or longer than the period. A change of it costs this much in units of
# likeness, times the square of its logarithm.
_FACTOR, _COST = 1.7, 3.0
_REACH = 0.5  # Periods before and after a beat that belong to it.
_QUIET = 0.5  # Share of the mean power below which likeness to the template counts less.
_ROUNDS = 2  # Of learning the template and finding beats.
_FEWEST = 3  # Beats of which a mean interval can be told.
_FEWEST_SAMPLES = 16
_PERIODS = 6  # Peaks of the autocorrelation of a course that are tried as the period.
_FASTER = 0.8  # Likeness between beats, and of neighbors, from which on what repeats is faster.
_LOST = 0.4  # Beats less like the template than this are lost in a disturbance: intervals to them do not count.
_MIDDLE = 0.3  # Of an interval, at its ends, that is not between two beats.
_EVEN = 0.05  # Unevenness below which intervals are even.
_SEEN, _SHOWN = 1.6, 0.3  # Periods that must be there; share of the rate that the fastest frequency may have.
_SAME = 0.04  # Logarithm of the ratio of two frequencies that are the same.
# Odds that one of the tried periods is right: constant, and weights of `_features`. And odds that the best of them is
# right at all: constant, of its own odds, of those of the best other one, and of the likeness of its beats. Both were
# fitted on windows of nine real sources, changed ones and generated ones, not all of which are at hand; no command
# fits them again (11fb41d had one, for fewer windows, that gave other numbers). `benchmarks.series` tests them.
WEIGHTS = (1.71, -6.32, 2.81, -19.1, 2.3, -4.64, 1.02, -4.24)
SURE_WEIGHTS = (-4.6, 0.88, -0.5, 4.81)


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
        features: What its odds are made of, see `_features`.
        odds: Logarithm of the odds that its frequency is right.
        moments, source: `(M,)` seconds, and the channel, or the common part of all, that the course was made of.
    """

    course: str
    frequency: float
    times: np.ndarray
    likeness: np.ndarray
    alike: float
    between: float
    uneven: float
    halves: float
    features: tuple[float, ...] = ()
    odds: float = 0.0
    moments: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0), repr=False)
    source: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0), repr=False)


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
        return bool(self.candidates) and min(self.candidates[0].features[:2]) > _FASTER

    @property
    def times(self) -> np.ndarray:
        """`(N,)` seconds of the beats of the first candidate."""
        return self.candidates[0].times if self.candidates else np.zeros(0)


def read(times: np.ndarray, values: np.ndarray, band: tuple[float, float]) -> Beats:
    """Finds the beats of a series.

    Args:
        times: `(T,)` seconds that rise, with jitter and holes or without.
        values: `(T, C)` numbers, in any unit.
        band: `(low, high)` in Hz in which they are sought; two periods must be there.

    Example:
        >>> times = np.arange(0, 10, 0.02)
        >>> round(read(times, np.sin(2 * np.pi * 1.3 * times)[:, None], (0.6, 3.5)).frequency, 2)
        1.3
    """
    return _chosen(_tries(times, values, band))


def _tries(times, values, band):
    """Returns a `Try` for each course of a series and each of its likely periods; arguments as for `read`."""
    if len(times) < _FEWEST_SAMPLES:
        return []
    even, is_known, rate = beat_courses.evenly(times, np.asarray(values, np.float64))
    band = max(band[0], _SEEN * rate / len(even)), min(band[1], _SHOWN * rate)
    if band[0] >= band[1] or not np.ptp(even, axis=0).any():
        return []
    courses, thinned, source = beat_courses.best(even, rate, band)
    moments = times[0] + np.arange(len(even)) / rate
    places = np.arange(len(courses["wave"])) * rate / thinned
    is_known = is_known[np.minimum(places.astype(int), len(even) - 1)]
    found = []
    for name, course in courses.items():
        for lag in beat_courses.lags(course, thinned, band, _PERIODS)[0]:
            one = _tried(name, course, float(lag), is_known, times[0], thinned)
            if one and 0.95 * band[0] <= one.frequency <= 1.05 * band[1]:
                found.append(one)
    return [
        dataclasses.replace(one, features=_features(one, found, band), moments=moments, source=source) for one in found
    ]


def _chosen(found):
    """Returns the likeliest tries, of each frequency one, and the confidence that the first is right."""
    candidates: list[Try] = []
    rated = [dataclasses.replace(one, odds=_odds(WEIGHTS, one.features)) for one in found]
    for one in sorted(rated, key=lambda one: -one.odds):
        if all(abs(math.log(one.frequency / other.frequency)) >= _SAME for other in candidates):
            candidates.append(one)
    if not candidates:
        return Beats(0.0, ())
    confidence = 1 / (1 + math.exp(-_odds(SURE_WEIGHTS, _sureness(candidates))))
    heard = Beats(confidence, tuple(candidates))
    return dataclasses.replace(heard, confidence=0.0) if heard.is_faster else heard


def _sureness(candidates):
    """Returns what the confidence is made of: odds of the first, odds of the second, and likeness of the beats."""
    second = candidates[1].odds if len(candidates) > 1 else -6.0
    first = candidates[0]
    return (min(max(first.odds, -6.0), 6.0), min(max(second, -6.0), 6.0), first.features[1])


def _odds(weights, features):
    return weights[0] + sum(weight * value for weight, value in zip(weights[1:], features, strict=True))


def _features(one, found, band):
    """Returns what speaks for a try.

    What lies between beats; the likeness of neighbors on the second best course with this frequency; how uneven
    intervals are; the likeness of neighbors at half the frequency; the place in the band; the likeness of neighbors on
    the energy; and how much more like one another beats are that are two apart.
    """

    def alike(factor, course=None):
        near = [other for other in found if abs(math.log(other.frequency / (factor * one.frequency))) < _SAME]
        return max((other.alike for other in near if course in (None, other.course)), default=0.0)

    by_course = sorted((alike(1.0, course) for course in {other.course for other in found}), reverse=True)
    second = by_course[1] if len(by_course) > 1 else 0.0
    place = math.log(one.frequency / band[0]) / math.log(band[1] / band[0])
    return (one.between, second, max(one.uneven, _EVEN), alike(0.5), place, alike(1.0, "energy"), one.halves)


def _tried(name, course, period, is_known, start, rate):
    """Returns the beats near a period in samples; None for too few."""
    half = max(round(_REACH * period), 2)
    places, curve = _tracked(_phase(course, period), period), course
    for _ in range(_ROUNDS):
        if len(places) < _FEWEST:
            return None
        curve = _likeness(course, np.nanmean(_segments(course, places, half), axis=0))
        places = _tracked(curve, period)
    places = places[is_known[places]]
    alike = np.flatnonzero(curve[places] > _LOST)
    places = places[alike[0] : alike[-1] + 1] if len(alike) else places[:0]
    if len(places) < _FEWEST:
        return None
    intervals = _intervals(places, curve, is_known, half)
    segments = _segments(course, places, half)
    next_ones, others = ([_correlation(*pair) for pair in zip(segments, segments[k:], strict=False)] for k in (1, 2))
    return Try(
        course=name,
        frequency=float(rate / intervals.mean()),
        times=start + places / rate,
        likeness=curve[places],
        alike=float(np.quantile(next_ones, 0.6)),
        between=_between(curve, places) / max(float(curve[places].mean()), 0.05),
        uneven=float(np.std(np.log(intervals))),
        halves=float(np.median(others) - np.median(next_ones)),
    )


def _intervals(places, curve, is_known, half):
    """Returns the intervals, in samples, between beats that are no guesses, and are seen whole if enough are."""
    exact = places + _shift(curve, places)
    whole = np.array([is_known[first:last].all() for first, last in itertools.pairwise(places)])
    sound = whole & (np.minimum(curve[places[:-1]], curve[places[1:]]) > _LOST)
    inside = (places >= half) & (places < len(curve) - half)
    for kept in (sound & inside[:-1] & inside[1:], sound, whole):
        if kept.sum() >= _FEWEST:
            return np.diff(exact)[kept]
    return np.diff(exact)


def _shift(curve, places):
    """Returns by how much the tops of parabolas through three samples are off the middle one, in samples."""
    inner = np.clip(places, 1, len(curve) - 2)
    before, middle, after = curve[inner - 1], curve[inner], curve[inner + 1]
    bend = np.minimum(before - 2 * middle + after, -1e-9)
    return np.where(inner == places, np.clip(0.5 * (before - after) / bend, -0.5, 0.5), 0.0)


def _between(curve, places):
    """Returns the median of the highest likeness in the middle of each interval."""
    highest = []
    for first, last in itertools.pairwise(places):
        margin = max(int(_MIDDLE * (last - first)), 1)
        middle = curve[first + margin : last - margin + 1]
        highest.append(middle.max() if len(middle) else 0.0)
    return min(float(np.median(highest)), 1.2)


def _phase(course, period):
    """Returns the cosine of the phase of what is about as fast as the period, `(T,)`."""
    cycles = np.fft.fftfreq(len(course), 1 / period)  # Per period.
    inside = np.exp(-0.5 * (np.log(np.maximum(cycles, 1e-9)) / math.log(_FACTOR)) ** 2) * (cycles > 0)
    wave = np.fft.ifft(np.fft.fft(course) * inside)
    return wave.real / np.maximum(np.abs(wave), 1e-9)


def _segments(course, places, half):
    """Returns the samples around places, `(N, L)`, NaN beyond the ends."""
    padded = np.pad(course, half, constant_values=np.nan)
    return padded[places[:, None] + np.arange(2 * half + 1)]


def _correlation(first, second):
    """Returns the correlation of what is seen of two segments."""
    seen = np.isfinite(first) & np.isfinite(second)
    if seen.sum() < 3:
        return 0.0
    one, other = (part[seen] - part[seen].mean() for part in (first, second))
    return float(np.sum(one * other) / max(np.sqrt(np.sum(one**2) * np.sum(other**2)), 1e-12))


def _likeness(course, template):
    """Returns the correlation of the course around each sample with a template, `(T,)`; beyond its ends it is 0."""
    template, ones = np.nan_to_num(template - np.nanmean(template)), np.ones(len(template))
    mean = np.convolve(course, ones, "same") / len(ones)
    power = np.convolve(course**2, ones, "same") / len(ones) - mean**2
    # Where next to nothing happens the likeness of noise does not count.
    power = np.maximum(power, _QUIET * np.mean(course**2)) * len(ones) * np.sum(template**2)
    return np.convolve(course, template[::-1], "same") / np.sqrt(np.maximum(power, 1e-12))


def _tracked(curve, period):
    """Returns the places, `(N,)` samples, at which a curve is highest in sum, with a cost for uneven intervals."""
    walled = np.concatenate([[-np.inf], curve, [-np.inf]])
    nodes = np.flatnonzero((curve >= walled[:-2]) & (curve > walled[2:]) & (curve > 0))
    if not len(nodes):
        return nodes
    low, high = period / _FACTOR, period * _FACTOR
    first, last = np.searchsorted(nodes, nodes - high), np.searchsorted(nodes, nodes - low, side="right")
    best, before = curve[nodes].astype(float), np.full(len(nodes), -1)
    for k, node in enumerate(nodes):
        if first[k] < last[k]:
            reached = slice(first[k], last[k])
            gains = best[reached] - _COST * np.log((node - nodes[reached]) / period) ** 2
            top = int(np.argmax(gains))
            if gains[top] > 0 or node > high:
                best[k] += gains[top]
                before[k] = first[k] + top
    end = min(int(np.searchsorted(nodes, len(curve) - high)), len(nodes) - 1)
    row = [end + int(np.argmax(best[end:]))]
    while before[row[-1]] >= 0:
        row.append(before[row[-1]])
    return nodes[row[::-1]]
