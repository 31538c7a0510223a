"""MoCo v2: a view is to find the other view of its clip among the views of earlier clips, kept in a queue."""

import keras
import tensorflow as tf
from keras import layers

from simper_tf import diagnostics, losses
from simper_tf.methods import heads
from simper_tf.methods.momentum import MomentumMethod
from simper_tf.methods.replicas import assign_everywhere, gather
from simper_tf.views import Views


@keras.saving.register_keras_serializable("simper_tf")
class MoCo(MomentumMethod):
    """Contrasts clips with a queue, after He et al., https://arxiv.org/abs/1911.05722; head and views of its version 2.

    Of every clip two views are made at its own speed. The features of all frames of a view are one vector. The first
    view is projected by encoder and head, the second, the key, by their slow copies. `losses.queue_nce` compares the
    query with its key and with the keys of earlier steps; then the keys of all replicas enter the queue in place of
    the oldest. A step goes: move the copies, make the keys, learn, fill the queue.

    The source's queue of 65,536 keys and momentum of 0.999 are for a million images. A queue longer than a data set
    holds views of the very clip as wrong answers: take half of the data set, see `queue_size_for`, and 0.99.

    The source shuffles the clips of the keys among devices, whose batch norms are separate, lest a query know its key
    by the statistics they share. Here batch norm is that of all replicas together, and shuffling would change nothing.
    With an encoder whose batch norm mixes clips, keys of this step may be told from those in the queue that way: an
    `accuracy` near 1 after a few steps says so. Encoders with the norms `group` or `affine`, and the head, are safe.

    It logs `loss`; `accuracy`, how often the key is nearer than all of the queue; and `feature_deviation`, see `Method`.

    Args:
        encoder, views, seed: See `Method`; the head is built for `views`, which cannot be left out.
        queue_size: Keys in the queue, a multiple of the batch.
        momentum: See `MomentumMethod`.
        temperature: Divides the cosine similarities.
        outputs: Length of the projections.

    Raises:
        ValueError: a setting is out of its range, or `views` are missing.
    """

    def __init__(
        self, encoder, views=None, queue_size=256, momentum=0.99, temperature=0.2, outputs=128, seed=0, **kwargs
    ):
        if temperature <= 0 or queue_size < 1:
            raise ValueError(
                f"`temperature` must be positive, `queue_size` at least 1. Received: {temperature}, {queue_size}."
            )
        length = heads.vector_length(type(self).__name__, encoder, views)
        head = heads.head(length, layers.Dense(length, activation="relu"), layers.Dense(outputs))
        super().__init__(encoder, views, head, momentum, seed, **kwargs)
        self.queue_size = queue_size
        self.temperature = temperature
        self.outputs = outputs
        self.queue = self.add_weight(
            (queue_size, outputs), initializer=random_directions(seed), trainable=False, name="queue"
        )
        self.pointer = self.add_weight((), initializer="zeros", trainable=False, dtype="int64", name="pointer")

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns two views of each clip at its own speed, with the changes of colour of the authors' code.

        See `Method.views_for`.
        """
        own = {
            "crop_area": (0.2, 1.0),
            "brightness": (0.6, 1.4),
            "contrast": (0.6, 1.4),
            "saturation": (0.6, 1.4),
            "hue": 0.1,
            "jitter_probability": 0.8,
            "gray_probability": 0.2,
            "blur_probability": 0.5,
        }
        return Views(num_frames, 1, (1.0, 1.0), **{**own, **changes})

    @staticmethod
    def queue_size_for(num_clips, batch_size):
        """Returns the longest queue of whole batches in which at most half of the clips have a key; one batch at least.

        Args:
            num_clips: Of the data set.
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
        return ["loss", "accuracy", "feature_deviation"]

    def compute_gradients(self, batch):
        made = self.make_views(batch)
        self.update_target()
        *queries, keys = self.with_targets(made, training=True)
        gradients, logs = super().compute_gradients((*queries, keys))
        # Only now: a key in the queue would be a wrong answer to its own query.
        self.enqueue(gather(keys))
        return gradients, logs

    def with_targets(self, made, training):
        """Returns `(views, speeds, keys)` of the first views and the keys of the second; see `Method.with_targets`."""
        views, *facts = made
        keys = tf.math.l2_normalize(self.target_vectors(views[:, 1:], training)[:, 0], axis=-1)
        return views[:, :1], *facts, keys

    def compute_logs(self, features, speeds, keys, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 1, L)` or `(B, 1, L, D)`, of the queries.
            speeds: `(B, 2)`, unused.
            keys: `(B, P)`, the target's projections of the other views.
            training: Whether the head is in training mode.
        """
        queries = heads.project(self.head, features, training)[:, 0]
        found = losses.queue_nce(queries, keys, self.queue.value, self.temperature)
        loss, accuracy = [tf.reduce_mean(values) for values in found]
        return {"loss": loss, "accuracy": accuracy, "feature_deviation": diagnostics.feature_deviation(features)}

    def enqueue(self, keys):
        """Writes `(N, P)` keys of length 1, those of all replicas, over the oldest of the queue."""
        number = tf.shape(keys, tf.int64)[0]
        rows = (self.pointer.value + tf.range(number)) % self.queue_size
        queue = tf.tensor_scatter_nd_update(self.queue.value, rows[:, None], keys)
        assign_everywhere([self.queue, self.pointer], [queue, (self.pointer.value + number) % self.queue_size])

    def get_config(self):
        return {
            **super().get_config(),
            "queue_size": self.queue_size,
            "temperature": self.temperature,
            "outputs": self.outputs,
        }


def random_directions(seed):
    """Returns an initializer of rows of length 1."""
    return lambda shape, dtype: tf.math.l2_normalize(tf.random.stateless_normal(shape, [seed, 0], dtype=dtype), axis=-1)
