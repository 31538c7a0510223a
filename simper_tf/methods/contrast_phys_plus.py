"""Contrast-Phys+: Contrast-Phys with the true spectra of those clips whose label is known."""

import dataclasses
import math

import tensorflow as tf

from simper_tf.methods import batches
from simper_tf.methods.contrast_phys import ContrastPhys, shares_in_windows
from simper_tf.methods.registry import register
from simper_tf.methods.window_spectra import WindowOptions
from simper_tf.utils.options import option
from simper_tf.utils.replicas import gather


@dataclasses.dataclass(frozen=True)
class ContrastPhysPlusOptions(WindowOptions):
    """Options of Contrast-Phys+."""

    cycles_per_label: float | None = option(
        1.0, "Cycles per frame that a label of 1 stands for; None where labels do not tell.", low=0, above=True,
        is_flag=False,
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        if self.cycles_per_label is None:
            raise ValueError(
                "Contrast-Phys+ compares spectra with labeled frequencies, which these labels do not tell: they are no "
                "frequencies, or are in Hz or beats per minute and clips differ in their frames per second. Use "
                "`contrast_phys`."
            )


@register(
    "contrast_phys_plus", title="Contrast-Phys+", reference="Sun and Li, TPAMI 2024, https://arxiv.org/abs/2309.06924"
)
class ContrastPhysPlus(ContrastPhys):
    """Weakly supervised learning of a pulse, after Sun and Li: Contrast-Phys where some clips have labels.

    To the loss of `ContrastPhys` comes the same again between features and true signals of labeled clips:

        mean distance of a window of a clip and one of its true signal
        - mean distance of a window of a clip and one of the true signal of another clip

    So features run at the labeled frequency, and not at twice it. Clips without a label are learned from as before; a
    step without any labeled clip is one of `ContrastPhys`. Both distances are logged, as `true_positive` and
    `true_negative`, beside what is said of `WindowMethod`.

    Where it differs from the source, beside what `ContrastPhys` says: there the true signal is a recorded pulse wave.
    Labels here are frequencies alone, so it is a sinusoid of the labeled frequency: without harmonics, and as even as
    no heart is. Views are whole clips, for which labels hold.

    Arguments and errors are those of `WindowMethod`; labels that are no frequencies are refused.

    Example:
        >>> times = simper_tf.ContrastPhysPlus.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.ContrastPhysPlus.appearance)
        >>> model = simper_tf.ContrastPhysPlus(simper_tf.small((8, 8, 3)), views, band=(0.02, 0.2))
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3) and labels, NaN for none.
        >>> model.needs_labels, model.takes_unlabeled
        (True, True)
    """

    Options = ContrastPhysPlusOptions
    needs_labels = takes_unlabeled = True

    @classmethod
    def arguments_for(cls, facts):
        return {**super().arguments_for(facts), "cycles_per_label": facts.cycles_per_label()}

    def log_names(self) -> list[str]:
        return [*super().log_names(), "true_positive", "true_negative"]

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        """Returns the loss and the further logs; labels are `(B,)`, NaN where there is none."""
        labels = batches.labels_in(self, batch)
        if labels.shape.rank != 1:
            raise ValueError(f"Contrast-Phys+ takes one label a clip. Received labels of shape {labels.shape}.")
        loss, logs = super().loss_and_logs(features, batch, training)
        known = tf.math.is_finite(labels)
        frequencies = tf.where(known, self.options.cycles_per_label * labels, 0.0)
        series = sinusoids(frequencies, features.shape[2]), features
        true, shares = [shares_in_windows(x, batch["windows"], self.options.band) for x in series]
        positive, negative = true_distances(shares, true, known)
        return loss + positive - negative, {**logs, "true_positive": positive, "true_negative": negative}


def sinusoids(frequencies, num_frames: int):
    """Returns sinusoids of unit amplitude, `(B, 1, num_frames)`, of `(B,)` frequencies in cycles per frame."""
    times = tf.range(num_frames, dtype=tf.float32)
    return tf.sin(2.0 * math.pi * frequencies[:, None, None] * times)


def true_distances(shares, true, known):
    """Returns how far windows of clips lie from windows of true signals, of the same clip and of others.

    Of `(B, N, F)` windows of features and `(B, M, F)` of true signals, where these are `(B,)` known. Two means over the
    clips of all replicas of mean squared differences: over all pairs of a clip's window and one of its true signal, and
    over all pairs of a clip's window and one of another clip's true signal; 0 where there is no such pair.
    """
    (centers, spreads), (true_centers, true_spreads) = [_center_and_spread(windows) for windows in (shares, true)]
    known = gather(tf.cast(known, shares.dtype))
    # Pairs are never formed: a mean over them follows from the spreads around the centers.
    apart = tf.reduce_mean(tf.square(centers[:, None] - true_centers[None]), axis=2)
    apart += spreads[:, None] + true_spreads[None]
    own = tf.eye(tf.shape(known)[0], dtype=shares.dtype)
    positive, negative = [
        tf.math.divide_no_nan(tf.reduce_sum(apart * pairs), tf.reduce_sum(pairs))
        for pairs in (own * known, (1.0 - own) * known)
    ]
    return positive, negative


def _center_and_spread(shares):
    """Returns the means of the windows of clips, `(B, F)`, and their mean squared differences from these, `(B,)`."""
    centers = tf.reduce_mean(shares, axis=1)
    spreads = tf.reduce_mean(tf.square(shares - centers[:, None]), axis=(1, 2))
    return gather(centers), gather(spreads)
