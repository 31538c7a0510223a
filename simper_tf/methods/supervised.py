"""Learning from labels: a head on the features of all frames, as the baseline of all other methods or fine-tuning."""

import dataclasses
import math

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from numpy.typing import ArrayLike

from simper_tf.methods import batches, heads, repnet_head
from simper_tf.methods.base import Method
from simper_tf.methods.registry import register
from simper_tf.methods.spectral_heads import frequency_head, spectral_head
from simper_tf.utils.options import Options, option
from simper_tf.views.times import WholeClip

HEADS = {
    # In single precision under every policy: half of it would round a pulse to a quarter of a beat.
    "linear": lambda length, *_, outputs: heads.head(length, layers.Dense(outputs, dtype=keras.config.floatx())),
    "spectrum": lambda _, *shape, outputs: spectral_head(*shape),
    "frequency": lambda _, *shape, outputs: frequency_head(*shape),
    "repnet": lambda _, *shape, outputs: repnet_head.repnet_head(*shape),
}
# Those that need to know what a label is in cycles per frame.
_OF_CYCLES = ("frequency", "repnet")


@dataclasses.dataclass(frozen=True)
class SupervisedOptions(Options):
    """Options of learning from labels.

    The head predicts how many deviations a label lies off the mean of the training labels. With a mean of 0 and a
    deviation of 1 it predicts labels as they are, as published, which suits labels near 1; at 80 beats per minute most
    of the training would go into finding the mean. The heads `frequency` and `repnet` need neither.
    """

    head: str = option(
        "linear", "Head that predicts the label: linear, one layer on the features of all frames, as in SimPer's code; "
        "spectrum, which can read a frequency; frequency, which also reads frequencies that training has not seen; or "
        "repnet, which counts what repeats.", choices=HEADS,
    )  # fmt: skip
    freeze: bool = option(False, "Train the head alone and leave the encoder as it is.")
    outputs: int = option(1, "Numbers in a label: 1, or the length of a series.", low=1, is_flag=False)
    label_mean: float = option(0.0, "Mean of the training labels.", low=-math.inf, is_flag=False)
    label_deviation: float = option(1.0, "Deviation of the training labels.", low=0, is_flag=False)
    cycles_per_label: float | None = option(
        1.0, "Cycles per frame that a label of 1 stands for; None where labels do not tell.", low=0, above=True,
        is_flag=False,
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        if self.head != "linear" and self.outputs > 1:
            raise ValueError(
                f"The head {self.head!r} predicts one number a clip, but labels have {self.outputs}. Use the head "
                "'linear'."
            )
        if self.cycles_per_label is None and self.head in _OF_CYCLES:
            raise ValueError(
                f"The head {self.head!r} counts repetitions, which these labels do not tell: they are no frequencies, "
                "or are in Hz or beats per minute and clips differ in their frames per second. Use the head "
                "'spectrum'."
            )
        if self.label_deviation == 0:
            raise ValueError(
                "`label_deviation` is 0: all training clips have one label, so there is nothing to learn. Take more "
                "clips."
            )


@register(
    "supervised",
    title="supervised",
    reference="The head of SimPer's code, Yang et al., ICLR 2023, https://arxiv.org/abs/2210.03115",
)
class Supervised(Method):
    """Learns labels: a head on the features of all frames, trained with the encoder.

    Fine-tuning is the same, begun from a trained encoder. Batches are `(clips, labels)`, or ready views with an entry
    `labels`. The loss is the mean absolute error, in the unit of the labels; the head `repnet` has its own.

    Args:
        encoder, seed, given: See `Method`. If it is frozen, its batch norm is in inference mode.
        views: See `Method`; every view shows whole clips: a view of half of a clip has half of its counts. The head is
            built for them, so they cannot be left out.

    Raises:
        ValueError: an option is out of its range, the head cannot predict such labels, or the views are missing or
            have other times.

    Attributes:
        regressor: The head, a `keras.Model`.
        label_scale: `label_mean` and `label_deviation` as a weight: a head that is begun with has those that it learned
            with, whatever the labels of this run are.

    Example:
        >>> times = simper_tf.Supervised.times_for(2, (0.5, 2.0))
        >>> views = simper_tf.Views(times.longest_view(40), times, simper_tf.Supervised.appearance)
        >>> model = simper_tf.Supervised(simper_tf.small((8, 8, 3)), views)
        >>> model.compile("adam")  # Now model.fit(clips) of uint8 (B, 40, 8, 8, 3) and labels (B,).
        >>> model.predict_labels(np.zeros((2, 40, 8, 8, 3), np.uint8)).shape
        TensorShape([2])
    """

    Options = SupervisedOptions
    needs_labels = predicts_labels = True
    times = takes_times = WholeClip

    def __init__(self, encoder, views=None, **given):
        length = heads.vector_length(type(self).__name__, encoder, views)
        super().__init__(encoder, views, **given)
        scale = [self.options.label_mean, self.options.label_deviation]
        self.label_scale = keras.Variable(scale, trainable=False, autocast=False, name="label_scale")
        shape = views.num_frames, math.prod(encoder.output_shape[2:])
        self.regressor = HEADS[self.options.head](length, *shape, outputs=self.options.outputs)

    @classmethod
    def arguments_for(cls, facts):
        return {
            "outputs": int(np.prod(facts.labels.shape[1:])),
            "label_mean": float(np.mean(facts.labels)),
            "label_deviation": float(np.std(facts.labels)),
            "cycles_per_label": facts.cycles_per_label(),
        }

    @property
    def trainable_variables(self):
        # The encoder is the caller's, who may go on with it: what it is itself does not change.
        kept = {id(variable) for variable in self.encoder.trainable_variables} if self.options.freeze else ()
        return [variable for variable in super().trainable_variables if id(variable) not in kept]

    def call(self, clips: tf.Tensor, training: bool = False) -> tf.Tensor:
        # Statistics of batch norm are what an encoder has learned, as much as its weights are.
        return super().call(clips, training=training and not self.options.freeze)

    def loss_and_logs(self, features: tf.Tensor, batch: dict, training: bool = True) -> tuple[tf.Tensor, dict]:
        """Returns the loss and no further logs; labels must be there, as many as the head predicts."""
        labels = batches.labels_in(self, batch)
        outputs = self.options.outputs
        if outputs == 1 and labels.shape[1:] == (1,):
            labels = labels[:, 0]  # A series of one number.
        if labels.shape[1:] != (() if outputs == 1 else (outputs,)):
            raise ValueError(
                f"The method was built for labels of {outputs} number(s) a clip (`outputs`). Received labels of shape "
                f"{labels.shape}."
            )
        predictions = self._outputs_of(features, training)
        if self.options.head == "repnet":
            return repnet_head.loss(predictions, labels * self._repetitions_per_label), {}
        return tf.reduce_mean(tf.abs(self._labels_from(predictions) - labels)), {}

    def predict_labels(self, clips: ArrayLike) -> tf.Tensor:
        """Returns the predicted labels of whole clips, in their unit: `(B,)` float32, or `(B, outputs)` for more.

        What is no clips of uint8, or floats in [0, 1], or has another length than the views it was trained on, is a
        ValueError.
        """
        return self.labels_of(self.encode(clips))

    def labels_of(self, features: tf.Tensor) -> tf.Tensor:
        """Returns the labels that the head predicts from `(B, L)` or `(B, L, D)` features of whole clips."""
        if features.shape[1] not in (None, self.views.num_frames):
            raise ValueError(
                f"The head was trained on clips of {self.views.num_frames} frames and takes no others. "
                f"Received: {features.shape[1]} frames. Cut the clips, or train with views of their length."
            )
        return self._labels_from(self._outputs_of(features[:, None], training=False))

    @property
    def head_weights(self) -> list[keras.Variable]:
        """All that the head is, beside the encoder."""
        return [*self.regressor.weights, self.label_scale]

    @property
    def _repetitions_per_label(self):
        return self.options.cycles_per_label * self.views.num_frames

    def _outputs_of(self, features, training):
        """Returns what the head makes of `(B, 1, L)` or `(B, 1, L, D)` features, `(B, P)`."""
        return heads.project(self.regressor, features, training)[:, 0]

    def _labels_from(self, predictions):
        if self.options.head == "repnet":
            return repnet_head.counts(predictions) / self._repetitions_per_label
        if self.options.head == "frequency":
            return predictions[:, 0] / self.options.cycles_per_label
        mean, deviation = tf.unstack(tf.cast(self.label_scale, predictions.dtype))
        predicted = mean + deviation * predictions
        return predicted[:, 0] if self.options.outputs == 1 else predicted
