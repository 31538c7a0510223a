"""BYOL: one view of a clip predicts what a slow copy of the networks makes of the other; no clips are contrasted."""

import dataclasses
import math

import keras
import tensorflow as tf
from keras import layers

from simper_tf.methods import heads
from simper_tf.methods.momentum import MomentumMethod, MomentumOptions
from simper_tf.methods.registry import register
from simper_tf.utils.options import option
from simper_tf.views.appearance import Appearance


@dataclasses.dataclass(frozen=True)
class BYOLOptions(MomentumOptions):
    """Options of BYOL; the source has a momentum of 0.97 for 40 epochs, 0.99 for 100 or 300 and 0.996 for 1,000."""

    hidden: int = option(4096, "Width of the hidden layer of projector and predictor.", low=1, is_flag=False)
    projection: int = option(256, "Length of the projected vectors.", low=1, is_flag=False)
    num_steps: int | None = option(
        None, "Steps of the run, over which the momentum rises to 1; None for a constant one.", low=1, is_flag=False
    )


@register("byol", title="BYOL", reference="Grill et al., NeurIPS 2020, https://arxiv.org/abs/2006.07733")
class BYOL(MomentumMethod):
    """Bootstraps vectors of clips, after Grill et al.

    Of every clip two views are made at its own speed, the first always blurred, the second seldom, but solarized at
    times. The features of all frames of a view are one vector. Encoder, projector (`head`) and predictor are to give
    for either view the direction that the slow copies of encoder and projector give for the other: the loss is
    `direction_distance`, summed over both, in [0, 8].

    Different from the authors' code: both views pass through the networks as one batch, so batch norm (in training
    mode everywhere, over all replicas) sees them together, not one set at a time; the target starts as a copy, where
    theirs starts from other weights (no difference seen, they say), and moves at the start of the next step, where
    theirs moves at the end of this one, which is the same; brightness is multiplied, not added.

    It logs, beside what all methods log, `variety` of the predictions, which falls to 0 if all clips become one, and
    `momentum`.

    Arguments and errors are those of `Method`; the head is built for `views`, which cannot be left out.

    Example:
        >>> times = simper_tf.BYOL.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.BYOL.appearance)
        >>> model = simper_tf.BYOL(simper_tf.small((8, 8, 3)), views)
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3).
        >>> model.head.output_shape, model.min_clips
        ((None, 256), 2)
    """

    Options = BYOLOptions
    appearance = Appearance(
        crop_area=(0.08, 1.0),
        brightness=(0.6, 1.4),
        contrast=(0.6, 1.4),
        saturation=(0.8, 1.2),
        hue=0.1,
        jitter_probability=0.8,
        gray_probability=0.2,
        blur_probability=(1.0, 0.1),
        solarize_probability=(0.0, 0.2),
    )
    # The batch norms of the heads tell a clip from the others; without others they would tell the views apart.
    min_clips = 2

    def build_head(self, length: int) -> keras.Model:
        projector, self.predictor = [
            perceptron(width, self.options.hidden, self.options.projection)
            for width in (length, self.options.projection)
        ]
        return projector

    @classmethod
    def arguments_for(cls, facts):
        return {**super().arguments_for(facts), "num_steps": facts.num_steps or None}

    def current_momentum(self) -> tf.Tensor | float:
        if self.options.num_steps is None:
            return self.options.momentum
        # What the step before would have done at its end; before the first one the target is a copy, and stays it.
        return rising_momentum(self.optimizer.iterations - 1, self.options.num_steps, self.options.momentum)

    def log_names(self) -> list[str]:
        return [*super().log_names(), "variety", "momentum"]

    def targets(self, batch: dict, training: bool) -> dict:
        """Returns `targets`, the target's `(B, 2, P)` vectors of the same views."""
        return {"targets": self.target_vectors(batch["views"], training)}

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        predictions = heads.project(self.predictor, heads.project(self.head, features, training), training)
        distances = direction_distance(predictions, batch["targets"][:, ::-1])
        return tf.reduce_mean(tf.reduce_sum(distances, axis=1)), {
            "variety": heads.variety(predictions[:, 0]),
            "momentum": tf.cast(self.current_momentum(), tf.float32),
        }


def direction_distance(predictions, targets):
    """Returns the squared distance of two `(..., D)` vectors scaled to length 1, in [0, 4]: eq. 2 of BYOL."""
    predictions, targets = [tf.math.l2_normalize(tf.cast(x, tf.float32), axis=-1) for x in (predictions, targets)]
    return tf.reduce_sum(tf.math.squared_difference(predictions, targets), axis=-1)


def perceptron(length: int, hidden: int, outputs: int):
    """Returns BYOL's projector or predictor: a hidden layer with batch norm, and a last layer without biases."""
    return heads.head(length, heads.hidden(hidden), layers.Dense(outputs, use_bias=False))


def rising_momentum(step, num_steps: int, start: float):
    """Returns 1 - (1 - start) (1 + cos(pi step / num_steps)) / 2: from `start` at step 0 to 1 at the last, and on."""
    share = tf.clip_by_value(tf.cast(step, tf.float32) / num_steps, 0.0, 1.0)
    return 1.0 - (1.0 - start) * 0.5 * (1.0 + tf.cos(math.pi * share))
