"""Checks of batches for a method: how many clips they have, as far as that can be known, and what comes with them."""

import math

import keras
import numpy as np
import tensorflow as tf

from simper_tf.utils.clips import NO_NUMBER, UNEQUAL, batch_of, check_clips

# Clips in a batch of arrays where `keras.Model.fit` is not told.
KERAS_BATCH = 32


def known_sizes(x, batch_size: int | None = None, validation_split: float = 0.0) -> tuple[int, int]:
    """Returns the number of clips of all batches but the last, and of the last where it has fewer; 0 if not known.

    The data are arrays or a `tf.data.Dataset` of batches, of clips or ready views. `fit` keeps back a share of an
    array.
    """
    is_dataset = isinstance(x, tf.data.Dataset)
    shape = _shape_of(x.element_spec if is_dataset else x)
    if shape.rank not in (5, 6) or not shape[0]:
        return 0, 0
    if is_dataset:
        return shape[0], 0
    number = math.floor(shape[0] * (1 - validation_split))
    whole = min(batch_size or KERAS_BATCH, number)
    return whole, number % whole if whole else 0


def form_of(x):
    """Returns the shapes and types of data, which are the same for data that one graph takes."""
    spec = getattr(x, "element_spec", None)
    return spec or tf.nest.map_structure(lambda a: (np.shape(a)[1:], str(getattr(a, "dtype", None))), x)


def check_size(method, size: int):
    """Refuses a batch of fewer clips than a `Method` needs, with a ValueError."""
    if size < method.min_clips:
        raise ValueError(f"{_needs(method)} Received: {size}. Raise `batch_size`.")


def check_sizes(method, whole: int, last: int):
    """Refuses batches of so many clips, and a last one of an epoch, of which a `Method` cannot learn; 0 is no batch."""
    if whole:
        method.check_batch(whole)
    check_parts(method, whole, last)
    if 0 < last < method.min_clips:
        raise ValueError(
            f"{_needs(method)} Received: batches of {whole}, the last of which has {last}. Change `batch_size`, or "
            "leave clips out."
        )


def check_parts(method, whole: int, last: int):
    """Refuses batches of so many clips, and a last one, that the replicas of a `Method` cannot share equally."""
    replicas = method.distribute_strategy.num_replicas_in_sync
    if whole % replicas or last % replicas:
        last_one = f", the last of which has {last}" if last else ""
        raise ValueError(
            f"{replicas} replicas take equal parts of a batch. Received: batches of {whole}{last_one}. Change "
            "`batch_size`, or leave clips out."
        )


def in_equal_parts(method, x):
    """Returns data of which a batch that replicas cannot share in equal parts is refused as it comes.

    Keras gives the first replicas more clips, and means of unequal parts are not that of all clips. Only batches of a
    `tf.data.Dataset` or a `PyDataset` have a size that is not known before. Of the latter the first and the last are
    looked at, as Keras takes them apart before any step.
    """
    replicas = method.distribute_strategy.num_replicas_in_sync
    if replicas > 1 and isinstance(x, keras.utils.PyDataset):
        first, last = (np.shape(tf.nest.flatten(x[at])[0])[0] for at in (0, (x.num_batches or 1) - 1))
        check_parts(method, first, last if last != first else 0)
    if replicas == 1 or not isinstance(x, tf.data.Dataset) or known_sizes(x)[0]:
        return x

    def refuse(*parts):
        size = tf.shape(tf.nest.flatten(parts)[0])[0]
        before, between, behind = UNEQUAL
        tf.debugging.Assert(size % replicas == 0, [before, size, between, replicas, behind])
        return parts if isinstance(x.element_spec, tuple) else parts[0]

    return x.map(refuse)


def check_company(method, labels: list, num_frames: int):
    """Refuses clips of so many frames of which a `Method` makes no views, or with more or other labels than it takes.

    Raises:
        ValueError: it has no views, or the labels are too many, or do not hold for its views.
    """
    name = type(method).__name__
    if method.views is None:
        raise ValueError(f"{name} has no `views` to make of clips. Give it some, or batches of ready views.")
    if len(labels) > method.needs_labels:
        what = "clips and labels" if method.needs_labels else "clips alone"
        raise ValueError(
            f"{name} learns from {what}. Received: clips with {len(labels)} more array(s). Leave out what is too "
            "much, such as labels: dataset.map(lambda clips, labels: clips)."
        )
    if method.needs_labels and num_frames != method.views.num_frames:
        raise ValueError(
            f"{name} learns from labels, which hold for whole clips: its views must be as long. Received: clips of "
            f"{num_frames} frames and views of {method.views.num_frames}. Cut the clips, or build the method with "
            f"views of `num_frames` {num_frames}."
        )


def labels_in(method, batch: dict):
    """Returns the labels of a batch as float32; a ValueError if there are none."""
    if "labels" not in batch:
        name = type(method).__name__
        raise ValueError(f"`{name}` learns from labels, but the batch has none. Give batches (clips, labels).")
    labels = tf.cast(batch["labels"], tf.float32)
    if not method.takes_unlabeled:
        before, behind = NO_NUMBER
        unknown = tf.reduce_sum(tf.cast(~tf.math.is_finite(labels), tf.int32))
        with tf.control_dependencies([tf.debugging.Assert(unknown == 0, [before, unknown, behind])]):
            return tf.identity(labels)  # So that no weight changes before.
    return labels


def checked_labels(method, labels):
    """Returns labels as `keras.Model.fit` takes them, refused where one is no number.

    Raises:
        ValueError: they are words, or of different shapes; or one is not finite, and the method takes no such clip.
    """
    if labels is None or tf.is_tensor(labels):
        return labels
    try:
        numbers = np.asarray(labels, np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Labels must be an array of numbers, such as frequencies in Hz: {type(method).__name__} has no classes. "
            f"Received: {error}."
        ) from None
    if not method.takes_unlabeled and (unknown := np.count_nonzero(~np.isfinite(numbers))):
        raise ValueError(" ".join([NO_NUMBER[0], str(unknown), NO_NUMBER[1]]))
    return numbers


def _needs(method):
    return (
        f"{type(method).__name__} learns from the differences of clips and needs at least {method.min_clips} in a "
        "batch."
    )


def _shape_of(data):
    """Returns the shape of the clips or views among data or their specification, unknown where they have none."""
    clips = data[0] if isinstance(data, list | tuple) and data else data
    clips = clips.get("views") if isinstance(clips, dict) else clips
    return tf.TensorShape(getattr(clips, "shape", None))


def checked(method, x, function: str):
    """Returns data for a function of Keras, refused before the first step as far as it can be seen by then.

    `function` is the attribute that holds the graph of the step, such as `train_function`.
    """
    x = batch_of(x)
    form = form_of(x)
    if form != method.traced.get(function):
        # Keras would take clips of another shape into its old graph, whose shapes it then forgets. The other
        # functions stay: `fit` calls its own again after it has evaluated.
        setattr(method, function, None)
        method.traced[function] = form
    if hasattr(x, "dtype") and np.ndim(x) != 6:
        check_clips(x, method.frame_shape)
    return x
