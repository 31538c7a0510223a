"""`1nn` and its like: the label of the training clip whose features are nearest."""

from simper_tf import neighbors
from simper_tf.features import Features
from simper_tf.protocols.prediction import Prediction
from simper_tf.tasks import Task


def nearest_neighbor(
    train: Features, validation: Features, test: Features, task: Task, distance: str = "mxcorr"
) -> Prediction:
    """Predicts labels of any task by `neighbors.nearest_neighbor`; the validation clips are unused."""
    return Prediction(neighbors.nearest_neighbor(train.series, train.labels, test.series, distance))
