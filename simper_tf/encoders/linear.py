"""One dense layer for each frame: an encoder that learns where to look, and nothing else."""

import dataclasses

import keras
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL
from simper_tf.encoders.small import EqualContrast
from simper_tf.utils.options import Options, option, takes


@dataclasses.dataclass(frozen=True)
class LinearOptions(Options):
    """Options of `linear`."""

    outputs: int = option(16, "Series that the encoder returns.", low=1, rare=True)
    equal_contrast: bool = option(
        False, "Bring every frame to mean 0 and deviation 1 first: light that changes is not seen."
    )


@takes(LinearOptions)
def linear(frame_shape: tuple[int, int, int], options) -> keras.Model:
    """Returns weighted sums of all pixels of a frame, `(B, T, H, W, C)` -> `(B, T, D)`.

    Each sum averages noise over the whole picture. It needs what repeats to show in the same places of every clip.
    12,544 parameters at 28 x 28 pixels. Learn them with `joint`: one sum cannot show what repeats in every clip, and
    all together can.

    Args:
        frame_shape: `(H, W, C)` of the clips.
        options: See `LinearOptions`. With one output the axis of series is dropped.

    Raises:
        ValueError: `frame_shape` is none or has no height and width, or an option is out of its range.

    Example:
        >>> encoder = simper_tf.encoders.linear((28, 28, 1), outputs=8)
        >>> encoder(np.zeros((2, 30, 28, 28, 1), np.float32)).shape
        TensorShape([2, 30, 8])
    """
    clips = x = clip_input(frame_shape, known=True)
    if options.equal_contrast:
        x = EqualContrast()(x)
    pixels = frame_shape[0] * frame_shape[1] * frame_shape[2]
    x = layers.Reshape((-1, pixels), dtype=FULL)(x)
    x = mark(layers.Dense(options.outputs, use_bias=False, dtype=FULL)(x))
    return keras.Model(clips, x if options.outputs > 1 else keras.ops.squeeze(x, axis=-1), name="linear")
