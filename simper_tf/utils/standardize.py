"""Series in any unit -> what encoders see: each channel of each window around 0.5, in steps of its own deviation.

A series is a clip whose frames have one pixel, `(B, T, 1, 1, C)`. Training, evaluation, reading and the exported model
all come through here, so that millivolts, counts of a converter and what was scaled before are the same.
"""

import tensorflow as tf

# So many deviations to either side of the mean are seen; what lies beyond, as a jolt does, is cut.
MOST_DEVIATIONS = 5.0
# Share of its largest value up to which a channel is constant: the rounding of float32, and that of float64.
_ROUNDING, _WIDE_ROUNDING = 1e-6, 1e-14
# Types whose steps float32 may lose beside a large offset.
_WIDE = (tf.int32, tf.int64, tf.uint32, tf.uint64, tf.float64)


def is_series(frame_shape) -> bool:
    """Returns whether clips of frames `(H, W, C)` are series; sizes that are not known are those of pictures."""
    return tuple(frame_shape[:2]) == (1, 1)


def standardize(clips):
    """Returns series without unit: 0.5 plus the distance from the mean, in tenths of a deviation each.

    Mean and standard deviation are those of each channel over the time of each clip. Twice is not once where a jolt was
    cut: what is kept of series is therefore as it was recorded.

    Args:
        clips: `(B, T, 1, 1, C)` numbers of any scale. Of those of 32 bits and more that are no float32 the first sample
            is subtracted in float64, so that they keep their steps beside a large offset.

    Returns:
        Float32 of the same shape, in [0, 1]; 0.5 where a channel does not change.
    """
    is_wide = tf.as_dtype(clips.dtype) in _WIDE
    # In three dimensions: TensorFlow Lite cannot broadcast five of them at another length.
    values = tf.cast(tf.squeeze(clips, axis=(2, 3)), tf.float64 if is_wide else tf.float32)
    largest = tf.reduce_max(tf.abs(values), axis=1, keepdims=True)
    # Less the first sample: the mean of what swings a little about a large number would be rounded as coarsely as it.
    values -= values[:, :1]
    swing = tf.reduce_max(tf.abs(values), axis=1, keepdims=True)
    rounding = (_WIDE_ROUNDING if is_wide else _ROUNDING) * largest
    scale = tf.where(swing > rounding, swing, tf.zeros([], swing.dtype))
    values = tf.cast(tf.math.divide_no_nan(values, scale), tf.float32)
    values -= tf.reduce_mean(values, axis=1, keepdims=True)
    deviation = tf.sqrt(tf.reduce_mean(tf.square(values), axis=1, keepdims=True))
    deviations = tf.math.divide_no_nan(values, deviation)
    seen = 0.5 + tf.clip_by_value(deviations, -MOST_DEVIATIONS, MOST_DEVIATIONS) / (2 * MOST_DEVIATIONS)
    return tf.expand_dims(tf.expand_dims(seen, 2), 3)


def changes(clip) -> bool:
    """Returns whether a series `(T, 1, 1, C)` changes by more than rounding; one that does not has nothing to learn."""
    return bool((standardize(clip[None]).numpy() != 0.5).any())
