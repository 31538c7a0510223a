"""Shapes of beats on a course: how alike they are, what they explain of it, and what lies between them."""

import functools

import numpy as np

from simper_tf.signals import samples

_QUIET = 0.5  # Share of the mean power below which likeness to the template counts less.
_MIDDLE = 0.3  # Of an interval, at its ends, that is not between two beats.
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
    seen = np.isfinite(segments + others)
    number = seen.sum(axis=1)
    firsts, seconds = (np.where(seen, part, 0.0) for part in (segments, others))
    for part in (firsts, seconds):
        part -= (part.sum(axis=1) / np.maximum(number, 1))[:, None]
        part *= seen
    products = (np.einsum("nt,nt->n", *pair) for pair in ((firsts, firsts), (seconds, seconds), (firsts, seconds)))
    first, second, both = products
    return np.where(number < 3, 0.0, both / np.maximum(np.sqrt(first * second), 1e-12))


def spread(course: np.ndarray, size: int) -> np.ndarray:
    """Returns the sum of squares about their mean of so many samples around each, `(T,)`; beyond the ends they are 0.

    Where next to nothing happens it is larger: the likeness of noise does not count.
    """
    squares, ones = course**2, np.ones(size)
    power = np.convolve(squares, ones, "same") / size - (np.convolve(course, ones, "same") / size) ** 2
    return np.maximum(power, _QUIET * squares.mean()) * size


def likeness(course: np.ndarray, template: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Returns the correlation of the course around each sample with a template, `(T,)`; beyond its ends it is 0.

    Args:
        course: `(T,)`.
        template: `(L,)`, NaN where nothing is seen.
        spread: `(T,)` of the course around each sample, see `spread`.
    """
    seen = np.isfinite(template)
    template = np.where(seen, template - template[seen].mean(), 0.0)
    power = spread * np.sum(template**2)
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
    inner = np.minimum(np.maximum(places, 1), len(curve) - 2)
    return np.where(inner == places, samples.top_offset(curve[inner - 1], curve[inner], curve[inner + 1]), 0.0)


def explained(course: np.ndarray, places: np.ndarray, segments: np.ndarray) -> float:
    """Returns the share of the power of a course that its mean beat explains, laid at all beats.

    Args:
        course: `(T,)`.
        places: `(N,)` samples of the beats.
        segments: `(N, L)` samples around them, see `segments`.
    """
    size = segments.shape[1]
    window, half = _window(size), size // 2
    template = np.nan_to_num(mean(segments)) * window
    first, end = max(places[0] - half, 0), min(places[-1] + half + 1, len(course))
    at, most = (places[:, None] + np.arange(size)).ravel(), len(course) + size
    laid, weight = (np.bincount(at, np.tile(each, len(places)), most) for each in (template, window))
    course, laid, weight = course[first:end], laid[first + half : end + half], weight[first + half : end + half]
    # 1e-3 of a window: where no beat is laid nothing is explained, and nothing divided by zero.
    rest = course - laid / (weight + 1e-3)
    return max(1 - float(np.mean(rest**2) / max(np.mean(course**2), 1e-12)), -1.0)


def heights(source: np.ndarray, places: np.ndarray, half: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns how high each beat is, in units of the mean one, and the variance of each.

    Args:
        source: `(T,)`.
        places: `(N,)` samples of beats.
        half: Samples before and after a beat that belong to it.
    """
    around = surroundings(source, places, half)
    cycle = around.mean(axis=0)
    return around @ cycle / max(float(cycle @ cycle), 1e-12), around.var(axis=1)


def surroundings(source: np.ndarray, places: np.ndarray, half: float) -> np.ndarray:
    """Returns what is around places, `(N, 2 * half + 1)`, each less its mean; ends go on as they are."""
    half = max(round(half), 2)
    at = np.rint(places).astype(int)[:, None] + np.arange(-half, half + 1)
    around = source[np.clip(at, 0, len(source) - 1)]
    return around - around.mean(axis=1, keepdims=True)


_window = functools.lru_cache(maxsize=256)(np.hanning)


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
