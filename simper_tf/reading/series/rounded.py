"""What rounding makes of slow movement: steps, whose times repeat at multiples of it."""

import numpy as np

from simper_tf.reading import result
from simper_tf.signals import filters

_STEPS = 1.5  # Of the rounding, by which the slow movement must change.
# Steps by which values may be off the slow movement: half of one by rounding, the rest by how that is estimated.
_OFF, _SHARE = 0.75, 0.95
_MOST = 2**16  # Samples of an answer that are looked at, those in its middle: a day has millions.


def is_of_rounding(answer: result.Answer, times: np.ndarray, values: np.ndarray) -> bool:
    """Returns whether a slower movement, in steps of a rounding, explains all that is seen where an answer lies.

    Args:
        answer: On a series.
        times: `(T,)` seconds.
        values: `(T, C)` numbers.

    Example:
        >>> from simper_tf.reading.series import series_reader
        >>> times = np.arange(0, 600, 0.25)
        >>> degrees = np.round(20 + 8 * np.sin(2 * np.pi * times / 60))[:, None]
        >>> (answer,) = series_reader.reading_of_samples(times, degrees).clear
        >>> round(1 / answer.hertz)
        60
    """
    first, last = np.searchsorted(times, (answer.start, answer.end))
    width = round((last - first) / max(answer.hertz * (answer.end - answer.start), 1))
    middle, half = (first + last) // 2, min(last - first, _MOST) // 2
    begin = max(middle - half - width, 0)
    channels = slice(None) if answer.channel is None else [answer.channel]
    part = values[begin : middle + half + width, channels].astype(float)
    inside = slice(middle - half - begin, middle + half - begin)
    return bool(part.size) and all(_is_rounded(channel, width, inside) for channel in part.T if np.ptp(channel))


def _is_rounded(channel, width, inside):
    step = np.diff(np.unique(channel)).min()
    slow = filters.smooth_twice(channel, width)
    slow = (slow + filters.smooth_twice(channel - slow, width))[inside]  # Of what is seven times as slow 99.6 % stays.
    return np.ptp(slow) >= _STEPS * step and np.mean(np.abs(channel[inside] - slow) <= _OFF * step) >= _SHARE
