"""Clips as encoders take them, and layers that see one frame at a time."""

import numbers
from collections.abc import Sequence

import keras
from keras import layers


def clip_input(frame_shape: tuple[int | None, int | None, int], smallest: int = 1, known: bool = False):
    """Returns the symbolic clips `(B, T, H, W, C)` that an encoder is built on, B and T free.

    Args:
        frame_shape: `(H, W, C)`; H and W None for frames of any size.
        smallest: Number of pixels that H and W need at least, where they are known.
        known: Whether the encoder depends on H and W.

    Raises:
        ValueError: `frame_shape` is no such triple, or frames are too small, or their size is needed and not given.

    Example:
        >>> clip_input((None, None, 3)).shape
        (None, None, None, None, 3)
    """
    if not _is_shape(frame_shape):
        raise ValueError(
            "`frame_shape` must be the (height, width, channels) of the clips, such as (36, 36, 3), or (None, None, 3) "
            f"for frames of any size. Received: {frame_shape!r}."
        )
    height, width, _ = frame_shape
    if known and None in (height, width):
        raise ValueError(
            "Weights or features of this encoder depend on the size of the frames, so that it must be known. "
            f"Received: `frame_shape` {tuple(frame_shape)}. Give height and width, or take another encoder."
        )
    if any(side is not None and side < smallest for side in (height, width)):
        raise ValueError(
            f"This encoder needs frames of at least {smallest} x {smallest} pixels. Received: {height} x {width}. "
            "Build the data set with larger frames, or take another encoder."
        )
    return keras.Input((None, *frame_shape))


@keras.saving.register_keras_serializable("simper_tf")
class PerFrame(layers.Wrapper):
    """Applies a layer or model for images to every frame: `(B, T, H, W, C)` -> `(B, T, h, w, c)`.

    Unlike `keras.layers.TimeDistributed` it leaves T free, and batch norm inside sees all frames at once.
    """

    def build(self, input_shape):
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, clips, training=None):
        shape = keras.ops.shape(clips)
        images = self.layer(keras.ops.reshape(clips, (-1, *shape[2:])), training=training)
        return keras.ops.reshape(images, (-1, shape[1], *keras.ops.shape(images)[1:]))


def _is_shape(shape):
    if not isinstance(shape, Sequence) or len(shape) != 3 or shape[2] is None:
        return False
    return all(side is None or (isinstance(side, numbers.Integral) and side > 0) for side in shape)
