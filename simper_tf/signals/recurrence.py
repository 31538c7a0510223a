"""Share of the change in a clip that is undone after a period, which tells a repetition from a drift or from noise.

Written in TensorFlow with dynamic shapes, because the exported model runs it too.
"""

import tensorflow as tf

from simper_tf.signals import spectrum

# Of the variance; below lies the rounding of float32, not a change.
_ROUNDING = 1e-5


def recurrence(series, period):
    """Returns the share of the change within a period that is undone at its end, `(N,)` float32 in [0, 1].

    With `D(lag)`, the mean square difference of frames `lag` apart (the structure function of turbulence and of
    geostatistics), it is `1 - D(period) / max(D(lag) for lag <= period)`. It is 1 for what repeats after that period or
    a part of it; near 0 for noise and shuffled frames, where all frames differ alike, for a drift, which goes on, and
    for a random walk; 0 for constants. Additive noise lowers it by the share of the variance that is noise.

    The channels of `(N, D, T)` series count together. Of periods, `(N,)` in frames, above 0 and below T, the better of
    the two whole lags around it counts.
    """
    given = tf.convert_to_tensor(series), tf.cast(period, tf.float32)
    return tf.map_fn(lambda clip: _of_clip(*clip), given, fn_output_signature=tf.float32)


def _of_clip(series, period):
    differences, variance = _differences(spectrum.centered(series))
    lags, last = tf.range(tf.size(differences)), tf.size(differences) - 1
    around = [tf.minimum(tf.cast(rounded(period), tf.int32), last) for rounded in (tf.floor, tf.math.ceil)]
    left = tf.minimum(*(differences[lag] for lag in around))
    most = tf.reduce_max(tf.where(lags <= around[1], differences, 0.0))
    share = 1.0 - left / tf.maximum(most, 1e-30)
    return tf.where(most > _ROUNDING * variance, tf.clip_by_value(share, 0.0, 1.0), 0.0)


def _differences(series):
    """Returns `(T,)` mean square differences of frames that lie 0 to T - 1 apart, and the variance."""
    num_frames = tf.shape(series)[1]
    # The squares of both frames, less twice their product, whose sum over pairs is the autocorrelation.
    products = tf.signal.irfft(tf.cast(tf.reduce_sum(spectrum.power(series, 2, window=False), 0), tf.complex64))
    squares = tf.reduce_sum(tf.square(series), axis=0)
    sums = tf.cumsum(squares, reverse=True) + tf.reverse(tf.cumsum(squares), [0])
    pairs = tf.cast(tf.range(num_frames, 0, -1), tf.float32)
    return (sums - 2.0 * products[:num_frames]) / pairs, tf.reduce_mean(squares)
