"""How a window is read, each way in a function.

Every readout answers from the inner products of frames, or of a series, over time: `self_similarity.products`.
"""

import dataclasses
import math

import numpy as np

from simper_tf.reading import self_similarity
from simper_tf.reading.limits import limited
from simper_tf.reading.scores import PICTURES, Distances, Reading, Weights, peak, reading
from simper_tf.signals import octave, spectrum

# The first lag counts as the period at which the distance has come down to within this share of where it is lowest:
# at the two others it may be told as well, one octave or more apart.
_DEEP, _DEEPER, _LESS_DEEP = 0.15, 0.10, 0.35


def pixels(products: np.ndarray, rate: float, band: tuple[float, float], weights: Weights = PICTURES) -> Reading:
    """Reads the strongest line of the power summed over pixels, stepped down as `octave.pixel_frequency` does.

    Args:
        products: `(T, T)` of `self_similarity.products`.
        rate: Frames per second.
        band: `(low, high)` in Hz.
        weights: What the score is made of, `PICTURES` or `SERIES`.
    """
    power = self_similarity.power(products, spectrum.PIXEL_PADDING)
    frequency = float(octave.pixel_frequency(power[None].astype(np.float32), rate, len(products))[0])
    if not band[0] <= frequency <= band[1]:
        frequency = peak(self_similarity.power(products), rate, band)
    return limited(reading("pixels", products, frequency, rate, band, weights), products, rate, band)


def selfdistance(products: np.ndarray, rate: float, band: tuple[float, float], weights: Weights = PICTURES) -> Reading:
    """Reads the first lag at which frames are about as near to themselves as they come to be at any.

    Arguments are those of `pixels`.
    """
    curve = Distances(products, rate, band)
    first = curve.first_deep(_DEEP)
    if first is None:
        return Reading("selfdistance", math.nan, 0.0)
    own = limited(reading("selfdistance", products, first, rate, band, weights), products, rate, band)
    near = {curve.first_deep(share) for share in (_DEEPER, _LESS_DEEP)}
    others = tuple(sorted(other for other in near if not 0.8 < other / first < 1.25))
    return dataclasses.replace(own, others=others)
