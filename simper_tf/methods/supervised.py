"""Learning from labels: a linear layer on the features of all frames, the baseline of every other method."""

import dataclasses

import keras
import tensorflow as tf
from keras import layers

from simper_tf import diagnostics
from simper_tf.clips import batch_of, check_clips
from simper_tf.methods import heads
from simper_tf.methods.base import Method
from simper_tf.views import Views


@keras.saving.register_keras_serializable("simper_tf")
@dataclasses.dataclass(frozen=True)
class SingleViews(Views):
    """One view of every clip at its own speed, for a method that contrasts nothing; otherwise like `Views`.

    Attributes:
        num_views: 1, of one set.
        speed_range: 1: at another speed the label would be another.

    Raises:
        ValueError: an attribute is out of its range.
    """

    num_views: int = 1
    speed_range: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self):
        super().__post_init__()
        if self.num_views != 1 or tuple(self.speed_range) != (1.0, 1.0):
            raise ValueError(
                "Labels hold for 1 view a clip, at speed 1. "
                f"Received: num_views={self.num_views}, speed_range={self.speed_range}."
            )

    def draw(self, batch_size, num_source_frames, seed):
        """Returns what `Views.draw` does, of one view a clip."""
        draws = super().draw(batch_size, num_source_frames, seed)
        return {name: draw[:, :1] for name, draw in draws.items()}


@keras.saving.register_keras_serializable("simper_tf")
class Supervised(Method):
    """Regresses labels: one linear layer on the features of all frames, trained with the encoder by the L1 loss.

    This is the head of SimPer's published code; fine-tuning is the same, begun from a trained encoder. Batches are
    `(clips, labels)`, or `((B, 1, L, H, W, C) views, speeds, labels)`. It logs

    * `loss`: the mean absolute error, in the unit of the labels;
    * `feature_deviation`: see `Method`.

    Args:
        encoder, seed: See `Method`.
        views: A `SingleViews`, of which every view shows whole clips: a view of half of a clip has half of its
            counts. The layer is built for it, so it cannot be left out.
        outputs: Numbers a label consists of: 1, or the length of a series.
        label_mean, label_deviation: Of the training labels. The layer predicts how many deviations a label lies off
            the mean. With the defaults it predicts labels as they are, as published, which suits labels near 1; at 80
            beats per minute most of the training would go into finding the mean.

    Raises:
        ValueError: a setting is out of its range, or the views are missing or of another kind.
    """

    needs_labels = True

    def __init__(self, encoder, views=None, outputs=1, label_mean=0.0, label_deviation=1.0, seed=0, **kwargs):
        if outputs < 1:
            raise ValueError(f"`outputs` must be at least 1. Received: {outputs}.")
        if label_deviation <= 0:
            raise ValueError(
                f"`label_deviation` must be positive. Received: {label_deviation}. If all training clips have one "
                "label, there is nothing to learn: take more clips."
            )
        length = heads.vector_length("Supervised", encoder, views)
        if not isinstance(views, SingleViews):
            raise ValueError(f"`views` must be those that `Supervised.views_for` returns. Received: {views}.")
        super().__init__(encoder, views, seed, **kwargs)
        self.outputs = outputs
        self.label_mean = label_mean
        self.label_deviation = label_deviation
        # In single precision under every policy: half of it would round a pulse to a quarter of a beat.
        self.head = heads.head(length, layers.Dense(outputs, dtype=keras.config.floatx()))

    @classmethod
    def views_for(cls, num_frames, num_views, speed_range, **changes):
        """Returns one view of each clip at its own speed, otherwise changed like SimPer's.

        See `Method.views_for`; `num_frames` should be the length of the clips.
        """
        return SingleViews(num_frames, **changes)

    def compute_logs(self, features, *facts, training=True):
        """Returns the logged scalars, `loss` among them.

        Args:
            features: `(B, 1, L)` or `(B, 1, L, D)`.
            *facts: `(B, 1)` speeds, unused, and the labels, `(B,)` or `(B, outputs)`.
            training: Whether the linear layer is in training mode.

        Raises:
            ValueError: there are no labels, or not as many as the layer predicts.
        """
        if len(facts) < 2:
            raise ValueError("`Supervised` learns from labels, but the batch has none. Give batches (clips, labels).")
        predicted, labels = self._predict(features, training), tf.cast(facts[1], tf.float32)
        if labels.shape[1:] != predicted.shape[1:]:
            raise ValueError(
                f"The method was built for labels of {self.outputs} number(s) a clip (`outputs`). Received labels of "
                f"shape {labels.shape}."
            )
        return {
            "loss": tf.reduce_mean(tf.abs(predicted - labels)),
            "feature_deviation": diagnostics.feature_deviation(features),
        }

    def predict_labels(self, clips):
        """Returns the predicted labels of whole clips, in their unit.

        Args:
            clips: `(B, L, H, W, C)` uint8, or floats in [0, 1].

        Returns:
            `(B,)` float32, or `(B, outputs)` for more than one.

        Raises:
            ValueError: they are no clips, or have another length than the views it was trained on.
        """
        clips = batch_of(clips)
        check_clips(clips, self.frame_shape)
        if clips.shape[1] != self.views.num_frames:
            raise ValueError(
                f"The linear layer was trained on clips of {self.views.num_frames} frames and takes no others. "
                f"Received: {clips.shape[1]} frames. Cut the clips, or train with views of their length."
            )
        return self._predict(self.encode(clips)[:, None], training=False)

    def get_config(self):
        return {
            **super().get_config(),
            "outputs": self.outputs,
            "label_mean": self.label_mean,
            "label_deviation": self.label_deviation,
        }

    def _predict(self, features, training):
        predicted = self.label_mean + self.label_deviation * heads.project(self.head, features, training)[:, 0]
        return predicted[:, 0] if self.outputs == 1 else predicted
