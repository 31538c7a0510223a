"""SimPer: views of one clip at several speeds, contrasted with one another by how far apart their speeds are.

Algorithm 1 of the paper, line by line: views are made by `SpeedSets`; then `SimPer.loss_and_logs` compares features of
the two sets, weighs the pairs by their speeds and returns generalized InfoNCE.
"""

import dataclasses

import tensorflow as tf

from simper_tf.losses import diagnostics, info_nce
from simper_tf.losses.similarity import SIMILARITIES, find_similarity, joint_cross_correlation, over_channels
from simper_tf.methods import micro_batches
from simper_tf.methods.registry import register
from simper_tf.methods.self_supervised import PriorOptions, SelfSupervised
from simper_tf.utils.options import option
from simper_tf.views.times import SpeedSets


@dataclasses.dataclass(frozen=True)
class SimPerOptions(PriorOptions):
    """Options of SimPer. In Python, the similarity may also be a function."""

    similarity: str = option(
        "mxcorr", f"Similarity by which features are compared: {', '.join(SIMILARITIES)}.", rare=True
    )
    joint: bool = option(
        False, "Correlate all channels of the features together, not each alone: for `encoder=linear`, and much noise."
    )
    temperature: float = option(1.0, "Divides the similarities; nu of the paper.", low=0, above=True)
    label_temperature: float = option(
        0.1, "Divides the differences of speeds that weigh the labels; 0 for hard labels.", low=0, rare=True
    )
    label_similarity: str = option(
        "l1", "How differences of speeds become weights of labels.", choices=info_nce.LABEL_SIMILARITIES, is_flag=False
    )
    micro_batch: int = option(
        0, "Compute the gradient by so many clips at a time, to save memory; 0 takes the whole batch.", low=0
    )


@register("simper", title="SimPer", reference="Yang et al., ICLR 2023, https://arxiv.org/abs/2210.03115")
class SimPer(SelfSupervised):
    """Self-supervised learning of periodic targets, after Yang et al.

    The loss is generalized InfoNCE, a mean over clips. Views are compared with those of the same clip alone. Beside
    what all methods log, it logs:

    * `label_entropy`, the least that InfoNCE can be, and `kl_divergence`, its distance from there.
    * `speed_correlation` and `speed_slope`: how features follow the known speeds, 1 for perfect features. See
      `diagnostics.speed_correlation_and_slope`.

    Arguments are those of `Method`.

    Raises:
        ValueError: an option is out of its range, the prior lacks its band, or `micro_batch` is given where clips of
            a batch influence one another.

    Example:
        >>> clips = np.random.default_rng(0).integers(0, 256, (4, 40, 8, 8, 1), np.uint8)
        >>> times = simper_tf.SpeedSets(num_views=2)
        >>> model = simper_tf.SimPer(simper_tf.small((8, 8, 1)), simper_tf.Views(times.longest_view(40), times))
        >>> model.compile("adam")  # Now model.fit(clips, batch_size=4, epochs=100).
        >>> model.frequency(clips, rate=20.0).shape
        (4,)
    """

    Options = SimPerOptions

    def __init__(self, encoder, views=None, **given):
        super().__init__(encoder, views, **given)
        micro_batches.check_parts(self.options.micro_batch, encoder)
        self.compare = find_similarity(self.options.similarity)
        if self.options.joint and self.options.similarity != "mxcorr":
            raise ValueError(f"`joint` needs `similarity=mxcorr`. Received: {self.options.similarity!r}.")

    @classmethod
    def times_for(cls, num_views: int, speed_range: tuple[float, float], reverse_probability: float = 0.5) -> SpeedSets:
        return SpeedSets(num_views, speed_range, reverse_probability)

    def log_names(self) -> list[str]:
        return [*super().log_names(), "label_entropy", "kl_divergence", "speed_correlation", "speed_slope"]

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        """Returns the loss and the further logs; a single speed has no other to be told from, and is a ValueError."""
        if features.shape[1] < 4:
            raise ValueError(f"SimPer needs at least 2 views a set to tell speeds apart. Received: {features.shape}.")
        # Two sets of views of every clip, at the same M speeds.
        first, second = tf.split(features, 2, axis=1)
        speeds, other_speeds = tf.split(batch["speeds"], 2, axis=1)
        # How much each view of one set should resemble each of the other, by their speeds.
        given = self.options
        labels = info_nce.label_distribution(speeds, other_speeds, given.label_temperature, given.label_similarity)
        # How much they do, by periodic feature similarity.
        scores = self._scores(first, second)
        # Generalized InfoNCE, the mean over all clips.
        loss = tf.reduce_mean(info_nce.generalized_info_nce(scores, labels, given.temperature))
        return loss, self._diagnosis(first, speeds, labels, loss)

    def _scores(self, first, second):
        if self.options.joint and first.shape.rank == 4:
            return joint_cross_correlation(first, second)
        return over_channels(self.compare, first, second)

    @staticmethod
    def _diagnosis(features, speeds, labels, contrast):
        entropy = tf.reduce_mean(info_nce.label_entropy(labels))
        correlation, slope = diagnostics.speed_correlation_and_slope(features, speeds)
        logs = {"label_entropy": entropy, "kl_divergence": contrast - entropy}
        return {**logs, "speed_correlation": correlation, "speed_slope": slope}

    def check_batch(self, batch_size: int) -> None:
        """Refuses batches that are too small, or that micro-batches do not divide; see `Method.check_batch`."""
        super().check_batch(batch_size)
        share = batch_size // self.distribute_strategy.num_replicas_in_sync
        micro_batches.check_share(self.options.micro_batch, share)

    def compute_gradients(self, batch: dict) -> tuple[list, dict]:
        if not self.options.micro_batch:
            return super().compute_gradients(batch)
        zeros = [tf.zeros_like(v.value) for v in self.trainable_variables], dict.fromkeys(self.log_names(), 0.0)
        return micro_batches.add_up(super().compute_gradients, batch, self.options.micro_batch, zeros)
