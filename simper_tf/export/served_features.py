"""Encoder alone, as it is exported: frames -> features."""

import functools
import math
import numbers
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from simper_tf.export.requests import batch_and_time, frames_checks, refuse, size_check
from simper_tf.utils import units
from simper_tf.utils.clips import check_clips, check_features, frames_of, unit_range
from simper_tf.utils.standardize import is_series

# Values of the frames that are encoded at once, unless told otherwise: 128 MB of floats, and several times as much
# inside an encoder.
_MOST_VALUES = 32_000_000
# Encoders make at least so many values of a sample of a series, however few channels it has.
_VALUES_OF_A_SAMPLE = 32


class FeaturesModel(tf.Module):
    """An encoder alone: frames in, features out.

    Args:
        encoder: `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
        frame_shape: `(H, W, C)`.
        value_range: `(low, high)` of float frames, in their physical unit, that the encoder was trained to see as 0
            and 1; no matter for series, frames of one pixel, which are taken in any unit and standardized.
        num_frames: T, the only length that is taken; None for any from 8 on.
        max_frames: Frames of all clips of a request together, at most; None for as many as hold 32 million values.

    Raises:
        ValueError: the value range is not two finite, rising numbers, the frame shape is not three whole numbers, the
            most frames are not positive, or the encoder takes other frames or gives no features for every frame.
    """

    def __init__(self, encoder, frame_shape, value_range=(0.0, 1.0), num_frames=None, max_frames=None):
        super().__init__()
        # TensorFlow's own variables and not the Keras model: that would put each weight into the file twice, and what
        # is restored where no Python runs is the copy that no signature reads.
        self.weights = [weight.value for weight in encoder.weights]
        self.frame_shape = tuple(frame_shape)
        if len(self.frame_shape) != 3 or not all(isinstance(size, numbers.Integral) for size in self.frame_shape):
            raise ValueError(f"`frame_shape` must be (H, W, C), three whole numbers. Received: {self.frame_shape}.")
        self.num_frames = num_frames
        self.is_series, values = is_series(self.frame_shape), math.prod(self.frame_shape)
        values = max(values, _VALUES_OF_A_SAMPLE) if self.is_series else values
        self.max_frames = _MOST_VALUES // values if max_frames is None else max_frames
        if self.max_frames < 1:
            raise ValueError(f"`max_frames` must be at least 1. Received: {self.max_frames}.")
        frames = num_frames or units.FEWEST_FRAMES
        check_clips(np.broadcast_to(np.uint8(0), (1, frames, *self.frame_shape)), frames_of(encoder))
        check_features(encoder.compute_output_spec(keras.KerasTensor((1, frames, *self.frame_shape))), frames)
        self._encode = self.traced(encoder)
        self.value_range = None if self.is_series else rising("value_range", value_range)

    def features(self, frames):
        """Returns `{"features": (B, T) or (B, T, D)}`, float32, of `(B, T, H, W, C)` frames.

        They are uint8, float32 in the value range, or series in any unit. Others, or too many, are refused by an
        InvalidArgumentError.
        """
        return {"features": self.encoded(refuse(self.frames_checks(frames), frames))}

    def signatures(self):
        """Returns name -> function and names of the inputs beside `frames`."""
        return {"features": (self.features, ())}

    def facts(self):
        """Returns what a client must know of requests and answers, for JSON."""
        return {
            "frame_shape": list(self.frame_shape),
            "value_range": self.value_range and list(self.value_range),
            "num_frames": self.num_frames,
            "max_frames": self.max_frames,
        }

    def traced(self, encoder):
        """Returns an encoder as a function of clips, as it takes them, that is traced once."""
        clips = tf.TensorSpec([None, self.num_frames, *self.frame_shape], tf.float32)
        return traced_once(functools.partial(encoder, training=False), input_signature=[clips])

    def encoded(self, frames):
        """Returns the features alone of frames that nothing has checked; arguments as in `features`."""
        return tf.cast(self._encode(self.scaled(frames)), tf.float32)

    def scaled(self, frames):
        """Returns frames that nothing has checked as the encoder takes them, float32; arguments as in `features`."""
        is_scaled = frames.dtype.is_floating and not self.is_series
        return units.rescale(frames, self.value_range) if is_scaled else unit_range(frames)

    def frames_checks(self, frames):
        """Yields what `requests.refuse` takes, of frames as `features` takes them."""
        yield from frames_checks(frames, self.frame_shape, self.num_frames, self.value_range)
        yield from size_check(*batch_and_time(frames), self.max_frames)


def traced_once(function: Callable, **options) -> Callable:
    """Returns a `tf.function` that all signatures call, hidden from saving, which makes the graphs of a module anew."""
    traced = tf.function(function, autograph=False, **options)
    return lambda *given: traced(*given)


def rising(name: str, pair: tuple[float, float], above: float = -math.inf) -> tuple[float, float]:
    """Returns the ends of a range; a ValueError unless they are finite, above a third number, and rise."""
    if np.shape(pair) != (2,) or not above < pair[0] < pair[1] < math.inf:
        limits = "" if above == -math.inf else f" above {above:g}"
        raise ValueError(f"`{name}` must be two finite, rising numbers{limits}. Received: {pair}.")
    return tuple(map(float, pair))
