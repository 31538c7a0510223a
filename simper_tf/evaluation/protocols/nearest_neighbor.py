"""Protocols `1nn`, `spectra_1nn` and their like: the label of the training clip that is nearest."""

import functools

import numpy as np

from simper_tf.evaluation import neighbors
from simper_tf.evaluation.features import Features, Prediction
from simper_tf.evaluation.tasks import Task


def nearest_neighbor(
    train: Features, validation: Features, test: Features, task: Task, distance: str = "mxcorr",
    labeled: int | None = None,
) -> Prediction:  # fmt: skip
    """Predicts labels of any task by `neighbors.nearest_neighbor`, from so many labeled clips, or all.

    Features are compared frame by frame, so the frequency of the neighbor is taken in cycles per frame, and told at the
    test clip's own rate. Built data sets are shuffled: the first of them are any.
    """
    train = train.take(labeled)
    labels = train.labels / train.once_a_frame(task)
    nearest = neighbors.nearest_neighbor(train.series, labels, test.series, distance)
    if labeled is not None:
        return Prediction(nearest * test.once_a_frame(task))  # It tells how features do; models have all labels.
    kept = neighbors.distinct(train.series)
    fitted = {"series": np.float32(train.series)[kept], "labels": labels[kept]}
    return Prediction(nearest * test.once_a_frame(task), fitted=fitted)


def spectra_1nn(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts the label of the training clip whose spectrum of pixels is most alike; nothing is learned."""
    known, read = (_directions(split.pixels) for split in (train, test))
    nearest = (read @ known.T).argmax(axis=1)
    return Prediction((train.labels / train.once_a_frame(task))[nearest] * test.once_a_frame(task))


def _directions(power):
    """Returns amplitudes of spectra, each brought to length 1; a silent one stays as it is."""
    amplitudes = np.sqrt(power)
    return amplitudes / np.maximum(np.linalg.norm(amplitudes, axis=1, keepdims=True), 1e-30)


nearest_spectrum = functools.partial(nearest_neighbor, distance="npsd")
