"""Periodic feature similarity: how alike two sets of series are, whatever their phase.

Every function takes `x` of shape `(..., M, T)` and `y` of shape `(..., N, T)`, series of `T` frames, and returns
`(..., M, N)` float32 scores. All arithmetic is float32, also under a mixed-precision policy, because an FFT has no
half-precision kernel. For features with channels, `(..., M, T, D)`, see `over_channels`.

Scores do not depend on the scale of the series, but for faint ones: where the squared norm of a centered series lies
below `EPSILON`, as of a sinusoid of 75 frames with an amplitude below 1.6e-5, its correlations and cosines fall towards
0 with it. Those of spectra do only where it is fainter still.

Reference: Yang et al., SimPer, ICLR 2023, section 3.2, https://arxiv.org/abs/2210.03115
"""

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.signals import spectrum

# Smallest *squared* norm divided by: a constant series scores 0, with a finite gradient, instead of NaN.
EPSILON = 1e-8
# Squared distance of two spectra of norm 1 that rounding can make.
EQUAL = 1e-6


@keras.saving.register_keras_serializable("simper_tf")
def max_cross_correlation(x: ArrayLike, y: ArrayLike) -> tf.Tensor:
    """Returns the largest normalized cross-correlation over all time lags (the paper's MXCorr).

    Args:
        x: `(..., M, T)` floats.
        y: `(..., N, T)` floats.

    Returns:
        `(..., M, N)` float32 in [0, 1] up to rounding: the correlations over all lags sum to the product of two
        zero sums, so their maximum is never negative. Lags shorten the overlap and are not corrected for, as in the
        paper. The authors' code divides by `T - 1` and a population deviation, which makes its scores larger by
        `T / (T - 1)`.

    Raises:
        ValueError: the lengths differ or are unknown.

    Example:
        >>> wave = np.sin(2 * np.pi * np.array([[2.0], [5.0]]) * np.arange(100) / 100)
        >>> simper_tf.max_cross_correlation(wave, wave).numpy().round(1)
        array([[1. , 0.1],
               [0.1, 1. ]], dtype=float32)
    """
    x, y = _of_one_length(x, y)
    return _largest_correlation(standardize(x)[..., None, :], standardize(y)[..., None, :])


@keras.saving.register_keras_serializable("simper_tf")
def joint_cross_correlation(x: ArrayLike, y: ArrayLike) -> tf.Tensor:
    """Returns the largest normalized cross-correlation of all channels together, over all time lags.

    One lag holds for all channels, and a channel counts by its power. The mean over channels of
    `max_cross_correlation` asks each channel to follow what repeats in every clip. Together one channel may be silent
    where another shows it.

    Args:
        x: `(..., M, T, D)` floats.
        y: `(..., N, T, D)` floats.

    Returns:
        `(..., M, N)` float32 in [0, 1] up to rounding. For one channel it is `max_cross_correlation`.

    Raises:
        ValueError: the lengths differ or are unknown.

    Example:
        >>> wave = np.sin(2 * np.pi * np.array([[2.0], [5.0]]) * np.arange(100) / 100)
        >>> both = np.stack([wave, np.zeros_like(wave)], axis=-1)  # The second channel is silent.
        >>> simper_tf.joint_cross_correlation(both, both).numpy().round(1)
        array([[1. , 0.1],
               [0.1, 1. ]], dtype=float32)
    """
    x, y = _of_one_length(*(tf.linalg.matrix_transpose(tf.convert_to_tensor(series)) for series in (x, y)))

    def standardized(series):
        series = tf.cast(series, tf.float32)
        return _unit(series - tf.reduce_mean(series, axis=-1, keepdims=True), axis=(-2, -1))

    return _largest_correlation(standardized(x), standardized(y))


@keras.saving.register_keras_serializable("simper_tf")
def npsd_cosine(x: ArrayLike, y: ArrayLike, band: tuple[float, float] | None = None) -> tf.Tensor:
    """Returns the cosine of two power spectra (the paper's nPSD).

    Unlike `max_cross_correlation` it is exactly blind to circular shifts and to time reversal.

    Args:
        x: `(..., M, T)` floats.
        y: `(..., N, T)` floats.
        band: `(low, high)` in cycles per frame, both included; by default everything but the mean.

    Returns:
        `(..., M, N)` float32 in [0, 1].

    Raises:
        ValueError: the lengths differ or are unknown, the band is none in cycles per frame, or no frequency bin lies
            in it.

    Example:
        >>> wave = np.sin(2 * np.pi * np.array([[2.0], [5.0]]) * np.arange(100) / 100)
        >>> simper_tf.npsd_cosine(wave, wave[:, ::-1]).numpy().round(1)
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    x, y = _of_one_length(x, y)
    return tf.matmul(_unit_psd(x, band), _unit_psd(y, band), transpose_b=True)


@keras.saving.register_keras_serializable("simper_tf")
def npsd_l2(x: ArrayLike, y: ArrayLike, band: tuple[float, float] | None = None) -> tf.Tensor:
    """Returns minus the distance of two unit-norm power spectra, in [-sqrt 2, 0].

    Where they are equal up to rounding it is 0, and so is its gradient, which has no limit there. Arguments and errors
    are those of `npsd_cosine`.

    Example:
        >>> wave = np.sin(2 * np.pi * np.array([[2.0], [5.0]]) * np.arange(100) / 100)
        >>> simper_tf.npsd_l2(wave, wave).numpy().round(2) + 0.0
        array([[ 0.  , -1.41],
               [-1.41,  0.  ]], dtype=float32)
    """
    squares = 2.0 - 2.0 * npsd_cosine(x, y, band)
    apart = squares > EQUAL
    return -tf.where(apart, tf.sqrt(tf.where(apart, squares, 1.0)), 0.0)


@keras.saving.register_keras_serializable("simper_tf")
def cosine(x, y):
    """Returns the plain cosine of the centered series, in [-1, 1]: the non-periodic control of the paper's ablation.

    Arguments and errors are those of `max_cross_correlation`.

    Example:
        >>> wave = np.sin(2 * np.pi * 2 * np.arange(100) / 100 + np.array([[0.0], [np.pi]]))
        >>> cosine(wave, wave).numpy().round(1)
        array([[ 1., -1.],
               [-1.,  1.]], dtype=float32)
    """
    x, y = _of_one_length(x, y)
    return tf.matmul(standardize(x), standardize(y), transpose_b=True)


def over_channels(similarity, x, y):
    """Applies a similarity to `(B, M, T)` and `(B, N, T)`, or to features with a further axis of channels.

    Then each channel is compared with its own and the scores are averaged, as the paper does for features of many
    dimensions. Returns `(B, M, N)` float32.
    """
    if x.shape.rank == 3:
        return similarity(x, y)
    channels_first = [0, 3, 1, 2]
    return tf.reduce_mean(similarity(tf.transpose(x, channels_first), tf.transpose(y, channels_first)), axis=1)


def _of_one_length(x, y):
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    if x.shape[-1] is None or x.shape[-1] != y.shape[-1]:
        raise ValueError(
            "Two sets of series are compared only over the same, known number of frames (the last axis). "
            f"Received shapes {x.shape} and {y.shape}."
        )
    return x, y


@tf.custom_gradient
def _largest_correlation(x, y):
    """Returns the maximum over lags of the correlation of each of `(..., M, D, T)` with each of `(..., N, D, T)`.

    Correlations of the D channels of series are added up at each lag.
    The gradient goes back through the one lag where the maximum lies, for which a shift by a factor of phase is enough;
    through all of them it would take an FFT a pair. Of equal maxima the first counts.
    """
    num_frames, num_x, num_y = x.shape[-1], x.shape[-3], y.shape[-3]
    # Zero-padding to 2T makes the circular correlation of the FFT a linear one.
    size = [2 * num_frames]
    # Pairs by `gather`: a product by broadcasting two complex tensors takes six times as long.
    spectra_x = tf.gather(tf.math.conj(tf.signal.rfft(x, size)), np.repeat(np.arange(num_x), num_y), axis=-3)
    spectra_y = tf.gather(tf.signal.rfft(y, size), np.tile(np.arange(num_y), num_x), axis=-3)
    correlations = tf.signal.irfft(tf.reduce_sum(spectra_x * spectra_y, axis=-2), size)
    lags = tf.argmax(correlations, axis=-1)
    pairs = tf.concat([tf.shape(x)[:-2], [num_y]], axis=0)

    def gradient(upstream):
        # To advance y by its lag is to delay x by it.
        advances = tf.gather(tf.math.conj(tf.signal.rfft(tf.eye(*size, dtype=x.dtype))), lags)
        advances *= tf.cast(tf.reshape(upstream, tf.shape(lags)), advances.dtype)[..., None]
        advances = advances[..., None, :]  # The same for all channels.
        of_pairs = tf.concat([pairs, tf.shape(spectra_x)[-2:]], axis=0)
        to_x = tf.reduce_sum(tf.reshape(advances * spectra_y, of_pairs), axis=-3)
        to_y = tf.math.conj(tf.reduce_sum(tf.reshape(advances * spectra_x, of_pairs), axis=-4))
        return [tf.signal.irfft(shifted, size)[..., :num_frames] for shifted in (to_x, to_y)]

    return tf.reshape(tf.reduce_max(correlations, axis=-1), pairs), gradient


def standardize(x):
    """Centers each series and divides it by its norm."""
    x = tf.cast(x, tf.float32)
    return _unit(x - tf.reduce_mean(x, axis=-1, keepdims=True))


def _unit(x, axis=-1):
    # rsqrt of a floored sum of squares, not `norm`: its gradient is finite at zero, under XLA too.
    return x * tf.math.rsqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=True), EPSILON))


def _unit_psd(x, band):
    # Standardizing first makes the floor of `_unit` relative: the spectrum's norm then cannot depend on the scale.
    return _unit(spectrum.power_in_band(standardize(x), band))


# Name -> function: what SimPer's loss and the nearest neighbor compare features by.
SIMILARITIES = {
    "mxcorr": max_cross_correlation,
    "npsd": npsd_cosine,
    "npsd_l2": npsd_l2,
    "cosine": cosine,
}


def find_similarity(similarity):
    """Returns the function of a name of `SIMILARITIES`, and a function as it is; another name is a ValueError."""
    if callable(similarity):
        return similarity
    if similarity not in SIMILARITIES:
        raise ValueError(f"`similarity` must be one of {sorted(SIMILARITIES)}. Received: {similarity!r}.")
    return SIMILARITIES[similarity]
