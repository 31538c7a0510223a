"""Protocols `fft_resolved`, `fft`, `fft_paper`, `fft_fundamental`, `fft_calibrated`: the strongest line of features."""

import dataclasses

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import readout, votes
from simper_tf.utils.options import Options, option, takes


def fft_resolved(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips by the multiple of the frequency that training clips vote for, or clip by clip.

    What it found is the `votes.Octave` of the encoder, as `octave`.
    """
    voted = votes.find_octave(train.series, train.pixels)
    values = voted.frequency(test.series, test.pixels, test.rates) * test.per_hertz(task)
    return Prediction(values, str(voted), {"octave": dataclasses.asdict(voted)})


def fft(train: Features, validation: Features, test: Features, task: Task, mode: str = "fine") -> Prediction:
    """Reads test clips by `readout.fft_frequency` in the band of the task."""
    frequencies, _ = readout.fft_frequency(test.series, test.rates, task.band, mode)
    return Prediction(frequencies.numpy() * test.per_hertz(task))


def fft_fundamental(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips by `readout.fundamental_frequency` in the band of the task."""
    frequencies = readout.fundamental_frequency(test.series, test.rates, task.band)
    return Prediction(frequencies.numpy() * test.per_hertz(task))


@dataclasses.dataclass(frozen=True)
class CalibrationOptions(Options):
    """Options of `fft_calibrated`."""

    labeled_clips: int = option(10, "Training clips whose labels may be used to find the octave of the features.")


@takes(CalibrationOptions)
def fft_calibrated(train: Features, validation: Features, test: Features, task: Task, options) -> Prediction | None:
    """Reads test clips by `readout.harmonic_frequency`, by the labels of the first training clips.

    What it found is the `harmonic`. None where no training clip is labeled.
    """
    if options.labeled_clips < 1:
        raise ValueError(f"`labeled_clips` must be at least 1. Received: {options.labeled_clips}.")
    few = train.take(options.labeled_clips)
    if not len(few.labels):
        return None
    harmonic = readout.calibrate_harmonic(few.series, few.labels / few.per_hertz(task), few.rates, task.band)
    frequencies = readout.harmonic_frequency(test.series, test.rates, task.band, harmonic)
    note = f"{len(few.labels)} labeled clips say that features run at {1 / harmonic:.3g} times the frequency."
    return Prediction(frequencies * test.per_hertz(task), note, {"harmonic": harmonic})
