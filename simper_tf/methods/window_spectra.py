"""Windows cut out of series, and their spectra: shared by the methods that compare windows."""

import dataclasses

import tensorflow as tf

from simper_tf.losses import spectral
from simper_tf.methods.self_supervised import PriorOptions, SelfSupervised
from simper_tf.signals import spectrum
from simper_tf.utils import units
from simper_tf.utils.options import option
from simper_tf.views.appearance import UNCHANGED

# Of one frequency alone all spectra would be the same.
FEWEST_BINS = 2


@dataclasses.dataclass(frozen=True)
class WindowOptions(PriorOptions):
    """Options of a method that compares windows."""

    band: tuple[float, float] | None = option(
        None, "Lowest and highest frequency of views, in cycles per frame; None for all.", is_flag=False
    )

    def __post_init__(self):
        super().__post_init__()
        if self.band is not None:
            units.check_band("band", self.band)


class WindowMethod(SelfSupervised):
    """A method whose loss is a distance of spectra of windows that are to be alike, less one of windows that are not.

    Windows are half as long as views. It logs, beside what all methods log,

    * its two distances `positive` and `negative`;
    * `ipr`, the irrelevant power ratio: the share of the power of a clip's first view outside the band, if there is a
      band, see `spectral.out_of_band_power`.

    Arguments and errors are those of `Method`; a band too narrow for windows is refused.

    Attributes:
        padding: Windows are padded to as many times their length.
    """

    Options = WindowOptions
    appearance = UNCHANGED
    padding = 1

    def __init__(self, encoder, views=None, **given):
        super().__init__(encoder, views, **given)
        if views is not None:  # Refused before anything is trained.
            spectrum.bins_in_band(self.padding * (views.num_frames // 2), self.options.band, FEWEST_BINS)

    @classmethod
    def arguments_for(cls, facts):
        return {**super().arguments_for(facts), "band": facts.band_per_frame(facts.views.times.fastest)}

    def log_names(self) -> list[str]:
        return [*super().log_names(), "positive", "negative", *(["ipr"] if self.options.band else [])]

    def distances(self, features: tf.Tensor, batch: dict) -> tuple:
        """Returns the mean distances of windows that are to be alike and of those that are not, two scalars."""
        raise NotImplementedError(f"{type(self).__name__} does not say which windows are to be alike.")

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        positive, negative = self.distances(features, batch)
        logs = {"positive": positive, "negative": negative}
        if self.options.band:
            shares = spectral.out_of_band_power(features[:, :1], batch["speeds"][:, :1], self.options.band)
            logs["ipr"] = tf.reduce_mean(shares)
        return positive - negative, logs


def whole_windows(series, shares, length: int):
    """Cuts windows out of `(B, L, D)` series, from frame to frame: `(B, D, V, length)`.

    By `(B, V)` shares in [0, 1) each window is moved along the series, of the way that it can be.
    """
    starts = tf.floor(shares * (series.shape[1] - length + 1))
    return sample_windows(series, starts, tf.ones_like(shares[:, :1]), length)


def sample_windows(series, starts, steps, length: int):
    """Reads windows off `(B, L, D)` series, linearly interpolated between frames: `(B, D, V, length)`.

    They start at `(B, V)` times in frames, in steps of `(B, 1)` or `(B, V)`. The last must not lie beyond frame L - 1.
    """
    positions = starts[..., None] + steps[..., None] * tf.range(length, dtype=tf.float32)
    weights = tf.nn.relu(1.0 - tf.abs(positions[..., None] - tf.range(series.shape[1], dtype=tf.float32)))
    return tf.einsum("bvkl,bld->bdvk", weights, series)


def shares_of_power(series, band: tuple[float, float] | None = None, padding: int = 1):
    """Returns the share of the power in a band that each of its frequencies has, `(..., F)`; 0 for a constant series.

    Series are `(..., T)`, T known. The band is in cycles per frame, without one everything but the mean; one of fewer
    than two frequencies is refused. Padding makes the bins as many times finer.
    """
    power = spectrum.power_in_band(series, band, FEWEST_BINS, padding)
    return power / (tf.reduce_sum(power, axis=-1, keepdims=True) + 1e-8)
