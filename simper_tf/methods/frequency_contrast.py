"""Frequency contrast after Gideon and Stent: a clip's spectrum against that of the same clip, played faster."""

import dataclasses

import keras
import tensorflow as tf

from simper_tf import augment, diagnostics, losses, spectrum, units
from simper_tf.methods.base import Method
from simper_tf.views import Views


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class StretchedViews(Views):
    """Two views of every clip, the second faster than the first, and where to cut windows out of their features.

    Calling it maps `(clips, seed)` to `(views, speeds, windows)`; `windows` is `(B, 3, num_windows)` float32 in [0, 1),
    shares of the way that a window can be moved along the features. The defaults leave the image as it is, which the
    authors decided on with care.

    Attributes:
        num_views: 1 a set.
        speed_range: Slowest and fastest speed of the second view. The first has speed 1.
        num_windows: Windows each of the anchor, the positive and the negative.

    Raises:
        ValueError: an attribute is out of its range.
    """

    num_views: int = 1
    speed_range: tuple[float, float] = (1.25, 1.5)
    crop_area: tuple[float, float] = (1.0, 1.0)
    crop_aspect: tuple[float, float] = (1.0, 1.0)
    brightness: tuple[float, float] = (1.0, 1.0)
    flip_probability: float = 0.0
    blur_probability: float | tuple[float, float] = 0.0
    num_windows: int = 4

    def __post_init__(self):
        super().__post_init__()
        if self.num_views != 1 or self.num_windows < 1 or self.speed_range[0] <= 1:
            raise ValueError(
                "Frequency contrast takes 1 view a set, the second faster than 1, and at least 1 window. Received: "
                f"num_views={self.num_views}, speed_range={self.speed_range}, num_windows={self.num_windows}."
            )

    def draw_times(self, batch_size, num_source_frames, seed):
        """Returns what `Views.draw_times` does, and `windows`."""
        speed_seed, start_seed, reverse_seed, window_seed = tf.unstack(tf.random.experimental.stateless_split(seed, 4))
        faster = augment.draw_speeds(speed_seed, batch_size, 1, self.speed_range)
        speeds = tf.concat([tf.ones_like(faster), faster], axis=1)
        starts = augment.draw_starts(start_seed, speeds, num_source_frames, self.num_frames)
        windows = tf.random.stateless_uniform([batch_size, 3, self.num_windows], window_seed)
        return {**self.reversed_at_random(speeds, starts, reverse_seed), "windows": windows}

    def apply(self, clips, draws):
        """Makes the views that were drawn; arguments and results are those of `__call__` and of `draw`."""
        return *super().apply(clips, draws), draws["windows"]


@keras.saving.register_keras_serializable("simper_tf")
class FrequencyContrast(Method):
    """Self-supervised learning of a pulse, after Gideon and Stent, ICCV 2021, https://arxiv.org/abs/2111.09748.

    The anchor is the features of the clip, the negative those of the clip played 1.25 to 1.5 times as fast, and the
    positive the negative's features, slowed down again. Of each, a few windows of half the length are cut out, and

        loss = mean over windows i, j of d(anchor_i, positive_j) - d(anchor_i, negative_j)

    with `losses.psd_distance` for d, without margin. So the features must run faster when the clip does: constant
    features score 0, good ones less. It logs

    * `loss`, and its two distances `positive` and `negative`;
    * `ipr`: the irrelevant power ratio of the anchor, the share of its power outside the band, if there is a band
      (the source chooses models by it; here without what a pure sine leaks, see `losses.out_of_band_power`);
    * `feature_deviation`: standard deviation of the features over time; falling to 0 means collapse.

    Where the source leaves a choice, or differs: the mean over pairs is the paper's (the published code does not divide
    by their number); spectra are centred each by its own mean (there, by the mean of the batch); every clip has a speed
    of its own (there, one a batch). Views start and run backwards at random, as for the other methods, but the anchor
    is not slowed down at random, by up to a third, as it is there. The published code pads the negative with black
    frames to the length of the anchor; here both views show as many frames, and windows of the positive are read off
    the negative's features between frames. Features with channels are compared channel by channel.

    Args:
        encoder, seed: See `Method`.
        views: A `StretchedViews`; None if only ready views will come.
        band: `(low, high)` in cycles per frame, in which the anchor and the faster negative lie; None for all. For a
            pulse the source has 40 to 250 beats per minute.

    Raises:
        ValueError: the views are of another kind, or the band is not one, or too narrow for windows of half of them.
    """

    def __init__(self, encoder, views=None, band=None, seed=0, **kwargs):
        if not isinstance(views, StretchedViews | None):
            raise ValueError(f"`views` must be those that `FrequencyContrast.views_for` returns. Received: {views}.")
        if band is not None:
            units.check_band("band", band)
        if views is not None:
            spectrum.bins_in_band(views.num_frames // 2, band, fewest=2)  # Refused before anything is trained.
        self.band = band
        super().__init__(encoder, views, seed, **kwargs)

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        return StretchedViews(num_frames, **changes)

    def log_names(self):
        return ["loss", "positive", "negative", "feature_deviation"] + ["ipr"] * (self.band is not None)

    def compute_logs(self, features, speeds, windows, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 2, L)` or `(B, 2, L, D)`.
            speeds: `(B, 2)`, the first 1.
            windows: `(B, 3, V)` shares in [0, 1), of anchor, positive and negative.
            training: Unused, as there is no head.

        Raises:
            ValueError: the band is too narrow for windows of L / 2 frames.
        """
        anchors, positives, negatives = branches(features, speeds, windows)
        positive, negative = [
            tf.reduce_mean(losses.psd_distance(anchors, others, self.band)) for others in (positives, negatives)
        ]
        logs = {
            "loss": positive - negative,
            "positive": positive,
            "negative": negative,
            "feature_deviation": diagnostics.feature_deviation(features),
        }
        if self.band is not None:
            logs["ipr"] = tf.reduce_mean(losses.out_of_band_power(features[:, :1], speeds[:, :1], self.band))
        return logs

    def get_config(self):
        return {**super().get_config(), "band": self.band}


def branches(features, speeds, windows):
    """Cuts windows out of the anchor, the positive and the negative.

    Args:
        features: `(B, 2, L)` or `(B, 2, L, D)`.
        speeds: `(B, 2)`, the first 1.
        windows: `(B, 3, V)` shares in [0, 1).

    Returns:
        Three `(B, D, V, L // 2)` float32; D is 1 for features without channels.
    """
    num_frames = features.shape[2]
    if features.shape.rank == 3:
        features = features[..., None]
    anchor, negative = tf.unstack(features, axis=1)
    length = num_frames // 2
    whole = tf.floor(windows * (num_frames - length + 1))
    slower = 1.0 / speeds[:, 1:]
    between = windows[:, 1] * (num_frames - 1 - slower * (length - 1))
    ones = tf.ones_like(slower)
    return (
        sample_windows(anchor, whole[:, 0], ones, length),
        sample_windows(negative, between, slower, length),
        sample_windows(negative, whole[:, 2], ones, length),
    )


def sample_windows(series, starts, steps, length):
    """Reads windows off series, linearly interpolated between frames.

    Args:
        series: `(B, L, D)` floats.
        starts: `(B, V)` times of the first samples, in frames.
        steps: `(B, 1)` or `(B, V)` frames from one sample to the next.
        length: Samples of a window. The last must not lie beyond frame L - 1.

    Returns:
        `(B, D, V, length)`.
    """
    positions = starts[..., None] + steps[..., None] * tf.range(length, dtype=tf.float32)
    weights = tf.nn.relu(1.0 - tf.abs(positions[..., None] - tf.range(series.shape[1], dtype=tf.float32)))
    return tf.einsum("bvkl,bld->bdvk", weights, series)
