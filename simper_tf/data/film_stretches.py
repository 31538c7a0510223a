"""Clips of films as the reader learns from them: stretches of any length, brought to one number of frames."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from simper_tf.signals.rhythm_form import SIDE

# Frames of a clip, of which a view at the fastest speed shows 64.
CLIP_FRAMES = 96
# Seconds of a stretch, drawn evenly on a logarithmic axis.
SECONDS = 1.6, 24.0


def dataset(films: Sequence[tuple[np.ndarray, float]], batch_size: int, seed: int, first: int = 0) -> tf.data.Dataset:
    """Returns endless batches of clips, `(B, 96, 32, 32, 1)` float32 in [0, 1].

    Args:
        films: Frames, `(n, 32, 32)` uint8, and frames per second of each.
        batch_size: B.
        seed: Of all draws: clip `i` is the same whenever it is asked for.
        first: Number of the first batch, to go on where a training stopped.
    """
    frames = tf.constant(np.concatenate([film for film, _ in films]))
    counts = np.array([len(film) for film, _ in films])
    starts = tf.constant(np.cumsum(counts) - counts)
    lengths, rates = tf.constant(counts, tf.float32), tf.constant([rate for _, rate in films], tf.float32)

    def clip(index):
        draws = tf.random.stateless_uniform([3], tf.stack([tf.constant(seed, tf.int64), index]))
        film = tf.cast(draws[0] * len(films), tf.int32)
        span = SECONDS[0] * (SECONDS[1] / SECONDS[0]) ** draws[1] * rates[film]
        last = lengths[film] - 1.0
        span = tf.minimum(span, last)
        places = draws[2] * (last - span) + tf.linspace(0.0, 1.0, CLIP_FRAMES) * span
        return between(frames, starts[film], places, lengths[film])

    numbers = tf.data.Dataset.counter(first * batch_size)
    return numbers.map(clip, num_parallel_calls=1).batch(batch_size, drop_remainder=True).prefetch(2)


def between(frames, start, places, length):
    """Returns frames at places between two frames of a film that begins at `start`, as `(n, 32, 32, 1)` in [0, 1]."""
    whole = tf.minimum(tf.floor(places), length - 2.0)
    near = tf.cast(start, tf.int32) + tf.cast(whole, tf.int32)
    share = tf.reshape(places - whole, [-1, 1, 1])
    early, late = [tf.cast(tf.gather(frames, near + step), tf.float32) for step in (0, 1)]
    clip = ((1.0 - share) * early + share * late) / 255.0
    return tf.ensure_shape(clip[..., None], [CLIP_FRAMES, SIDE, SIDE, 1])
