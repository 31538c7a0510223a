"""Which weights a run ends with: the last ones, or those of the epoch that was best on validation clips."""

import math
import pathlib
import zipfile
import zlib
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from simper_tf.evaluation import features
from simper_tf.utils import files


class BestEpoch:
    """Keeps the weights of the epoch with the smallest error so far, in a file that outlives a kill.

    What is kept is lost only with its file: an epoch that is looked at again after a kill changes nothing where
    training goes the same way again, and of equal errors the first epoch counts. A file that cannot be read is passed
    over, with a warning: the epochs before are not among the candidates then.

    Args:
        path: Of the file, `.npz`.
        model: Its weights are kept.
        error: What is to be small, asked of the model as it is; not a number is as bad as can be.
        step: Steps done; before the first no file counts, which another run would have left.
        steps_per_epoch, num_steps: Steps of an epoch and of the whole run, whose last step ends an epoch too.
        say: Called with a sentence for each epoch.
    """

    def __init__(
        self,
        path: str | pathlib.Path,
        model: keras.Model,
        error: Callable[[], float],
        step: int,
        steps_per_epoch: int,
        num_steps: int,
        say: Callable[[str], None] = print,
    ):
        self._path, self._model, self._error, self._say = pathlib.Path(path), model, error, say
        self._steps_per_epoch, self._num_steps = steps_per_epoch, num_steps
        if not step:
            self._path.unlink(missing_ok=True)
        self.step, self.error, self._weights = self._read()

    def after_step(self, step: int):
        """Looks at the weights where an epoch ends; after the last step the model has the best ones.

        Args:
            step: Number of steps done.

        Raises:
            OSError: the file cannot be written; names it.
        """
        is_last = step == self._num_steps
        if step % self._steps_per_epoch and not is_last:
            return
        error = self._error()
        if error < self.error:
            self._keep(step, error)
        self._say(
            f"Step {step}: off by {error:.4g} on validation clips, at best by {self.error:.4g} after step {self.step}."
        )
        if is_last and self._weights is not None:
            self._model.set_weights(self._weights)

    def _keep(self, step, error):
        self.step, self.error, self._weights = step, error, self._model.get_weights()
        with files.replacing(self._path, "wb") as file:
            np.savez(file, step=step, error=error, **{str(k): weight for k, weight in enumerate(self._weights)})

    def _read(self):
        """Returns the step, the error and the weights that are kept; none if there is no file of them."""
        own = self._model.get_weights()
        try:
            with np.load(self._path) as file:
                weights = [file[str(k)] for k in range(len(own))]
                found = int(file["step"]), float(file["error"]), weights
            if [each.shape for each in weights] != [each.shape for each in own]:
                raise ValueError("its weights have other shapes")
        except FileNotFoundError:
            return 0, math.inf, None
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            EOFError,
            RuntimeError,
            zipfile.BadZipFile,
            zlib.error,
        ) as error:
            self._say(f"{self._path} is damaged and passed over, with the best epoch so far: {error}")
            return 0, math.inf, None
        return found


def label_error(model, examples: tf.data.Dataset) -> Callable[[], float]:
    """Returns a function that predicts the labels of clips and returns the mean absolute error in their unit.

    Args:
        model: A method that predicts labels.
        examples: Dictionaries of `clip` and `label`.
    """
    batches = examples.batch(features.batch_size_for(examples.element_spec["clip"].shape.num_elements()))
    predict = tf.function(model.predict_labels, reduce_retracing=True, autograph=False)

    def error():
        parts = []
        for batch in batches:
            labels = batch["label"].numpy()
            parts.append(np.abs(predict(batch["clip"]).numpy().reshape(labels.shape) - labels))
        return float(np.mean(np.concatenate(parts)))

    return error
