"""SimPer: views of one clip at several speeds, contrasted with one another by how far apart their speeds are."""

import keras
import tensorflow as tf

from simper_tf import diagnostics, losses, similarity, units
from simper_tf.encoders.norms import mixes_clips
from simper_tf.methods.base import Method


@keras.saving.register_keras_serializable("simper_tf")
class SimPer(Method):
    """Self-supervised learning of periodic targets, after Yang et al., https://arxiv.org/abs/2210.03115.

    The loss is a mean over clips: no view is ever compared with one of another clip. It logs

    * `loss`: generalized InfoNCE, plus the weighted prior if there is one;
    * `floor`, `excess`: the entropy of the labels, below which InfoNCE cannot go, and what it lies above it;
    * `prior`: the share of power outside the band, if there is a prior;
    * `feature_deviation`: standard deviation of the features over time; falling to 0 means collapse;
    * `rank`, `slope`: how the peak frequency of each view's features follows its known speed, as Spearman's rank
      correlation and as the slope of one logarithm over the other. Both are 1 for perfect features, about 0 for
      useless ones; neither needs a label.

    Args:
        encoder, views, seed: See `Method`.
        similarity: A name of `similarity.SIMILARITIES`, or in Python a function such as those.
        temperature: nu, dividing the similarities.
        label_temperature, label_similarity: See `losses.label_distribution`.
        prior_weight: Weight of the frequency prior; 0 for none.
        prior_band: `(low, high)` in cycles per frame, Hz over frames per second, in which clips at speed 1 are known to
            lie.
        micro_batch: Clips whose views are made and encoded at once; 0 for all of the batch. The gradient is the same,
            the memory that of so many clips.

    Raises:
        ValueError: a setting is out of its range, or `micro_batch` is given for an encoder that mixes clips.
    """

    def __init__(
        self,
        encoder,
        views=None,
        similarity="mxcorr",
        temperature=1.0,
        label_temperature=0.1,
        label_similarity="l1",
        prior_weight=0.0,
        prior_band=None,
        micro_batch=0,
        seed=0,
        **kwargs,
    ):
        if temperature <= 0 or label_temperature < 0 or prior_weight < 0:
            raise ValueError(
                "`temperature` must be positive, `label_temperature` and `prior_weight` at least 0. "
                f"Received: {temperature}, {label_temperature}, {prior_weight}."
            )
        known = sorted(losses.LABEL_SIMILARITIES)
        if label_similarity not in known:
            raise ValueError(f"`label_similarity` must be one of {known}. Received: {label_similarity!r}.")
        if prior_weight:
            if prior_band is None:
                raise ValueError("A frequency prior needs `prior_band`, (low, high) in cycles per frame.")
            units.check_band("prior_band", prior_band)
        if micro_batch and mixes_clips(encoder):
            raise ValueError(
                f"`micro_batch` = {micro_batch} would change the gradient: the batch norm of the encoder "
                f"{encoder.name!r} lets clips of a batch influence one another. Use norm 'group' or 'affine'."
            )
        self.prior_weight = prior_weight
        super().__init__(encoder, views, seed, **kwargs)
        self.similarity = similarity
        self.temperature = temperature
        self.label_temperature = label_temperature
        self.label_similarity = label_similarity
        self.prior_band = prior_band
        self.micro_batch = micro_batch

    def log_names(self):
        return ["loss", "label_entropy", "kl_divergence", "feature_deviation", "speed_correlation", "speed_slope"] + [
            "prior"
        ] * bool(self.prior_weight)

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
        number = tf.shape(batch[0])[0] // self.micro_batch

        def add_part(k, gradients, logs):
            part = tf.nest.map_structure(lambda x: x[k * self.micro_batch : (k + 1) * self.micro_batch], batch)
            more = super(SimPer, self).compute_gradients(part)
            share = 1.0 / tf.cast(number, tf.float32)
            added = tf.nest.map_structure(lambda x, y: x + tf.cast(share, y.dtype) * y, (gradients, logs), more)
            return k + 1, *added

        zeros = [tf.zeros_like(v.value) for v in self.trainable_variables], dict.fromkeys(self.log_names(), 0.0)
        # One at a time: parts that run side by side would need the memory of the whole batch.
        return tf.while_loop(lambda k, *_: k < number, add_part, (0, *zeros), parallel_iterations=1)[1:]

    def compute_logs(self, features, speeds, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 2M, L)` or `(B, 2M, L, D)`, two sets of M views.
            speeds: `(B, 2M)`.
            training: Unused, as there is no head.

        Raises:
            ValueError: M is 1: there is no other speed to tell a view from.
        """
        if features.shape[1] < 4:
            raise ValueError(f"SimPer needs at least 2 views a set to tell speeds apart. Received: {features.shape}.")
        first, second = tf.split(features, 2, axis=1)
        labels = losses.label_distribution(*tf.split(speeds, 2, axis=1), self.label_temperature, self.label_similarity)
        scores = similarity.over_channels(similarity.named(self.similarity), first, second)
        loss = tf.reduce_mean(losses.generalized_info_nce(scores, labels, self.temperature))
        entropy = tf.reduce_mean(losses.label_entropy(labels))
        correlation, slope = diagnostics.speed_correlation_and_slope(first, tf.split(speeds, 2, axis=1)[0])
        logs = {
            "loss": loss,
            "label_entropy": entropy,
            "kl_divergence": loss - entropy,
            "feature_deviation": diagnostics.feature_deviation(features),
            "speed_correlation": correlation,
            "speed_slope": slope,
        }
        if self.prior_weight:
            logs["prior"] = tf.reduce_mean(losses.out_of_band_power(features, speeds, self.prior_band))
            logs["loss"] += self.prior_weight * logs["prior"]
        return logs

    def get_config(self):
        return {
            **super().get_config(),
            "similarity": self.similarity
            if isinstance(self.similarity, str)
            else keras.saving.serialize_keras_object(self.similarity),
            "temperature": self.temperature,
            "label_temperature": self.label_temperature,
            "label_similarity": self.label_similarity,
            "prior_weight": self.prior_weight,
            "prior_band": self.prior_band,
            "micro_batch": self.micro_batch,
        }

    @classmethod
    def from_config(cls, config):
        if isinstance(config["similarity"], dict):
            config = {**config, "similarity": keras.saving.deserialize_keras_object(config["similarity"])}
        return super().from_config(config)
