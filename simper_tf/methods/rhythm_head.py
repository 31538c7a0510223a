"""A head that tells the period at every frame by how alike the features are to those some time before and after.

Lags and periods rise in geometric steps, so that another speed of the same clip is a shift along them.
"""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.methods import heads
from simper_tf.signals.log_lags import SHORTEST, STEPS_PER_OCTAVE, lag_indices, lags_of, periods_of
from simper_tf.signals.rhythm_form import EPSILON, SHARPNESS

# Deviation of the target around the true period, in steps: a third of a semitone to either side of a step.
WIDTH = 0.8


def rhythm_head(num_frames: int, num_features: int) -> keras.Model:
    """Returns the head, `(N, L, D)` -> `(N, L, K + 1)` logits of the K periods and of none; L must hold some period."""
    full = {"dtype": keras.config.floatx()}
    number = len(periods_of(num_frames))
    features = keras.Input((num_frames, num_features))
    x = LagMap(**full)(features)
    x = layers.Conv2D(16, (3, 5), padding="same", activation="relu", **full)(x)
    x = layers.Conv2D(8, (3, 5), padding="same", activation="relu", **full)(x)
    x = layers.Reshape((num_frames, 8 * len(lags_of(num_frames))), **full)(x)
    x = layers.Dense(128, activation="relu", **full)(x)
    x = layers.Conv1D(64, 9, padding="same", activation="relu", **full)(x)
    return keras.Model(features, layers.Dense(number + 1, **full)(x), name="rhythm_head")


def targets(periods: tf.Tensor, num_frames: int) -> tf.Tensor:
    """Returns what the head should say of `(..., L)` periods in frames, 0 for none: `(..., L, K + 1)` of sum 1."""
    known = tf.constant(periods_of(num_frames), tf.float32)
    repeats = periods > 0
    steps = STEPS_PER_OCTAVE * tf.math.log(tf.where(repeats, periods, SHORTEST)[..., None] / known) / np.log(2.0)
    shares = tf.nn.softmax(-0.5 * tf.square(steps / WIDTH))
    shares *= tf.cast(repeats, tf.float32)[..., None]
    return tf.concat([shares, 1.0 - tf.cast(repeats, tf.float32)[..., None]], axis=-1)


def ratio_loss(logits: tf.Tensor, speeds: tf.Tensor) -> tf.Tensor:
    """Returns how far the periods told of views are from those told of other speeds of the same clip.

    At `s` times the speed a period is `s` times shorter: `p(k | s) = p(k + log s)`. Each view is the target of every
    other, shifted; as much as the target repeats at all, and as much of it as stays in range. Of `(B, M, L, K + 1)`
    logits at `(B, M)` speeds, the mean over pairs; 0 where no view repeats.
    """
    chances = tf.reduce_mean(tf.nn.softmax(logits), axis=2)
    periods, none = chances[..., :-1], chances[..., -1]
    number = periods.shape[-1]
    steps = tf.range(number, dtype=tf.float32)
    logs = STEPS_PER_OCTAVE * tf.math.log(speeds) / np.log(2.0)
    # Of target i and view j: step k of j is step k + log(s_j / s_i) of i.
    sources = steps + (logs[:, None, :] - logs[:, :, None])[..., None]
    moved = tf.nn.relu(1.0 - tf.abs(sources[..., None] - steps))
    target = tf.stop_gradient(tf.einsum("bijkl,bil->bijk", moved, periods))
    mass = tf.reduce_sum(target, axis=-1, keepdims=True)
    in_range = tf.cast((sources >= 0.0) & (sources <= number - 1.0), tf.float32)
    own = periods[:, None] * in_range
    own /= tf.reduce_sum(own, axis=-1, keepdims=True) + EPSILON
    costs = -tf.reduce_sum(target / (mass + EPSILON) * tf.math.log(own + 1e-4), axis=-1)
    pairs = 1.0 - tf.eye(logs.shape[1], dtype=mass.dtype)
    weights = tf.stop_gradient(1.0 - none)[:, :, None] * mass[..., 0] * pairs
    return tf.reduce_mean(tf.reduce_sum(weights * costs, axis=(1, 2)) / tf.maximum(tf.reduce_sum(pairs), 1.0))


@keras.saving.register_keras_serializable("simper_tf")
class LagMap(layers.Layer):
    """Compares every frame with those before and after it: `(N, L, D)` -> `(N, L, lags, 6)`.

    Channels, for either direction: minus the squared distance, in units of its mean over the view; a similarity that
    falls with it exponentially; and whether there is such a frame. Between two frames it is interpolated.
    """

    def call(self, inputs):
        distances = heads.square_distances(inputs)
        distances /= tf.reduce_mean(distances, axis=(1, 2), keepdims=True) + EPSILON
        both = tf.stack([-distances, tf.exp(-SHARPNESS * distances)], axis=-1)
        both = tf.reshape(both, [-1, inputs.shape[1] ** 2, 2])
        seen = []
        for early, late, share, known in lag_indices(inputs.shape[1]):
            weight = tf.constant(share[:, None], inputs.dtype)
            mask = tf.constant(known[..., None], inputs.dtype)
            value = (1.0 - weight) * tf.gather(both, early, axis=1) + weight * tf.gather(both, late, axis=1)
            seen += [value * mask, tf.ones_like(value[..., :1]) * mask]
        return tf.concat(seen, axis=-1)

    def compute_output_shape(self, input_shape):
        return *input_shape[:2], len(lags_of(input_shape[1])), 6
