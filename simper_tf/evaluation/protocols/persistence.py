"""`persistence`: the last day again, which is what a forecast has to beat."""

import numpy as np

from simper_tf.evaluation.features import Features
from simper_tf.evaluation.protocols.prediction import Prediction
from simper_tf.evaluation.tasks import Task


def persistence(train: Features, validation: Features, test: Features, task: Task) -> Prediction:
    """Predicts that the last day is repeated, frame by frame; the last value where a clip is shorter than a day.

    Args:
        train, validation: Unused.
        test: With `levels`, the past of what is predicted, and rates that are the same for all clips.
        task: A `tasks.Series` of which a step is as long as a frame.
    """
    day = round(24 * 3600 * float(test.rates[0]))
    period = day if 1 <= day <= test.levels.shape[1] else 1
    return Prediction(test.levels[:, -period + np.arange(test.labels.shape[1]) % period])
