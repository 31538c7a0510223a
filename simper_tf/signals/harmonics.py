"""Frequency of series by the power of all their harmonics together.

A sum of power over harmonics needs no learning, and reads noisy clips well. It fails where something drifts: slow
series have power at low frequencies, whatever repeats. `patterns` learns what shows where.
"""

from typing import NamedTuple

import numpy as np
import scipy.fft

# Bins to a cycle a clip: the top of a line is found to a fiftieth of a bin of the unpadded transform.
PADDING = 16
# Weights of f, 2 f and 3 f. With one weight for all, half of the frequency of a sine would be as good as itself. Faster
# fading reads validation clips of noisy digits worse: the second harmonic is often the strongest line.
_WEIGHTS = (1.0, 0.9, 0.8)
# Harmonics by which a frequency is refined: the fourth is finer, and often too weak to find it.
_REFINED = 4
# Cycles a clip that these stay below half the rate: closer to it a line runs into its own mirror image.
_CLEAR = 2
# Clips that tell what is usual; of more it hardly changes.
ENOUGH = 300


class Heights(NamedTuple):
    """What speaks for each frequency.

    Attributes:
        found: `(N, PADDING * T // 2 + 1)` float32, heights at frequencies up to half the rate: tell about where it is.
        lags: `(N, T)` float32, autocorrelation at lags from 0 on: tells the power at any frequency exactly.
    """

    found: np.ndarray
    lags: np.ndarray


def total_power(series: np.ndarray) -> Heights:
    """Returns the power of each frequency in all `(N, T, D)` series of a clip together."""
    series = _centered(series)
    windowed = _all_lags(series * np.hanning(series.shape[1]).astype(np.float32)[:, None])
    # The same as the sum of all padded spectra, in a tenth of the time.
    found = scipy.fft.rfft(windowed, PADDING * series.shape[1], axis=1).real
    return Heights(np.maximum(found, 0.0), _all_lags(series))


def comb_peak(heights: Heights, rates: np.ndarray, band: tuple[float, float]) -> np.ndarray:
    """Reads frequencies at the highest top of the sum over f, 2 f and 3 f, refined with 4 f.

    The end of a slope at an edge of the band is no top: what drifts is the stronger the slower it is.

    Args:
        heights: Of `total_power`.
        rates: `(N,)` frames per second.
        band: `(low, high)` in Hz in which the fundamental is sought.

    Returns:
        `(N,)` float64 in Hz, within the band.

    Example:
        >>> wave = np.sign(np.sin(2 * np.pi * 1.3 * np.arange(150) / 30))[None, :, None]
        >>> comb_peak(total_power(wave), np.array([30.0]), (0.5, 5.0)).round(2)
        array([1.3])
    """
    return np.array([_peak(*line, band) for line in zip(heights.found, heights.lags, np.float64(rates), strict=True)])


def _peak(found, lags, rate, band):
    spacing = rate / 2 / (len(found) - 1)
    low, high = (np.clip(edge / spacing, 0, len(found) - 1) for edge in band)
    places = np.arange(np.ceil(low), np.floor(high) + 1)
    around = _comb(found, np.arange(np.ceil(low) - 1, np.floor(high) + 2), _WEIGHTS)
    sums, is_top = around[1:-1], (around[1:-1] > around[:-2]) & (around[1:-1] >= around[2:])
    top = places[np.where(is_top, sums, sums - sums.max(initial=0.0) - 1).argmax()] if len(places) else low
    per_frame = spacing / rate
    return rate * _refined(top * per_frame, lags, (low * per_frame, high * per_frame))


def _refined(frequency, lags, band):
    """Returns the highest power of all harmonics together within half a cycle a clip, in cycles per frame."""
    multiples = np.arange(1, _REFINED + 1)
    multiples = multiples[(multiples == 1) | (multiples * frequency <= 0.5 - _CLEAR / len(lags))]
    turns = 2 * np.pi * np.multiply.outer(multiples, np.arange(len(lags)))
    for reach in 0.5 / len(lags) / 12.0 ** np.arange(4):  # The last step is a millionth of a cycle a clip.
        near = np.clip(frequency + np.linspace(-reach, reach, 33), *band)  # Of which 12 fall into the next reach.
        frequency = near[(np.cos(np.multiply.outer(near, turns)) @ lags).sum(axis=1).argmax()]
    return frequency


def _comb(heights, places, weights):
    """Returns the sum over harmonics at some places, in bins. Beyond half the rate it is 0: what folds back is weak."""
    multiples = np.multiply.outer(np.arange(1, len(weights) + 1), places)
    return np.array(weights) @ np.interp(multiples, np.arange(len(heights)), heights, right=0.0)


def _all_lags(series):
    """Returns the autocorrelation of each `(T, D)` series, summed over D: no window, by which noise moves tops more."""
    return np.array([_lags(clip) for clip in series], np.float32)


def _lags(clip):
    power = np.abs(scipy.fft.rfft(clip, 2 * len(clip), axis=0)) ** 2
    lags = scipy.fft.irfft(power.sum(axis=-1))[: len(clip)]
    return np.concatenate([lags[:1], 2 * lags[1:]])


def _centered(series):
    series = np.float32(series)
    return series - series.mean(axis=1, keepdims=True)
