"""Protocols `1nn` and its like: the label of the training clip whose features are nearest."""

import numpy as np

from simper_tf.evaluation import neighbors
from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Frequency, Task


def nearest_neighbor(
    train: Features, validation: Features, test: Features, task: Task, distance: str = "mxcorr"
) -> Prediction:
    """Predicts labels of any task by `neighbors.nearest_neighbor`; the validation clips are unused.

    Features are compared frame by frame, so the frequency of the neighbor is taken in cycles per frame, and told at the
    test clip's own rate.
    """
    places = np.arange(len(train.labels))
    nearest = neighbors.nearest_neighbor(train.series, places, test.series, distance)
    labels = train.labels[nearest]
    if isinstance(task, Frequency):
        labels = labels * np.float32(_once_a_frame(test, task) / _once_a_frame(train.only(nearest), task))
    return Prediction(labels)


def _once_a_frame(features, task):
    """Returns `(N,)` labels of what repeats once a frame."""
    return np.float64(features.rates) * features.per_hertz(task)
