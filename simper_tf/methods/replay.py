"""Replay: periods learned from clips that are played again and again, and from clips at known speeds.

Two things are known of film that nobody labeled. Played there and back, or in loops, it has a period that the player
knows at every frame: this fixes the octave. Played `s` times as fast, what repeats in it does so `s` times as often,
whatever that is: this learns from repetitions that were filmed. The first is how RepNet made its training data; the
second is SimPer's, here an exact shift along periods in geometric steps.
"""

import dataclasses
import math

import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.methods import heads
from simper_tf.methods.base import Method
from simper_tf.methods.registry import register
from simper_tf.methods.rhythm_head import ratio_loss, rhythm_head, targets
from simper_tf.signals.log_lags import periods_of
from simper_tf.utils.options import Options, option
from simper_tf.views.disturbances import disturb
from simper_tf.views.replays import Replays

# As a share of a period: what counts as told right.
NEAR = 0.06


@dataclasses.dataclass(frozen=True)
class ReplayOptions(Options):
    """Options of Replay."""

    made_weight: float = option(1.0, "Weight of the periods of replays, which are known.", low=0, is_flag=False)
    ratio_weight: float = option(0.1, "Weight of the ratios of periods at known speeds; 0 for none.", low=0)

    def __post_init__(self):
        super().__post_init__()
        if not self.made_weight and not self.ratio_weight:
            raise ValueError("Both weights are 0: there is nothing to minimize. Raise `made_weight`.")


@register(
    "replay",
    title="Replay",
    reference="Repetitions made of clips, Dwibedi et al., CVPR 2020, https://arxiv.org/abs/2006.15418",
)
class Replay(Method):
    """Learns the period of every frame from replays of clips that nobody labeled.

    Views come in two sets at the same M speeds. Those of the second set are replayed, see `Replays`, and disturbed, see
    `disturbances`; the cross-entropy of their periods is logged as `made`. Those of the first set run as filmed; how
    far the periods told of them are from the ratios of their speeds is logged as `ratio`. `right` is the share of
    repeating frames whose likeliest period is within 6 %, and `quiet` the share of the others that are told as such.

    The head is kept: `periods` reads it. It has no frequency prior, which a replay would not obey.

    Args:
        encoder, seed, given: See `Method`.
        views: See `Method`. The head is built for them, so they cannot be left out.

    Raises:
        ValueError: an option is out of its range, the views are missing, have other times or are too short, or there is
            one speed alone and `ratio_weight` is not 0.

    Attributes:
        head: A `keras.Model`, see `rhythm_head`.

    Example:
        >>> clips = np.random.default_rng(0).integers(0, 256, (4, 60, 8, 8, 1), np.uint8)
        >>> times = simper_tf.Replay.times_for(2, (0.5, 1.5))
        >>> model = simper_tf.Replay(simper_tf.small((8, 8, 1)), simper_tf.Views(40, times))
        >>> period, chance = model.periods(clips[:, :40])
        >>> period.shape, chance.shape
        (TensorShape([4, 40]), TensorShape([4, 40]))
    """

    Options = ReplayOptions
    times = takes_times = Replays

    def __init__(self, encoder, views=None, **given):
        heads.vector_length(type(self).__name__, encoder, views)
        super().__init__(encoder, views, **given)
        if self.options.ratio_weight and views.times.num_views < 2:
            raise ValueError(
                f"`ratio_weight` is {self.options.ratio_weight:g}, but there is one speed alone: nothing to compare. "
                "Give `num_views` of 2 or more, or a weight of 0."
            )
        self.num_frames = views.num_frames
        self.head = rhythm_head(self.num_frames, math.prod(encoder.output_shape[2:]))

    @classmethod
    def times_for(cls, num_views: int, speed_range: tuple[float, float], reverse_probability: float = 0.5) -> Replays:
        return Replays(num_views, speed_range, reverse_probability)

    def log_names(self) -> list[str]:
        return [*super().log_names(), "made", "ratio", "right", "quiet"]

    def compute_logs(self, batch: dict, training: bool) -> dict:
        """Replays the second set of views; see `Method.compute_logs`."""
        filmed, others = tf.split(batch["views"], 2, axis=1)
        made = disturb(replayed(others, batch["places"], batch["partners"], batch["fades"]), filmed, batch)
        seen = [filmed, made] if self.options.ratio_weight else [made]
        return super().compute_logs({**batch, "views": tf.concat(seen, axis=1)}, training)

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        """Returns the loss and the further logs."""
        logits, number = self._logits(features), batch["periods"].shape[1]
        filmed, made = logits[:, :-number], logits[:, -number:]
        periods = tf.cast(batch["periods"], tf.float32)
        wanted = targets(periods, self.num_frames)
        known = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(wanted, made))
        # The second half of the speeds is that of replays, which run at periods of their own.
        speeds = tf.cast(tf.split(batch["speeds"], 2, axis=1)[0], tf.float32)
        ratio = ratio_loss(filmed, speeds) if self.options.ratio_weight else tf.zeros([])
        loss = self.options.made_weight * known + self.options.ratio_weight * ratio
        return loss, {"made": known, "ratio": ratio, **self._scores(made, periods)}

    def periods(self, clips: ArrayLike) -> tuple[tf.Tensor, tf.Tensor]:
        """Reads the likeliest period of every frame of clips as long as the views.

        Args:
            clips: `(B, L, H, W, C)` uint8, or floats in [0, 1]; or a list of B clips.

        Returns:
            `(B, L)` periods in frames, and `(B, L)` chances in [0, 1] that anything repeats there.

        Raises:
            ValueError: as `encode`, or the clips have another length.
        """
        features = self.encode(clips)
        if features.shape[1] != self.num_frames:
            raise ValueError(
                f"The head was built for clips of {self.num_frames} frames. Received {features.shape[1]}. Cut or "
                "resample them."
            )
        chances = tf.nn.softmax(self._logits(features[:, None])[:, 0])
        return self._likeliest(chances), 1.0 - chances[..., -1]

    def _logits(self, features):
        """`(B, V, L, K + 1)` of `(B, V, L)` or `(B, V, L, D)` features."""
        views = tf.reshape(features, [-1, self.num_frames, math.prod(features.shape[3:])])
        return tf.reshape(self.head(views), [-1, features.shape[1], self.num_frames, self.head.output_shape[-1]])

    def _likeliest(self, chances):
        return tf.gather(tf.constant(periods_of(self.num_frames), tf.float32), tf.argmax(chances[..., :-1], axis=-1))

    def _scores(self, logits, periods):
        chances = tf.nn.softmax(logits)
        repeats = tf.cast(periods > 0, tf.float32)
        errors = tf.abs(tf.math.log(self._likeliest(chances) / tf.where(periods > 0, periods, 1.0)))
        near, none = tf.cast(errors < np.log1p(NEAR), tf.float32), tf.cast(chances[..., -1] > 0.5, tf.float32)
        # Means over each clip, then over clips: as over several replicas.
        return {"right": _share(near, repeats), "quiet": _share(none, 1.0 - repeats)}


def replayed(views: tf.Tensor, places: tf.Tensor, partners: tf.Tensor, fades: tf.Tensor) -> tf.Tensor:
    """Returns `(B, M, L, H, W, C)` views of which other frames are shown.

    Places and partners, `(B, M, L)`, are frames to show and to fade into, between two frames too; fades are the weight
    of the partner.
    """
    frames = tf.range(views.shape[2], dtype=places.dtype)
    here, there = [tf.nn.relu(1.0 - tf.abs(at[..., None] - frames)) for at in (places, partners)]
    weights = tf.cast((1.0 - fades[..., None]) * here + fades[..., None] * there, views.dtype)
    lines = tf.reshape(views, tf.concat([tf.shape(views)[:3], [math.prod(views.shape[3:])]], 0))
    return tf.reshape(tf.matmul(weights, lines), tf.shape(views))


def _share(near, weights):
    """Mean over clips of the weighted mean of each; clips without any weight count as right."""
    axes = range(1, len(near.shape))
    total = tf.reduce_sum(weights, axis=axes)
    return tf.reduce_mean(tf.where(total > 0, tf.reduce_sum(near * weights, axis=axes) / tf.maximum(total, 1.0), 1.0))
