"""A frequency prior for methods without labels, of clips whose frequency is known to lie in a band."""

import dataclasses

import tensorflow as tf

from simper_tf.losses import spectral
from simper_tf.methods.base import Method
from simper_tf.methods.training_facts import TrainingFacts
from simper_tf.utils import units
from simper_tf.utils.options import Options, option


@dataclasses.dataclass(frozen=True)
class PriorOptions(Options):
    """Options of the frequency prior.

    Example:
        >>> PriorOptions(prior_weight=0.1, prior_band=(0.02, 0.2)).prior_band
        (0.02, 0.2)
    """

    prior_weight: float = option(
        0.0, "Weight of the frequency prior, which keeps features in the band; 0 for none.", low=0
    )
    prior_band: tuple[float, float] | None = option(
        None, "Lowest and highest frequency of clips, in cycles per frame.", is_flag=False
    )

    def __post_init__(self):
        super().__post_init__()
        if self.prior_band is not None:
            units.check_band("prior_band", self.prior_band)
        elif self.prior_weight:
            raise ValueError("A frequency prior needs `prior_band`, (low, high) in cycles per frame.")


class SelfSupervised(Method):
    """A method that learns from clips alone, with a frequency prior that is off by default.

    The prior is added to the method's own loss: the share of each view's power that lies outside the band at the speed
    of that view, which is logged as `prior`, times its weight. See `spectral.out_of_band_power`.

    Arguments and errors are those of `Method`; a prior without a band is refused.

    Example:
        >>> class Quiet(SelfSupervised):
        ...     def loss_and_logs(self, features, batch, training=True):
        ...         return tf.reduce_mean(tf.square(features)), {}
        >>> model = Quiet(simper_tf.small((8, 8, 1), outputs=1), simper_tf.Views(8, simper_tf.SpeedSets(2)))
        >>> float(model.logs_of(tf.ones([2, 4, 8]), {})["loss"])
        1.0
    """

    Options = PriorOptions

    @classmethod
    def arguments_for(cls, facts: TrainingFacts) -> dict:
        return {"prior_band": facts.band_per_frame()}

    def log_names(self) -> list[str]:
        return [*super().log_names(), *(["prior"] if self.options.prior_weight else [])]

    def logs_of(self, features: tf.Tensor, batch: dict, training: bool = True) -> dict:
        logs = super().logs_of(features, batch, training)
        if not self.options.prior_weight:
            return logs
        prior = tf.reduce_mean(spectral.out_of_band_power(features, batch["speeds"], self.options.prior_band))
        return {**logs, "loss": logs["loss"] + self.options.prior_weight * prior, "prior": prior}
