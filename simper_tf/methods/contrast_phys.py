"""Contrast-Phys: the spectra of all windows of a clip are alike, and unlike those of other clips."""

import tensorflow as tf

from simper_tf.methods.registry import register
from simper_tf.methods.window_spectra import WindowMethod, shares_of_power, whole_windows
from simper_tf.utils.replicas import gather
from simper_tf.views.times import CutClip


@register("contrast_phys", title="Contrast-Phys", reference="Sun and Li, ECCV 2022, https://arxiv.org/abs/2208.04378")
class ContrastPhys(WindowMethod):
    """Self-supervised learning of a pulse from single views, after Sun and Li.

    A clip is seen once, at its own speed. Out of each series of its features, such as those of the parts of a face, a
    few windows of half the length are cut at random. A window is described by the shares that frequencies have in its
    power, and two windows lie as far apart as the mean squared difference of these. The loss is

        mean distance of two windows of a clip - mean distance of two windows of different clips

    since a pulse is the same everywhere in a face and hardly changes within seconds, but differs from clip to clip.
    Constant features score 0, good ones less. Power outside the band costs nothing: in a band with room for it,
    features may run at twice the frequency. It logs what is said of `WindowMethod`; the authors choose models by `ipr`.

    Where it differs from the source: clips are compared with all others of the step, on whatever replica (there, two
    are a step); the windows of all series of a clip lie at the same places, and are padded to twice their length; and
    views start and run backwards at random, as for the other methods. `encoders.physnet` is the authors' encoder, and
    the channels of any other are series too: all of them are to have one spectrum.

    Arguments and errors are those of `WindowMethod`; for a pulse the source has a band of 40 to 250 beats a minute.

    Example:
        >>> times = simper_tf.ContrastPhys.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.ContrastPhys.appearance)
        >>> model = simper_tf.ContrastPhys(simper_tf.small((8, 8, 3)), views, band=(0.02, 0.2))
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.options.band
        (0.02, 0.2)
    """

    times = takes_times = CutClip
    min_clips = 2
    # Windows of a few seconds have few bins in a band; padded to twice their length they keep all of their power
    # spectrum.
    padding = 2

    def distances(self, features: tf.Tensor, batch: dict) -> tuple:
        return distances(shares_in_windows(features, batch["windows"], self.options.band))


def shares_in_windows(features, windows, band: tuple[float, float] | None = None):
    """Returns the `(B, D V, F)` shares of power of the windows of every clip, at `(B, 1, V)` places in [0, 1).

    Features are `(B, 1, L)` or `(B, 1, L, D)`; the band is that of `shares_of_power`.
    """
    series = features[:, 0] if features.shape.rank == 4 else features[:, 0, :, None]
    shares = shares_of_power(whole_windows(series, windows[:, 0], series.shape[1] // 2), band, ContrastPhys.padding)
    shape = tf.shape(shares)
    return tf.reshape(shares, [shape[0], -1, shape[3]])


def distances(shares):
    """Returns how far windows of one clip and windows of different clips lie apart, of `(B, N, F)` shares.

    Two means of mean squared differences: over all pairs of different windows of each clip, and over all pairs of
    windows of different clips, also of those of the other replicas.
    """
    centers = tf.reduce_mean(shares, axis=1)
    # Pairs are never formed: a mean over them follows from the spread around the centers.
    within = tf.reduce_mean(_distance_of_pairs(shares))
    spread = tf.reduce_mean(tf.square(shares - centers[:, None]))
    return within, 2.0 * spread + _distance_of_pairs(gather(centers))


def _distance_of_pairs(points):
    """Returns the mean squared difference of two different ones of N points, `(..., N, F)` -> `(...)`; 0 if N is 1."""
    number = tf.cast(tf.shape(points)[-2], points.dtype)
    variance = tf.reduce_mean(tf.square(points - tf.reduce_mean(points, axis=-2, keepdims=True)), axis=(-2, -1))
    return 2.0 * number / tf.maximum(number - 1.0, 1.0) * variance
