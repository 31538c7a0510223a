"""Shapes of beats on a course: how alike they are, what they explain of it, and what lies between them."""

import math

import numpy as np

from simper_tf.signals import samples

_QUIET = 0.5  # Share of the mean power below which likeness to the template counts less.
_MIDDLE = 0.3  # Of an interval, at its ends, that is not between two beats.
# Parts of the fastest period: half the width of a spike, and how far one is moved to be most alike. Rounds of that, and
# the share of neighbors that may be less alike.
_SPIKE, _MOVED, _ROUNDS, _WORST = 0.5, 0.35, 3, 0.4
_FEWEST = 3  # Beats that can be compared, and samples to half a spike.
# Parts of a frequency: reach of its line in a spectrum, and what is slower. The height of the line is a logarithm.
_LINE, _SLOWER, _HEIGHTS, _FINER = (0.85, 1.15), (0.3, 0.75), (-3.0, 5.0), 4


def segments(course: np.ndarray, places: np.ndarray, half: int) -> np.ndarray:
    """Returns the samples around places, `(N, 2 * half + 1)`, NaN beyond the ends."""
    beyond = np.full(half, np.nan)
    return np.concatenate((beyond, course, beyond))[places[:, None] + np.arange(2 * half + 1)]


def mean(segments: np.ndarray) -> np.ndarray:
    """Returns the mean of what is seen of segments, `(L,)`, NaN where none is: `numpy.nanmean`, which is slow."""
    seen = ~np.isnan(segments)
    number = seen.sum(axis=0)
    return np.where(number > 0, np.where(seen, segments, 0).sum(axis=0) / np.maximum(number, 1), np.nan)


def correlations(segments: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns the correlation of what is seen of each segment and of another one, `(N,)`."""
    seen = np.isfinite(segments) & np.isfinite(others)
    number = seen.sum(axis=1, keepdims=True)
    firsts, seconds = (np.where(seen, part, 0) for part in (segments, others))
    firsts, seconds = (
        np.where(seen, part - part.sum(axis=1, keepdims=True) / np.maximum(number, 1), 0) for part in (firsts, seconds)
    )
    both = np.sqrt((firsts**2).sum(axis=1) * (seconds**2).sum(axis=1))
    return np.where(number[:, 0] < 3, 0.0, (firsts * seconds).sum(axis=1) / np.maximum(both, 1e-12))


def likeness(course: np.ndarray, template: np.ndarray) -> np.ndarray:
    """Returns the correlation of the course around each sample with a template, `(T,)`; beyond its ends it is 0."""
    template, ones = np.nan_to_num(template - np.nanmean(template)), np.ones(len(template))
    mean = np.convolve(course, ones, "same") / len(ones)
    power = np.convolve(course**2, ones, "same") / len(ones) - mean**2
    # Where next to nothing happens the likeness of noise does not count.
    power = np.maximum(power, _QUIET * np.mean(course**2)) * len(ones) * np.sum(template**2)
    return np.convolve(course, template[::-1], "same") / np.sqrt(np.maximum(power, 1e-12))


def between(curve: np.ndarray, places: np.ndarray) -> float:
    """Returns the median of the highest likeness in the middle of each interval."""
    margins = np.maximum((_MIDDLE * np.diff(places)).astype(int), 1)
    first, end = places[:-1] + margins, places[1:] - margins + 1
    highest = np.maximum.reduceat(curve, np.stack((first, end), axis=1).ravel())[::2]
    # Above 1 only by the noise of quiet places.
    return min(samples.quantile(np.where(first < end, highest, 0.0), 0.5), 1.2)


def shift(curve: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Returns by how much the tops of parabolas through three samples are off the middle one, in samples."""
    inner = np.clip(places, 1, len(curve) - 2)
    return np.where(inner == places, samples.top_offset(curve[inner - 1], curve[inner], curve[inner + 1]), 0.0)


def explained(course: np.ndarray, places: np.ndarray, half: int) -> float:
    """Returns the share of the power of a course that its mean beat explains, laid at all beats."""
    window = np.hanning(2 * half + 1)
    template = np.nan_to_num(mean(segments(course, places, half))) * window
    beats = np.bincount(places, minlength=len(course))
    # 1e-3 of a window: where no beat is laid nothing is explained, and nothing divided by zero.
    laid, weight = np.convolve(beats, template), np.convolve(beats, window) + 1e-3
    inside = slice(max(places[0] - half, 0), places[-1] + half + 1)
    rest = (course - (laid / weight)[half : half + len(course)])[inside]
    return max(1 - float(np.mean(rest**2) / max(np.mean(course[inside] ** 2), 1e-12)), -1.0)


def spikes(fine: np.ndarray, places: np.ndarray, fastest: float) -> float:
    """Returns how alike the spikes of neighboring beats are, such as QRS: each is moved to where it is most alike.

    Args:
        fine: `(N,)` what is faster than the band, zeros for nothing.
        places: `(M,)` samples of beats.
        fastest: Samples of the fastest period.
    """
    half, reach = round(_SPIKE * fastest), round(_MOVED * fastest)
    places = np.round(places).astype(int)
    places = places[(places >= half + reach) & (places < len(fine) - half - reach)]
    if len(places) < _FEWEST or half < _FEWEST or not fine.any():
        return 0.0
    views = np.lib.stride_tricks.sliding_window_view(fine, 2 * half + 1)
    moved = views[(places - half)[:, None] + np.arange(-reach, reach + 1)]
    sizes = np.sqrt(np.einsum("bmt,bmt->bm", moved, moved))
    best, rows = sizes.argmax(axis=1), np.arange(len(places))
    sizes = np.maximum(sizes, _QUIET * fine.std() * math.sqrt(2 * half + 1))
    for _ in range(_ROUNDS):
        template = (moved[rows, best] / sizes[rows, best, None]).mean(axis=0)
        best = np.argmax(moved @ template / sizes, axis=1)
    chosen = moved[rows, best] / sizes[rows, best, None]
    return samples.quantile(np.sum(chosen[1:] * chosen[:-1], axis=1), _WORST)


def line(source: np.ndarray, rate: float, hertz: float) -> float:
    """Returns the logarithm of the height of a line in the spectrum over what is slower.

    Drift has none.
    """
    power = np.abs(samples.hann_spectrum(source - source.mean(), _FINER)) ** 2
    parts = np.arange(len(power)) * rate / (_FINER * len(source)) / hertz
    inside, slower = ((parts > low) & (parts < high) for low, high in (_LINE, _SLOWER))
    if not (inside.any() and slower.any()):
        return 0.0
    # Floors for exact sines, whose spectrum is rounding beside the line: `_HEIGHTS` bounds what comes of it.
    height = power[inside].max() / max(float(power[slower].mean()), 1e-12 * float(power.max()) + 1e-300)
    return float(np.clip(np.log(max(height, 1e-9)), *_HEIGHTS))
