"""The pixels themselves, on a grid: what learns from them without a network reads these features."""

import keras

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import PerFrame, clip_input
from simper_tf.encoders.precision import FULL
from simper_tf.signals.spectrum import PIXEL_GRID
from simper_tf.utils.standardize import is_series


def cells(frame_shape: tuple[int, int, int]) -> keras.Model:
    """Returns pixels of every frame less their mean, `(B, T, H, W, C)` -> `(B, T, P)`; it has no parameters.

    Pixels are averaged to a grid of at most 16 a side, and light that changes everywhere is taken out. Channels of
    series, which have nothing in common, stay as they are.

    Args:
        frame_shape: `(H, W, C)` of the clips.

    Raises:
        ValueError: `frame_shape` is none, or has no height and width.

    Example:
        >>> simper_tf.encoders.cells((28, 28, 1))(np.zeros((2, 9, 28, 28, 1))).shape
        TensorShape([2, 9, 196])
    """
    clips = clip_input(frame_shape, known=True)
    height, width, channels = frame_shape
    cell = -(-height // PIXEL_GRID), -(-width // PIXEL_GRID)
    grid = PerFrame(keras.layers.AveragePooling2D(cell, cell, "same", dtype=FULL), dtype=FULL)(clips)
    number = -(-height // cell[0]) * -(-width // cell[1]) * channels
    values = keras.layers.Reshape((-1, number), dtype=FULL)(grid)
    if not is_series(frame_shape):
        values -= keras.ops.mean(values, axis=2, keepdims=True)
    return keras.Model(clips, mark(values), name="cells")
