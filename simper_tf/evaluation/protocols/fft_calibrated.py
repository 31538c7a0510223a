"""`fft_calibrated`: the strongest frequency of the features, at the harmonic that a few labeled clips fit best."""

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import readout


def fft_calibrated(
    train: Features, validation: Features, test: Features, task: Task, *, labeled_clips: int = 10
) -> Prediction | None:
    """Reads test clips by `readout.harmonic_frequency`.

    What it found is the `harmonic`. None where no training clip is labeled.

    Args:
        train: Clips of which the first are looked at with their labels.
        validation: Unused.
        test: Clips whose `series` and `rates` are read.
        task: A `tasks.Frequency` with a band.
        labeled_clips: Training clips whose labels may be looked at.

    Raises:
        ValueError: there is none.
    """
    if labeled_clips < 1:
        raise ValueError(f"--labeled_clips must be at least 1. Received: {labeled_clips}.")
    few = train.take(labeled_clips)
    if not len(few.labels):
        return None
    harmonic = readout.calibrate_harmonic(few.series, few.labels / few.per_hertz(task), few.rates, task.band)
    frequencies = readout.harmonic_frequency(test.series, test.rates, task.band, harmonic)
    note = f"{len(few.labels)} labeled clips say that features run at {1 / harmonic:.3g} times the frequency."
    return Prediction(frequencies * test.per_hertz(task), note, {"harmonic": harmonic})
