"""Readings that are none because what repeats lies beyond the band."""

import dataclasses

import numpy as np

from simper_tf.reading import self_similarity
from simper_tf.reading.scores import HARMONICS, SURE, Reading, peak

# Of one over the seconds of a window, by which a refined frequency may be off, and so be beyond the band it is in.
_OFF = 0.1
# What a reading adds to what a line above the band explains, over that or over what noise alone adds: less is nothing.
_ADDED, _NOISY = 0.03, 3.0


def within(found: Reading, seconds: float, band: tuple[float, float]) -> Reading:
    """Returns a reading as it is, or with a score of 0 beyond the ends of the band, but for the error of reading it.

    Args:
        found: The reading.
        seconds: Length of the window.
        band: `(low, high)` in Hz.
    """
    is_inside = band[0] - _OFF / seconds <= found.frequency <= band[1] + _OFF / seconds
    return found if is_inside else dataclasses.replace(found, score=0.0)


def limited(reading: Reading, products: np.ndarray, rate: float, band: tuple[float, float]) -> Reading:
    """Returns a reading as it is, or with a score of 0 where it, or what repeats, is beyond the band.

    What is faster than the band comes back after two of its periods too, or five, and so looks like something in it.
    It is not part of `scores.reading`: what scores are made of is fitted without it.

    Args:
        reading: The reading.
        products: `(T, T)` of `self_similarity.products` of what was read, not of features: these may run at a multiple
            of it.
        rate: Frames per second.
        band: `(low, high)` in Hz.
    """
    reading = within(reading, len(products) / rate, band)
    if reading.score < SURE:
        return reading
    own, least = reading.frequency / rate, max(band[1], reading.frequency + rate / len(products))
    lines = [peak(self_similarity.power(products), rate, (least, 0.5 * rate)) / rate] if least < 0.5 * rate else []
    lines += [k * own for k in range(2, HARMONICS + 1) if k * reading.frequency > band[1]]
    is_faster = any(_adds_nothing(products, own, line) for line in lines if line < 0.5)
    return dataclasses.replace(reading, score=0.0, is_faster=True) if is_faster else reading


def _adds_nothing(products, own, line):
    """Returns whether a frequency explains next to nothing beside a faster line, both in cycles per frame."""
    fast = self_similarity.explained(products, line, HARMONICS)
    if 2 * fast < self_similarity.explained(products, own, HARMONICS):
        return False
    added, noise = self_similarity.added(products, own, line, HARMONICS)
    return added <= max(_ADDED * fast, _NOISY * noise)
