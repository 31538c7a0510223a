"""What methods without labels share: a frequency prior, for clips whose frequency is known to lie in a band."""

import tensorflow as tf

from simper_tf.losses import objectives
from simper_tf.methods.base import Method
from simper_tf.utils import units
from simper_tf.utils.config import check_number
from simper_tf.views.views import Views


class SelfSupervised(Method):
    """A method that learns from clips alone, with a frequency prior that is off by default.

    The prior is added to the method's own loss: the share of each view's power that lies outside the band at the speed
    of that view, which is logged as `prior`, times its weight. See `objectives.out_of_band_power`.

    Args:
        encoder: See `Method`.
        views: See `Method`.
        prior_weight: Weight of the frequency prior, which keeps features inside the band; 0 for none.
        prior_band: `(low, high)` in cycles per frame, in which clips at speed 1 are known to lie.
        seed: See `Method`.

    Raises:
        ValueError: the weight is negative, or there is no band for it.
    """

    def __init__(
        self,
        encoder,
        views: Views | None = None,
        *,
        prior_weight: float = 0.0,
        prior_band: tuple[float, float] | None = None,
        seed: int = 0,
        **kwargs,
    ):
        check_number("prior_weight", prior_weight, 0)
        if prior_band is not None:
            units.check_band("prior_band", prior_band)
        elif prior_weight:
            raise ValueError("A frequency prior needs `prior_band`, (low, high) in cycles per frame.")
        self.prior_weight = prior_weight  # First, because the names of the logs depend on it.
        super().__init__(encoder, views, seed=seed, **kwargs)
        self.prior_band = prior_band

    @classmethod
    def arguments_for(cls, facts):
        return {"prior_band": facts.band_per_frame()}

    def log_names(self):
        return [*super().log_names(), *(["prior"] if self.prior_weight else [])]

    def logs_of(self, features, batch, training=True):
        logs = super().logs_of(features, batch, training)
        if not self.prior_weight:
            return logs
        prior = tf.reduce_mean(objectives.out_of_band_power(features, batch["speeds"], self.prior_band))
        return {**logs, "loss": logs["loss"] + self.prior_weight * prior, "prior": prior}
