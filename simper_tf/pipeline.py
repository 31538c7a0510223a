"""Examples -> batches of a training run that can be entered at any step."""

import tensorflow as tf

from simper_tf.clips import ROUNDING
from simper_tf.standardize import is_series
from simper_tf.views import Views

# Below this size the examples of a split are kept in memory after they have been read once.
CACHE_BYTES = 2**30


def training_batches(
    examples: tf.data.Dataset,
    num_examples: int,
    batch_size: int,
    seed: int,
    start_step: int = 0,
    views: Views | None = None,
    labeled: bool = False,
    worker: int = 0,
    num_workers: int = 1,
) -> tf.data.Dataset:
    """Returns endless batches of clips, the same ones whenever and wherever the run is continued.

    The order of an epoch depends on the seed and the epoch alone, and the views of a batch on the seed and the step
    alone. What follows step k can therefore be made without the k steps before it; only the current epoch's earlier
    examples are read again.

    Of several workers each takes its own part of every batch, and all parts together are the batch of one process. All
    of them read all examples, and make batches of none but their own.

    Args:
        examples: `tf.data.Dataset` of dictionaries with `clip` and `id`.
        num_examples: How many there are.
        batch_size: B; what remains of an epoch is dropped, as the order changes every time.
        seed: Seed of order and views.
        start_step: Step of the first batch.
        views: A `Views` to make views here, on the host; None for clips.
        labeled: Whether the method learns from labels too.
        worker, num_workers: Which part of every batch, and in how many equal parts it is cut.

    Returns:
        What `fit` of a method takes: a `tf.data.Dataset` of `(B, T, H, W, C)` clips, in a pair with `(B, ...)` labels
        where asked; or of dictionaries as `views` returns them, with a further entry `labels` where asked. B is that of
        the part.

    Raises:
        ValueError: there are fewer examples than a batch takes, or it cannot be cut into equal parts.
    """
    if batch_size % num_workers:
        raise ValueError(f"A batch of {batch_size} clips cannot be shared evenly among {num_workers} workers.")
    if batch_size > num_examples:
        raise ValueError(f"A batch of {batch_size} clips cannot be drawn from {num_examples}. Lower the batch size.")

    def wanted(example):
        clip = _checked_clip(example)
        return (clip, example["label"]) if labeled else clip

    clips = examples.map(wanted, tf.data.AUTOTUNE, deterministic=True)
    buffer_size = num_examples
    clip_bytes = _bytes_per_element(clips)
    if clip_bytes * num_examples <= CACHE_BYTES:
        # Before any random step: cached views would be the same in every epoch.
        clips = clips.cache()
    else:
        buffer_size = max(batch_size, CACHE_BYTES // clip_bytes)

    steps, share = num_examples // batch_size, batch_size // num_workers

    def is_own(position, _):
        return position % batch_size // share == worker

    def one_epoch(epoch):
        order = _shuffle(clips, buffer_size, [seed, epoch])
        if num_workers > 1:
            order = order.take(steps * batch_size).enumerate().filter(is_own).map(lambda _, example: example)
        return order.batch(share, drop_remainder=True)

    epoch, step_of_epoch = divmod(start_step, steps)
    batches = tf.data.Dataset.range(epoch, 2**31).flat_map(one_epoch).skip(step_of_epoch)
    if views is not None:

        def make_views(step, batch):
            clips, *labels = tf.nest.flatten(batch)
            draws = views.draw(batch_size, clips.shape[1], tf.stack([seed, tf.cast(step, tf.int32)]))
            own = tf.nest.map_structure(lambda draw: draw[worker * share : (worker + 1) * share], draws)
            made = views.apply(clips, own)
            return {**made, "labels": labels[0]} if labeled else made

        batches = batches.enumerate(start=start_step).map(make_views, tf.data.AUTOTUNE)
    return batches.prefetch(2)


def _checked_clip(example):
    clip = example["clip"]
    if clip.dtype.is_floating:
        finite = tf.reduce_all(tf.math.is_finite(clip))
        tf.debugging.Assert(finite, ["Clip", example["id"], "holds NaN or infinite values."])
    if clip.dtype.is_floating and not is_series(clip.shape[1:]):
        low, high = tf.reduce_min(clip), tf.reduce_max(clip)
        advice = "but floats must lie in 0 to 1. Rescale them, or give uint8."
        inside = (low >= -ROUNDING) & (high <= 1.0 + ROUNDING)
        tf.debugging.Assert(inside, ["Clip", example["id"], "holds values from", low, "to", high, advice])
    moving = tf.reduce_any(clip[1:] != clip[:-1])
    tf.debugging.Assert(moving, ["Clip", example["id"], "does not change over time: nothing can be learned from it."])
    return clip


def _shuffle(dataset, buffer_size, seeds):
    """`Dataset.shuffle` with a pair of seeds that may be tensors, which the method refuses."""
    specs = tf.nest.flatten(dataset.element_spec)
    variant = tf.raw_ops.ShuffleDataset(
        input_dataset=tf.data.experimental.to_variant(dataset),
        buffer_size=buffer_size,
        seed=tf.cast(seeds[0], tf.int64),
        # Both seeds 0 would ask for a random order.
        seed2=tf.cast(seeds[1], tf.int64) + 1,
        output_types=[spec.dtype for spec in specs],
        output_shapes=[spec.shape for spec in specs],
        reshuffle_each_iteration=False,
    )
    return tf.data.experimental.from_variant(variant, dataset.element_spec)


def _bytes_per_element(dataset):
    return sum(spec.shape.num_elements() * spec.dtype.size for spec in tf.nest.flatten(dataset.element_spec))
