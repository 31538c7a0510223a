"""RepNet's heads on the features of an encoder: how long a period is, and whether there is one, frame by frame.

Source: as in `repnet`, the version of the notebook whose classes stand for periods of 1 to T / 2 frames.
"""

import keras
import tensorflow as tf
from keras import layers

# Divides squared distances before the softmax.
TEMPERATURE = 13.544
# A shorter period is not counted: it is as likely to be the noise of two neighbouring frames.
SHORTEST_PERIOD = 3
FRAME_THRESHOLD, CLIP_THRESHOLD = 0.5, 0.2


def repnet_counter(encoder, num_frames=64):
    """Returns an encoder with RepNet's two heads, for supervised training and fine-tuning.

    On `repnet()` it has the 25,673,313 trainable parameters of the published model.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> `(B, T, D)`, whose weights it shares.
        num_frames: T, which the heads fix; take every second or third frame of a clip that is longer.

    Returns:
        `keras.Model`, clips `(B, T, H, W, C)` in [0, 1] to a dictionary of logits: `period` `(B, T, T // 2)`, class c
        standing for a period of c + 1 frames, and `periodicity` `(B, T)`. See `count_periods`.

    Raises:
        ValueError: the encoder has one feature a frame, too few to tell its frames apart.
    """
    if len(encoder.output_shape) != 3:
        raise ValueError(
            "RepNet's heads compare frames by several features each, (B, T, D). The encoder gives "
            f"{encoder.output_shape}; take `repnet`, or `resnet3d18(outputs=None)`."
        )
    clips = keras.Input((num_frames, *encoder.input_shape[2:]))
    similarity = self_similarity(encoder(clips))
    x = layers.Conv2D(32, 3, padding="same", activation="relu")(similarity[..., None])
    x = layers.Reshape((num_frames, 32 * num_frames))(x)
    outputs = {"period": _head(x, num_frames // 2), "periodicity": keras.ops.squeeze(_head(x, 1), axis=-1)}
    return keras.Model(clips, outputs, name="repnet_counter")


def self_similarity(features):
    """Returns `(B, T, T)` float32: the softmax of minus each frame's scaled squared distances to all frames.

    Args:
        features: `(B, T, D)`, a tensor or a symbolic one. If all are alike, every entry is 1 / T.
    """
    x = keras.ops.cast(features, "float32")
    squares = keras.ops.sum(keras.ops.square(x), axis=-1, keepdims=True)
    products = keras.ops.matmul(x, keras.ops.transpose(x, (0, 2, 1)))
    distances = keras.ops.maximum(squares + keras.ops.transpose(squares, (0, 2, 1)) - 2 * products, 0.0)
    return keras.ops.softmax(-distances / TEMPERATURE, axis=-1)


def count_periods(period, periodicity):
    """Returns how many periods clips hold, and how sure that is.

    A frame within a period of p frames counts for 1 / p, if its score is above 0.5 and p is 3 or more; a clip whose
    mean score is below 0.2 has no periods. Frames left out between those seen change nothing: both the period and
    the clip are then shorter by the same factor.

    Args:
        period: `(B, T, P)` logits, class c standing for c + 1 frames.
        periodicity: `(B, T)` logits.

    Returns:
        Two `(B,)` float32 tensors: counts, and mean scores in [0, 1]. To choose among several strides, take the one
        of the highest score.
    """
    periods = tf.cast(tf.argmax(period, axis=-1) + 1, tf.float32)
    long_enough = tf.cast(periods >= SHORTEST_PERIOD, tf.float32)
    confidence = tf.reduce_max(tf.nn.softmax(tf.cast(period, tf.float32)), axis=-1) * long_enough
    scores = tf.sqrt(tf.sigmoid(tf.cast(periodicity, tf.float32)) * confidence)
    score = tf.reduce_mean(scores, axis=1)
    counted = tf.where(scores > FRAME_THRESHOLD, long_enough / periods, 0.0)
    return tf.where(score < CLIP_THRESHOLD, 0.0, tf.reduce_sum(counted, axis=1)), score


@keras.saving.register_keras_serializable("simper_tf")
class FramePosition(layers.Layer):
    """Adds to all features of a frame a learned number that tells where in the clip it is: `(B, T, D)` -> the same."""

    def build(self, input_shape):
        near_zero = keras.initializers.TruncatedNormal(stddev=0.02)
        self.term = self.add_weight(shape=(1, input_shape[1], 1), initializer=near_zero, name="term")

    def call(self, inputs):
        return inputs + self.term


def _head(x, outputs):
    """Returns `(B, T, outputs)` logits: a transformer over frames and two dense layers."""
    x = _transformer(FramePosition()(layers.Dense(512)(x)))
    for _ in range(2):
        x = layers.Dense(512, activation="relu")(layers.Dropout(0.25)(x))
    return layers.Dense(outputs)(layers.Dropout(0.25)(x))


def _transformer(x):
    """Returns one layer of attention and one feed-forward network, each after a layer norm and with a shortcut."""
    normal = layers.LayerNormalization(epsilon=1e-6)(x)
    x = x + layers.MultiHeadAttention(num_heads=4, key_dim=128)(normal, normal)
    hidden = layers.Dense(512, activation="relu")(layers.LayerNormalization(epsilon=1e-6)(x))
    return x + layers.Dense(512)(hidden)
