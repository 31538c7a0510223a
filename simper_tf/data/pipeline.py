"""Examples -> batches of a training run that can be entered at any step."""

import dataclasses
import functools
from collections.abc import Callable

import tensorflow as tf

from simper_tf.utils.clips import ROUNDING
from simper_tf.utils.standardize import is_series
from simper_tf.views.views import Views

# Up to this size the clips of a split are kept in memory after they have been read once.
CACHE_BYTES = 2**30


@dataclasses.dataclass(frozen=True)
class Batches:
    """The batches of a training run: what `fit` of a method takes.

    Each holds `(B, T, H, W, C)` clips, in a pair with `(B, ...)` labels where asked; or is a dictionary as `views`
    returns it, with a further entry `labels` where asked.

    The order of an epoch depends on the seed and the epoch alone, and the views of a batch on the seed and the step
    alone. What follows step k can therefore be made without the k steps before it.

    Of several workers each takes its own part of every batch, and all parts together are the batch of one process. None
    of them reads the clips of another: what is shuffled are their numbers.

    Attributes:
        read: A function from a data set of numbers of examples to that of the examples, dictionaries with `clip` and
            `id`, such as `ClipData.reader` gives.
        num_examples: How many there are.
        batch_size: B, of all workers together; what remains of an epoch is dropped, as the order changes every time.
        seed: Seed of order and views.
        views: A `Views` to make views here, on the host; None for clips.
        labeled: Whether the method learns from labels too.
        worker, num_workers: Which part of every batch, and in how many equal parts it is cut.

    Raises:
        ValueError: there are fewer examples than a batch takes, or it cannot be cut into equal parts.
    """

    read: Callable
    num_examples: int
    batch_size: int
    seed: int
    views: Views | None = None
    labeled: bool = False
    worker: int = 0
    num_workers: int = 1

    def __post_init__(self):
        if self.batch_size % self.num_workers:
            raise ValueError(
                f"A batch of {self.batch_size} clips cannot be shared evenly among {self.num_workers} workers."
            )
        if self.batch_size > self.num_examples:
            raise ValueError(
                f"A batch of {self.batch_size} clips cannot be drawn from {self.num_examples}. Lower the batch size."
            )

    def start(self, step: int = 0) -> tf.data.Dataset:
        """Returns the endless batches from a step on.

        One process reads clips that fit into `CACHE_BYTES` once, all of them before the first batch, and keeps them.
        Otherwise a clip is read when its turn comes, and those before the step are not.
        """
        examples = tf.data.Dataset.range(self.num_examples)
        kept = self._fits and self.num_workers == 1
        if kept:
            # Before any random step: cached views would be the same in every epoch.
            examples = self._decoded(examples).cache()

        def one_epoch(epoch):
            return self._order(examples, epoch)

        epoch, step_of_epoch = divmod(step, self._steps)
        order = tf.data.Dataset.range(epoch, 2**31).flat_map(one_epoch).skip(step_of_epoch * self._share)
        batches = (order if kept else self._decoded(order)).batch(self._share, drop_remainder=True)
        if self.views is not None:
            batches = batches.enumerate(start=step).map(self._with_views, tf.data.AUTOTUNE, deterministic=True)
        return batches.prefetch(2)

    @property
    def _steps(self):
        return self.num_examples // self.batch_size

    @property
    def _share(self):
        return self.batch_size // self.num_workers

    @functools.cached_property
    def _spec(self):
        """Specs of what is wanted of an example."""
        return self._decoded(tf.data.Dataset.range(1)).element_spec

    @property
    def _clip_bytes(self):
        return sum(spec.shape.num_elements() * spec.dtype.size for spec in tf.nest.flatten(self._spec))

    @property
    def _fits(self):
        return self._clip_bytes * self.num_examples <= CACHE_BYTES

    def _wanted(self, example):
        clip = _checked_clip(example)
        return (clip, example["label"]) if self.labeled else clip

    def _decoded(self, numbers):
        return self.read(numbers).map(self._wanted, tf.data.AUTOTUNE, deterministic=True)

    def _order(self, examples, epoch):
        """Returns which of all examples, or of their numbers, this worker takes in an epoch, its parts of batches."""
        order = self._shuffled(examples, epoch).take(self._steps * self.batch_size)
        if self.num_workers == 1:
            return order

        def is_own(position, _):
            return position % self.batch_size // self._share == self.worker

        return order.enumerate().filter(is_own).map(lambda _, number: number)

    def _shuffled(self, examples, epoch):
        buffer_size = self.num_examples if self._fits else max(self.batch_size, CACHE_BYTES // self._clip_bytes)
        return _shuffle(examples, buffer_size, [self.seed, epoch])

    def _own(self, draws):
        return draws[self.worker * self._share : (self.worker + 1) * self._share]

    def _with_views(self, step, batch):
        clips, *labels = tf.nest.flatten(batch)
        views = self.views.of_frames(clips.shape[2:])
        draws = views.draw(self.batch_size, clips.shape[1], tf.stack([self.seed, tf.cast(step, tf.int32)]))
        made = views.apply(clips, tf.nest.map_structure(self._own, draws))
        return {**made, "labels": labels[0]} if self.labeled else made


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
