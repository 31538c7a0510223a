"""Heads: from the frame-wise features of a clip to the one vector that is compared with those of other clips.

The vector of a clip is its features of all frames, one after another. What a head maps it to is learned from and then
dropped; evaluation reads the frame-wise features. A head is built with the method, for views of one length.
"""

import math

import keras
import tensorflow as tf
from keras import layers

from simper_tf.encoders.norms import normalization
from simper_tf.utils.replicas import gather

EPSILON = 1e-5  # Of batch norm, in all sources.


def vector_length(method: str, encoder, views) -> int:
    """Returns L D, the length of the vector of a clip; a ValueError names the method where `views` is None."""
    if views is None:
        raise ValueError(
            f"{method} has a head for views of one length: give `views`, even where they are made on the host."
        )
    return views.num_frames * math.prod(encoder.output_shape[2:])


def head(length: int, *parts):
    """Returns layers, or lists of them, as a `keras.Model` from `(N, length)` vectors."""
    return keras.Sequential([keras.Input((length,)), *tf.nest.flatten(parts)], name="head")


def hidden(width: int, momentum: float = 0.9, use_bias: bool = True):
    """Returns a dense layer, batch norm over all replicas, and ReLU."""
    return [
        layers.Dense(width, use_bias=use_bias),
        normalization("batch", momentum=momentum, epsilon=EPSILON),
        layers.ReLU(),
    ]


def project(head, features, training=True):
    """Returns what a head makes of `(B, V, L)` or `(B, V, L, D)` features of views, `(B, V, P)` float32.

    Batch norm in training mode sees all views together. Views of another length than the head was built for are
    refused.
    """
    length, expected = math.prod(features.shape[2:]), head.input_shape[-1]
    if length != expected:
        raise ValueError(
            f"The head was built for views of {expected} numbers, frames times features. Received: {length}, from "
            f"features of shape {features.shape}. Make all views with the `views` of the method."
        )
    vectors = head(tf.reshape(features, [-1, expected]), training=training)
    return tf.cast(tf.reshape(vectors, [-1, features.shape[1], vectors.shape[-1]]), tf.float32)


def square_distances(x):
    """Returns the square distances of all pairs of frames, `(N, T, D)` -> `(N, T, T)`, none below 0 by rounding."""
    squares = tf.reduce_sum(tf.square(x), axis=-1)
    return tf.nn.relu(squares[:, :, None] + squares[:, None] - 2.0 * tf.matmul(x, x, transpose_b=True))


def variety(vectors):
    """Returns how far directions of `(N, P)` vectors of clips differ: 0 if all are one (collapse), 1 if they cancel.

    It is the variance of the vectors of all replicas, each scaled to length 1.
    """
    directions = tf.math.l2_normalize(gather(tf.stop_gradient(vectors)), axis=-1)
    return tf.reduce_sum(tf.math.reduce_variance(directions, axis=0))
