"""BYOL: from one view of a clip, predict what a slow copy of the networks makes of the other; no clip is contrasted."""

import math

import keras
import tensorflow as tf
from keras import layers

from simper_tf import diagnostics, losses
from simper_tf.methods import heads
from simper_tf.methods.momentum import MomentumMethod
from simper_tf.views import Views


@keras.saving.register_keras_serializable("simper_tf")
class BYOL(MomentumMethod):
    """Bootstraps vectors of clips, after Grill et al., https://arxiv.org/abs/2006.07733.

    Of every clip two views are made at its own speed, the first always blurred, the second seldom, but solarized at
    times. The features of all frames of a view are one vector. Encoder, projector (`head`) and predictor are to give
    for either view the direction that the slow copies of encoder and projector give for the other: the loss is
    `losses.direction_distance`, summed over both.

    Different from the authors' code: both views pass through the networks as one batch, so batch norm (in training
    mode everywhere, over all replicas) sees them together, not one set at a time; the target starts as a copy, where
    theirs starts from other weights (no difference seen, they say), and moves at the start of the next step, where
    theirs moves at the end of this one, which is the same; brightness is multiplied, not added.

    It logs `loss`, in [0, 8]; `variety` of the predictions, which falls to 0 if all clips become one; `momentum`; and
    `feature_deviation`, see `Method`.

    Args:
        encoder, views, seed: See `Method`; the projector is built for `views`, which cannot be left out.
        momentum: tau at the start, see `MomentumMethod`; the source has 0.97 for 40 epochs, 0.99 for 100 or 300 and
            0.996 for 1,000.
        num_steps: Steps of the run, over which tau rises to 1; None for a constant tau.
        hidden, outputs: Widths of the hidden layer and of the last layer of projector and predictor.

    Raises:
        ValueError: a setting is out of its range, or `views` are missing.
    """

    # The batch norms of the heads tell a clip from the others; without others they would tell the views apart.
    min_clips = 2

    def __init__(self, encoder, views=None, momentum=0.99, num_steps=None, hidden=4096, outputs=256, seed=0, **kwargs):
        if num_steps is not None and num_steps < 1:
            raise ValueError(f"`num_steps` must be at least 1, or None. Received: {num_steps}.")
        length = heads.vector_length(type(self).__name__, encoder, views)
        projector, predictor = [perceptron(width, hidden, outputs) for width in (length, outputs)]
        super().__init__(encoder, views, projector, momentum, seed, **kwargs)
        self.predictor = predictor
        self.num_steps = num_steps
        self.hidden = hidden
        self.outputs = outputs

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns two views of each clip at its own speed, with the changes of colour of the authors' code.

        See `Method.views_for`.
        """
        own = {
            "crop_area": (0.08, 1.0),
            "brightness": (0.6, 1.4),
            "contrast": (0.6, 1.4),
            "saturation": (0.8, 1.2),
            "hue": 0.1,
            "jitter_probability": 0.8,
            "gray_probability": 0.2,
            "blur_probability": (1.0, 0.1),
            "solarize_probability": (0.0, 0.2),
        }
        return Views(num_frames, 1, (1.0, 1.0), **{**own, **changes})

    def current_momentum(self):
        if self.num_steps is None:
            return self.momentum
        # What the step before would have done at its end; before the first one the target is a copy, and stays it.
        return rising_momentum(self.optimizer.iterations - 1, self.num_steps, self.momentum)

    def log_names(self):
        return ["loss", "variety", "momentum", "feature_deviation"]

    def compute_gradients(self, batch):
        made = self.make_views(batch)
        self.update_target()
        return super().compute_gradients(self.with_targets(made, training=True))

    def with_targets(self, made, training):
        """Returns `(views, speeds, targets)`; see `Method.with_targets`."""
        return *made, self.target_vectors(made[0], training)

    def compute_logs(self, features, speeds, targets, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 2, L)` or `(B, 2, L, D)`.
            speeds: `(B, 2)`, unused.
            targets: `(B, 2, P)`, the target's projections of the same views.
            training: Whether projector and predictor are in training mode.
        """
        predictions = heads.project(self.predictor, heads.project(self.head, features, training), training)
        distances = losses.direction_distance(predictions, targets[:, ::-1])
        return {
            "loss": tf.reduce_mean(tf.reduce_sum(distances, axis=1)),
            "variety": heads.variety(predictions[:, 0]),
            "momentum": tf.cast(self.current_momentum(), tf.float32),
            "feature_deviation": diagnostics.feature_deviation(features),
        }

    def get_config(self):
        return {
            **super().get_config(),
            "num_steps": self.num_steps,
            "hidden": self.hidden,
            "outputs": self.outputs,
        }


def perceptron(length, hidden, outputs):
    """Returns BYOL's projector or predictor: a hidden layer with batch norm, and a last layer without biases."""
    return heads.head(length, heads.hidden(hidden), layers.Dense(outputs, use_bias=False))


def rising_momentum(step, num_steps, start):
    """Returns 1 - (1 - start) (1 + cos(pi step / num_steps)) / 2: from `start` at step 0 to 1 at the last, and on.

    Args:
        step: Integer scalar.
        num_steps: Steps of the run.
        start: Momentum at step 0.

    Returns:
        Float32 scalar.
    """
    share = tf.clip_by_value(tf.cast(step, tf.float32) / num_steps, 0.0, 1.0)
    return 1.0 - (1.0 - start) * 0.5 * (1.0 + tf.cos(math.pi * share))
