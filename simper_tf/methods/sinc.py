"""SiNC: features are to have one frequency each, inside the band, and those of a batch are to fill the band."""

from simper_tf.losses import objectives
from simper_tf.methods.base import Method
from simper_tf.methods.registry import register
from simper_tf.signals import spectrum
from simper_tf.utils import units
from simper_tf.utils.config import check_number
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views


@register("sinc", title="SiNC", reference="Speth et al., CVPR 2023, https://arxiv.org/abs/2303.07944")
class SiNC(Method):
    """Non-contrastive learning of periodic signals, after Speth et al.: no view is compared with any other.

    If clips lie in the band `[low, high]`, a view at the speed s lies in `[low s, high s]`. The loss is the weighted
    sum of three terms of the power spectra of views, which it logs beside what all methods log:

    * `bandwidth`: the share of the power outside the view's band;
    * `sparsity`: of the power in it, the share away from the highest peak, see `objectives.sparsity`;
    * `variance`: how far the mean spectrum of the batch is from filling the bands evenly, see `objectives.unevenness`.
      Without it all clips could be given the same frequency.

    Where it differs from the source: spectra have a Hann window, and a peak is allowed the window's main lobe, 2/L
    cycles per frame to either side, in place of 0.1 Hz (at the authors' 120 frames a rectangular window spreads a pure
    sine farther than that); channels of the features share one spectrum, the sum of theirs; every clip has several
    views a step, those of SimPer, of which each counts alone (there, one). Brightness is multiplied (there, an offset
    of 10 gray levels is drawn), and no noise is added to pixels.

    Args:
        encoder: See `Method`.
        views: See `Method`.
        bandwidth_weight: What the first term counts for. Alone, with the others at 0, it is SimPer's frequency prior,
            but for the main lobe that the prior allows beyond the band. Here a drift just below the band would then
            cost nothing: the other terms look at what is inside.
        sparsity_weight: What the second counts for.
        variance_weight: What the third counts for.
        band: `(low, high)` in cycles per frame, in which clips at speed 1 lie; None for all that frames can show. For a
            pulse the source has 40 to 180 beats per minute.
        seed: See `Method`.

    Raises:
        ValueError: a setting is out of its range, the band is not one, or it has fewer than two frequencies of a view.
    """

    appearance = Appearance(
        crop_area=(0.25, 1.0), crop_aspect=(1.0, 1.0), brightness=(0.85, 1.15), blur_probability=0.0
    )
    min_clips = 2

    def __init__(
        self,
        encoder,
        views: Views | None = None,
        *,
        bandwidth_weight: float = 1.0,
        sparsity_weight: float = 1.0,
        variance_weight: float = 1.0,
        band: tuple[float, float] | None = None,
        seed: int = 0,
        **kwargs,
    ):
        check_number("bandwidth_weight", bandwidth_weight, 0)
        check_number("sparsity_weight", sparsity_weight, 0)
        check_number("variance_weight", variance_weight, 0)
        if band is not None:
            units.check_band("band", band)
        if views is not None:
            # Refused before anything is trained: one frequency alone leaves nothing to fill.
            spectrum.bins_in_band(views.num_frames, band, fewest=2)
        super().__init__(encoder, views, seed=seed, **kwargs)
        self.bandwidth_weight = bandwidth_weight
        self.sparsity_weight = sparsity_weight
        self.variance_weight = variance_weight
        self.band = band

    @classmethod
    def times_for(cls, num_views, speed_range, reverse_probability=0.5):
        return SpeedSets(num_views, speed_range, reverse_probability)

    @classmethod
    def arguments_for(cls, facts):
        return {"band": facts.band_per_frame()}

    def log_names(self):
        return [*super().log_names(), "bandwidth", "sparsity", "variance"]

    def loss_and_logs(self, features, batch, training=True):
        logs = objectives.spectral_terms(features, batch["speeds"], self.band or (0.0, 0.5))
        return sum(getattr(self, f"{name}_weight") * term for name, term in logs.items()), logs
