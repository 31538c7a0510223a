"""What a reading of a window is, refined, and how sure of it one can be without a label.

All follows from the inner products of frames, or of a series, over time: `self_similarity.products`.
"""

import dataclasses
import math

import numpy as np
import scipy.interpolate

from simper_tf.reading import self_similarity

Weights = tuple[float, float, float]
# Multiples of a frequency that count as its own.
HARMONICS = 5
# Periods that a window must show: what is seen but once can be found to be nearly two of something else.
_SEEN = 1.9
SURE = 0.5  # Score from which on something repeats.
_FINER = 4  # Lags between two frames at which distances are looked at.
# Of the ends of the band, how far beyond them a reading has a score.
_NEAR = 0.9, 1.02
# Odds that a frequency is right: constant, of the relative distance one period later, and of the log of the share
# explained. Both are fitted by `python -m benchmarks.recordings --choose`: of pictures, on photographs and seeds other
# than those of its report, though on the same kinds of movement; of one or a few series, which look periodic by chance
# more often, on noise of any color and waves with a harmonic in it, a mistaken reading counted five times.
PICTURES, SERIES = (6.77, -8.46, 1.47), (4.10, -7.59, 0.61)


@dataclasses.dataclass(frozen=True)
class Reading:
    """What one readout says of a window.

    Attributes:
        readout: Its name.
        frequency: Hz; NaN where it finds none.
        score: In [0, 1], how sure that is, by no label: 0.5 and more speak for a repetition.
        others: Frequencies in Hz, a whole number of times higher or lower, that may be the true one instead.
        distance: Of what is read to itself one period later, over the median of such distances: the lower, the better.
        explained: Share of what changes that the frequency and its multiples explain.
        is_faster: Whether the score is 0 because what repeats is faster than the band.
        is_stored: Whether it is 0 because what repeats is how the file is stored, see `key_frames`.
    """

    readout: str
    frequency: float
    score: float
    others: tuple[float, ...] = ()
    distance: float = 1.0
    explained: float = 0.0
    is_faster: bool = False
    is_stored: bool = False


def reading(
    name: str, products: np.ndarray, frequency: float, rate: float, band: tuple[float, float], weights: Weights = SERIES
) -> Reading:
    """Returns what a readout says, its frequency refined by least squares over its multiples, with its score.

    Args:
        name: Of the readout.
        products: `(T, T)` of `self_similarity.products`.
        frequency: Hz, about.
        rate: Frames per second.
        band: `(low, high)` in Hz.
        weights: What the score is made of, `PICTURES` or `SERIES`.
    """
    total = np.trace(products)
    if not total > 0 or not math.isfinite(frequency):
        return Reading(name, math.nan, 0.0)
    frequency = refined(products, frequency / rate) * rate
    distance = Distances(products, rate, band).at(frequency)
    share = self_similarity.explained(products, frequency / rate, HARMONICS)
    is_seen = frequency * len(products) / rate >= _SEEN
    is_inside = is_seen and _NEAR[0] * band[0] <= frequency <= _NEAR[1] * band[1]
    sure = score(distance, share, weights) if is_inside else 0.0
    return Reading(name, frequency, sure, distance=distance, explained=share)


def score(distance: float, explained: float, weights: Weights) -> float:
    """Returns how sure a reading is, in [0, 1], from its distance and the share it explains."""
    odds = weights[0] + weights[1] * distance + weights[2] * math.log(max(explained, 1e-3))
    return 1 / (1 + math.exp(-odds))


def refined(products: np.ndarray, frequency: float) -> float:
    """Returns the frequency near by that explains most with its multiples, in cycles per frame as the one given."""
    size, step = len(products), 0.15 / len(products)
    best = frequency
    for width, count in ((4, 9), (1, 9), (0.25, 9)):
        grid = best + step * width * np.linspace(-1, 1, count)
        grid = grid[(grid > 0.5 / size) & (grid < 0.5)]
        if not len(grid):
            return frequency
        best = float(grid[np.argmax([self_similarity.explained(products, hertz, HARMONICS) for hertz in grid])])
    return best


class Distances:
    """Distance of frames to those a lag later, over the median over all lags, without what noise adds to it.

    Args:
        products: `(T, T)` of `self_similarity.products`.
        rate: Frames per second.
        band: `(low, high)` in Hz.
    """

    def __init__(self, products: np.ndarray, rate: float, band: tuple[float, float]):
        curve = self_similarity.distances(products - _noise(products))
        middle = np.median(curve[1:])
        self._rate, self._lags = rate, np.arange(0, len(curve) - 1 + 1e-9, 1 / _FINER)
        relative = curve / middle if middle > 0 else np.ones(len(curve))
        self._curve = scipy.interpolate.CubicSpline(np.arange(len(curve)), relative)(self._lags)
        self._band = band

    def first_deep(self, share: float) -> float | None:
        """Returns the frequency of the first lag that is deep enough, in Hz; None if there is none."""
        low, high = self._rate / self._band[1], 1.1 * self._rate / self._band[0]
        curve = self._curve
        is_low = (curve[1:-1] <= curve[:-2]) & (curve[1:-1] <= curve[2:])
        lows = [k for k in np.flatnonzero(is_low) + 1 if low <= self._lags[k] <= high and curve[k] < 1]
        if not lows:
            return None
        deepest = min(curve[lows])
        first = next(k for k in lows if curve[k] <= deepest + share * (1 - deepest))
        return float(self._rate / self._lags[first])

    def after(self, seconds: float) -> float:
        """Returns the distance some time later, which is not beyond the last lag."""
        return float(np.interp(seconds * self._rate, self._lags, self._curve))

    def at(self, frequency: float) -> float:
        """Returns the least distance about one period later, in [0, 1]; 1 where the window is too short to tell."""
        lag = self._rate / frequency
        near = np.abs(self._lags - lag) <= max(0.5, 0.04 * lag)
        return float(np.clip(self._curve[near].min(), 0, 1)) if near.any() and lag <= self._lags[-1] + 0.5 else 1.0


def peak(power, rate, band):
    """Returns the frequency in Hz of the strongest power in a band."""
    hertz = np.arange(len(power)) * rate * 0.5 / (len(power) - 1)
    inside = (hertz >= band[0]) & (hertz <= band[1])
    return float(hertz[np.argmax(np.where(inside, power, -1.0))])


def _noise(products):
    """Returns the part of `(T, T)` products that noise without memory makes: the level of the weakest components."""
    size = len(products)
    level = self_similarity.eigen(np.linalg.eigvalsh, products)[2 : size // 2].mean()
    return max(level, 0.0) * self_similarity.without(np.eye(size), self_similarity.trend(size))
