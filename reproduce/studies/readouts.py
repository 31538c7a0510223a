"""Readouts as columns of tables: their titles, units and cells."""

import dataclasses
from collections.abc import Mapping

from reproduce.grid import Run
from reproduce.studies.table import Cell
from simper_tf.methods import METHODS
from simper_tf.training.settings import owners

# Readouts of features, those told least first; the head of what was trained on labels behind them.
OF_FEATURES = {
    "fft_resolved": "FFT, octave by the pixels",
    "fft_calibrated": "FFT, harmonic from 10 labels",
    "fft": "FFT in the band",
    "1nn": "1-NN by correlation",
    "1nn_npsd": "1-NN by spectrum",
    "probe": "trained probe",
}
OF_ALL = {**OF_FEATURES, "supervised": "own head"}
# Those of the paper's tables of features, with one that it does not have.
OF_PAPER = {"fft": "FFT in the band", "fft_resolved": "FFT, octave by the pixels", "1nn": "1-NN"}
# Further ones for pulses, whose second harmonic may be the stronger.
OF_PULSE = {
    "fft_fundamental": "FFT in the band, down to the fundamental",
    "fft_calibrated": "FFT, harmonic from 10 labels",
}
# Data set -> the metrics that the paper has of it, of temperatures by two readings of "Pearson correlation"; `mae` and
# `mape` of the others.
METRICS = {"countix": ("mae", "gm"), "lst": ("mae", "mape", "pearson", "pearson_pooled")}
UNITS = {"rotating_digits": "Hz", "scamps": "bpm", "ubfc": "bpm", "pure": "bpm", "countix": "repetitions", "lst": "°C"}


def unit(name: str, metric: str) -> str:
    """Returns a metric of a data set in print, with its unit."""
    text = {
        "mae": "MAE", "mape": "MAPE", "gm": "GM", "pearson": "Pearson", "pearson_pooled": "Pearson of all at once",
    }[metric]  # fmt: skip
    of_metric = {"mape": "fraction" if name == "lst" else "%", "pearson": "", "pearson_pooled": ""}.get(
        metric, UNITS[name]
    )
    return f"{text} ({of_metric})" if of_metric else text


def frequency_cells(run: Run, metric: str = "mae", readouts: Mapping[str, str] = OF_ALL) -> tuple[Cell | None, ...]:
    """Returns the cells of a run on frequencies, one a readout; only what learned from labels has a head of its own."""
    method = dict(run.changes).get("method")
    has_head = method is not None and METHODS[method].predicts_labels
    return tuple(None if name == "supervised" and not has_head else Cell(run, name, metric) for name in readouts)


def frequency_titles(metric: str = "MAE (Hz)", readouts: Mapping[str, str] = OF_ALL) -> tuple[str, ...]:
    """Returns the titles of the columns of `frequency_cells`."""
    return tuple(f"{title}: {metric}" for title in readouts.values())


def named(method: str) -> str:
    """Returns the title of a method, with whether its own loss is given the band."""
    return METHODS[method].title + " (given the band)" * is_given_the_band(method)


def is_given_the_band(method: str) -> bool:
    """Returns whether a method's own loss has the band, and not the prior alone."""
    return "band" in {field.name for field in dataclasses.fields(METHODS[method].Options)}


def has_option(method: str, name: str) -> bool:
    """Returns whether a method has an option of its own of that name."""
    return name in owners()["method"][method]
