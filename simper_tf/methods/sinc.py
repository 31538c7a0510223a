"""SiNC: features have one frequency each, inside the band, and those of a batch fill the band."""

import dataclasses

import tensorflow as tf

from simper_tf.losses import spectral
from simper_tf.methods.base import Method
from simper_tf.methods.registry import register
from simper_tf.signals import spectrum
from simper_tf.utils import units
from simper_tf.utils.options import Options, option
from simper_tf.views.appearance import Appearance
from simper_tf.views.times import SpeedSets


@dataclasses.dataclass(frozen=True)
class SiNCOptions(Options):
    """Options of SiNC.

    The bandwidth alone, with the other weights at 0, is SimPer's frequency prior, but for the main lobe that the prior
    allows beyond the band. Here a drift just below the band would then cost nothing: the other terms look at what is
    inside.
    """

    bandwidth_weight: float = option(1.0, "Weight of the power outside of the band.", low=0, is_flag=False)
    sparsity_weight: float = option(
        1.0, "Weight of the power in the band that lies away from its peak.", low=0, is_flag=False
    )
    variance_weight: float = option(1.0, "Weight of how unevenly a batch fills the band.", low=0, is_flag=False)
    band: tuple[float, float] | None = option(
        None, "Lowest and highest frequency of clips, in cycles per frame; None for all.", is_flag=False
    )

    def __post_init__(self):
        super().__post_init__()
        if self.band is not None:
            units.check_band("band", self.band)


@register("sinc", title="SiNC", reference="Speth et al., CVPR 2023, https://arxiv.org/abs/2303.07944")
class SiNC(Method):
    """Non-contrastive learning of periodic signals, after Speth et al.: no view is compared with any other.

    If clips lie in the band `[low, high]`, a view at the speed s lies in `[low s, high s]`. The loss is the weighted
    sum of three terms of the power spectra of views, which it logs beside what all methods log:

    * `bandwidth`: the share of the power outside the view's band;
    * `sparsity`: of the power in it, the share away from the highest peak, see `spectral.sparsity`;
    * `variance`: how far the mean spectrum of the batch is from filling the bands evenly, see `spectral.unevenness`.
      Without it all clips could be given the same frequency.

    Where it differs from the source: spectra have a Hann window, and a peak is allowed the window's main lobe, 2/L
    cycles per frame to either side, in place of 0.1 Hz (at the authors' 120 frames a rectangular window spreads a pure
    sine farther than that); channels of the features share one spectrum, the sum of theirs; every clip has several
    views a step, those of SimPer, of which each counts alone (there, one). Brightness is multiplied (there, an offset
    of 10 gray levels is drawn), and no noise is added to pixels.

    Arguments and errors are those of `Method`; a band that has fewer than two frequencies of a view is refused. For a
    pulse the source has a band of 40 to 180 beats per minute.

    Example:
        >>> times = simper_tf.SiNC.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.SiNC.appearance)
        >>> model = simper_tf.SiNC(simper_tf.small((8, 8, 3)), views, band=(0.02, 0.2))
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.log_names()
        ['loss', 'feature_deviation', 'bandwidth', 'sparsity', 'variance']
    """

    Options = SiNCOptions
    appearance = Appearance(
        crop_area=(0.25, 1.0), crop_aspect=(1.0, 1.0), brightness=(0.85, 1.15), blur_probability=0.0
    )
    min_clips = 2

    def __init__(self, encoder, views=None, **given):
        super().__init__(encoder, views, **given)
        if views is not None:  # Refused before anything is trained: one frequency alone leaves nothing to fill.
            spectrum.bins_in_band(views.num_frames, self.options.band, fewest=2)

    @classmethod
    def times_for(cls, num_views, speed_range, reverse_probability=0.5):
        return SpeedSets(num_views, speed_range, reverse_probability)

    @classmethod
    def arguments_for(cls, facts):
        return {"band": facts.band_per_frame()}

    def log_names(self) -> list[str]:
        return [*super().log_names(), "bandwidth", "sparsity", "variance"]

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        logs = spectral.spectral_terms(features, batch["speeds"], self.options.band or (0.0, 0.5))
        return sum(getattr(self.options, f"{name}_weight") * term for name, term in logs.items()), logs
