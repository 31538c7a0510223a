"""`fft` and `fft_paper`: the strongest frequency of the features in the band. No label."""

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import readout


def fft(train: Features, validation: Features, test: Features, task: Task, mode: str = "fine") -> Prediction:
    """Reads test clips by `readout.fft_frequency` in the band of the task.

    Args:
        train, validation: Unused.
        test: Clips whose `series` and `rates` are read.
        task: A `tasks.Frequency` with a band.
        mode: See `readout.fft_frequency`.
    """
    frequencies, _ = readout.fft_frequency(test.series, test.rates, task.band, mode)
    return Prediction(frequencies.numpy() * test.per_hertz(task))
