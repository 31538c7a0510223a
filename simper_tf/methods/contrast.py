"""Contrast of clips by their vectors: the other view of a clip is to be found among the views of all clips."""

import tensorflow as tf

from simper_tf.utils.replicas import gather, replicas


def contrast_clips(vectors, temperature: float):
    """Returns the mean of `nt_xent` over both views of this replica's clips, and how often a view is found.

    Args:
        vectors: `(B, 2, D)`, two views of each clip of this replica; the candidates are those of all replicas.
        temperature: Divides the cosine similarities.
    """
    first, second = tf.unstack(vectors, 2, axis=1)
    position = replicas()[1] * tf.shape(first)[0]
    found = nt_xent(first, second, temperature, (gather(first), gather(second)), position)
    return [tf.reduce_mean(values) for values in found]


def nt_xent(a, b, temperature: float, candidates=None, first=0):
    """Returns the normalized temperature-scaled cross-entropy of two views of every clip (eq. 1 of SimCLR).

    An anchor has the other view of its clip to find among both views of all other clips; it is no candidate itself.
    The vectors are scaled to length 1 here.

    Args:
        a, b: `(N, D)` first and second views of the clips at hand.
        temperature: Divides the cosine similarities.
        candidates: Pair of `(P, D)`, the two views of all clips of the step, those at hand among them; None for
            `(a, b)`.
        first: Where among the candidates the clips at hand begin.

    Returns:
        losses: `(2N,)` float32, of the anchors `a` and then `b`; 0 if there is only one clip and ln(2P - 1) if all
            vectors are the same. The paper's loss is their mean; the authors' code adds the means over `a` and `b`.
        found: `(2N,)` float32, 1 where the other view is the nearest of all candidates.

    Source: Chen et al., https://arxiv.org/abs/2002.05709.
    """
    a, b, *others = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (a, b, *(candidates or (a, b)))]
    logits = tf.matmul(tf.concat([a, b], axis=0), tf.concat(others, axis=0), transpose_b=True) / temperature
    number, shift = tf.shape(a)[0], tf.shape(others[0])[0]
    own = first + tf.range(number)
    logits -= 1e9 * tf.one_hot(tf.concat([own, own + shift], axis=0), 2 * shift, dtype=logits.dtype)
    return choose(logits, tf.concat([own + shift, own], axis=0))


def choose(logits, targets):
    """Returns the `(N,)` cross-entropy of choosing targets by `(N, P)` logits, and 1 where they are chosen."""
    found = tf.cast(tf.argmax(logits, axis=-1, output_type=tf.int32) == targets, tf.float32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits), found
