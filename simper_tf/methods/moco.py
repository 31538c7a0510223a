"""MoCo v2: a view is to find the other view of its clip among the views of earlier clips, kept in a queue."""

import tensorflow as tf
from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.contrast import choose
from simper_tf.methods.momentum import MomentumMethod
from simper_tf.methods.registry import register
from simper_tf.utils.config import check_number
from simper_tf.utils.replicas import assign_everywhere, gather
from simper_tf.views.appearance import Appearance
from simper_tf.views.views import Views


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

    Args:
        encoder: See `Method`.
        views: See `Method`; the head is built for them, so they cannot be left out.
        queue_size: Keys in the queue, a multiple of the batch.
        momentum: Share of the slow copies that stays at every step.
        temperature: Divides the cosine similarities.
        projection: Length of the projections.
        seed: See `Method`.

    Raises:
        ValueError: a setting is out of its range, or `views` are missing.
    """

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
    defaults_from_data = ("queue_size",)

    def __init__(
        self,
        encoder,
        views: Views | None = None,
        *,
        queue_size: int = 256,
        momentum: float = 0.99,
        temperature: float = 0.2,
        projection: int = 128,
        seed: int = 0,
        **kwargs,
    ):
        check_number("temperature", temperature, 0, above=True)
        check_number("queue_size", queue_size, 1)
        check_number("projection", projection, 1)
        length = heads.vector_length(type(self).__name__, encoder, views)
        head = heads.head(length, layers.Dense(length, activation="relu"), layers.Dense(projection))
        super().__init__(encoder, views, head, momentum=momentum, seed=seed, **kwargs)
        self.queue_size = queue_size
        self.temperature = temperature
        self.projection = projection
        self.queue = self.add_weight(
            (queue_size, projection), initializer=random_directions(seed), trainable=False, name="queue"
        )
        self.pointer = self.add_weight((), initializer="zeros", trainable=False, dtype="int64", name="pointer")

    @classmethod
    def arguments_for(cls, facts):
        return {**super().arguments_for(facts), "queue_size": cls.queue_size_for(facts.num_clips, facts.batch_size)}

    @staticmethod
    def queue_size_for(num_clips: int, batch_size: int) -> int:
        """Returns the longest queue of whole batches in which at most half of the clips have a key; one batch at least.

        Args:
            num_clips: Clips of the data set.
            batch_size: Clips a step, over all replicas.
        """
        return max(num_clips // 2 // batch_size, 1) * batch_size

    def check_batch(self, batch_size):
        """Refuses batches that do not divide the queue, which they enter and leave as a whole.

        Args:
            batch_size: Clips a step, over all replicas.

        Raises:
            ValueError: the queue is no multiple of the batch.
        """
        super().check_batch(batch_size)
        if self.queue_size % batch_size:
            raise ValueError(
                f"A queue of {self.queue_size} keys does not hold whole batches of {batch_size}. Give a multiple as "
                f"`queue_size`, such as {max(self.queue_size // batch_size, 1) * batch_size}, or another `batch_size`."
            )

    def log_names(self):
        return [*super().log_names(), "accuracy"]

    def targets(self, batch, training):
        """Returns the first views alone, with `speeds`, and as `keys` the `(B, P)` target's vectors of the second."""
        first, second = tf.split(batch["views"], 2, axis=1)
        keys = tf.math.l2_normalize(self.target_vectors(second, training)[:, 0], axis=-1)
        return {"views": first, "speeds": batch["speeds"][:, :1], "keys": keys}

    def loss_and_logs(self, features, batch, training=True):
        queries = heads.project(self.head, features, training)[:, 0]
        found = queue_nce(queries, batch["keys"], self.queue.value, self.temperature)
        loss, accuracy = [tf.reduce_mean(values) for values in found]
        return loss, {"accuracy": accuracy}

    def after_step(self, batch):
        # Only now: a key in the queue would be a wrong answer to its own query.
        self.enqueue(gather(batch["keys"]))

    def enqueue(self, keys):
        """Writes `(N, P)` keys of length 1, those of all replicas, over the oldest of the queue."""
        number = tf.shape(keys, tf.int64)[0]
        rows = (self.pointer.value + tf.range(number)) % self.queue_size
        queue = tf.tensor_scatter_nd_update(self.queue.value, rows[:, None], keys)
        assign_everywhere([self.queue, self.pointer], [queue, (self.pointer.value + number) % self.queue_size])


def queue_nce(queries, keys, queue, temperature: float):
    """Returns the cross-entropy of finding each query's key among the keys of earlier steps (eq. 1 of MoCo).

    Args:
        queries, keys: `(N, D)`; scaled to length 1 here.
        queue: `(K, D)` vectors of length 1, none of which is right for any query.
        temperature: Divides the cosine similarities.

    Returns:
        losses: `(N,)` float32; ln(K + 1) if all vectors are the same.
        found: `(N,)` float32, 1 where the key is nearer than all of the queue.
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
