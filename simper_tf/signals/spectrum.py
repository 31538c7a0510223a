"""Series and pixels -> power spectra, their peaks and their lines.

Written in TensorFlow with dynamic shapes, because losses, diagnostics and the exported model use them too.
"""

import math

import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.utils import units
from simper_tf.utils.standardize import is_series, standardize

# The main lobe of a Hann window reaches so many bins of the unpadded transform to either side.
HANN_LOBE = 2
# Spectra of features have so many bins to a cycle a clip.
PADDING = 16
# Spectra of pixels are as fine as finding a line needs; with a Hann window 4 bins a cycle lose next to nothing.
PIXEL_PADDING = 4
# Pixels are averaged to a grid of at most so many a side: it costs less, and noise of single pixels cancels.
PIXEL_GRID = 16
# A line is a peak with at least this share of the strongest and this many times the median power. On training clips of
# swinging digits, clean and with noise, shares from 0.1 to 0.4 give the same answers; a higher multiple of the median
# drowns lines in noise that are there.
LINE_SHARE, LINE_OVER_MEDIAN = 0.25, 4.0


def power(series, padding=PADDING, window=True):
    """Returns the power of each frequency in `(..., T)` series, `(..., padding * T // 2 + 1)` float32.

    Bin k stands for `k / (padding T)` cycles per frame: the series is zero-padded to `padding * T` frames, and weighted
    with a Hann `window`, against leakage.
    """
    series = centered(series)
    num_frames = tf.shape(series)[-1]
    if window:
        # Written out: `tf.signal.hann_window` puts a condition into the graph, which converters of graphs refuse.
        phase = tf.range(num_frames) / tf.maximum(num_frames - 1, 1)
        series *= 0.5 - 0.5 * tf.cos(2.0 * math.pi * tf.cast(phase, series.dtype))
    return tf.square(tf.abs(tf.signal.rfft(series, [padding * num_frames])))


def centered(series):
    """Returns `(..., T)` series less their mean over time, float32; a constant becomes 0."""
    series = tf.cast(series, tf.float32)
    mean = tf.reduce_mean(series, axis=-1, keepdims=True)
    # What float32 leaves of a constant by subtracting its mean is rounding, not a signal.
    return tf.where(tf.abs(series - mean) > 1e-6 * tf.abs(mean), series - mean, 0.0)


def channel_power(features, padding=PADDING, window=True):
    """Returns the power of each frequency in `(..., T, D)` features, added over channels, as `power` does.

    Features are first scaled to a largest value of 1, because powers of very large or small ones would leave the range
    of float32.
    """
    features = tf.cast(features, tf.float32)
    largest = tf.stop_gradient(tf.reduce_max(tf.abs(features), axis=(-2, -1), keepdims=True))
    features = tf.math.divide_no_nan(features, largest)
    return tf.reduce_sum(power(tf.linalg.matrix_transpose(features), padding, window), axis=-2)


def bins_in_band(num_frames, band=None, fewest=1):
    """Returns the bins of an unpadded transform that lie in a band, first and one past the last.

    The band, both ends included, is in cycles per frame, of which bin k stands for `k / T`; None is for everything but
    the mean. A band that is none, or has fewer than `fewest` bins, is a ValueError.
    """
    low, high = band or (0.5 / num_frames, 0.5)
    units.check_band("band", (low, high))
    kept = [k for k in range(num_frames // 2 + 1) if low <= k / num_frames <= high]
    if len(kept) < fewest:
        raise ValueError(
            f"Spectra of {num_frames} frames are compared over {fewest} or more frequencies. Received the band "
            f"[{low:.4g}, {high:.4g}] cycles per frame, which has {len(kept)} of those that are {1 / num_frames:.4g} "
            "apart. Widen the band or lengthen the views."
        )
    return kept[0], kept[-1] + 1


def power_in_band(series, band=None, fewest=1, padding=1):
    """Returns the power of each frequency in a band, without window; nor padding, so that shifts do not change it.

    `(..., T)` floats, T known, become `(..., F)` float32. Whoever wants finer bins all the same gives `padding`; the
    band, `fewest` and errors are those of `bins_in_band`, of `padding * T` frames.
    """
    first, end = bins_in_band(padding * series.shape[-1], band, fewest)
    return power(series, padding, window=False)[..., first:end]


def peak(power, inside=None):
    """Returns the bin of the strongest power and where its top lies between the bins, `(N,)` int32 and float32.

    The top is that of the parabola through the log powers of the bin and its neighbors. `power` is `(N, F)` from 0 to
    half the rate, F at least 2; where `inside` is False, `(N, F)` or `(F,)`, nothing is sought.
    """
    sought = power if inside is None else tf.where(inside, power, -1.0)
    top = tf.argmax(sought, axis=-1, output_type=tf.int32)
    # At frequency 0 and at half the rate spectra go on as in a mirror.
    last = tf.shape(power)[-1] - 1
    around = last - tf.abs(last - tf.abs(top[:, None] + [-1, 0, 1]))
    left, middle, right = tf.unstack(tf.math.log(tf.gather(power, around, batch_dims=1) + 1e-30), axis=-1)
    # A flat top (a constant series) has no curvature: offset 0. A peak at a band's end may lie on a slope: clip.
    offset = tf.math.divide_no_nan(0.5 * (left - right), left - 2.0 * middle + right)
    return top, tf.cast(top, tf.float32) + tf.clip_by_value(offset, -0.5, 0.5)


def noise_share(num_frames, num_cycles):
    """Returns the share of its power that white noise has in the main lobe of its strongest peak.

    95 % of noise stays below it: a fit to 1,000 to 4,000 series each of 8 to 600 frames and bands of 0.5 to 300 cycles,
    with a Hann window, right to 0.06. Near 1 for 8 frames, about 0.2 for 150. `num_cycles` is the width of the band, in
    cycles per T frames, in which the peak is sought.
    """
    return 1.0 - tf.exp(-2.0 * (9.0 + 2.0 * tf.math.log1p(num_cycles) + 40.0 / num_frames) / num_frames)


def pixel_power(clips: ArrayLike) -> tf.Tensor:
    """Returns the power of each frequency in the brightness of pixels, mean over pixels and channels.

    What repeats in a clip shows here without any learning, at the frequency itself and at its multiples.

    Args:
        clips: `(N, T, H, W, C)`, of any scale.

    Returns:
        `(N, PIXEL_PADDING * T // 2 + 1)` float32.

    Example:
        >>> simper_tf.pixel_power(np.zeros((2, 100, 8, 8, 3))).shape
        TensorShape([2, 201])
    """
    series = pixel_series(clips)
    # A clip at a time: the spectra of all pixels of a batch would be the largest array in memory.
    spectra = tf.map_fn(lambda pixels: tf.reduce_sum(power(pixels, PIXEL_PADDING), axis=0), series)
    return spectra / tf.cast(tf.shape(series)[1], tf.float32)


def pixel_series(clips):
    """Returns the course of each pixel and channel of `(N, T, H, W, C)` clips of any scale, `(N, P, T)` float32.

    Pixels are averaged to a grid of at most `PIXEL_GRID` a side; the channels of series are standardized, as their
    units may differ.
    """
    clips = standardize(clips) if is_series(clips.shape[2:]) else clips
    shape = tf.shape(clips)
    frames = tf.cast(tf.reshape(clips, tf.concat([[-1], shape[2:]], axis=0)), tf.float32)
    height, width = clips.shape[2:4]
    cell = [-(-height // PIXEL_GRID), -(-width // PIXEL_GRID)]
    grid = tf.nn.avg_pool2d(frames, cell, cell, "SAME")
    return tf.transpose(tf.reshape(grid, [shape[0], shape[1], -1]), [0, 2, 1])


def lines(pixels):
    """Returns the heights of the lines of `(N, F)` pixel spectra, as shares of the strongest, and 0 at other bins.

    All are 0 for a clip without any line, such as a still or noise.
    """
    highest_near = tf.nn.max_pool1d(pixels[..., None], 3, 1, "SAME")[..., 0]
    num_bins = tf.shape(pixels)[-1]
    counted = without_drift(pixels)
    height = tf.math.divide_no_nan(counted, tf.reduce_max(counted, axis=-1, keepdims=True))
    median = tf.gather(tf.sort(counted, axis=-1), num_bins // 2, axis=-1)[:, None]
    is_line = (pixels >= highest_near) & (height >= LINE_SHARE) & (pixels > LINE_OVER_MEDIAN * median)
    return tf.where(is_line, height, 0.0)


def without_drift(pixels):
    """Returns `(N, F)` pixel spectra with 0 below one and a half cycles a clip: a steady drift peaks at one."""
    return tf.where(2 * tf.range(tf.shape(pixels)[-1]) < 3 * PIXEL_PADDING, 0.0, pixels)
