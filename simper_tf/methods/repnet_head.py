"""RepNet's heads: how alike the frames of a clip are tells its period, and whether there is one, step by step.

Source: Dwibedi et al., CVPR 2020, https://arxiv.org/abs/2006.15418, `repnet/repnet_colab.ipynb` of google-research, in
its newer form of 64 classes. The published code only predicts, so the loss is that of the paper.
"""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.encoders.dropout import Dropout
from simper_tf.methods import heads

# Steps that are compared with one another; class c of a step stands for a period of c steps.
STEPS = 64
# Periods that can be told: shorter ones fall between steps.
SHORTEST, LONGEST = 2, STEPS - 1
# A clip is seen whole, and in halves and quarters where these have a frame for each step.
PARTS = (1, 2, 4)
WIDTH, NUM_HEADS, FILTERS, DROPOUT = 512, 4, 32, 0.25  # As published.
# Of a part in which nothing changes.
EPSILON = 1e-12


def repnet_head(num_frames: int, num_features: int) -> keras.Model:
    """Returns RepNet's heads on the features of a clip, whatever the encoder: `(N, L D)` -> `(N, P)`.

    Features of the whole clip, of its halves and of its quarters are each brought to 64 steps, so that long and short
    periods are both of a length that can be told; RepNet tries strides of 1 to 4 frames instead, of which none need
    cover a clip of 150 or 200 frames. Halves are left out below 128 frames and quarters below 256. `loss` and `counts`
    read what it returns. 6,403,969 trainable parameters.
    """
    # In single precision under every policy: a count of 30 would be rounded to an eighth.
    full = {"dtype": keras.config.floatx()}
    clips = keras.Input((num_frames * num_features,))
    parts = Parts(**full)(layers.Reshape((num_frames, num_features), **full)(clips))
    x = layers.Conv2D(FILTERS, 3, padding="same", activation="relu", **full)(SelfSimilarity(**full)(parts))
    x = layers.Reshape((STEPS, STEPS * FILTERS), **full)(x)
    predictions = layers.Concatenate(**full)([_predictor(x, STEPS, full), _predictor(x, 1, full)])
    number = sum(parts_of(num_frames))
    return keras.Model(clips, keras.ops.reshape(predictions, (-1, number * STEPS * (STEPS + 1))), name="repnet_head")


def parts_of(num_frames: int) -> list[int]:
    """Returns into how many parts a clip is cut, one number for each way of cutting it."""
    return [number for number in PARTS if number == 1 or num_frames >= number * STEPS]


def loss(outputs, repetitions):
    """Returns the cross-entropy of periods, and of whether there is one, mean over clips, parts and steps.

    Every clip repeats evenly throughout, `(N,)` times or 0. Where a part has fewer than one repetition or more than 32,
    its steps have no period that could be told, which is learned too: so it is known later which parts to count in. A
    period between two classes is shared between them.
    """
    periods, periodicity, parts = _parted(outputs)
    expected = tf.math.divide_no_nan(tf.cast(STEPS * parts, tf.float32), repetitions[:, None])
    in_range = tf.cast((expected >= SHORTEST) & (expected <= LONGEST), tf.float32)
    shares = tf.nn.relu(1.0 - tf.abs(tf.range(STEPS, dtype=tf.float32) - expected[..., None]))
    lengths = -tf.reduce_sum(shares[:, :, None] * tf.nn.log_softmax(periods), axis=(2, 3)) / STEPS
    lengths = tf.math.divide_no_nan(tf.reduce_sum(in_range * lengths, axis=1), tf.reduce_sum(in_range, axis=1))
    labels = tf.broadcast_to(in_range[..., None], tf.shape(periodicity))
    repeats = tf.nn.sigmoid_cross_entropy_with_logits(labels, periodicity)
    return tf.reduce_mean(lengths) + tf.reduce_mean(repeats)


def counts(outputs):
    """Returns the `(N,)` repetitions in whole clips, 0 where nothing repeats, by outputs of the heads.

    A step that repeats counts for one over its period. Of the clip as a whole, its halves and its quarters that count
    holds whose steps are the surest; as in the source, a step is as sure as the root of its two probabilities.
    """
    periods, periodicity, parts = _parted(outputs)
    period, probability = _likeliest(periods)
    repeats = tf.sigmoid(periodicity)
    sure = tf.reduce_mean(tf.sqrt(repeats * probability), axis=2)
    count = tf.reduce_sum(tf.where(repeats > 0.5, 1.0 / period, 0.0), axis=2)
    ways = np.unique(parts)
    of_way = tf.constant(parts[:, None] == ways, tf.float32)
    best = tf.argmax(sure @ (of_way / ways), axis=1)
    return tf.gather(count @ of_way, best, axis=1, batch_dims=1)


def _likeliest(periods):
    """Returns the likeliest period of each step, `(N, W, S)`, also between classes, and its probability."""
    shares = tf.nn.softmax(periods)[..., SHORTEST:]
    classes = tf.range(SHORTEST, STEPS, dtype=tf.float32)
    top = tf.gather(classes, tf.argmax(shares, axis=-1))
    near = tf.where(tf.abs(classes - top[..., None]) <= 1.0, shares, 0.0)
    probability = tf.reduce_sum(near, axis=-1)
    return tf.reduce_sum(near * classes, axis=-1) / probability, probability


def _parted(outputs):
    """Returns `(N, W, S, S)` logits of periods, `(N, W, S)` of periodicity, and of how many parts each of the W is."""
    number = outputs.shape[-1] // (STEPS * (STEPS + 1))
    parts = tf.reshape(outputs, [-1, number, STEPS, STEPS + 1])
    return parts[..., :STEPS], parts[..., STEPS], np.repeat(PARTS, PARTS)[:number]


def _predictor(x, outputs, full):
    """Returns one of the two heads: a layer of a transformer and three dense ones, `(N, S, F)` -> `(N, S, outputs)`."""
    x = Positions(**full)(layers.Dense(WIDTH, **full)(x))
    y = layers.LayerNormalization(epsilon=1e-6, **full)(x)
    x = layers.Add(**full)([x, layers.MultiHeadAttention(NUM_HEADS, WIDTH // NUM_HEADS, **full)(y, y)])
    y = layers.LayerNormalization(epsilon=1e-6, **full)(x)
    y = layers.Dense(WIDTH, **full)(layers.Dense(WIDTH, activation="relu", **full)(y))
    x = layers.Add(**full)([x, y])
    for _ in range(2):
        x = layers.Dense(WIDTH, activation="relu", **full)(Dropout(DROPOUT, **full)(x))
    return layers.Dense(outputs, **full)(Dropout(DROPOUT, **full)(x))


@keras.saving.register_keras_serializable("simper_tf")
class Parts(layers.Layer):
    """Brings whole clips and their parts to `STEPS` steps: `(N, L, D)` -> `(N W, S, D)`, the parts of a clip together.

    Where there are more frames than steps they are averaged with a triangle, since what would repeat faster than every
    second step would pass for something slower.
    """

    def call(self, inputs):
        length = inputs.shape[1]
        weights = np.concatenate([_triangles(length, STEPS * number) for number in parts_of(length)])
        steps = tf.einsum("sl,nld->nsd", tf.constant(weights, inputs.dtype), inputs)
        return tf.reshape(steps, [-1, STEPS, inputs.shape[2]])

    def compute_output_shape(self, input_shape):
        return None, STEPS, input_shape[2]


def _triangles(num_frames, num_steps):
    """Returns `(num_steps, num_frames)` weights of the frames around each step; rows sum to 1."""
    stride = num_frames / num_steps
    places = (np.arange(num_steps) + 0.5) * stride - 0.5
    # Beyond the ends there is no frame to go halfway to.
    places = np.clip(places, 0, num_frames - 1)[:, None]
    weights = np.maximum(0, 1 - np.abs(places - np.arange(num_frames)) / max(stride, 1))
    return weights / weights.sum(axis=1, keepdims=True)


@keras.saving.register_keras_serializable("simper_tf")
class SelfSimilarity(layers.Layer):
    """Softmax over steps of how near each is to a step: `(N, S, D)` -> `(N, S, S, 1)`, rows of sum 1.

    Squared distances are divided by half their mean, the variance of the features in the part, so that their scale does
    not matter; in the source by 13.544, which suits features of its own encoder.
    """

    def call(self, inputs):
        distances = heads.square_distances(inputs - tf.reduce_mean(inputs, axis=1, keepdims=True))
        variance = tf.reduce_mean(distances, axis=(1, 2), keepdims=True) / 2.0 + EPSILON
        return tf.nn.softmax(-distances / variance)[..., None]

    def compute_output_shape(self, input_shape):
        return *input_shape[:2], input_shape[1], 1


@keras.saving.register_keras_serializable("simper_tf")
class Positions(layers.Layer):
    """Adds a learned vector to each step: `(N, S, F)` -> the same."""

    def build(self, input_shape):
        start = keras.initializers.TruncatedNormal(stddev=0.02)
        self.vectors = self.add_weight(shape=input_shape[1:], initializer=start, name="vectors")

    def call(self, inputs):
        return inputs + self.vectors
