"""Heads that protocols fit on training clips: arrays and features -> labels, in evaluation and in an exported model.

A head is a function of arrays by name and of `(B, T)` or `(B, T, D)` features, T known: the encoder's outputs, or for
those of `BEFORE_HEAD` what these are made of. It returns `(B,)` or `(B, H)` float64 labels in the unit of the task; of
a frequency, in cycles a frame.
"""

import functools
from collections.abc import Callable

import tensorflow as tf

from simper_tf.losses import similarity
from simper_tf.signals import spectrum

# A line between two bins is read off their heights: bins of half the resolution are enough.
PADDING = 2
# Share of the power of a resolved frequency below which heights count alike. The logarithm of what lies between lines
# says nothing and has the largest spread: on 1,000 sines in noise of deviation 1, floors of 0.001, 0.01, 0.1 and 1
# leave errors of 0.64, 0.49, 0.33 and 0.30 Hz; with as strong a second harmonic, in a third of the noise, 0.20, 0.08,
# 0.05 and 0.05 Hz.
FLOOR = 0.1


def linear(arrays, features):
    """Returns labels by a linear map of every feature of every frame: `weights` `(T D,)` or `(T D, H)`, and `bias`."""
    return _affine(arrays, tf.reshape(tf.cast(features, tf.float64), [tf.shape(features)[0], -1]))


def of_spectra(arrays, features):
    """Returns labels by a linear map of `log_spectra`, as `linear`."""
    return _affine(arrays, log_spectra(features))


def of_nearest(arrays, features, distance):
    """Returns the label of the training clip whose features are nearest, as `neighbors.nearest_neighbor` does.

    `series` are `(N, T)` or `(N, T, D)` float32, no two of them equal. All pairs are compared, one clip after the
    other, so that memory does not grow with the batch. Of equal scores the first counts.
    """
    known = tf.convert_to_tensor(arrays["series"])[None]

    def nearest(clip):
        return tf.argmax(similarity.over_channels(similarity.SIMILARITIES[distance], clip[None, None], known)[0, 0])

    places = tf.map_fn(nearest, tf.cast(features, tf.float32), parallel_iterations=1, fn_output_signature=tf.int64)
    return tf.gather(arrays["labels"], places)


def log_spectra(series):
    """Returns `log(share + FLOOR)` of the power of every frequency above 0 in its channel, `(N, D F)` float64.

    Of `(N, T)` or `(N, T, D)` finite floats, with a Hann window; a channel that is constant has no shares.
    """
    series = tf.cast(series, tf.float32)
    channels = tf.linalg.matrix_transpose(series if series.shape.rank == 3 else series[..., None])
    # Powers of very large or small features would leave the range of float32.
    channels = tf.math.divide_no_nan(channels, tf.reduce_max(tf.abs(channels), axis=2, keepdims=True))
    power = tf.cast(spectrum.power(channels, PADDING)[..., 1:], tf.float64)
    shares = PADDING * tf.math.divide_no_nan(power, tf.reduce_sum(power, axis=2, keepdims=True))
    return tf.reshape(tf.math.log(shares + FLOOR), [tf.shape(series)[0], -1])


def _affine(arrays, inputs):
    return tf.tensordot(inputs, tf.convert_to_tensor(arrays["weights"]), 1) + arrays["bias"]


# Protocol -> the head that it fits.
HEADS: dict[str, Callable] = {
    "1nn": functools.partial(of_nearest, distance="mxcorr"),
    "1nn_npsd": functools.partial(of_nearest, distance="npsd"),
    "1nn_euclidean": functools.partial(of_nearest, distance="cosine"),
    "probe": of_spectra,
    "linear_probe": linear,
}
# Of them those that read the features before the encoder's head.
BEFORE_HEAD = ("linear_probe",)
