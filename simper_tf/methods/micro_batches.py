"""Gradients of SimPer by a few clips at a time, which takes only as much memory as a batch of that size."""

import tensorflow as tf

from simper_tf.encoders.norms import mixes_clips


def check_parts(size: int, encoder):
    """Refuses micro-batches of so many clips, 0 for none, where the clips of a batch influence one another."""
    if size and mixes_clips(encoder):
        raise ValueError(
            f"`micro_batch` = {size} would change the gradient: the batch norm of the encoder {encoder.name!r} lets "
            "clips of a batch influence one another. Use norm 'group' or 'affine'."
        )


def check_share(size: int, share: int):
    """Refuses a replica's share of a batch that micro-batches do not divide, with a ValueError."""
    if size and share % size:
        raise ValueError(
            f"A batch of {share} clips (a replica's share) cannot be cut into micro-batches of {size}. Change "
            "`batch_size` or `micro_batch`."
        )


def add_up(compute, batch: dict, size: int, zeros):
    """Returns the means over all clips of what is computed of a few at a time; zeros are of the structure of that."""
    number = _clips_in(batch)

    def add_part(start, *sums):
        part = tf.nest.map_structure(lambda x: x[start : start + size], batch)
        more, share = compute(part), _clips_in(part) / number
        added = tf.nest.map_structure(lambda x, y: x + tf.cast(share, y.dtype) * y, sums, tuple(more))
        return start + size, *added

    # One at a time: parts that run side by side would need the memory of the whole batch.
    return tf.while_loop(lambda start, *_: start < number, add_part, (0, *zeros), parallel_iterations=1)[1:]


def _clips_in(batch):
    return tf.shape(tf.nest.flatten(batch)[0])[0]
