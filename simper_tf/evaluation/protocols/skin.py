"""`green`, `chrom`, `pos` and down to the fundamental: the pulse of the mean colors of frames. Nothing is learned."""

from collections.abc import Callable

import numpy as np

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import readout


def skin(
    train: Features,
    validation: Features,
    test: Features,
    task: Task,
    pulse: Callable,
    fundamental: bool = False,
) -> Prediction | None:
    """Reads test clips with `colors` by the strongest frequency of their pulse in the band; None without colors.

    Args:
        train, validation: Unused.
        test: Clips whose `colors` and `rates` are read.
        task: A `tasks.Frequency` with a band.
        pulse: A function of `skin_colors`.
        fundamental: Whether to go down to half of that frequency where a line stands there too, see
            `readout.fundamental_frequency`.
    """
    if test.colors is None:
        return None
    found = [pulse(colors, rate, task.band) for colors, rate in zip(test.colors, test.rates, strict=True)]
    if fundamental:
        frequencies = readout.fundamental_frequency(np.stack(found), test.rates, task.band)
    else:
        frequencies, _ = readout.fft_frequency(np.stack(found), test.rates, task.band)
    return Prediction(frequencies.numpy() * test.per_hertz(task))
