"""Protocols `1nn` and its like: the label of the training clip whose features are nearest."""

import functools

import numpy as np

from simper_tf.evaluation import neighbors
from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task


def nearest_neighbor(
    train: Features, validation: Features, test: Features, task: Task, distance: str = "mxcorr"
) -> Prediction:
    """Predicts labels of any task by `neighbors.nearest_neighbor`; the validation clips are unused.

    Features are compared frame by frame, so the frequency of the neighbor is taken in cycles per frame, and told at the
    test clip's own rate.
    """
    labels = train.labels / train.once_a_frame(task)
    nearest = neighbors.nearest_neighbor(train.series, labels, test.series, distance)
    kept = neighbors.distinct(train.series)
    fitted = {"series": np.float32(train.series)[kept], "labels": labels[kept]}
    return Prediction(nearest * test.once_a_frame(task), fitted=fitted)


nearest_spectrum = functools.partial(nearest_neighbor, distance="npsd")
