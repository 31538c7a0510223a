"""Repetitions whose length varies, such as heartbeats or breaths: each is found, and their mean interval is read.

A spectrum shows a line of what repeats evenly. Hearts do not: with intervals that differ by a tenth, the line is
smeared over more than the difference between two readings. So repetitions are found one by one where the course looks
like what they have in common, at intervals near a period. The search is that of beat trackers in music (Ellis, Journal
of New Music Research, 2007), with a likeness to a template that is learned from the window itself.
"""

import itertools
import math

import numpy as np
import scipy.ndimage
import scipy.signal

from simper_tf.reading import gram, limits, scores
from simper_tf.recordings import windows

# The interval may be so many times shorter or longer than the period. A change of it costs this much in units of
# likeness, times the square of its logarithm: a tenth at a factor of 1.2.
_FACTOR, _COST = 1.6, 3.0
# Periods before and after a repetition that belong to it: less than one, as the next comes early or late; more than a
# half, so that two different halves are not taken for two repetitions.
_REACH = 0.75
_ROUNDS = 3  # Of learning the template and finding repetitions.
_FEWEST = 3  # Repetitions of which a mean interval can be told.
_CANDIDATES = 5  # Peaks of the autocorrelation that are tried as the period.
# Of the period, over which neighbors are smoothed before they are compared: noise has less of a part in it.
_SMOOTHING = 1 / 24
# A shorter period holds where repetitions are as like as at any other, less this much.
_MARGIN = 0.1
# Repetitions less like the template than this are lost in a disturbance: intervals to them do not count.
_LOST = 0.4
# Of the likenesses of neighbors: a third of them may be disturbed.
_QUANTILE = 0.7
# Odds that a frequency is right, as `scores.SERIES`, fitted by the same command.
WEIGHTS = (2.57, -5.07, 3.54)


def beats(window: windows.Window, products: np.ndarray, band: tuple[float, float]) -> scores.Reading:
    """Reads a series by the mean interval of its repetitions.

    In the answer, `distance` is one less the correlation of neighboring repetitions, and `explained` the squared mean
    correlation of repetitions with their template.

    Args:
        window: Of a series; of several, their strongest common course is read.
        products: `(T, T)` of `gram.products`.
        band: `(low, high)` in Hz.
    """
    series, rate = window.frames.reshape(len(window.frames), -1), window.rate
    nothing = scores.Reading("beats", math.nan, 0.0)
    if not np.trace(products) > 0:
        return nothing
    series = course(series[:, 0] if series.shape[1] == 1 else gram.strongest(products), rate, band)
    tried = [_tried(series, period) for period in _periods(series, rate, band)]
    tried = [each for each in tried if each and 0.9 * band[0] <= rate / each[0] <= 1.02 * band[1]]
    if not tried:
        return nothing
    best = max(alike for _, alike, _ in tried)
    interval, alike, explained = min(each for each in tried if each[1] >= best - _MARGIN)
    distance = float(np.clip(1 - alike, 0, 1))
    score = scores.score(distance, explained, WEIGHTS)
    return scores.Reading("beats", rate / interval, score, distance=distance, explained=explained)


def limited(window: windows.Window, products: np.ndarray, band: tuple[float, float]) -> scores.Reading:
    """Returns `beats` with a score of 0 where it, or what repeats, is beyond the band, as `limits.limited` has it."""
    return limits.limited(beats(window, products, band), products, window.rate, band)


def course(values: np.ndarray, rate: float, band: tuple[float, float]) -> np.ndarray:
    """Returns a series without what is slower than half the band, or ten times as fast, of deviation 1.

    Args:
        values: `(T,)` numbers.
        rate: Samples per second.
        band: `(low, high)` in Hz.
    """
    edges = [0.5 * band[0], min(10 * band[1], 0.45 * rate)]
    sections = scipy.signal.butter(2, edges, "bandpass", fs=rate, output="sos")
    padding = min(len(values) - 1, round(2 * rate / band[0]))
    found = scipy.signal.sosfiltfilt(sections, values - np.mean(values), padlen=padding)
    deviation = np.std(found)
    return found / deviation if deviation > 0 else found


def repetitions(series: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns where repetitions are, `(N,)` in samples, and how like their template each is, `(N,)` in [-1, 1].

    Args:
        series: `(T,)` of `course`.
        period: Samples, about.
    """
    places = _tracked(_phase(series, period), period)
    likeness = np.zeros(len(places))
    for _ in range(_ROUNDS):
        if len(places) < _FEWEST:
            break
        curve = _likeness(series, np.nanmean(_segments(series, places, period), axis=0))
        places = _tracked(curve, period)
        likeness = curve[places]
    return places, likeness


def _periods(series, rate, band):
    """Returns the lags of the highest peaks of the autocorrelation, in samples."""
    size = len(series)
    curve = np.correlate(series, series, "full")[size - 1 :] / np.arange(size, 0, -1)
    peaks, _ = scipy.signal.find_peaks(curve)
    inside = peaks[(peaks >= rate / band[1] - 1) & (peaks <= min(rate / band[0] + 1, 0.7 * size))]
    return inside[np.argsort(-curve[inside])][:_CANDIDATES]


def _tried(series, period):
    """Returns the mean interval in samples, how like neighbors are, and the share explained; None for too few."""
    places, likeness = repetitions(series, period)
    if len(places) < _FEWEST:
        return None
    intervals = np.diff(places)
    smooth = scipy.ndimage.gaussian_filter1d(series, _SMOOTHING * intervals.mean())
    segments = _segments(smooth, places, intervals.mean())
    alike = float(np.quantile([_correlation(*pair) for pair in itertools.pairwise(segments)], _QUANTILE))
    kept = np.minimum(likeness[:-1], likeness[1:]) > _LOST
    mean = intervals[kept].mean() if kept.sum() >= _FEWEST else intervals.mean()
    return float(mean), alike, float(max(likeness.mean(), 0.0) ** 2)


def _phase(series, period):
    """Returns the cosine of the phase of what is about as fast as the period, `(T,)`."""
    cycles = np.fft.fftfreq(len(series), 1 / period)  # Per period.
    inside = np.exp(-0.5 * (np.log(np.maximum(cycles, 1e-9)) / math.log(_FACTOR)) ** 2) * (cycles > 0)
    wave = np.fft.ifft(np.fft.fft(series) * inside)
    return wave.real / np.maximum(np.abs(wave), 1e-9)


def _segments(series, places, period):
    """Returns the samples around places, `(N, L)`, NaN beyond the ends."""
    half = max(round(_REACH * period), 1)
    padded = np.pad(series, half, constant_values=np.nan)
    return padded[places[:, None] + np.arange(2 * half + 1)]


def _correlation(first, second):
    """Returns the correlation of what is seen of two segments."""
    seen = np.isfinite(first) & np.isfinite(second)
    one, other = (each[seen] - each[seen].mean() for each in (first, second))
    return np.sum(one * other) / max(np.sqrt(np.sum(one**2) * np.sum(other**2)), 1e-12)


def _likeness(series, template):
    """Returns the correlation of the series around each sample with a template, `(T,)`; beyond its ends it is 0."""
    template, ones = np.nan_to_num(template - np.nanmean(template)), np.ones(len(template))
    mean = scipy.signal.oaconvolve(series, ones, "same") / len(ones)
    power = scipy.signal.oaconvolve(series**2, ones, "same") / len(ones) - mean**2
    # Where next to nothing happens the likeness of noise does not count.
    power = np.maximum(power, 0.05 * np.mean(series**2)) * len(ones) * np.sum(template**2)
    return scipy.signal.oaconvolve(series, template[::-1], "same") / np.sqrt(np.maximum(power, 1e-12))


def _tracked(curve, period):
    """Returns the places, `(N,)` samples, at which a curve is highest in sum, with a cost for uneven intervals."""
    size = len(curve)
    lags = np.arange(max(round(period / _FACTOR), 1), round(period * _FACTOR) + 2)
    costs = _COST * np.log(lags / period) ** 2
    best, before = curve.astype(float), np.full(size, -1)
    for place in range(lags[0], size):
        reachable = lags[: np.searchsorted(lags, place, side="right")]
        gains = best[place - reachable] - costs[: len(reachable)]
        top = int(np.argmax(gains))
        if place >= lags[-1] or gains[top] > 0:  # Otherwise the first one is here.
            best[place] += gains[top]
            before[place] = place - reachable[top]
    last = max(size - lags[-1], 0)
    places = [last + int(np.argmax(best[last:]))]
    while before[places[-1]] >= 0:
        places.append(before[places[-1]])
    return np.array(places[::-1])
