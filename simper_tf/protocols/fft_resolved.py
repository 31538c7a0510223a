"""`fft_resolved`: the highest peak of the features, the octave told by the pixels. No label, no band."""

import dataclasses

from simper_tf import votes
from simper_tf.features import Features
from simper_tf.protocols.prediction import Prediction
from simper_tf.tasks import Task


def fft_resolved(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips by the multiple of the frequency that training clips vote for, or clip by clip.

    What it found is the `votes.Octave` of the encoder, as `octave`.
    """
    found = votes.find_octave(train.series, train.pixels)
    values = found.frequency(test.series, test.pixels, test.rates) * test.per_hertz(task)
    return Prediction(values, str(found), {"octave": dataclasses.asdict(found)})
