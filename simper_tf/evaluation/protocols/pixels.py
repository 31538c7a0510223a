"""`pixels`: the strongest line of the pixels. It has learned nothing, and others count as far as they are better."""

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import octave


def pixels(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips with `pixels` by `octave.pixel_frequency`; the other two are unused."""
    frequencies = octave.pixel_frequency(test.pixels, test.rates, test.series.shape[1])
    return Prediction(frequencies.numpy() * test.per_hertz(task))
