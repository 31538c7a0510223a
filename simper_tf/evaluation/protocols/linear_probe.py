"""`linear_probe`: a linear map from whole feature series, fitted by ridge regression."""

import numpy as np

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.protocols.ridge import ridge
from simper_tf.evaluation.tasks import Task


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


def _scaled(inputs, *others):
    """Returns all z-scored by the first, and divided so that the squares of a row sum to about 1."""
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0)
    # A column that is constant in training says nothing; rounding must not blow it up in the others.
    scale = np.where(deviation > 1e-6 * np.abs(mean), deviation, np.inf) * np.sqrt(inputs.shape[1])
    return [(values - mean) / scale for values in (inputs, *others)]
