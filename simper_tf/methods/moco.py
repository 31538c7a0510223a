"""MoCo v2: a view finds the other view of its clip among views of earlier clips, which are kept in a queue."""

import dataclasses

import keras
import tensorflow as tf
from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.momentum import MomentumMethod, MomentumOptions
from simper_tf.methods.registry import register
from simper_tf.methods.simclr import choose
from simper_tf.utils.options import option
from simper_tf.utils.replicas import assign_everywhere, gather
from simper_tf.views.appearance import Appearance


@dataclasses.dataclass(frozen=True)
class MoCoOptions(MomentumOptions):
    """Options of MoCo."""

    queue_size: int = option(256, "Keys in the queue, a multiple of the batch.", low=1, is_flag=False)
    temperature: float = option(0.2, "Divides the similarities.", low=0, above=True)
    projection: int = option(128, "Length of the projected vectors.", low=1, is_flag=False)


@register("moco", title="MoCo v2", reference="He et al., CVPR 2020, https://arxiv.org/abs/1911.05722")
class MoCo(MomentumMethod):
    """Contrasts clips with a queue, after He et al.; head and views are those of its version 2.

    Of every clip two views are made at its own speed. The features of all frames of a view are one vector. The first
    view is projected by encoder and head, the second, the key, by their slow copies. `queue_nce` compares the query
    with its key and with the keys of earlier steps; then the keys of all replicas enter the queue in place of the
    oldest. A step goes: move the copies, make the keys, learn, fill the queue.

    The source's queue of 65,536 keys and momentum of 0.999 are for a million images. A queue longer than a data set
    holds views of the very clip as wrong answers: take half of the data set, see `queue_size_for`, and 0.99.

    The source shuffles the clips of the keys among devices, whose batch norms are separate, lest a query know its key
    by the statistics they share. Here batch norm is that of all replicas together, and shuffling would change nothing.
    With an encoder whose batch norm mixes clips, keys of this step may be told from those in the queue that way: an
    `accuracy` near 1 after a few steps says so. Encoders with the norms `group` or `affine`, and the head, are safe.

    It logs, beside what all methods log, `accuracy`: how often the key is nearer than all of the queue.

    Arguments and errors are those of `Method`; the head is built for `views`, which cannot be left out.

    Example:
        >>> times = simper_tf.MoCo.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.MoCo.appearance)
        >>> model = simper_tf.MoCo(simper_tf.small((8, 8, 3)), views, queue_size=64)
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.queue.shape
        TensorShape([64, 128])
    """

    Options = MoCoOptions
    appearance = Appearance(
        crop_area=(0.2, 1.0),
        brightness=(0.6, 1.4),
        contrast=(0.6, 1.4),
        saturation=(0.6, 1.4),
        hue=0.1,
        jitter_probability=0.8,
        gray_probability=0.2,
        blur_probability=0.5,
    )

    def __init__(self, encoder, views=None, **given):
        super().__init__(encoder, views, **given)
        shape = self.options.queue_size, self.options.projection
        self.queue = self.add_weight(shape, initializer=random_directions(self.seed), trainable=False, name="queue")
        self.pointer = self.add_weight((), initializer="zeros", trainable=False, dtype="int64", name="pointer")

    def build_head(self, length: int) -> keras.Model:
        return heads.head(length, layers.Dense(length, activation="relu"), layers.Dense(self.options.projection))

    @classmethod
    def arguments_for(cls, facts):
        return {**super().arguments_for(facts), "queue_size": cls.queue_size_for(facts.num_clips, facts.batch_size)}

    @staticmethod
    def queue_size_for(num_clips: int, batch_size: int) -> int:
        """Returns the longest queue of whole batches in which half of the clips at most have a key; one at least."""
        return max(num_clips // 2 // batch_size, 1) * batch_size

    def check_batch(self, batch_size: int) -> None:
        """Refuses batches that do not divide the queue, which they enter and leave as a whole."""
        super().check_batch(batch_size)
        size = self.options.queue_size
        if size % batch_size:
            raise ValueError(
                f"A queue of {size} keys does not hold whole batches of {batch_size}. Give a multiple as "
                f"`queue_size`, such as {max(size // batch_size, 1) * batch_size}, or another `batch_size`."
            )

    def log_names(self) -> list[str]:
        return [*super().log_names(), "accuracy"]

    def targets(self, batch: dict, training: bool) -> dict:
        """Returns the first views alone, with `speeds`, and as `keys` the `(B, P)` target's vectors of the second."""
        first, second = tf.split(batch["views"], 2, axis=1)
        keys = tf.math.l2_normalize(self.target_vectors(second, training)[:, 0], axis=-1)
        return {"views": first, "speeds": batch["speeds"][:, :1], "keys": keys}

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        queries = heads.project(self.head, features, training)[:, 0]
        losses, hits = queue_nce(queries, batch["keys"], self.queue.value, self.options.temperature)
        return tf.reduce_mean(losses), {"accuracy": tf.reduce_mean(hits)}

    def after_step(self, batch: dict) -> None:
        # Only now: a key in the queue would be a wrong answer to its own query.
        self.enqueue(gather(batch["keys"]))

    def enqueue(self, keys: tf.Tensor) -> None:
        """Writes `(N, P)` keys of length 1, those of all replicas, over the oldest of the queue."""
        number, size = tf.shape(keys, tf.int64)[0], self.options.queue_size
        rows = (self.pointer.value + tf.range(number)) % size
        queue = tf.tensor_scatter_nd_update(self.queue.value, rows[:, None], keys)
        assign_everywhere([self.queue, self.pointer], [queue, (self.pointer.value + number) % size])


def queue_nce(queries, keys, queue, temperature: float):
    """Returns the cross-entropy of finding each query's key among the keys of earlier steps (eq. 1 of MoCo).

    Queries and keys are `(N, D)`, the queue `(K, D)` of length 1. Losses are `(N,)`, ln(K + 1) if all vectors are the
    same, and hits `(N,)` 1 where the key is nearer than all of the queue.
    """
    queries, keys = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (queries, keys)]
    right = tf.reduce_sum(queries * keys, axis=-1, keepdims=True)
    wrong = tf.matmul(queries, queue, transpose_b=True)
    # The key comes last: where all are equal, it does not count as found.
    logits = tf.concat([wrong, right], axis=-1) / temperature
    return choose(logits, tf.fill([tf.shape(queries)[0]], tf.shape(queue)[0]))


def random_directions(seed: int):
    """Returns an initializer of rows of length 1."""
    return lambda shape, dtype: tf.math.l2_normalize(tf.random.stateless_normal(shape, [seed, 0], dtype=dtype), axis=-1)
