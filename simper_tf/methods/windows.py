"""Windows cut out of series, and their spectra: what the methods that compare windows share."""

import tensorflow as tf

from simper_tf import spectrum

# Of one frequency alone all spectra would be the same.
FEWEST_BINS = 2


def whole_windows(series, shares, length: int):
    """Cuts windows out of series, from frame to frame.

    Args:
        series: `(B, L, D)` floats.
        shares: `(B, V)` in [0, 1), how far each window is moved along the series, of the way that it can be.
        length: Frames of a window.

    Returns:
        `(B, D, V, length)`.
    """
    starts = tf.floor(shares * (series.shape[1] - length + 1))
    return sample_windows(series, starts, tf.ones_like(shares[:, :1]), length)


def sample_windows(series, starts, steps, length: int):
    """Reads windows off series, linearly interpolated between frames.

    Args:
        series: `(B, L, D)` floats.
        starts: `(B, V)` times of the first samples, in frames.
        steps: `(B, 1)` or `(B, V)` frames from one sample to the next.
        length: Samples of a window. The last must not lie beyond frame L - 1.

    Returns:
        `(B, D, V, length)`.
    """
    positions = starts[..., None] + steps[..., None] * tf.range(length, dtype=tf.float32)
    weights = tf.nn.relu(1.0 - tf.abs(positions[..., None] - tf.range(series.shape[1], dtype=tf.float32)))
    return tf.einsum("bvkl,bld->bdvk", weights, series)


def shares_of_power(series, band: tuple[float, float] | None = None, padding: int = 1):
    """Returns the share of the power in a band that each of its frequencies has.

    Args:
        series: `(..., T)` floats, T known.
        band: `(low, high)` in cycles per frame, both included; by default everything but the mean.
        padding: Makes the bins as many times finer; see `spectrum.power`.

    Returns:
        `(..., F)` float32 that sum to 1, or 0 for a constant series.

    Raises:
        ValueError: the band is none in cycles per frame, or fewer than two frequencies lie in it.
    """
    power = spectrum.power_in_band(series, band, FEWEST_BINS, padding)
    return power / (tf.reduce_sum(power, axis=-1, keepdims=True) + 1e-8)
