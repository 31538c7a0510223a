"""How a window is read, each way in a function.

Every readout answers from the inner products of frames, or of a series, over time: `gram.products`.
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from simper_tf.reading import gram
from simper_tf.reading.limits import limited
from simper_tf.reading.scores import PICTURES, SERIES, Distances, Reading, Weights, peak, reading
from simper_tf.signals import octave, skin_colors, spectrum

# The first lag counts as the period at which the distance has come down to within this share of where it is lowest:
# at the two others it may be told as well, one octave or more apart.
_DEEP, _DEEPER, _LESS_DEEP = 0.15, 0.10, 0.35
# So many times wider than the band is the filter of a pulse: one that ends at the lowest rate takes from that rate what
# it leaves to its second harmonic.
_WIDER = 2.0


def pixels(products: np.ndarray, rate: float, band: tuple[float, float], weights: Weights = PICTURES) -> Reading:
    """Reads the strongest line of the power summed over pixels, stepped down as `octave.pixel_frequency` does.

    Args:
        products: `(T, T)` of `gram.products`.
        rate: Frames per second.
        band: `(low, high)` in Hz.
        weights: What the score is made of, `PICTURES` or `SERIES`.
    """
    power = gram.power(products, spectrum.PIXEL_PADDING)
    found = float(octave.pixel_frequency(power[None].astype(np.float32), rate, len(products))[0])
    if not band[0] <= found <= band[1]:
        found = peak(gram.power(products), rate, band)
    return limited(reading("pixels", products, found, rate, band, weights), products, rate, band)


def selfdistance(products: np.ndarray, rate: float, band: tuple[float, float], weights: Weights = PICTURES) -> Reading:
    """Reads the first lag at which frames are about as near to themselves as they come to be at any.

    Arguments are those of `pixels`.
    """
    curve = Distances(products, rate, band)
    first = curve.first_deep(_DEEP)
    if first is None:
        return Reading("selfdistance", math.nan, 0.0)
    found = limited(reading("selfdistance", products, first, rate, band, weights), products, rate, band)
    near = {curve.first_deep(share) for share in (_DEEPER, _LESS_DEEP)}
    others = tuple(sorted(other for other in near if not 0.8 < other / first < 1.25))
    return dataclasses.replace(found, others=others)


def chrom(window, products: np.ndarray, band: tuple[float, float]) -> Reading:
    """Reads the pulse of the mean color by `skin_colors.chrom`, at the first lag at which it comes back.

    Args:
        window: A `windows.Window` of RGB frames.
        products: Unused.
        band: `(low, high)` in Hz.
    """
    return of_color("chrom", skin_colors.chrom, window, band)


def pos(window, products: np.ndarray, band: tuple[float, float]) -> Reading:
    """Reads the pulse of the mean color by `skin_colors.pos`; arguments are those of `chrom`."""
    return of_color("pos", skin_colors.pos, window, band)


def of_color(name: str, pulse: Callable, window, band: tuple[float, float]) -> Reading:
    """Reads the pulse that a function of `skin_colors` finds, at the first lag at which it comes back.

    Args:
        name: Of the readout.
        pulse: The function, of colors, rate and band.
        window, band: As in `chrom`.
    """
    if window.frames.shape[-1] != 3:
        return Reading(name, math.nan, 0.0)
    colors = window.frames.mean(axis=(1, 2), dtype=np.float64)
    series = pulse(colors, window.rate, (band[0] / _WIDER, band[1] * _WIDER))
    # The second harmonic of a pulse is often its strongest line: the first lag at which it comes back is the period.
    products = gram.products(series)
    found = selfdistance(products, window.rate, band, SERIES)
    if not math.isfinite(found.frequency):
        found = limited(of_series(name, series, window.rate, band), products, window.rate, band)
    return dataclasses.replace(found, readout=name)


def of_series(name: str, series: np.ndarray, rate: float, band: tuple[float, float]) -> Reading:
    """Reads a series by the strongest frequency of its spectrum.

    Args:
        name: Of the readout.
        series: `(T,)` or `(T, D)` floats.
        rate: Frames per second.
        band: `(low, high)` in Hz.
    """
    products = gram.products(series)
    if not np.trace(products) > 0:
        return Reading(name, math.nan, 0.0)
    return reading(name, products, peak(gram.power(products), rate, band), rate, band)
