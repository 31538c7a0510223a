"""Encoder with the head that was trained with it, as it is exported: frames -> labels."""

from simper_tf.export.requests import refuse
from simper_tf.export.served_features import FeaturesModel


class HeadModel(FeaturesModel):
    """An encoder with the head that was trained with it: frames in, labels out.

    Args:
        method: A method with `labels_of`, `encoder`, `regressor` and `views` of whole clips.
        frame_shape, value_range, max_frames: As in `FeaturesModel`.
        name: Name of the output, with its unit.
    """

    def __init__(self, method, frame_shape, name, value_range=(0.0, 1.0), max_frames=None):
        super().__init__(method.encoder, frame_shape, value_range, method.views.num_frames, max_frames)
        self.weights += [weight.value for weight in method.head_weights]
        self.answer_name = name
        self._labels = method.labels_of

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"serving_default": (self.labels, ()), "answer": (self.answer, ()), **super().signatures()}

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        return {**super().facts(), "answer": self.answer_name}

    def labels(self, frames):
        """Returns the labels of frames under the name of the answer, `(B,)` or `(B, H)`, and the features.

        Args:
            frames: As in `features`, of the one length that the head was trained on.

        Raises:
            tf.errors.InvalidArgumentError: the frames are not so.
        """
        features = self.encoded(refuse(self.frames_checks(frames), frames))
        return {self.answer_name: self._labels(features), "features": features}

    def answer(self, frames):
        """Returns the labels alone; arguments and errors are those of `labels`."""
        return {self.answer_name: self.labels(frames)[self.answer_name]}
