"""Lines of series and of their features that white noise does not have, whatever an encoder makes of it.

An encoder smooths noise, and smooth noise has higher peaks: it looks as if it repeated.
"""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from simper_tf.signals import readout, spectrum

# Series of noise, and samples of each: at 128 to 512 samples the width is the same to a tenth.
_SERIES, _SAMPLES = 256, 256
_WIDTHS = np.geomspace(0.03, 1.0, 100).astype(np.float32)
# Logarithm of the ratio of two frequencies up to which they are the same line.
_SAME = 0.1


def noise_width(encode: Callable, channels: int) -> float:
    """Returns the share of the spectrum over which an encoder spreads white noise, from 0.03 to 1.

    It is that of noise of which 95 % has lower peaks, as of that which the encoder is given here.

    Args:
        encode: `(B, T, 1, 1, C)` series to `(B, T)` or `(B, T, D)` features.
        channels: C.
    """
    noise = tf.random.stateless_normal((_SERIES, _SAMPLES, 1, 1, channels), (0, 0))
    _, shares = readout.fft_frequency(encode(noise), 1.0, (0.0, 0.5))
    least = np.array([_least_share(width, _SAMPLES, _SAMPLES / 2) for width in _WIDTHS])
    return float(_WIDTHS[np.abs(least - np.quantile(shares, 0.95)).argmin()])


def is_line(series, share, frequency, rate, band: tuple[float, float], width: float):
    """Returns which answers are no noise, `(B,)` bool.

    The features have a line that noise seldom has behind the encoder, or the series has one at the same frequency.

    Args:
        series: `(B, C, T)`, as the encoder sees them.
        share: `(B,)`, the confidence that `readout.fft_frequency` has in the features.
        frequency: `(B,)` in Hz, that is answered.
        rate: `(B,)` samples per second.
        band: `(low, high)` in Hz, in which the frequency lies.
        width: That of `noise_width`.
    """
    num_samples = tf.cast(tf.shape(series)[2], tf.float32)
    seen, line = readout.fft_frequency(tf.linalg.matrix_transpose(series), rate, band)
    is_seen = (line > 0) & (tf.abs(tf.math.log(seen / frequency)) < _SAME)
    return is_seen | (share > _least_share(width, num_samples, (band[1] - band[0]) * num_samples / rate))


def _least_share(width, num_samples, num_cycles):
    """Returns the confidence that 95 % of noise stays below, on the scale on which that of white noise is 0."""
    white = spectrum.noise_share(num_samples, num_cycles)
    behind = spectrum.noise_share(width * num_samples, tf.minimum(num_cycles, width * num_samples / 2))
    return (behind - white) / (1.0 - white)
