"""Protocols that look at no feature: `pixels`, the pulse of colors, `persistence` and `training_mean`.

They have learned nothing, and others count as far as they are better.
"""

from collections.abc import Callable

import numpy as np

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task
from simper_tf.signals import harmonics as combs
from simper_tf.signals import octave, readout


def pixels(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Reads test clips with `pixels` by `octave.pixel_frequency`; the other two are unused."""
    frequencies = octave.pixel_frequency(test.pixels, test.rates, test.series.shape[1])
    return Prediction(frequencies.numpy() * test.per_hertz(task))


def skin(
    train: Features,
    validation: Features,
    test: Features,
    task: Task,
    pulse: Callable,
    way: str = "fft",
) -> Prediction | None:
    """Reads test clips with `colors` by the frequency of their pulse in the band; None without colors.

    The pulse is a function of `skin_colors`. By `fft` its strongest frequency is taken, `fundamental` goes down to half
    of it where a line stands there too (`readout.fundamental_frequency`), and `harmonics` reads by all of them
    (`harmonics.comb_peak`).
    """
    if test.colors is None:
        return None
    each = zip(test.colors, test.rates, strict=True)
    pulses = test.once((pulse, task.band), lambda: np.stack([pulse(colors, rate, task.band) for colors, rate in each]))
    return Prediction(np.asarray(_WAYS[way](pulses, test.rates, task.band)) * test.per_hertz(task))


_WAYS = {
    "fft": lambda pulses, rates, band: readout.fft_frequency(pulses, rates, band)[0],
    "fundamental": readout.fundamental_frequency,
    "harmonics": lambda pulses, rates, band: combs.comb_peak(combs.total_power(pulses[..., None]), rates, band),
}


def persistence(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts that the last day is repeated, frame by frame; the last value where a clip is shorter than a day.

    The past is in `levels`; all clips have the same rate, and a step of the series is as long as a frame.
    """
    day = round(24 * 3600 * float(test.rates[0]))
    period = day if 1 <= day <= test.levels.shape[1] else 1
    return Prediction(test.levels[:, -period + np.arange(test.labels.shape[1]) % period])


def training_mean(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts the mean label, or the mean series, for every test clip; the validation clips are unused."""
    return Prediction(np.repeat(train.labels.mean(axis=0, dtype=np.float64)[None], len(test.series), axis=0))
