"""`fft_fundamental`: as `fft`, down to half of the strongest frequency where a line stands there too. No label."""

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import readout


def fft_fundamental(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips by `readout.fundamental_frequency` in the band of the task.

    Args:
        train, validation: Unused.
        test: Clips whose `series` and `rates` are read.
        task: A `tasks.Frequency` with a band.
    """
    frequencies = readout.fundamental_frequency(test.series, test.rates, task.band)
    return Prediction(frequencies.numpy() * test.per_hertz(task))
