"""Views of other clips as further candidates of SimPer's contrast."""

import tensorflow as tf

from simper_tf.losses.similarity import over_channels
from simper_tf.utils.replicas import gather, replicas


def among_all_clips(compare, first, second, labels):
    """Returns how anchors resemble the candidates of all clips of the step, and how they should.

    Anchors and candidates of this replica's clips are `(B, M, L)` or `(B, M, L, D)`; labels `(B, M, M)` are those of
    candidates of the same clip. Both that are returned are `(B, M, N M)` of N clips on all replicas; labels of other
    clips are 0.
    """
    # What is gathered has forgotten its shape.
    candidates = tf.reshape(gather(second), [-1, *second.shape[1:]])
    batch_size, number = tf.shape(first)[0], tf.shape(candidates)[0]
    # Clip by clip, so that a similarity sees sets of a known number of views.
    pairs = tf.repeat(first, number, axis=0), tf.tile(candidates, [batch_size, *[1] * (second.shape.rank - 1)])
    num_views = first.shape[1]
    scores = tf.reshape(over_channels(compare, *pairs), [batch_size, number, num_views, num_views])
    own = tf.one_hot(replicas()[1] * batch_size + tf.range(batch_size), number, dtype=labels.dtype)
    shape = [batch_size, num_views, number * num_views]
    labels = own[:, None, :, None] * labels[:, :, None, :]
    return tf.reshape(tf.transpose(scores, [0, 2, 1, 3]), shape), tf.reshape(labels, shape)
