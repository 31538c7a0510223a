"""Features run at a multiple of the frequency of what they are features of: at which, frames tell."""

import math
from collections.abc import Sequence

import numpy as np

from simper_tf.reading import answers, readouts, scores
from simper_tf.signals import octave

# A frequency and its multiples, at which features may run.
_MULTIPLES = (1.0, 0.5, 2.0, 1 / 3, 3.0)
# Periods of features that may be one repetition; the share of the best likeness from which they are; and the best below
# which frames do not tell.
_PERIODS, _LIKE, _TELLING = (1, 2, 3), 0.5, 0.05


def arbitrated(
    frequency: float,
    products: np.ndarray,
    rate: float,
    band: tuple[float, float],
    least: float = answers.THRESHOLD,
) -> float:
    """Returns a frequency at the multiple that the frames themselves repeat at, where they clearly show one.

    Args:
        frequency: Hz.
        products: `(T, T)` of `gram.products` of the frames.
        rate: Frames per second.
        band: `(low, high)` in Hz.
        least: Score from which they do.
    """
    arbiter = readouts.selfdistance(products, rate, band)
    if arbiter.score < least:
        return frequency
    near = min((frequency * each for each in _MULTIPLES), key=lambda each: abs(math.log(each / arbiter.frequency)))
    return near if abs(near / arbiter.frequency - 1) < 0.1 else frequency


def periods_of(features: np.ndarray, products: Sequence[np.ndarray], rate: float, band: tuple[float, float]) -> int:
    """Returns how many periods of features are one repetition, 1 to 3, by how alike frames are that far apart.

    The first number of periods after which frames are at least half as alike as after the best of them, in the mean
    over all windows: a mean over many tells in noise what one of them does not. 1 where they hardly are at all.

    Args:
        features: `(N, T)` or `(N, T, D)` of N windows of a recording.
        products: Of each, `(T, T)` of `gram.products` of its frames.
        rate: Frames per second.
        band: `(low, high)` in Hz.
    """
    likeness = np.full((len(products), len(_PERIODS)), np.nan)
    for row, peak, each in zip(likeness, octave.wide_peak(features).numpy(), products, strict=True):
        distances = scores.Distances(each, rate, band)
        for column, periods in enumerate(_PERIODS):
            if periods == 1 or 2 * periods <= peak * len(each):  # Later lags are seen by few pairs of frames.
                row[column] = 1 - distances.after(periods / (peak * rate))
    seen = np.isfinite(likeness)
    means = np.where(seen.any(axis=0), np.nansum(likeness, axis=0) / np.maximum(seen.sum(axis=0), 1), 0.0)
    if means.max() < _TELLING:
        return 1
    return _PERIODS[int(np.argmax(means >= _LIKE * means.max()))]
