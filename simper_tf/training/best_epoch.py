"""Weights of the epoch that was best on validation clips, kept in the checkpoints of the run.

`keras.callbacks.ModelCheckpoint` forgets the best error when a process ends, and needs `fit`. Here it is a variable, so
that a run continued after a kill chooses as an undisturbed one.
"""

import math
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from simper_tf.evaluation import features


class BestEpoch:
    """Keeps the weights of the epoch with the smallest error so far; of equal errors the first counts.

    The error is asked of the model as it is; not a number is as bad as can be. The last step ends an epoch too. A
    checkpoint has to hold `state`.
    """

    def __init__(
        self,
        model: keras.Model,
        error: Callable[[], float],
        steps_per_epoch: int,
        num_steps: int,
        say: Callable[[str], None] = print,
    ):
        self._model, self._error, self._say = model, error, say
        self._steps_per_epoch, self._num_steps = steps_per_epoch, num_steps
        self.state = tf.train.Checkpoint(
            step=tf.Variable(0, dtype=tf.int64),
            error=tf.Variable(math.inf, dtype=tf.float64),
            weights=[tf.Variable(weight) for weight in model.get_weights()],
        )

    def after_step(self, step: int):
        """Looks at the weights where an epoch ends; after the last step the model has the best ones."""
        is_last = step == self._num_steps
        if step % self._steps_per_epoch and not is_last:
            return
        best, error = self.state, self._error()
        if error < float(best.error):
            best.step.assign(step)
            best.error.assign(error)
            for kept, weight in zip(best.weights, self._model.get_weights(), strict=True):
                kept.assign(weight)
        self._say(
            f"Step {step}: off by {error:.4g} on validation clips, at best by {float(best.error):.4g} after step "
            f"{int(best.step)}."
        )
        if is_last and int(best.step):
            self._model.set_weights([weight.numpy() for weight in best.weights])


def label_error(model, examples: tf.data.Dataset) -> Callable[[], float]:
    """Returns a function that predicts the labels of clips and returns the mean absolute error in their unit."""
    batches = examples.batch(features.batch_size_for(examples.element_spec["clip"].shape.num_elements()))
    predict = tf.function(model.predict_labels, reduce_retracing=True, autograph=False)

    def error():
        parts = []
        for batch in batches:
            labels = batch["label"].numpy()
            parts.append(np.abs(predict(batch["clip"]).numpy().reshape(labels.shape) - labels))
        return float(np.mean(np.concatenate(parts)))

    return error
