"""All readouts of a model on clips and labels at hand."""

import math

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.evaluation import features, protocols, rows
from simper_tf.evaluation.tasks import Frequency, Task
from simper_tf.utils.clips import batch_of, check_clips

Labeled = tuple[ArrayLike, ArrayLike]
# Every fifth training clip stands in for validation clips, a common share; fewer clips leave none.
_HELD_OUT = 5


def evaluate(
    model: keras.Model, train: Labeled, test: Labeled, rate: float, *, task: Task | None = None,
    validation: Labeled | None = None,
) -> list[rows.Row]:  # fmt: skip
    """Predicts the labels of test clips by every readout that suits them, and scores the predictions.

    Args:
        model: A method, such as `simper_tf.SimPer(encoder)`, whose encoder reads the clips.
        train, test: Clips `(N, T, H, W, C)` and their labels `(N,)`, all clips of one length.
        rate: Frames per second of all clips.
        task: What the labels are, see `evaluation.tasks`; None for frequencies in Hz, from half of the lowest to twice
            the highest of the training clips, so that a readout can be wrong by an octave to either side.
        validation: Clips and labels on which probes choose their penalty; None for every fifth of `train`.

    Returns:
        A row for each readout and metric: `protocol`, `metric`, `value`, `unit`, and a 95 % interval, `low` to `high`.

    Raises:
        ValueError: the model is no method, clips and labels are not equally many, or no readout suits the labels.

    Example:
        >>> hertz = np.linspace(0.5, 2.0, 12)
        >>> waves = np.sin(2 * np.pi * hertz[:, None] * np.arange(100) / 20)[..., None, None, None]
        >>> model = simper_tf.SimPer(simper_tf.encoders.frame_mean((1, 1, 1)))
        >>> rows = simper_tf.evaluate(model, (waves[::2], hertz[::2]), (waves[1::2], hertz[1::2]), rate=20)
        >>> next(row.value < 0.01 for row in rows if (row.protocol, row.metric) == ("fft", "mae"))
        True
    """
    if not hasattr(model, "encode"):
        raise ValueError(f"`model` must be a method, such as simper_tf.SimPer(encoder). Received: {model!r}.")
    train, test = _checked("train", train), _checked("test", test)
    if validation is None:
        is_held = np.arange(len(train[1])) % _HELD_OUT == _HELD_OUT - 1
        if not is_held.any():
            raise ValueError(f"`train` must hold {_HELD_OUT} clips, or give `validation`. Received: {len(train[1])}.")
        train, validation = [part[~is_held] for part in train], [part[is_held] for part in train]
    else:
        validation = _checked("validation", validation)
    if task is None:
        low, high = float(np.min(train[1])), float(np.max(train[1]))
        task = Frequency("Hz", band=(low / 2, min(2 * high, rate / 2)))
    functions = features.graphs(features.functions_of(model, task, frame_shape=test[0].shape[2:]))
    splits = {"train": train, "validation": validation, "test": test}
    encoded = [
        features.extract(features.read_of(functions, name), _examples(*split, rate)) for name, split in splits.items()
    ]
    predictions = {name: prediction.values for name, prediction in protocols.predict(*encoded, task).items()}
    made_by = {"method": getattr(model, "registered_name", ""), "encoder": model.encoder.name, "seed": model.seed}
    return rows.score(
        predictions, encoded[-1], task, dataset="", config="", commit=rows.code_commit(), seconds=math.nan, **made_by
    )


def _checked(name, labeled):
    if isinstance(labeled, tf.data.Dataset):
        labeled = [np.concatenate(parts) for parts in zip(*labeled.as_numpy_iterator(), strict=True)]
    clips, labels = batch_of(labeled[0]), np.asarray(labeled[1], np.float32)
    check_clips(clips)
    if len(clips) != len(labels) or not np.isfinite(labels).all():
        raise ValueError(
            f"`{name}` must be clips and as many finite labels. Received: {len(clips)} clips, {len(labels)} labels, "
            f"{np.sum(~np.isfinite(labels))} of them not finite."
        )
    return np.asarray(clips), labels


def _examples(clips, labels, rate):
    rates, names = np.full(len(clips), rate, np.float32), [str(number) for number in range(len(clips))]
    return tf.data.Dataset.from_tensor_slices({"clip": clips, "label": labels, "rate": rates, "id": names})
