"""Stateless draws of one shape, each from a seed of its own, for what takes many of them."""

import math

import tensorflow as tf
from numpy.typing import ArrayLike

# Waves that smooth noise is a sum of.
WAVES = 4


class Draws:
    """Draws of one shape in a fixed order: the same seed, `(2,)` integers, gives the same ones."""

    def __init__(self, seed: ArrayLike, shape):
        self.seed, self.shape, self.count = seed, shape, 0

    def fresh(self) -> tf.Tensor:
        """Returns a seed that no earlier draw had."""
        self.count += 1
        return tf.random.experimental.stateless_fold_in(self.seed, self.count)

    def uniform(self, low: float = 0.0, high: float = 1.0, axes=()) -> tf.Tensor:
        """Returns floats in [low, high) of the shape and further axes."""
        return tf.random.stateless_uniform([*self.shape, *axes], self.fresh(), low, high)

    def normal(self, axes=()) -> tf.Tensor:
        """Returns floats of the standard normal distribution."""
        return tf.random.stateless_normal([*self.shape, *axes], self.fresh())

    def chance(self, share: float) -> tf.Tensor:
        """Returns booleans that are true with this probability."""
        return self.uniform() < share

    def one_of(self, *values: float) -> tf.Tensor:
        """Returns one of the values, each as likely."""
        return tf.gather(tf.constant(values), tf.cast(self.uniform(0.0, len(values)), tf.int32))


def smooth_noise(draws: Draws, num_frames: int, fastest: float) -> tf.Tensor:
    """Returns `(..., L)` noise of mean square 1 without anything faster than `fastest` cycles a view."""
    steps = tf.range(num_frames, dtype=tf.float32) / num_frames
    waves = [
        tf.cos(2 * math.pi * (draws.uniform(0.0, fastest) * steps + draws.uniform())) for _ in range(WAVES)
    ]  # fmt: skip
    return math.sqrt(2 / WAVES) * tf.add_n(waves)
