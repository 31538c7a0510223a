"""Series in any unit -> what encoders see: each channel of each window around 0.5, in steps of its own deviation.

A series is a clip whose frames have one pixel, `(B, T, 1, 1, C)`. Training, evaluation, reading and the exported model
all come through here, so that millivolts, counts of a converter and what was scaled before are the same.
"""

import tensorflow as tf

# So many deviations to either side of the mean are seen; what lies beyond, as a jolt does, is cut.
MOST_DEVIATIONS = 5.0
# Share of its largest value up to which a channel is constant: the rounding of float32.
_ROUNDING = 1e-6


def is_series(frame_shape) -> bool:
    """Returns whether clips of frames `(H, W, C)` are series; sizes that are not known are those of pictures."""
    return tuple(frame_shape[:2]) == (1, 1)


def standardize(clips):
    """Returns series without unit: 0.5 plus the distance from the mean, in tenths of a deviation each.

    Mean and standard deviation are those of each channel over the time of each clip. What is standardized already stays
    as it is, but for what was cut.

    Args:
        clips: `(B, T, 1, 1, C)` numbers of any scale.

    Returns:
        Float32 of the same shape, in [0, 1]; 0.5 where a channel does not change.
    """
    values = tf.cast(clips, tf.float32)
    largest = tf.reduce_max(tf.abs(values), axis=1, keepdims=True)
    # Less the first sample: the mean of what swings a little about a large number would be rounded as coarsely as it.
    values -= values[:, :1]
    swing = tf.reduce_max(tf.abs(values), axis=1, keepdims=True)
    values = tf.math.divide_no_nan(values, tf.where(swing > _ROUNDING * largest, swing, 0.0))
    values -= tf.reduce_mean(values, axis=1, keepdims=True)
    deviation = tf.sqrt(tf.reduce_mean(tf.square(values), axis=1, keepdims=True))
    found = tf.math.divide_no_nan(values, deviation)
    return 0.5 + tf.clip_by_value(found, -MOST_DEVIATIONS, MOST_DEVIATIONS) / (2 * MOST_DEVIATIONS)
