"""Frequency contrast after Gideon and Stent: a clip's spectrum against that of the same clip, played faster."""

import tensorflow as tf

from simper_tf.methods.registry import register
from simper_tf.methods.window_spectra import WindowMethod, sample_windows, shares_of_power, whole_windows
from simper_tf.views.times import StretchedTimes


@register(
    "frequency_contrast",
    title="Gideon and Stent",
    reference="Gideon and Stent, ICCV 2021, https://arxiv.org/abs/2111.09748",
)
class FrequencyContrast(WindowMethod):
    """Self-supervised learning of a pulse, after Gideon and Stent.

    The anchor is the features of the clip, the negative those of the clip played 1.25 to 1.5 times as fast, and the
    positive the negative's features, slowed down again. Of each, a few windows of half the length are cut out, and

        loss = mean over windows i, j of d(anchor_i, positive_j) - d(anchor_i, negative_j)

    with `psd_distance` for d, without margin. So the features must run faster when the clip does: constant features
    score 0, good ones less. It logs what is said of `WindowMethod`; the source chooses models by `ipr`, here without
    what a pure sine leaks.

    Where the source leaves a choice, or differs: the mean over pairs is the paper's (the published code does not divide
    by their number); spectra are centered each by its own mean (there, by the mean of the batch); every clip has a
    speed of its own (there, one a batch). Views start and run backwards at random, as for the other methods, but the
    anchor is not slowed down at random, by up to a third, as it is there. The published code pads the negative with
    black frames to the length of the anchor; here both views show as many frames, and windows of the positive are read
    off the negative's features between frames. Features with channels are compared channel by channel. The picture is
    left as it is, which the authors decided on with care.

    Arguments and errors are those of `WindowMethod`. Anchor and negative lie in the band; for a pulse the source has 40
    to 250 beats per minute.

    Example:
        >>> times = simper_tf.FrequencyContrast.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.FrequencyContrast.appearance)
        >>> model = simper_tf.FrequencyContrast(simper_tf.small((8, 8, 3)), views, band=(0.02, 0.2))
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.views.times
        StretchedTimes(speed_range=(1.25, 1.5), num_windows=4, reverse_probability=0.5)
    """

    times = takes_times = StretchedTimes

    def distances(self, features: tf.Tensor, batch: dict) -> list[tf.Tensor]:
        anchors, *others = branches(features, batch["speeds"], batch["windows"])
        return [tf.reduce_mean(psd_distance(anchors, other, self.options.band)) for other in others]


def psd_distance(x, y, band: tuple[float, float] | None = None):
    """Returns how far the power spectra of two sets of series lie apart, whatever their phases.

    Each spectrum is cut to the band, in cycles per frame, and divided by its sum; the distance of two is their mean
    squared difference. Of `(..., V, T)` and `(..., W, T)` it is `(...)` float32, the mean over all V W pairs, at most 2
    over the number of frequencies. A constant series has the spectrum 0; a band of fewer than two frequencies is
    refused.
    """
    x, y = [shares_of_power(tf.convert_to_tensor(series), band) for series in (x, y)]
    return tf.reduce_mean(tf.square(x[..., :, None, :] - y[..., None, :, :]), axis=(-3, -2, -1))


def branches(features, speeds, windows):
    """Cuts windows out of the anchor, the positive and the negative: three `(B, D, V, L // 2)` float32.

    Features are `(B, 2, L)` or `(B, 2, L, D)`, speeds `(B, 2)`, the first 1, and windows `(B, 3, V)` shares in [0, 1).
    """
    num_frames = features.shape[2]
    if features.shape.rank == 3:
        features = features[..., None]
    anchor, negative = tf.unstack(features, axis=1)
    length = num_frames // 2
    slower = 1.0 / speeds[:, 1:]
    between = windows[:, 1] * (num_frames - 1 - slower * (length - 1))
    return (
        whole_windows(anchor, windows[:, 0], length),
        sample_windows(negative, between, slower, length),
        whole_windows(negative, windows[:, 2], length),
    )
