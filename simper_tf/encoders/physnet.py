"""PhysNet, the 3D CNN of most work on pulses from video, in the forms of Contrast-Phys and of SiNC."""

import keras
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.dropout import SpatialDropout3D
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.norms import NormOptions, normalization
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.encoders.small import convolution
from simper_tf.utils.options import takes

# Smallest variance of a clip's pixels: of values in [0, 1], a deviation of a quarter of a gray level.
EPSILON = 1e-6


@keras.saving.register_keras_serializable("simper_tf")
class QuarterMeans(layers.Layer):
    """Averages the quarters of every frame, `(B, T, H, W, C)` -> `(B, T, 4, C)`.

    Of an odd number of rows or columns the middle one belongs to both sides.
    """

    def call(self, inputs):
        height, width = keras.ops.shape(inputs)[2:4]
        sides = inputs[:, :, : (height + 1) // 2], inputs[:, :, height // 2 :]
        quarters = [half for side in sides for half in (side[:, :, :, : (width + 1) // 2], side[:, :, :, width // 2 :])]
        return keras.ops.stack([keras.ops.mean(quarter, axis=(2, 3)) for quarter in quarters], axis=2)


@keras.saving.register_keras_serializable("simper_tf")
class CutToLength(layers.Layer):
    """Cuts off what is behind the last frame of a clip, `(B, T', ...)` and `(B, T, ...)` -> `(B, T, ...)`."""

    def call(self, inputs, clips):
        return inputs[:, : keras.ops.shape(clips)[1]]


@takes(NormOptions)
def physnet(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns the PhysNet of Contrast-Phys: a series for each quarter of the frame, and their mean.

    858,497 trainable parameters at 3 channels. Every channel of a clip is standardized first. Time is halved twice, by
    means of two frames, and doubled twice. So that any length works, an odd last frame is taken alone, and what the
    doubled series have more than the clip is cut off at the end. Before the linear head stand 64 features of each
    quarter of a frame.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `NormOptions`: `batch`, as published; `group` (8 groups) or `affine`.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T, 5)`.

    Raises:
        ValueError: `frame_shape` or `norm` is none.

    Source: Sun and Li, ECCV 2022, https://arxiv.org/abs/2208.04378, after Yu et al., BMVC 2019; their code, whose
    padding and batch norm (momentum 0.9, epsilon 1e-5) are PyTorch's. Frames whose sides are no multiples of 16 lose
    their last rows and columns there; here these are averaged alone.

    Example:
        >>> simper_tf.encoders.physnet((64, 64, 3)).output_shape
        (None, None, 5)
    """
    clips = clip_input(frame_shape)
    x = _block(standardize(clips), 32, (1, 5, 5), options.norm)
    for pool in ((1, 2, 2), (2, 2, 2), (2, 2, 2), (1, 2, 2)):
        x = layers.AveragePooling3D(pool, padding="same")(x)
        x = _block(_block(x, 64, (3, 3, 3), options.norm), 64, (3, 3, 3), options.norm)
    for _ in range(2):
        x = _block(layers.UpSampling3D((2, 1, 1))(x), 64, (3, 1, 1), options.norm)
    x = layers.Dense(1, dtype=FULL)(mark(QuarterMeans(dtype=FULL)(CutToLength()(x, clips))))
    series = keras.ops.squeeze(x, axis=-1)
    series = keras.ops.concatenate([series, keras.ops.mean(series, axis=-1, keepdims=True)], axis=-1)
    return keras.Model(clips, series, name="physnet")


@takes(NormOptions)
def physnet_sinc(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns the PhysNet of SiNC, which keeps all frames.

    1,386,497 trainable parameters at 3 channels. A feature sees 33 frames; frames beyond the ends repeat the outermost
    ones. Half of the channels are dropped in training after every second convolution from the third on. Before the
    linear head stand 64 features a frame.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `NormOptions`: `batch`, as published; `group` (8 groups) or `affine`.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Raises:
        ValueError: `frame_shape` or `norm` is none.

    Source: Speth et al., CVPR 2023, https://arxiv.org/abs/2303.07944, and their code, whose batch norm (momentum 0.9,
    epsilon 1e-5) is PyTorch's. It ends in the mean of the 4 x 4 that frames of 64 x 64 leave, here of whatever is left.

    Example:
        >>> simper_tf.encoders.physnet_sinc((64, 64, 3)).output_shape
        (None, None)
    """
    clips = x = clip_input(frame_shape)
    for count in range(1, 10):
        kernel, filters = ((1, 5, 5), 32) if count == 1 else ((5, 3, 3), 64)
        x = _block(_repeat_edges(x, kernel), filters, kernel, options.norm, padding="valid", activation="relu")
        if count in (1, 3, 5, 7):
            x = layers.MaxPooling3D((1, 2, 2), padding="same")(x)
        if count in (3, 5, 7, 9):
            x = SpatialDropout3D(0.5)(x)
    x = layers.Dense(1, dtype=FULL)(mark(space_mean(x)))
    return keras.Model(clips, keras.ops.squeeze(x, axis=-1), name="physnet_sinc")


def standardize(clips):
    """Returns clips with every channel shifted and scaled to mean 0 and variance 1 over a clip; constant ones are 0."""
    clips = clips - keras.ops.mean(clips, axis=(1, 2, 3), keepdims=True)
    variance = keras.ops.mean(keras.ops.square(clips), axis=(1, 2, 3), keepdims=True)
    return clips * keras.ops.rsqrt(keras.ops.maximum(variance, EPSILON))


def _block(x, filters, kernel, norm, padding="same", activation="elu"):
    """Returns convolution, norm and activation."""
    x = convolution(filters, kernel, padding=padding)(x)
    return layers.Activation(activation)(normalization(norm, momentum=0.9, epsilon=1e-5)(x))


def _repeat_edges(x, kernel):
    """Returns a clip with its outermost frames, rows and columns repeated, so that a convolution keeps its size."""
    reach = max(size // 2 for size in kernel)
    for step in range(reach):
        # A mirror of one frame, row or column is its repetition.
        sides = [(int(step < size // 2),) * 2 for size in kernel]
        x = keras.ops.pad(x, ((0, 0), *sides, (0, 0)), mode="symmetric")
    return x
