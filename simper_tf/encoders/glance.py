"""The encoder of the rhythm network, of small gray pictures: a second of film takes it a hundredth of one."""

import keras
import tensorflow as tf
from keras import layers

from simper_tf.signals.rhythm_form import LEAST_LEVELS, NUM_FRAMES, SIDE, SOFTENED

WIDTHS, FEATURES = (16, 32, 32), 32


def glance() -> keras.Model:
    """Returns the encoder, `(B, 64, 32, 32, 1)` in [0, 1] -> `(B, 64, 32)`.

    Convolutions of each frame by itself, and one over five frames. `reading.rhythm_network` computes the same without
    TensorFlow.
    """
    clips = keras.Input((NUM_FRAMES, SIDE, SIDE, 1))
    x = Contrast(dtype="float32")(clips)
    x = layers.Reshape((NUM_FRAMES * SIDE, SIDE, 2))(x)
    x = keras.ops.reshape(x, (-1, SIDE, SIDE, 2))
    for width in WIDTHS:
        x = layers.Conv2D(width, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Dense(FEATURES)(layers.Flatten()(x))
    x = keras.ops.reshape(x, (-1, NUM_FRAMES, FEATURES))
    return keras.Model(clips, layers.Conv1D(FEATURES, 5, padding="same", dtype="float32")(x), name="glance")


@keras.saving.register_keras_serializable("simper_tf")
class Contrast(layers.Layer):
    """What changes in a clip, `(B, T, H, W, 1)` -> `(B, T, H, W, 2)`: in units of all of it, and of each pixel."""

    def call(self, clips):
        changes = 255.0 * (clips - tf.reduce_mean(clips, axis=1, keepdims=True))
        all_of_it = tf.math.reduce_std(changes, axis=(1, 2, 3, 4), keepdims=True) + LEAST_LEVELS
        pixels = tf.sqrt(tf.reduce_mean(tf.square(changes), axis=1, keepdims=True) + LEAST_LEVELS**2)
        return tf.concat([changes / all_of_it, changes / (pixels + SOFTENED * all_of_it)], axis=-1)

    def compute_output_shape(self, input_shape):
        return *input_shape[:-1], 2
