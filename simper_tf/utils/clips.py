"""Batches of clips: what they must look like, and one sentence for whoever has something else.

A batch is `(B, T, H, W, C)`, uint8, or floats in [0, 1]; of series, whose frames have one pixel, numbers of any scale.
"""

import contextlib
import re
import types

import numpy as np
import tensorflow as tf

from simper_tf.utils.standardize import is_series, standardize

DTYPES = ("uint8", "float32", "float64", "float16", "bfloat16")
# What series may be beside.
WHOLE_NUMBERS = ("int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
ANY_FRAMES = (None, None, None)
# By the number of axes that were found.
REMEDIES = {
    2: "Series are clips whose frames have one pixel: clips[:, :, None, None, None].",
    3: "Series of several channels are clips whose frames have one pixel: clips[:, :, None, None].",
    4: "Give one clip as clips[None], clips without an axis of channels as clips[..., None], single clips of a "
    "tf.data.Dataset as dataset.batch(4).",
}
# A resized picture may lie outside of [0, 1] by rounding. That much is cut; more is another unit.
ROUNDING = 1e-3
OUT_OF_RANGE = (
    "Clips of floats must be finite and lie in 0 to 1. Received: values from",
    "to",
    "- divide 0 to 255 by 255 or give uint8, rescale other units, and cut out or fill frames that are not finite.",
)
NOT_FINITE = (
    "Series must be finite. Received: values from",
    "to",
    "- fill short gaps by interpolation, and cut out what lies around long ones.",
)
NO_NUMBER = ("Labels must be finite. Received:", "that are not. Leave their clips out.")
UNEQUAL = (
    "Replicas take equal parts of a batch. Received: a batch of",
    "for",
    "replicas. Change the size of batches, or leave the last one out by `drop_remainder=True`.",
)


def check_clips(clips, frame_shape=ANY_FRAMES, known=False):
    """Refuses what is no batch of clips, or none for an encoder.

    Values are looked at only where they may be wrong, in floats: at once if they are there, and else, in a graph, by
    an assertion whenever it runs; see `plain_errors`.

    Args:
        clips: An array, or a tensor that may be symbolic.
        frame_shape: `(H, W, C)` of the encoder, None for what it leaves open.
        known: Whether T, H, W and C must be known, as they must where views are made.

    Raises:
        ValueError: the shape, the type or the values are wrong; the message says what was found and what to do.
    """
    shape = _known_rank(clips)
    if len(shape) != 5:
        raise ValueError(
            "Clips must have the five axes (batch, time, height, width, channels). "
            f"Received: shape {shape}. {REMEDIES.get(len(shape), 'Give them all five.')}"
        )
    if 0 in shape:
        raise ValueError(f"Clips must not be empty. Received: shape {shape}.")
    if known and None in shape[1:]:
        raise ValueError(
            f"Views are made of clips whose shape is known but for the batch. Received: shape {shape}. Cut all clips "
            "to one length and size, and name them with tf.ensure_shape."
        )
    if any(None not in pair and pair[0] != pair[1] for pair in zip(shape[2:], frame_shape, strict=True)):
        sides = ", ".join("any" if size is None else str(size) for size in frame_shape)
        raise ValueError(
            f"Clips must have frames of (height, width, channels) = ({sides}), for which the encoder was built. "
            f"Received: shape {shape}. Build the encoder for these clips (`frame_shape` {shape[2:]}), "
            "or resize or convert them."
        )
    if is_series(shape[2:]):
        _check_dtype(clips, (*DTYPES, *WHOLE_NUMBERS))
        if "float" in clips.dtype.name:
            _check_range(clips, -np.inf, np.inf, NOT_FINITE)
        return
    _check_dtype(clips, DTYPES)
    if clips.dtype.name != "uint8":
        _check_range(clips, -ROUNDING, 1.0 + ROUNDING, OUT_OF_RANGE)


def frames_of(encoder) -> tuple[int | None, int | None, int | None]:
    """Returns `(H, W, C)` that an encoder takes, None for what it leaves open."""
    shape = getattr(encoder, "input_shape", None)
    return shape[2:] if shape and len(shape) == 5 else ANY_FRAMES


def check_features(features, num_frames: int | None):
    """Refuses, by a ValueError, features that are not a number or a vector for each of so many frames.

    Only what is known in a graph is looked at. `features` is an array, a tensor or its specification.
    """
    shape = tuple(features.shape)
    if len(shape) in (2, 3) and (None in (shape[1], num_frames) or shape[1] == num_frames):
        return
    raise ValueError(
        "The encoder must give a number or a vector for every frame: (batch, time) or (batch, time, features). "
        f"Received: shape {shape} of clips of {num_frames} frames. Leave out what pools or strides over time."
    )


def batch_of(clips):
    """Returns a list of single clips as one batch, the clips of `Recordings`, and everything else as it is.

    Raises:
        ValueError: there are none, they come one after another from a generator, or are of different shapes or types.
    """
    clips = getattr(clips, "clips", clips)
    if clips is None or isinstance(clips, types.GeneratorType):
        what = "nothing" if clips is None else "a generator"
        raise ValueError(
            "Clips must be an array (batch, time, height, width, channels), a list of clips, or a tf.data.Dataset of "
            f"batches. Received: {what}."
        )
    if not isinstance(clips, list | tuple) or not all(np.ndim(clip) == 4 for clip in clips):
        return clips
    shapes = sorted({tuple(np.shape(clip)) for clip in clips})
    if len(shapes) > 1:
        raise ValueError(
            "Clips of one batch must have one shape (time, height, width, channels). Received: "
            f"{len(clips)} clips, among them {shapes[0]} and {shapes[-1]}. Cut them to the same number of frames and "
            "resize them to the same size."
        )
    clips = [np.asarray(clip) for clip in clips]
    dtypes = sorted({clip.dtype.name for clip in clips})
    if len(dtypes) > 1:
        raise ValueError(f"Clips of one batch must have one type. Received: {' and '.join(dtypes)}.")
    return np.stack(clips)


def unit_range(clips):
    """Returns clips as float32 in [0, 1]: uint8 scaled from [0, 255], floats cut, series standardized."""
    if is_series(clips.shape[2:]):
        return standardize(clips)
    if clips.dtype == tf.uint8:
        return tf.cast(clips, tf.float32) / 255.0
    return tf.clip_by_value(tf.cast(clips, tf.float32), 0.0, 1.0)


@contextlib.contextmanager
def plain_errors():
    """Raises the sentence of a failed check of values, a ValueError, in place of the report of its graph."""
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        match = re.search(r"assertion failed: ((?:\[[^\]]*\] ?)+)", str(error))
        parts = re.findall(r"\[([^\]]*)\]", match.group(1)) if match else [""]
        if parts[0] not in (OUT_OF_RANGE[0], NOT_FINITE[0], NO_NUMBER[0], UNEQUAL[0]):
            raise
        raise ValueError(" ".join(parts)) from None


def _known_rank(clips):
    if getattr(clips, "shape", None) is None or getattr(clips, "dtype", None) is None:
        keys = f" with {', '.join(map(str, clips))}: take its clip" if isinstance(clips, dict) else ""
        raise ValueError(
            "Clips must be one array of axes (batch, time, height, width, channels). "
            f"Received: a {type(clips).__name__}{keys}."
        )
    shape = clips.shape
    if isinstance(shape, tf.TensorShape) and shape.rank is None:
        raise ValueError("Clips must have a known number of axes. Received: an unknown shape. Use tf.ensure_shape.")
    return tuple(shape)


def _check_dtype(clips, known):
    name = clips.dtype.name
    if name == "object":
        raise ValueError(
            "Clips must be one array of numbers. Received: an array of objects, as NumPy makes of clips of different "
            "shapes. Cut them to the same number of frames and resize them to the same size."
        )
    if name not in known:
        raise ValueError(
            f"Clips must be uint8, or floats in [0, 1]. Received: {name}. Give values from 0 to 255 as "
            "clips.astype('uint8')."
        )


def _check_range(clips, least, most, sentence):
    """Refuses values that are not finite or beyond two others, by a sentence around the least and the most found."""
    first, second, third = sentence
    if tf.is_symbolic_tensor(clips):
        low, high = tf.reduce_min(clips), tf.reduce_max(clips)  # NaN where there is one.
        inside = tf.math.is_finite(low) & tf.math.is_finite(high) & (low >= least) & (high <= most)
        tf.debugging.Assert(inside, [first, low, second, high, third])
        return
    low, high = np.min(clips), np.max(clips)
    if not (np.isfinite([low, high]).all() and low >= least and high <= most):
        raise ValueError(f"{first} {low:g} {second} {high:g} {third}")
