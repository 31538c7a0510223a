"""Filters, tops and the logistic function as SciPy has them, in NumPy and OpenCV: SciPy takes a second to load."""

import functools
import math

import cv2
import numpy as np

# Stretches of a long series are as long as one another, and each has some ten filters: those of short ones are kept.
_SHORT = 2**16
# Of the rate: up to it repetitions are looked for. At half of it a swing shows two samples, and no peak; above
# this share the slope of a filter of second order has no room.
HIGHEST_SHARE = 0.45
_LEFT = 25.0  # Time constants after which nothing is left of a filter: exp(-25) is 1e-11.


def butterworth(
    values: np.ndarray, rate: float, low: float, high: float, order: int = 2, padding: int = 0
) -> np.ndarray:
    """Filters forward and back, so that nothing is delayed: `scipy.signal.sosfiltfilt` of `scipy.signal.butter`.

    Args:
        values: `(T, ...)` at even steps.
        rate: Samples per second.
        low, high: Hz that pass, below half the rate; of a `low` of 0 all that is slower passes.
        order: Of the filter; a band has twice as many poles.
        padding: Samples by which the ends are turned around and put before and behind; fewer than T.

    Returns:
        `(T, ...)` float64.

    Example:
        >>> times = np.arange(0, 4, 0.01)
        >>> slow, fast = np.sin(2 * np.pi * times), np.sin(2 * np.pi * 20 * times)
        >>> bool(np.abs(butterworth(slow + fast, 100, 0, 5, padding=100) - slow)[50:-50].max() < 0.02)
        True
    """
    values = np.asarray(values, np.float64)
    ends = 2 * values[:1] - values[padding:0:-1], 2 * values[-1:] - values[-2 : -padding - 2 : -1]
    longer = np.concatenate((ends[0], values, ends[1]))
    slowest = 2 * math.pi * math.sin(math.pi / 2 / order) * (min(low, (high - low) / 2) if low else high)
    tail = math.ceil(_LEFT * rate / slowest)
    # Even with a tail of its own on both sides a transform goes round.
    size = _quick(len(longer) + 2 * tail)
    response = (_known if size <= _SHORT else _response)(size, low / rate, high / rate, order)
    response = response.reshape(-1, *[1] * (values.ndim - 1))
    for _ in range(2):  # The second time backward.
        before, behind = np.repeat(longer[:1], tail, 0), np.repeat(longer[-1:], size - len(longer) - tail, 0)
        padded = np.fft.rfft(np.concatenate((before, longer, behind)), axis=0)
        longer = np.fft.irfft(padded * response, size, axis=0)[tail : tail + len(longer)][::-1]
    return longer[padding : padding + len(values)]


def _response(size, low, high, order):
    """Returns what a Butterworth filter makes of each frequency of a transform, by limits in shares of the rate."""
    shares = np.arange(size // 2 + 1) / size
    with np.errstate(divide="ignore"):
        warped, bottom, top = (np.tan(np.pi * np.asarray(share)) for share in (shares, low, high))
        at = (warped**2 - bottom * top) / ((top - bottom) * warped) if low else warped / top
    poles = np.exp(1j * np.pi * (2 * np.arange(order) + order + 1) / (2 * order))
    with np.errstate(invalid="ignore", over="ignore"):
        response = 1 / np.prod(1j * at[:, None] - poles, axis=1)
    # Beyond, powers of it overflow, and what passes is 0 in float64.
    return np.where(np.abs(at) < 1e9, response, 0)


_known = functools.lru_cache(maxsize=32)(_response)


def _quick(least):
    """Returns the first size from some on that a Fourier transform is quick with."""
    power = 2 ** math.floor(math.log2(least))
    return next(size for size in (power, power * 5 // 4, power * 3 // 2, 2 * power) if size >= least)


def tops(values: np.ndarray) -> np.ndarray:
    """Returns the places of local tops of `(T,)`, `(N,)`, the middle of flat ones: `scipy.signal.find_peaks`.

    Example:
        >>> tops(np.array([0, 2, 1, 3, 3, 3, 0, 1, 0])).tolist()
        [1, 4, 7]
    """
    return tops_of_rows(values[None], np.zeros(1))[1]


def tops_of_rows(rows: np.ndarray, prominences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the row and the place of each top of `(R, T)` rows, `(N,)`, by the prominence of each row, `(R,)`.

    By it a top stands at least above the higher of the lowest values to its sides, up to the next higher top.

    Example:
        >>> tops_of_rows(np.array([[0, 2, 1, 3, 0], [0, 2, 1, 3, 0]]), np.array([0.5, 1.5]))[1].tolist()
        [1, 3, 3]
    """
    # A wall before each row, and behind the last, is higher than all: so each top has a higher one to either side.
    length = rows.shape[1] + 1
    line = np.full(len(rows) * length + 1, np.inf, np.result_type(rows, np.float32))
    line[:-1].reshape(-1, length)[:, 1:] = rows
    starts = np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1])))
    levels = line[starts]
    are_tops = np.flatnonzero((levels[1:-1] > levels[:-2]) & (levels[1:-1] > levels[2:])) + 1
    places = np.concatenate(([0], (starts[are_tops] + starts[are_tops + 1] - 1) // 2, [len(line) - 1]))
    if prominences.any():
        places = _without_ripples(line, places, np.append(prominences, 0.0)[places // length])
    numbers, places = np.divmod(places[line[places] < np.inf], length)
    return numbers, places - 1


def _without_ripples(line, places, prominences):
    """Returns the tops that stand out, given all of them and how far each has to.

    One that does not has a higher one beside it, once those are left out that do not themselves, and between both no
    value is low enough.
    """
    heights, between = line[places].astype(float), np.minimum.reduceat(line, places[:-1]).astype(float)
    while True:
        is_ripple = np.zeros(len(heights), bool)
        is_ripple[:-1] = (heights[1:] > heights[:-1]) & (heights[:-1] - between < prominences[:-1])
        is_ripple[1:] |= (heights[1:] < heights[:-1]) & (heights[1:] - between < prominences[1:])
        if not is_ripple.any():
            return places
        stay = np.flatnonzero(~is_ripple)
        between = np.minimum.reduceat(between, stay[:-1])
        places, heights, prominences = places[stay], heights[stay], prominences[stay]


def apart(places: np.ndarray, values: np.ndarray, distance: float) -> np.ndarray:
    """Returns the tops of `(T,)` values that have no higher one nearer than so many samples: `distance` in SciPy.

    Example:
        >>> apart(np.array([1, 3, 5]), np.array([0, 3, 0, 2, 0, 1, 0]), 3).tolist()
        [1, 5]
    """
    stay = np.ones(len(places), bool)
    for index in np.argsort(values[places])[::-1]:
        if stay[index]:
            stay &= (np.abs(places - places[index]) >= distance) | (np.arange(len(places)) == index)
    return places[stay]


def smooth(values: np.ndarray, width: int, axis: int = 0) -> np.ndarray:
    """Returns the mean of so many samples around each, of one more before it where they are even: `uniform_filter1d`.

    Args:
        values: `(T, ...)` floats, or `(N, T)` rows; the first and the last one go on beyond the ends.
        width: Samples.
        axis: 1 for rows.

    Example:
        >>> smooth(np.array([0.0, 3.0, 0.0, 6.0]), 3).tolist()
        [1.0, 1.0, 3.0, 4.0]
    """
    if values.ndim == 1:  # As a row: as a column it takes up to forty times as long.
        return smooth(values[None], width, axis=1)[0]
    size, anchor = ((width, 1), (width // 2, 0)) if axis else ((1, width), (0, width // 2))
    flat = np.ascontiguousarray(values).reshape(len(values), -1)
    return cv2.blur(flat, size, anchor=anchor, borderType=cv2.BORDER_REPLICATE).reshape(values.shape)


def smooth_twice(values: np.ndarray, width: float, axis: int = 0) -> np.ndarray:
    """Returns values smoothed by a triangle twice as wide, one sample late where `width`, rounded, is even.

    An even filter has its middle between two samples, here twice on the same side. The confidence of films was fitted
    with that delay. Arguments are those of `smooth`.

    Example:
        >>> smooth_twice(np.array([0.0, 0.0, 9.0, 0.0, 0.0]), 3).tolist()
        [1.0, 2.0, 3.0, 2.0, 1.0]
    """
    for _ in range(2):
        values = smooth(values, max(1, round(width)), axis)
    return values


def gaussian(values: np.ndarray, width: float) -> np.ndarray:
    """Returns `(T,)` values smoothed by a Gaussian of a standard deviation in samples: `gaussian_filter1d`."""
    size = 2 * int(4 * width + 0.5) + 1
    # As a row, as in `smooth`.
    return cv2.GaussianBlur(values[None], (size, 1), width, sigmaY=1e-9, borderType=cv2.BORDER_REFLECT)[0]


def autocorrelated(values: np.ndarray) -> np.ndarray:
    """Returns the sums of products of a series with itself some samples later, `(T,)` by lag: `correlate`.

    Example:
        >>> autocorrelated(np.array([1.0, 2.0, 3.0])).round(9).tolist()
        [14.0, 8.0, 3.0]
    """
    size = _quick(2 * len(values))
    power = np.abs(np.fft.rfft(values, size)) ** 2
    return np.fft.irfft(power, size)[: len(values)]


def logistic(odds: float) -> float:
    """Returns the probability of a logarithm of odds: `scipy.special.expit`."""
    return 0.5 * (1 + math.tanh(odds / 2))
