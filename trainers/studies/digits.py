"""What our studies of digits share: the kinds of digits, readouts as columns, and controls."""

import inspect
from collections.abc import Iterable, Mapping

from simper_tf.methods import METHODS
from simper_tf.training.settings import owners
from trainers.grid import Run
from trainers.studies import controls
from trainers.studies.scales import Scale
from trainers.studies.table import Block, Cell, Line

# Readouts of features on frequencies, those told least first.
READOUTS = {
    "fft_resolved": "FFT, octave by the pixels",
    "fft_calibrated": "FFT, harmonic from 10 labels",
    "fft": "FFT in the band",
    "1nn": "1-NN by correlation",
    "1nn_npsd": "1-NN by spectrum",
    "probe": "trained probe",
    "supervised": "own head",
}
# Those of features alone, for whatever has learned without labels.
OF_FEATURES = {name: title for name, title in READOUTS.items() if name != "supervised"}
PRIOR = {"prior_weight": 10}
# A band that tells the readout and the prior little: as wide as views of twice the speed allow at 30 frames a second.
WIDE = {"band": "0.2,7.5"}
# SimPer with fewer views of more clips, and those of other clips as candidates, which methods that contrast clips have;
# a step takes as long. Chosen on validation clips, see the table `losses`.
MORE_CLIPS = {"num_views": 3, "batch_size": 7, "other_clips": True}
# Views with noise as strong between two frames as at one; see `augment.resample`. For methods that change the speed.
STEADY = {"interpolation": "steady"}
# Kinds of digits: config -> its title.
DIGITS = {
    "digits": "Swinging digits, clean",
    "digits_spin": "Spinning digits: twice the frequency is wrong, and no symmetry",
    "digits_noisy_low": "Swinging digits, weak noise, clutter and light",
    "digits_noisy_middle": "Swinging digits, middle noise, clutter and light",
    "digits_noisy_high": "Swinging digits, strong noise, clutter and light",
}


def frequency_cells(run: Run, metric: str = "mae", readouts=READOUTS) -> tuple[Cell | None, ...]:
    """Returns the cells of a run on frequencies, one a readout."""
    method = dict(run.changes).get("method")
    labeled = method is not None and METHODS[method].predicts_labels
    # A head of its own has only what was trained on labels.
    return tuple(None if name == "supervised" and not labeled else Cell(run, name, metric) for name in readouts)


def frequency_titles(metric: str = "MAE (Hz)", readouts=READOUTS) -> tuple[str, ...]:
    """Returns the titles of the columns of `frequency_cells`."""
    return tuple(f"{title}: {metric}" for title in readouts.values())


def block_of_features(title: str, runs: Mapping[str, Run], metric="mae", words="MAE (Hz)", controls=()) -> Block:
    """Returns a block of a line a run, read by all of `OF_FEATURES`.

    Args:
        title: Of the block.
        runs: Title of a line -> its run.
        metric, words: What is shown, and how it is called.
        controls: Lines behind them.
    """
    lines = (Line(name, frequency_cells(run, metric, OF_FEATURES)) for name, run in runs.items())
    return Block(title, frequency_titles(words, OF_FEATURES), (*lines, *controls))


def variants(base: Run, changes: Iterable[Mapping[str, object]]) -> dict[str, Run]:
    """Returns a run with each change of flags, by these in print, but for what the base has anyway."""
    runs = {}
    for each in changes:
        run = base.but(**each)
        given = dict(run.changes)
        runs[", ".join(f"--{name}={given[name]}" for name in each)] = run
    return {title: run for title, run in runs.items() if run.name() != base.name()}


def digits(scale: Scale, config: str) -> Run:
    """Returns pre-training on one of `DIGITS`; clean ones are those of the scale, at that of the paper MNIST's."""
    pretrain = scale.sets["rotating_digits"].pretrain
    return pretrain if config == "digits" else pretrain.but(dataset=f"rotating_digits/{config}")


def noisy(scale: Scale) -> Run:
    """Returns pre-training on digits whose pixels alone do not tell the frequency, on which choices are made."""
    return digits(scale, "digits_noisy_middle")


def self_supervised() -> list[str]:
    """Returns the methods that learn without labels, the paper's and ours, in the order of `METHODS`."""
    return [name for name, kind in METHODS.items() if not kind.needs_labels]


def pixels(base: Run, metric: str = "mae", readouts=READOUTS) -> Line:
    """Returns the line of what the pixels say, in the column of the readout that is told as little."""
    untrained = base.but(steps=0, epochs=0)
    (line,) = controls.beside_features("rotating_digits", untrained, [(name, metric) for name in readouts])
    return line


def is_told_the_band(method: str) -> bool:
    """Returns whether a method's own loss has the band, and not the prior alone."""
    return "band" in inspect.signature(METHODS[method]).parameters


def named(method: str) -> str:
    """Returns the title of a method, with whether its own loss is told the band."""
    return METHODS[method].title + " (told the band)" * is_told_the_band(method)


def has_option(method: str, name: str) -> bool:
    """Returns whether a method has an option of its own of that name."""
    return name in owners()["method"][method]
