"""SimPer: views of one clip at several speeds, contrasted with one another by how far apart their speeds are."""

import keras
import tensorflow as tf

from simper_tf import diagnostics, losses
from simper_tf.encoders.norms import mixes_clips
from simper_tf.frozen import check_number
from simper_tf.methods.registry import register
from simper_tf.methods.self_supervised import SelfSupervised
from simper_tf.similarity import find_similarity, over_channels
from simper_tf.times import SpeedSets
from simper_tf.views import Views


@register("simper", title="SimPer", reference="Yang et al., ICLR 2023, https://arxiv.org/abs/2210.03115")
class SimPer(SelfSupervised):
    """Self-supervised learning of periodic targets, after Yang et al.

    The loss is generalized InfoNCE, a mean over clips, of which no view is ever compared with one of another clip. It
    logs, beside what all methods log,

    * `label_entropy`, below which InfoNCE cannot go, and `kl_divergence`, what it lies above it;
    * `speed_correlation` and `speed_slope`: how features follow the known speeds, 1 for perfect features, see
      `diagnostics.speed_correlation_and_slope`.

    Args:
        encoder: See `Method`.
        views: See `Method`.
        similarity: Name in `similarity.SIMILARITIES` by which features are compared; in Python also a function.
        temperature: nu of the paper, which divides the similarities.
        label_temperature: Divides the label similarities; 0 for hard labels. See `losses.label_distribution`.
        label_similarity: Name in `losses.LABEL_SIMILARITIES` by which speeds are compared.
        micro_batch: Clips whose views are made and encoded at once; 0 for the whole batch. The gradient is the same,
            and it takes only as much memory as a batch of that size.
        seed: See `Method`.

    Raises:
        ValueError: a setting is out of its range, or `micro_batch` is given for an encoder that mixes clips.
    """

    def __init__(
        self,
        encoder,
        views: Views | None = None,
        *,
        similarity: str = "mxcorr",
        temperature: float = 1.0,
        label_temperature: float = 0.1,
        label_similarity: str = "l1",
        micro_batch: int = 0,
        seed: int = 0,
        **kwargs,
    ):
        check_number("temperature", temperature, 0, above=True)
        check_number("label_temperature", label_temperature, 0)
        check_number("micro_batch", micro_batch, 0)
        known = sorted(losses.LABEL_SIMILARITIES)
        if label_similarity not in known:
            raise ValueError(f"`label_similarity` must be one of {known}. Received: {label_similarity!r}.")
        if micro_batch and mixes_clips(encoder):
            raise ValueError(
                f"`micro_batch` = {micro_batch} would change the gradient: the batch norm of the encoder "
                f"{encoder.name!r} lets clips of a batch influence one another. Use norm 'group' or 'affine'."
            )
        super().__init__(encoder, views, seed=seed, **kwargs)
        self.similarity = similarity
        self.compare = find_similarity(similarity)
        self.temperature = temperature
        self.label_temperature = label_temperature
        self.label_similarity = label_similarity
        self.micro_batch = micro_batch

    @classmethod
    def times_for(cls, num_views, speed_range, reverse_probability=0.5):
        return SpeedSets(num_views, speed_range, reverse_probability)

    def log_names(self):
        return [*super().log_names(), "label_entropy", "kl_divergence", "speed_correlation", "speed_slope"]

    def check_batch(self, batch_size):
        """Refuses batches that micro-batches do not divide.

        Args:
            batch_size: Clips a step, over all replicas.

        Raises:
            ValueError: the last micro-batch would be smaller, and the mean of means another.
        """
        super().check_batch(batch_size)
        share = batch_size // self.distribute_strategy.num_replicas_in_sync
        if self.micro_batch and share % self.micro_batch:
            raise ValueError(
                f"A batch of {share} clips (a replica's share) cannot be cut into micro-batches of {self.micro_batch}. "
                "Change `batch_size` or `micro_batch`."
            )

    def compute_gradients(self, batch):
        if not self.micro_batch:
            return super().compute_gradients(batch)
        number = tf.shape(tf.nest.flatten(batch)[0])[0] // self.micro_batch

        def add_part(k, gradients, logs):
            part = tf.nest.map_structure(lambda x: x[k * self.micro_batch : (k + 1) * self.micro_batch], batch)
            more = super(SimPer, self).compute_gradients(part)
            share = 1.0 / tf.cast(number, tf.float32)
            added = tf.nest.map_structure(lambda x, y: x + tf.cast(share, y.dtype) * y, (gradients, logs), more)
            return k + 1, *added

        zeros = [tf.zeros_like(v.value) for v in self.trainable_variables], dict.fromkeys(self.log_names(), 0.0)
        # One at a time: parts that run side by side would need the memory of the whole batch.
        return tf.while_loop(lambda k, *_: k < number, add_part, (0, *zeros), parallel_iterations=1)[1:]

    def loss_and_logs(self, features, batch, training=True):
        """Returns the loss and the further logs; see `Method.loss_and_logs`.

        Raises:
            ValueError: M is 1: there is no other speed to tell a view from.
        """
        if features.shape[1] < 4:
            raise ValueError(f"SimPer needs at least 2 views a set to tell speeds apart. Received: {features.shape}.")
        first, second = tf.split(features, 2, axis=1)
        speeds, other_speeds = tf.split(batch["speeds"], 2, axis=1)
        labels = losses.label_distribution(speeds, other_speeds, self.label_temperature, self.label_similarity)
        scores = over_channels(self.compare, first, second)
        loss = tf.reduce_mean(losses.generalized_info_nce(scores, labels, self.temperature))
        entropy = tf.reduce_mean(losses.label_entropy(labels))
        correlation, slope = diagnostics.speed_correlation_and_slope(first, speeds)
        logs = {
            "label_entropy": entropy,
            "kl_divergence": loss - entropy,
            "speed_correlation": correlation,
            "speed_slope": slope,
        }
        return loss, logs

    def get_config(self):
        return {**super().get_config(), "similarity": keras.saving.serialize_keras_object(self.similarity)}

    @classmethod
    def from_config(cls, config):
        similarity = keras.saving.deserialize_keras_object(config["similarity"])
        return super().from_config({**config, "similarity": similarity})
