"""How many clips the batches of `fit` will have, as far as that can be known before."""

import math

import tensorflow as tf

# Clips in a batch of arrays where `keras.Model.fit` is not told.
KERAS_BATCH = 32


def known_sizes(x, batch_size: int | None = None, validation_split: float = 0.0) -> tuple[int, int]:
    """Returns the number of clips of all batches but the last, and of the last where it has fewer; 0 if not known.

    Args:
        x: Clips or ready views, as an array or a `tf.data.Dataset` of batches, with whatever comes with them.
        batch_size: Clips a batch of an array; None for Keras's default.
        validation_split: Share of the clips of an array that `fit` keeps back.
    """
    is_dataset = isinstance(x, tf.data.Dataset)
    shape = _shape_of(x.element_spec if is_dataset else x)
    if shape.rank not in (5, 6) or not shape[0]:
        return 0, 0
    if is_dataset:
        return shape[0], 0
    number = math.floor(shape[0] * (1 - validation_split))
    whole = min(batch_size or KERAS_BATCH, number)
    return whole, number % whole if whole else 0


def _shape_of(data):
    """Returns the shape of the clips or views among data or their specification, unknown where they have none."""
    clips = data[0] if isinstance(data, list | tuple) and data else data
    clips = clips.get("views") if isinstance(clips, dict) else clips
    return tf.TensorShape(getattr(clips, "shape", None))
