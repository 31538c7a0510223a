"""Scores of features without labels: how much they vary over time, and how they follow the speeds of views."""

import tensorflow as tf

from simper_tf.signals import spectrum


def feature_deviation(features):
    """Returns the mean deviation over time of `(B, V, L)` or `(B, V, L, D)` features; falling to 0 means collapse."""
    return tf.reduce_mean(tf.math.reduce_std(tf.stop_gradient(features), axis=2))


def speed_correlation_and_slope(features, speeds):
    """Returns how the peak frequency of `(B, M, L)` or `(B, M, L, D)` features follows the speeds of views.

    Two scalars, means over clips: Spearman's rank correlation of `(B, M)` speeds and peak frequencies, and the
    least-squares slope of log frequency over log speed. Both are 1 for perfect features and about 0 for useless ones.
    They are blind to the octave: features at twice the frequency score as high.
    """
    features = tf.stop_gradient(features)
    if features.shape.rank == 3:
        features = features[..., None]
    x, y = [
        value - tf.reduce_mean(value, axis=1, keepdims=True)
        for value in (tf.math.log(speeds), tf.math.log(_peak_bins(features)))
    ]
    slope = tf.math.divide_no_nan(tf.reduce_sum(x * y, axis=1), tf.reduce_sum(x * x, axis=1))
    ranks = [_centered_ranks(value) for value in (x, y)]
    scale = tf.sqrt(tf.reduce_prod([tf.reduce_sum(tf.square(rank), axis=1) for rank in ranks], axis=0))
    correlation = tf.math.divide_no_nan(tf.reduce_sum(ranks[0] * ranks[1], axis=1), scale)
    return tf.reduce_mean(correlation), tf.reduce_mean(slope)


def _peak_bins(features):
    """Returns `(B, M)` bins of the strongest frequencies, from one cycle a view on, of `(B, M, L, D)` features."""
    power = spectrum.channel_power(tf.reshape(features, [-1, *features.shape[2:]]), spectrum.PADDING)
    _, position = spectrum.peak(power, tf.range(tf.shape(power)[-1]) >= spectrum.PADDING)
    position = tf.maximum(position, float(spectrum.PADDING))  # The top between two bins may lie below the first.
    return tf.reshape(position, [-1, features.shape[1]])


def _centered_ranks(values):
    """Returns `(B, M)` ranks around 0; equal values share one, so that features without any order score 0."""
    differences = values[:, :, None] - values[:, None, :]
    return 0.5 * tf.reduce_sum(tf.sign(differences), axis=2)
