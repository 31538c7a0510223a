"""A head that reads a frequency as a Fourier transform does, and learns which lines count and at what multiple.

What it has learned from some frequencies holds for all: no number in it belongs to one of them.
"""

import keras
import tensorflow as tf
from keras import layers

from simper_tf.methods.spectral_head import FILTERS, LogSpectra

# Frequencies are weighed by this power of their power before anything is learned: the strongest line alone counts.
SHARPNESS = 3.0
# By which the logarithm of the multiple is multiplied. Adam moves it equally far in a step, whatever its gradient: so
# it reaches a half or a double within a hundred, before anything else gives way.
GAIN = 10.0


@keras.saving.register_keras_serializable("simper_tf")
class MeanFrequency(layers.Layer):
    """Mean frequency in cycles per frame, weighed by the softmax of scores, times one learned number.

    `(B, F, 1)` scores and `(B, F, D)` log powers of the frequencies from 0 to half a cycle per frame -> `(B, 1)`.
    """

    def build(self, scores_shape, powers_shape):
        self.log_multiple = self.add_weight(shape=(), initializer="zeros", name="log_multiple")

    def call(self, scores, powers):
        weights = tf.nn.softmax(scores[..., 0] + SHARPNESS * tf.reduce_mean(powers, axis=-1))
        frequencies = tf.linspace(0.0, 0.5, weights.shape[1])
        return tf.exp(GAIN * self.log_multiple) * tf.reduce_sum(weights * frequencies, axis=-1, keepdims=True)

    def compute_output_shape(self, scores_shape, powers_shape):
        return scores_shape[0], 1


def frequency_head(num_frames: int, num_features: int) -> keras.Model:
    """Returns log spectra, scores of each frequency by its power in all features, and the mean frequency.

    Scores are 0 at the start, so that it begins with the strongest line of the features, at a multiple of 1. A score
    knows no neighbors: what sees them moves lines aside in place of learning the multiple. It is for features that
    have a line at the frequency or a multiple of it to begin with, as an encoder learns them without labels; where the
    strongest line is another, as with random weights on a faint pulse, it stays there. All of it is in single precision
    under every policy.

    Args:
        num_frames: L.
        num_features: D.

    Returns:
        `keras.Model`, `(N, L D)` -> `(N, 1)` cycles per frame.
    """
    full = {"dtype": keras.config.floatx()}
    vectors = keras.Input((num_frames * num_features,))
    powers = LogSpectra(**full)(layers.Reshape((num_frames, num_features), **full)(vectors))
    x = layers.Dense(FILTERS, activation="relu", **full)(powers)
    x = layers.Dense(FILTERS, activation="relu", **full)(x)
    x = layers.Dense(1, kernel_initializer="zeros", **full)(x)
    return keras.Model(vectors, MeanFrequency(**full)(x, powers), name="frequency_head")
