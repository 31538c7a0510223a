"""SimPer: views of one clip at several speeds, contrasted with one another by how far apart their speeds are."""

import keras
import tensorflow as tf

from simper_tf.encoders.norms import mixes_clips
from simper_tf.losses import diagnostics, objectives
from simper_tf.losses.similarity import find_similarity, over_channels
from simper_tf.methods.registry import register
from simper_tf.methods.self_supervised import SelfSupervised
from simper_tf.utils.config import check_number
from simper_tf.utils.replicas import gather, replicas
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views


@register("simper", title="SimPer", reference="Yang et al., ICLR 2023, https://arxiv.org/abs/2210.03115")
class SimPer(SelfSupervised):
    """Self-supervised learning of periodic targets, after Yang et al.

    The loss is generalized InfoNCE, a mean over clips, of which no view is ever compared with one of another clip. It
    logs, beside what all methods log,

    * `label_entropy`, below which InfoNCE cannot go, and `kl_divergence`, what it lies above it;
    * `speed_correlation` and `speed_slope`: how features follow the known speeds, 1 for perfect features, see
      `diagnostics.speed_correlation_and_slope`;
    * `sparsity` and `variance`, where they have a weight.

    What other methods have can be added: SiNC's terms, and views of other clips as further candidates. Of these the
    label weight is 0, as if they never resembled the anchor. Two clips may have one frequency, or two views of them at
    their speeds, and then a likeness that is right counts as wrong. Nobody can tell without labels: to spare candidates
    that look alike would confirm features in whatever they confuse. The mistake is rare where the clips' band is many
    times as wide as the 2/L that views resolve, and small at a temperature of 1, where no candidate weighs more than e
    times another; lower temperatures let such pairs weigh most.

    Args:
        encoder: See `Method`.
        views: See `Method`.
        similarity: Name in `similarity.SIMILARITIES` by which features are compared; in Python also a function.
        temperature: nu of the paper, which divides the similarities.
        label_temperature: Divides the label similarities; 0 for hard labels. See `objectives.label_distribution`.
        label_similarity: Name in `objectives.LABEL_SIMILARITIES` by which speeds are compared.
        contrast_weight: What InfoNCE counts for; with 0 the other terms are learned from alone.
        sparsity_weight: What the share of power away from the peak counts for, inside each view's band; see
            `objectives.sparsity`.
        variance_weight: What the unevenness of the batch's mean spectrum over its bands counts for; see
            `objectives.unevenness`.
        other_clips: To compare anchors with views of the other clips of the step too, on whatever replica.
        micro_batch: Clips whose views are made and encoded at once; 0 for the whole batch. The gradient is the same,
            and it takes only as much memory as a batch of that size.
        prior_weight, prior_band: See `SelfSupervised`; the band is that of sparsity and variance too.
        seed: See `Method`.

    Raises:
        ValueError: a setting is out of its range, a term lacks its band, nothing has a weight, or `micro_batch` is
            given where clips of a batch influence one another.
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
        contrast_weight: float = 1.0,
        sparsity_weight: float = 0.0,
        variance_weight: float = 0.0,
        other_clips: bool = False,
        micro_batch: int = 0,
        seed: int = 0,
        **kwargs,
    ):
        check_number("temperature", temperature, 0, above=True)
        check_number("label_temperature", label_temperature, 0)
        check_number("contrast_weight", contrast_weight, 0)
        check_number("sparsity_weight", sparsity_weight, 0)
        check_number("variance_weight", variance_weight, 0)
        check_number("micro_batch", micro_batch, 0)
        known = sorted(objectives.LABEL_SIMILARITIES)
        if label_similarity not in known:
            raise ValueError(f"`label_similarity` must be one of {known}. Received: {label_similarity!r}.")
        if micro_batch and mixes_clips(encoder):
            raise ValueError(
                f"`micro_batch` = {micro_batch} would change the gradient: the batch norm of the encoder "
                f"{encoder.name!r} lets clips of a batch influence one another. Use norm 'group' or 'affine'."
            )
        if micro_batch and (other_clips or variance_weight):
            raise ValueError(
                f"`micro_batch` = {micro_batch} keeps the clips of a batch apart, which "
                f"`{'other_clips' if other_clips else 'variance_weight'}` compares. Leave one of the two out."
            )
        self.sparsity_weight = sparsity_weight  # First, because the names of the logs depend on them.
        self.variance_weight = variance_weight
        super().__init__(encoder, views, seed=seed, **kwargs)
        if (sparsity_weight or variance_weight) and self.prior_band is None:
            raise ValueError("Sparsity and variance need `prior_band`, (low, high) in cycles per frame.")
        if not any((contrast_weight, sparsity_weight, variance_weight, self.prior_weight)):
            raise ValueError("All weights are 0: there is nothing to minimize. Raise one, such as `contrast_weight`.")
        if other_clips or variance_weight:
            self.min_clips = 2
        self.contrast_weight = contrast_weight
        self.other_clips = other_clips
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
        own = ["label_entropy", "kl_divergence", "speed_correlation", "speed_slope"]
        return [*super().log_names(), *own, *self._spectral_weights()]

    def _spectral_weights(self):
        weights = {"sparsity": self.sparsity_weight, "variance": self.variance_weight}
        return {name: weight for name, weight in weights.items() if weight}

    def check_batch(self, batch_size):
        """Refuses batches that micro-batches do not divide; only the last batch of an epoch may end in a smaller one.

        Args:
            batch_size: Clips a step, over all replicas.

        Raises:
            ValueError: a replica's share of them is no multiple of `micro_batch`.
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
        number = _clips_in(batch)

        def add_part(start, gradients, logs):
            part = tf.nest.map_structure(lambda x: x[start : start + self.micro_batch], batch)
            more = super(SimPer, self).compute_gradients(part)
            share = _clips_in(part) / number  # The last part may be smaller.
            added = tf.nest.map_structure(lambda x, y: x + tf.cast(share, y.dtype) * y, (gradients, logs), more)
            return start + self.micro_batch, *added

        zeros = [tf.zeros_like(v.value) for v in self.trainable_variables], dict.fromkeys(self.log_names(), 0.0)
        # One at a time: parts that run side by side would need the memory of the whole batch.
        return tf.while_loop(lambda start, *_: start < number, add_part, (0, *zeros), parallel_iterations=1)[1:]

    def loss_and_logs(self, features, batch, training=True):
        """Returns the loss and the further logs; see `Method.loss_and_logs`.

        Raises:
            ValueError: M is 1: there is no other speed to tell a view from.
        """
        if features.shape[1] < 4:
            raise ValueError(f"SimPer needs at least 2 views a set to tell speeds apart. Received: {features.shape}.")
        first, second = tf.split(features, 2, axis=1)
        speeds, other_speeds = tf.split(batch["speeds"], 2, axis=1)
        labels = objectives.label_distribution(speeds, other_speeds, self.label_temperature, self.label_similarity)
        if self.other_clips:
            scores, labels = among_all_clips(self.compare, first, second, labels)
        else:
            scores = over_channels(self.compare, first, second)
        contrast = tf.reduce_mean(objectives.generalized_info_nce(scores, labels, self.temperature))
        entropy = tf.reduce_mean(objectives.label_entropy(labels))
        correlation, slope = diagnostics.speed_correlation_and_slope(first, speeds)
        logs = {
            "label_entropy": entropy,
            "kl_divergence": contrast - entropy,
            "speed_correlation": correlation,
            "speed_slope": slope,
        }
        loss = self.contrast_weight * contrast
        if self._spectral_weights():
            terms = objectives.spectral_terms(features, batch["speeds"], self.prior_band)
            logs |= {name: terms[name] for name in self._spectral_weights()}
            loss += sum(weight * logs[name] for name, weight in self._spectral_weights().items())
        return loss, logs

    def get_config(self):
        return {**super().get_config(), "similarity": keras.saving.serialize_keras_object(self.similarity)}

    @classmethod
    def from_config(cls, config):
        similarity = keras.saving.deserialize_keras_object(config["similarity"])
        return super().from_config({**config, "similarity": similarity})


def _clips_in(batch):
    return tf.shape(tf.nest.flatten(batch)[0])[0]


def among_all_clips(compare, first, second, labels):
    """Returns how anchors resemble the candidates of all clips of the step, and how they should.

    Args:
        compare: A function of `similarity`.
        first: `(B, M, L)` or `(B, M, L, D)`, anchors of this replica's clips.
        second: Of the same shape, candidates of the same clips.
        labels: `(B, M, M)`, how an anchor should resemble the candidates of its own clip.

    Returns:
        scores: `(B, M, N M)` float32, N clips on all replicas.
        labels: `(B, M, N M)`, 0 for candidates of other clips.
    """
    # What is gathered has forgotten its shape.
    candidates = tf.reshape(gather(second), [-1, *second.shape[1:]])
    batch_size, number = tf.shape(first)[0], tf.shape(candidates)[0]
    # Clip by clip, so that a similarity sees sets of a known number of views.
    pairs = tf.repeat(first, number, axis=0), tf.tile(candidates, [batch_size, *[1] * (second.shape.rank - 1)])
    num_views = first.shape[1]
    scores = tf.reshape(over_channels(compare, *pairs), [batch_size, number, num_views, num_views])
    own = tf.one_hot(replicas()[1] * batch_size + tf.range(batch_size), number, dtype=labels.dtype)
    shape = [batch_size, num_views, number * num_views]
    labels = own[:, None, :, None] * labels[:, :, None, :]
    return tf.reshape(tf.transpose(scores, [0, 2, 1, 3]), shape), tf.reshape(labels, shape)
