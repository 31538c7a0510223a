"""Appearance of views of series: amplitude, offset, noise and drift, which change nothing about time."""

import dataclasses
import math

import keras
import tensorflow as tf

from simper_tf.utils.config import Frozen, check_number, check_range
from simper_tf.utils.standardize import MOST_DEVIATIONS
from simper_tf.views import augment


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class SeriesAppearance(Frozen):
    """Random changes of series, one draw for all samples and channels of a view; the noise alone is each sample's own.

    Offset, noise and drift are in standard deviations of the clip, see `standardize`.

    Attributes:
        amplitude: Range of the factor on the distance of each sample from the clip's mean.
        offset: Largest shift to either side.
        noise: Largest deviation of Gaussian noise that is added.
        drift: Largest amplitude of a wave of at most half a period, which is added: a baseline that wanders.

    Raises:
        ValueError: an attribute is out of its range.
    """

    amplitude: tuple[float, float] = (0.7, 1.3)
    offset: float = 0.5
    noise: float = 0.2
    drift: float = 1.0

    def __post_init__(self):
        check_range("amplitude", self.amplitude)
        for name in ("offset", "noise", "drift"):
            check_number(name, getattr(self, name), 0)

    def draw(self, batch_size, num_views: int, seed):
        """Draws all that is random about the appearance of a batch, `(B, V)` each, of noise its seeds, `(B, 2)`."""
        seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 7))

        def uniform(which, low, high):
            return tf.random.stateless_uniform([batch_size, num_views], seeds[which], low, high)

        whole = tf.int32.min, tf.int32.max
        return {
            "amplitudes": uniform(0, *self.amplitude),
            "offsets": uniform(1, -self.offset, self.offset),
            "noises": uniform(2, 0.0, self.noise),
            "drifts": uniform(3, 0.0, self.drift),
            "turns": uniform(4, 0.0, 0.5),
            "phases": uniform(5, 0.0, 1.0),
            "noise_seeds": tf.random.stateless_uniform([batch_size, 2], seeds[6], *whole, tf.int32),
        }

    def apply(self, clips, starts, steps, num_frames: int, draws, steady: bool = False):
        """Returns views of series at the times given, `(B, V, L, 1, 1, C)` float32 in [0, 1], changed as drawn.

        Clips are `(B, T, 1, 1, C)` float32, standardized; times and `steady` are those of `augment.resample`.
        """
        views = augment.resample(clips, starts, steps, num_frames, steady=steady)
        moments = tf.range(num_frames, dtype=tf.float32) / num_frames
        turns = draws["turns"][..., None] * moments + draws["phases"][..., None]
        drift = draws["drifts"][..., None] * tf.sin(2 * math.pi * turns) + draws["offsets"][..., None]
        added = _of_views(drift)
        if self.noise:
            added += _of_views(draws["noises"]) * _noise(draws["noise_seeds"], views.shape[1:])
        views = 0.5 + _of_views(draws["amplitudes"]) * (views - 0.5) + added / (2 * MOST_DEVIATIONS)
        return tf.clip_by_value(views, 0.0, 1.0)


def _of_views(values):
    """Returns what is `(B, V)` or `(B, V, L)` with the six axes of views."""
    return values[(..., *[None] * (6 - values.shape.rank))]


def _noise(seeds, shape):
    """Returns `(B, *shape)` Gaussian noise; of each clip by its own seed, so that parts of a batch have their part."""
    return tf.map_fn(lambda seed: tf.random.stateless_normal(shape, seed), seeds, fn_output_signature=tf.float32)
