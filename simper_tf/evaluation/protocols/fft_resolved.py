"""`fft_resolved`: the highest peak of the features, the octave told by the pixels. No label, no band."""

import dataclasses

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import octave


def fft_resolved(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips by the multiple of the frequency that training clips vote for, or clip by clip.

    What it found is the `octave.Octave` of the encoder, as `octave`.
    """
    found = octave.find_octave(train.series, train.pixels)
    values = found.frequency(test.series, test.pixels, test.rates) * test.per_hertz(task)
    return Prediction(values, str(found), {"octave": dataclasses.asdict(found)})
