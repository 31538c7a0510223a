"""A pulse beside motion: what an accelerometer explains of a pulse is taken out of it.

Steps press on the sensor of a wristband, and a pulse that is read there is that of the steps. So spans are fitted by
motion a little earlier and later, as noise is canceled (Widrow and others, Proceedings of the IEEE, 1975). Where motion
explains most of a pulse, what is left is read. A heart shakes an accelerometer at rest too, and that explains less.
"""

import re

import numpy as np

from simper_tf.reading.series import beat_courses
from simper_tf.signals import filters

# Channels by their names, as wristbands have them: a photoplethysmogram, and an accelerometer or a gyroscope. A column
# of accuracy, as phones write it beside their sensors, is no motion.
_PULSE, _MOTION = re.compile("ppg|bvp|pleth", re.IGNORECASE), re.compile("(?<![a-z])(acc(?!ura)|gyr)", re.IGNORECASE)
_SPAN = 20.0  # Seconds of a fit: enough to tell 50 shifts apart, and few enough for a grip that changes.
_BAND = (0.5, 8.0)  # Hz that are fitted: pulses, steps, and the first harmonics of both.
_REACH, _APART = 0.3, 0.04  # Seconds by which motion is shifted at most: less than a step; and a third of 8 Hz.
# Share that motion explains from which on it is taken out: of five wristbands in rope skipping it is 0.86 to 0.99 of
# the channel that moves most, and at rest, where the fit follows chance, 0.1 to 0.6.
_MOST = 2 / 3
_RIDGE = 1e-3  # Share of its mean power that is added to motion, so that shifts that are alike have a bounded sum.


def channels(names: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Returns the numbers of channels of a pulse, and of motion; none where one of the two is missing.

    Example:
        >>> channels(("AccX(g)", "PPG_Green", "temperature"))
        ([1], [0])
        >>> channels(("ppg", "accuracy"))
        ([], [])
    """
    pulse, motion = ([k for k, name in enumerate(names) if kind.search(name)] for kind in (_PULSE, _MOTION))
    return (pulse, motion) if pulse and motion else ([], [])


def beside(times: np.ndarray, pulse: np.ndarray, motion: np.ndarray) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Returns a pulse without what motion explains where that is most of it, and the seconds in which it is.

    Args:
        times: `(T,)` seconds that rise.
        pulse: `(T, C)` numbers.
        motion: `(T, M)` numbers.

    Returns:
        `(T, C)` numbers, and pairs of seconds; none in a series that is short or slow.
    """
    even, _, rate, _ = beat_courses.evenly(times, np.concatenate((pulse, motion), axis=1))
    length, count = int(_SPAN * rate), pulse.shape[1]
    # A quarter above twice the highest frequency: filters need a slope.
    if len(even) < length or rate < 2.5 * _BAND[1]:
        return pulse, []
    passed = filters.butterworth(even - even.mean(axis=0), rate, *_BAND, padding=int(rate / _BAND[0]))
    wanted, basis = np.split(passed, [count], axis=1)
    reach, apart = round(_REACH * rate), max(round(_APART * rate), 1)
    basis = np.concatenate([np.roll(basis, shift, axis=0) for shift in range(-reach, reach + 1, apart)], axis=1)
    taken, weights, spans = np.zeros_like(wanted), np.full((len(even), 1), 1e-9), []
    window = np.hanning(length + 2)[1:-1, None]
    for start in sorted({*range(0, len(even) - length, length // 2), len(even) - length}):
        inside = slice(start, start + length)
        explained = _fitted(wanted[inside], basis[inside])
        left = np.sum((wanted[inside] - explained) ** 2, axis=0)
        is_most = left < (1 - _MOST) * np.sum(wanted[inside] ** 2, axis=0)
        taken[inside] += window * explained * is_most
        weights[inside] += window
        if is_most.any():
            spans.append((start / rate, (start + length) / rate))
    moments = times[0] + np.arange(len(even)) / rate
    taken = np.stack([np.interp(times, moments, wave) for wave in (taken / weights).T], axis=1)
    return pulse - taken, [(times[0] + first, times[0] + last) for first, last in _merged(spans)]


def _fitted(wanted, basis):
    power = basis.T @ basis
    power += _RIDGE * np.trace(power) / len(power) * np.eye(len(power)) + 1e-12 * np.eye(len(power))
    return basis @ np.linalg.solve(power, basis.T @ wanted)


def _merged(spans):
    """Returns spans of which those that overlap are one."""
    merged = []
    for first, last in spans:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged
