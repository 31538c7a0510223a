"""Protocols `probe`, `linear_probe` and `supervised`: labels by a map of features that was fitted to training clips."""

import numpy as np

from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Frequency, Task
from simper_tf.signals import spectrum

# A line between two bins is read off their heights: bins of half the resolution are enough.
PADDING = 2
# Share of the power of a resolved frequency below which heights count alike. The logarithm of what lies between lines
# says nothing and has the largest spread: on 1,000 sines in noise of deviation 1, floors of 0.001, 0.01, 0.1 and 1
# leave errors of 0.64, 0.49, 0.33 and 0.30 Hz; with as strong a second harmonic, in a third of the noise, 0.20, 0.08,
# 0.05 and 0.05 Hz.
FLOOR = 0.1
# Candidates for the penalty. Inputs are scaled so that a penalty of 1 weighs as much as one clip.
PENALTIES = tuple(10.0**k for k in range(-4, 4))


def probe(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts a frequency, or another number, by ridge regression on what is left of features without their phase.

    Clips start anywhere in their period, so a linear map of the series themselves cannot read a frequency off them.
    The inputs are `log_spectra`, centered over the training clips; the penalty is that with the smallest mean absolute
    error on the validation clips. A frequency is learned in cycles per frame, in which the spectra are, and predicted
    in the unit of the task, for every clip at its own rate. No band. What it found is the `penalty`.

    Args:
        train, validation, test: With series `(N, T)` or `(N, T, D)` and labels `(N,)`.
        task: A frequency or a scalar.

    Raises:
        ValueError: the features of a clip are not finite.
    """
    splits = {"training": train, "validation": validation, "test": test}
    spectra = [_spectra_of(name, split) for name, split in splits.items()]
    mean = spectra[0].mean(axis=0)
    # One scale for all frequencies: to each its own would blow up those that hold no more than rounding.
    scale = np.sqrt(np.square(spectra[0] - mean).sum(axis=1).mean())
    inputs = [(powers - mean) / (scale or 1.0) for powers in spectra]
    is_frequency = isinstance(task, Frequency)
    units = [np.float64(s.rates) * s.per_hertz(task) if is_frequency else np.ones(len(s.ids)) for s in splits.values()]
    targets = train.labels / units[0], validation.labels / units[1]
    predicted, penalty = ridge(inputs, targets, units[1])
    note = f"Probe: ridge on log power spectra with a penalty of {penalty:g}, the best on validation clips."
    return Prediction(predicted * units[2], note, {"penalty": penalty})


def linear_probe(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts labels, or series of them, by a linear map of the features.

    The paper probes with "a linear regressor on top of the fixed features" and says no more. Here every feature of
    every frame is an input, z-scored over the training clips, and the penalty is that with the smallest mean absolute
    error on the validation clips. What it found is the `penalty`.

    Args:
        train, validation, test: With series `(N, T)` or `(N, T, D)` and labels `(N,)` or `(N, H)`.
        task: Any.
    """
    flat = [np.asarray(split.series, np.float64).reshape(len(split.series), -1) for split in (train, validation, test)]
    predicted, penalty = ridge(_scaled(*flat), (train.labels, validation.labels))
    note = f"Linear probe: ridge with a penalty of {penalty:g}, the best on validation clips."
    return Prediction(predicted, note, {"penalty": penalty})


def own_head(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Returns the predictions of the method's own head for the test clips; None where it has none."""
    return None if test.predicted is None else Prediction(test.predicted.reshape(test.labels.shape))


def log_spectra(series) -> np.ndarray:
    """Returns the logarithms of the power of every frequency above 0, as a share of the power of its channel.

    Args:
        series: `(N, T)` or `(N, T, D)` finite floats.

    Returns:
        `(N, D F)` float64, `log(share + FLOOR)` with a Hann window; a channel that is constant has no shares.
    """
    series = np.asarray(series, np.float32)
    channels = np.moveaxis(series if series.ndim == 3 else series[..., None], 2, 1)
    largest = np.abs(channels).max(axis=2, keepdims=True)
    # Powers of very large or small features would leave the range of float32.
    power = np.float64(spectrum.power(channels / np.where(largest > 0, largest, 1.0), PADDING)[..., 1:])
    total = power.sum(axis=2, keepdims=True)
    shares = PADDING * power / np.where(total > 0, total, 1.0)
    return np.log(shares + FLOOR).reshape(len(series), -1)


def ridge(inputs, targets, unit=1.0) -> tuple[np.ndarray, float]:
    """Fits targets on training clips by each of the penalties and predicts test clips by the best of them.

    Args:
        inputs: Three arrays `(N, P)`, of training, validation and test clips, whose squares sum to about 1 in a clip.
        targets: Two arrays `(N,)` or `(N, H)`, of training and validation clips.
        unit: What an error of 1 counts for in the choice, a number or one for each validation clip.

    Returns:
        The predictions for the test clips, and the penalty with the smallest mean absolute error on validation clips.
    """
    known, chosen_by, queries = [np.float64(split) - np.mean(inputs[0], axis=0) for split in inputs]
    mean = np.mean(targets[0], axis=0, dtype=np.float64)
    # With fewer clips than inputs the weights are sums of clips. One decomposition then serves all penalties.
    few = len(known) < known.shape[1]
    values, vectors = np.linalg.eigh(known @ known.T if few else known.T @ known)
    solved = vectors.T @ ((targets[0] - mean) if few else known.T @ (targets[0] - mean))
    bases = [(split @ known.T if few else split) @ vectors for split in (chosen_by, queries)]

    def predict(base, penalty):
        return mean + ((base / (np.maximum(values, 0.0) + penalty)) @ solved)

    errors = [np.abs(unit * (predict(bases[0], penalty) - targets[1])).mean() for penalty in PENALTIES]
    best = PENALTIES[int(np.argmin(errors))]
    return predict(bases[1], best), best


def _spectra_of(name, split):
    broken = ~np.isfinite(split.series).reshape(len(split.series), -1).all(axis=1)
    if broken.any():
        first = split.ids[broken][0]
        raise ValueError(f"The features of the {name} clip {first} are not finite: nothing can be read off them.")
    return log_spectra(split.series)


def _scaled(inputs, *others):
    """Returns all z-scored by the first, and divided so that the squares of a row sum to about 1."""
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0)
    # A column that is constant in training says nothing; rounding must not blow it up in the others.
    scale = np.where(deviation > 1e-6 * np.abs(mean), deviation, np.inf) * np.sqrt(inputs.shape[1])
    return [(values - mean) / scale for values in (inputs, *others)]
