"""Floors: the errors that readouts make on perfect features, sines at the true frequency or at twice it."""

import dataclasses

import numpy as np

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.protocols.fourier import fft, fft_calibrated
from simper_tf.evaluation.protocols.nearest_neighbor import nearest_neighbor, nearest_spectrum
from simper_tf.evaluation.protocols.probes import probe
from simper_tf.evaluation.tasks import Frequency

# Multiple of the frequency at which the sine runs -> what a floor's name ends with.
MULTIPLES = {1: "floor", 2: "floor_2f"}
READOUTS = {
    "fft": fft, "fft_calibrated": fft_calibrated, "1nn": nearest_neighbor, "1nn_npsd": nearest_spectrum, "probe": probe,
}  # fmt: skip
FLOORS = frozenset(f"{name}_{end}" for name in READOUTS for end in MULTIPLES.values())
# What a builder reads that knows all of a clip but the frequency.
IDEAL = "ideal"


def of_perfect(train: Features, validation: Features, test: Features, task: Frequency) -> dict[str, Prediction]:
    """Reads sines in place of features, by each readout: no encoder can be expected to be read any better.

    Nearest neighbors have the frequency of a training clip, and spectra are as wide as clips are short. Sines at twice
    the frequency are read to half of their error, and only where frames show that in all clips. The labels of all clips
    are known.
    """
    splits = (train, validation, test)
    predictions = {}
    for multiple, end in MULTIPLES.items():
        if all((2 * multiple * _hertz(split, task) < split.rates).all() for split in splits):
            rng = np.random.default_rng(0)
            sines = [_sines(split, task, multiple, rng) for split in splits]
            predictions |= {f"{name}_{end}": readout(*sines, task) for name, readout in READOUTS.items()}
    return {
        name: dataclasses.replace(prediction, note="", found={}, fitted={}) for name, prediction in predictions.items()
    }


def _hertz(split, task):
    return np.float64(split.labels) / split.per_hertz(task)


def _sines(split, task, multiple, rng):
    """Returns features that are sines of random phases at a multiple of the true frequency."""
    number, frames = split.series.shape[:2]
    cycles = multiple * _hertz(split, task)[:, None] * np.arange(frames) / split.rates[:, None]
    series = np.sin(2 * np.pi * (cycles + rng.random((number, 1))))
    return dataclasses.replace(split, series=np.float32(series), known=None)
