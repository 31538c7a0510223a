"""A small CNN that looks at three frames at a time: quick enough to pre-train on two CPU cores in minutes."""

import dataclasses
import math

import keras
import tensorflow as tf
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.utils.options import Options, option, takes

# Of pixels in [0, 1]: a deviation of two gray levels and a half. What varies less is rounding, and is not blown up.
_LEAST_VARIANCE = 1e-4


@dataclasses.dataclass(frozen=True)
class SmallOptions(Options):
    """Options of `small`. With one output the axis of series is dropped.

    Similarities average over the series, and readouts add their power. With an even number of frames the feature of a
    frame would lie half a frame beside it.
    """

    kernel_frames: int = option(3, "Frames that a layer of the encoder sees, odd.", low=1, rare=True)
    widths: tuple[int, ...] = option((16, 32, 32), "Filters of the convolutions of the encoder.", low=1, is_flag=False)
    outputs: int = option(4, "Series that the encoder returns.", low=1, rare=True)
    keep_place: bool = option(False, "Tell the head where in the frame a stroke lies, not only how it runs.")
    equal_contrast: bool = option(
        False, "Bring every frame to mean 0 and deviation 1 first: light that changes is not seen."
    )

    def __post_init__(self):
        super().__post_init__()
        if self.kernel_frames % 2 == 0:
            raise ValueError(f"`kernel_frames` must be odd. Received: {self.kernel_frames}.")


@takes(SmallOptions)
def small(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns strided convolutions of single frames, their mean over space, and a head over neighboring frames.

    A swing looks the same on its way back, so features may settle at twice the frequency. Two things work against that.
    The head sees the direction of a movement, at a third of the cost of convolutions over time from the first layer on.
    And of several outputs rarely all settle there. There is no norm: clips are never mixed, and on a CPU a norm would
    take half of the time. 20,516 parameters at 1 channel.

    The mean over space tells the direction of strokes, not their place. A stroke turned by 180 degrees has the same
    direction. So the mean tells twice the angle: of a swing by 90 degrees mostly the second and third harmonics. With
    `keep_place` a dense layer over all places replaces the mean, and the first harmonic is the strongest.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `SmallOptions`. Convolutions are 3 x 3 with stride 2. The outputs are a linear head on the 64
            features of a frame.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.

    Raises:
        ValueError: `frame_shape` is none, an option is out of its range, or `keep_place` is given for frames of any
            size.

    Example:
        >>> encoder = simper_tf.small((28, 28, 1), outputs=2)
        >>> encoder(np.zeros((3, 30, 28, 28, 1), np.float32)).shape
        TensorShape([3, 30, 2])
    """
    if options.keep_place and None in frame_shape[:2]:
        raise ValueError(f"`keep_place` needs frames of one size. Received: `frame_shape` {tuple(frame_shape)}.")
    clips = x = clip_input(frame_shape)
    if options.equal_contrast:
        x = EqualContrast()(x)
    for filters in options.widths:
        x = convolution(filters, (1, 3, 3), (1, 2, 2), padding="same", activation="relu")(x)
    x = layers.Dense(64)(layers.Reshape((-1, math.prod(x.shape[2:])))(x)) if options.keep_place else space_mean(x)
    # Frames off either end mirror those before it. Zeros there would give every clip the same two spikes.
    beyond = options.kernel_frames // 2
    x = keras.ops.pad(x, ((0, 0), (beyond, beyond), (0, 0)), mode="symmetric")
    x = layers.Conv1D(64, options.kernel_frames, activation="relu", dtype=FULL)(x)
    x = layers.Dense(options.outputs, dtype=FULL)(mark(x))
    return keras.Model(clips, x if options.outputs > 1 else keras.ops.squeeze(x, axis=-1), name="small")


@keras.saving.register_keras_serializable("simper_tf")
class EqualContrast(layers.Layer):
    """Brings every frame to mean 0 and deviation 1 over its pixels and channels; a frame of one color to all 0."""

    def call(self, clips):
        apart = clips - keras.ops.mean(clips, axis=(2, 3, 4), keepdims=True)
        variance = keras.ops.mean(keras.ops.square(apart), axis=(2, 3, 4), keepdims=True)
        return apart / keras.ops.sqrt(variance + _LEAST_VARIANCE)


@keras.saving.register_keras_serializable("simper_tf")
class FrameConv2D(layers.Conv2D):
    """`keras.layers.Conv2D` of every frame: `(B, T, H, W, C)` -> `(B, T, h, w, filters)`.

    It has the weights by themselves, where in `PerFrame` a model that is loaded has them under another path.
    """

    def build(self, input_shape):
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, clips):
        shape = keras.ops.shape(clips)
        images = super().call(keras.ops.reshape(clips, (-1, *shape[2:])))
        return keras.ops.reshape(images, (-1, shape[1], *keras.ops.shape(images)[1:]))

    def compute_output_shape(self, input_shape):
        images = super().compute_output_shape((input_shape[0], *input_shape[-3:]))
        return (*input_shape[:-3], *images[1:])


@keras.saving.register_keras_serializable("simper_tf")
class Padding(layers.ZeroPadding3D):
    """Zero padding that TensorFlow's optimizer of graphs leaves where it is.

    Its remapper puts an operation `Pad` into the convolution behind it, although the gradient asks for the shape of
    what was padded. It then fails ("remapper failed: Mutation::Apply error"), and nothing else of the graph is fused.
    """

    def call(self, inputs):
        sides = tf.constant([(0, 0), *self.padding, (0, 0)])
        return tf.raw_ops.PadV2(input=inputs, paddings=sides, constant_values=tf.zeros([], inputs.dtype))


def convolution(filters: int, kernel: tuple[int, int, int], strides=(1, 1, 1), **settings) -> layers.Layer:
    """Returns a convolution of clips, one of single frames where the kernel spans but one.

    On two cores a step of `small` with 3-D convolutions takes 1.6 to 1.8 times as long: `python -m benchmarks
    --only=encoder_small`.
    """
    if kernel[0] == strides[0] == 1:
        return FrameConv2D(filters, kernel[1:], strides[1:], **settings)
    return layers.Conv3D(filters, kernel, strides, **settings)
