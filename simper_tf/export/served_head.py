"""Encoder with a head that was fitted to labels, as it is exported: frames, of frequencies their rate too -> labels."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import tensorflow as tf

from simper_tf.encoders.before_head import with_features
from simper_tf.evaluation import fitted_heads
from simper_tf.evaluation.tasks import FREQUENCY_UNITS, Frequency, Task
from simper_tf.export.requests import batch_and_time, least_rate_checks, refuse
from simper_tf.export.served_features import FeaturesModel


@dataclasses.dataclass(frozen=True)
class ServedHead:
    """A head as it is served: `own` to a method, or `fitted` by a protocol.

    Attributes:
        num_frames: T, the one length of clips that it takes.
        answer: Name of the output, with its unit.
        answers: Function of features, of a fitted frequency of rates too -> outputs by name.
        weights: Variables that it reads.
        band: `(low, high)` in Hz of a frequency that takes a rate; None for a head that takes none.
        before_head: Whether it reads the features before the encoder's own head, and not the outputs.
        kept: Weights by name for further training.
    """

    num_frames: int
    answer: str
    answers: Callable
    weights: Sequence[tf.Variable]
    band: tuple[float, float] | None = None
    before_head: bool = False
    kept: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)

    @classmethod
    def own(cls, method, task: Task) -> "ServedHead":
        """Returns the head that was trained with a method of `labels_of`, `head_weights` and `views` of whole clips."""
        weights = [weight.value for weight in method.head_weights]
        kept = {weight.path: weight.numpy() for weight in method.head_weights}
        answers = _named(task.answer, method.labels_of)
        return cls(method.views.num_frames, task.answer, answers, weights, kept=kept)

    @classmethod
    def fitted(cls, protocol: str, arrays: Mapping[str, np.ndarray], task: Task, num_frames: int) -> "ServedHead":
        """Returns the head of arrays that a protocol of `fitted_heads.HEADS` has fitted to clips of so many frames."""
        variables = {name: tf.Variable(values, False, name=name) for name, values in arrays.items()}

        def labels(features):
            return fitted_heads.HEADS[protocol](variables, features)

        given = num_frames, task.answer
        if not isinstance(task, Frequency):
            inner = protocol in fitted_heads.BEFORE_HEAD
            return cls(*given, _named(task.answer, labels), list(variables.values()), before_head=inner)

        def frequencies(features, rate):
            hertz = tf.cast(labels(features) * tf.cast(rate, tf.float64), tf.float32)
            return FREQUENCY_UNITS[task.unit].answers(hertz, num_frames, rate)

        return cls(*given, frequencies, list(variables.values()), task.band)


class HeadModel(FeaturesModel):
    """An encoder with a `ServedHead`: frames in, labels out."""

    def __init__(self, encoder, frame_shape, head, value_range=(0.0, 1.0), max_frames=None):
        super().__init__(encoder, frame_shape, value_range, head.num_frames, max_frames)
        self._encode_both = self.traced(with_features(encoder)) if head.before_head else None
        self.weights += head.weights
        self.answer_name, self.band, self._answers = head.answer, head.band, head.answers

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        others = ("rate",) if self.band else ()
        return {"serving_default": (self.labels, others), "answer": (self.answer, others), **super().signatures()}

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        limits = {"band_hz": list(self.band), "least_rate": 2 * self.band[1]} if self.band else {}
        return {**super().facts(), **limits, "answer": self.answer_name}

    def labels(self, frames, *rate):
        """Returns what `answer` does, and the features; arguments and errors are those of `answer`."""
        checks = itertools.chain(self.frames_checks(frames), self._rate_checks(frames, *rate))
        read, features = self._read(refuse(checks, frames))
        return {**self._answers(read, *rate), "features": features}

    def answer(self, frames, *rate):
        """Returns the labels of frames under the name of the answer, `(B,)` or `(B, H)`; of frequencies in Hz too.

        Frames have the one length that the head was fitted to. A head with a band takes `(B,)` rates, at least twice
        its upper end. Others are refused by an InvalidArgumentError.
        """
        labels = self.labels(frames, *rate)
        return {name: values for name, values in labels.items() if name != "features"}

    def _read(self, frames):
        """Returns what the head reads of frames that nothing has checked, and the features."""
        if self._encode_both is None:
            return [self.encoded(frames)] * 2
        before_head, features = self._encode_both(self.scaled(frames))
        return before_head, tf.cast(features, tf.float32)

    def _rate_checks(self, frames, *rate):
        if rate:
            low, high = self.band
            why = f"twice the upper end of the band of {low:g} to {high:g} Hz"
            yield from least_rate_checks(*rate, batch_and_time(frames)[0], 2 * high, why)


def _named(name, labels):
    return lambda features: {name: tf.cast(labels(features), tf.float32)}
