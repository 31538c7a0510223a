"""Protocols `probe`, `linear_probe` and `supervised`: labels by a map of features that was fitted to training clips."""

import numpy as np

from simper_tf.evaluation import fitted_heads
from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task

# Candidates for the penalty. Inputs are scaled so that a penalty of 1 weighs as much as one clip.
PENALTIES = tuple(10.0**k for k in range(-4, 4))


def probe(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts a frequency, or another number, by ridge regression on what is left of features without their phase.

    Clips start anywhere in their period, so a linear map of the series themselves cannot read a frequency off them. The
    inputs are `fitted_heads.log_spectra`, centered over the training clips; the penalty is that with the smallest mean
    absolute error on the validation clips. A frequency is learned in cycles per frame, in which the spectra are, and
    predicted in the unit of the task, for every clip at its own rate. No band. What it found is the `penalty`. Features
    that are not finite are a ValueError that names the clip.
    """
    spectra = [_spectra_of(name, split) for name, split in (("training", train), ("validation", validation))]
    _refuse_broken("test", test)
    mean = spectra[0].mean(axis=0)
    # One scale for all frequencies: to each its own would blow up those that hold no more than rounding.
    scale = np.sqrt(np.square(spectra[0] - mean).sum(axis=1).mean()) or 1.0
    units = [split.once_a_frame(task) for split in (train, validation)]
    targets = train.labels / units[0], validation.labels / units[1]
    fitted, penalty = ridge(spectra, mean, scale, targets, units[1])
    values = fitted_heads.of_spectra(fitted, test.series).numpy() * test.once_a_frame(task)
    note = f"Probe: ridge on log power spectra with a penalty of {penalty:g}, the best on validation clips."
    return Prediction(values, note, {"penalty": penalty}, fitted)


def linear_probe(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts labels, or series of them, by a linear map of the features before the encoder's head.

    The paper probes with "a linear regressor on top of the fixed features" and says no more. SimPer's loss takes mean
    and scale out of the outputs, so that these need not keep the level of a clip. Here every feature of every frame
    that the head makes them of is an input, z-scored over the training clips, and the penalty is that with the smallest
    mean absolute error on the validation clips. What it found is the `penalty`.
    """
    flat = [np.float64(split.before_head).reshape(len(split.before_head), -1) for split in (train, validation)]
    mean, deviation = flat[0].mean(axis=0), flat[0].std(axis=0)
    # A column that is constant in training says nothing; rounding must not blow it up in the others. The squares of a
    # row sum to about 1.
    scale = np.where(deviation > 1e-6 * np.abs(mean), deviation, np.inf) * np.sqrt(len(mean))
    fitted, penalty = ridge(flat, mean, scale, (train.labels, validation.labels))
    note = f"Linear probe: ridge with a penalty of {penalty:g}, the best on validation clips."
    return Prediction(fitted_heads.linear(fitted, test.before_head).numpy(), note, {"penalty": penalty}, fitted)


def own_head(train: Features, validation: Features, test: Features, task: Task) -> Prediction | None:
    """Returns the predictions of the method's own head for the test clips; None where it has none."""
    return None if test.predicted is None else Prediction(test.predicted.reshape(test.labels.shape))


def ridge(inputs, mean, scale, targets, unit=1.0) -> tuple[dict[str, np.ndarray], float]:
    """Fits targets on training clips by each of the penalties, and takes the best of them on validation clips.

    Args:
        inputs: Two arrays `(N, P)`, of training and validation clips.
        mean: `(P,)`, that of the training clips.
        scale: A number or `(P,)` by which inputs less their mean are divided, so that their squares sum to about 1 in a
            clip.
        targets: Two arrays `(N,)` or `(N, H)`, of training and validation clips.
        unit: What an error of 1 counts for in the choice, a number or one for each validation clip.

    Returns:
        The `weights` `(P,)` or `(P, H)` and the `bias` of the map from inputs to targets, float64, and the penalty with
        the smallest mean absolute error on validation clips.
    """
    known, chosen_by = [(np.float64(split) - mean) / scale for split in inputs]
    average = np.mean(targets[0], axis=0, dtype=np.float64)
    # With fewer clips than inputs the weights are sums of clips. One decomposition then serves all penalties.
    few = len(known) < known.shape[1]
    values, vectors = np.linalg.eigh(known @ known.T if few else known.T @ known)
    solved = vectors.T @ ((targets[0] - average) if few else known.T @ (targets[0] - average))
    basis = known.T @ vectors if few else vectors
    seen = chosen_by @ basis

    def shrunk(base, penalty):
        return (base / (np.maximum(values, 0.0) + penalty)) @ solved

    errors = [np.abs(unit * (average + shrunk(seen, penalty) - targets[1])).mean() for penalty in PENALTIES]
    best = PENALTIES[int(np.argmin(errors))]
    weights = (shrunk(basis, best).T / scale).T
    return {"weights": weights, "bias": average - mean @ weights}, best


def _spectra_of(name, split):
    _refuse_broken(name, split)
    return fitted_heads.log_spectra(split.series).numpy()


def _refuse_broken(name, split):
    broken = ~np.isfinite(split.series).reshape(len(split.series), -1).all(axis=1)
    if broken.any():
        first = split.ids[broken][0]
        raise ValueError(f"The features of the {name} clip {first} are not finite: nothing can be read off them.")
