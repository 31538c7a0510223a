"""Clips of random values."""

import tensorflow as tf


def uniform(rng, *shape):
    """Returns float32 in [0, 1] of a shape."""
    return tf.constant(rng.uniform(size=shape), tf.float32)
