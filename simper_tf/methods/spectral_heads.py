"""Heads that see how strong each frequency of the features is and not their phase, from which they read one number.

A linear layer on the features of all frames can read no frequency: a shift in time turns the sign of what it sums.
"""

import keras
import tensorflow as tf
from keras import layers

from simper_tf.signals import spectrum

# Bins are as many times finer than those of the clip, of which a Hann window blurs three into one.
PADDING = 2
# Powers below this share of the mean are lifted to about it, so that their logarithm is finite and noise stays small.
FLOOR = 1e-3
# Of a spectrum that is 0 everywhere, as that of a constant feature is.
EPSILON = 1e-12
# Of a layer, and bins that one of them sees: at a padding of two a line with its neighbors is six bins wide.
FILTERS, KERNEL = 16, 9
# In deviations of the labels, the values of the lowest and of the highest frequency at the start.
FIRST_VALUES = (-2.0, 2.0)
# By which the slope of the values is multiplied. Adam moves every weight equally far in a step, whatever its gradient,
# so that values learned one by one are long on their way.
GAIN = 10.0
# Frequencies are weighed by this power of their power before anything is learned: the strongest line alone counts.
SHARPNESS = 3.0
# By which the logarithm of the multiple is multiplied. Adam moves it equally far in a step, whatever its gradient: so
# it reaches a half or a double within a hundred, before anything else gives way.
MULTIPLE_GAIN = 10.0


@keras.saving.register_keras_serializable("simper_tf")
class LogSpectra(layers.Layer):
    """Log power of each frequency over the mean power: `(B, L, D)` -> `(B, PADDING * L // 2 + 1, D)`.

    With a Hann window. The scale of features does not matter, nor does their mean, and where they start hardly does.
    """

    def call(self, inputs):
        power = spectrum.power(tf.linalg.matrix_transpose(inputs), PADDING)
        power /= tf.reduce_mean(power, axis=-1, keepdims=True) + EPSILON
        return tf.linalg.matrix_transpose(tf.math.log(power + FLOOR))

    def compute_output_shape(self, input_shape):
        clips, num_frames, num_features = input_shape
        return clips, PADDING * num_frames // 2 + 1, num_features


@keras.saving.register_keras_serializable("simper_tf")
class Expectation(layers.Layer):
    """Mean of values, one for each frequency, weighted by the softmax of scores: `(B, F, 1)` -> `(B, 1)`.

    The values are a line, and a rest that is 0 at the start: a label that is a frequency needs the line alone.
    """

    def build(self, input_shape):
        low, high = FIRST_VALUES
        self.offset = self.add_weight(shape=(), initializer=keras.initializers.Constant(low), name="offset")
        slope = keras.initializers.Constant((high - low) / GAIN)
        self.slope = self.add_weight(shape=(), initializer=slope, name="slope")
        self.rest = self.add_weight(shape=(input_shape[1],), initializer="zeros", name="rest")

    def values(self):
        """Returns `(F,)` values, in deviations of the labels."""
        return self.offset + GAIN * self.slope * tf.linspace(0.0, 1.0, self.rest.shape[0]) + self.rest

    def call(self, inputs):
        return tf.reduce_sum(tf.nn.softmax(inputs[..., 0]) * self.values(), axis=-1, keepdims=True)


def spectral_head(num_frames: int, num_features: int) -> keras.Model:
    """Returns log spectra, two convolutions over frequency that score each, and the expected value.

    `(N, L D)` features become `(N, 1)`. A peak is scored alike wherever it lies, and the values are free, so they need
    not be frequencies. What is read beyond the labels of training stays about where these end, as the values there are
    not learned. All of it is in single precision under every policy.
    """
    full = {"dtype": keras.config.floatx()}
    scores = {"kernel_size": KERNEL, "padding": "same", **full}
    return keras.Sequential(
        [
            keras.Input((num_frames * num_features,)),
            layers.Reshape((num_frames, num_features), **full),
            LogSpectra(**full),
            layers.Conv1D(FILTERS, activation="relu", **scores),
            layers.Conv1D(FILTERS, activation="relu", **scores),
            layers.Conv1D(1, **scores),
            Expectation(**full),
        ],
        name="spectral_head",
    )


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
        return tf.exp(MULTIPLE_GAIN * self.log_multiple) * tf.reduce_sum(weights * frequencies, axis=-1, keepdims=True)

    def compute_output_shape(self, scores_shape, powers_shape):
        return scores_shape[0], 1


def frequency_head(num_frames: int, num_features: int) -> keras.Model:
    """Returns log spectra, scores of each frequency by its power in all features, and the mean frequency.

    `(N, L D)` features become `(N, 1)` cycles per frame. Scores are 0 at the start, so that it begins with the
    strongest line of the features, at a multiple of 1. A score knows no neighbors: what sees them moves lines aside in
    place of learning the multiple. It is for features that have a line at the frequency or a multiple of it to begin
    with, as an encoder learns them without labels; where the strongest line is another, as with random weights on a
    faint pulse, it stays there. All of it is in single precision under every policy.
    """
    full = {"dtype": keras.config.floatx()}
    vectors = keras.Input((num_frames * num_features,))
    powers = LogSpectra(**full)(layers.Reshape((num_frames, num_features), **full)(vectors))
    x = layers.Dense(FILTERS, activation="relu", **full)(powers)
    x = layers.Dense(FILTERS, activation="relu", **full)(x)
    x = layers.Dense(1, kernel_initializer="zeros", **full)(x)
    return keras.Model(vectors, MeanFrequency(**full)(x, powers), name="frequency_head")
