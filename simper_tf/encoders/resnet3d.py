"""ResNet-3D-18 with a feature for every frame: the encoder of the paper's Countix and temperature experiments."""

import dataclasses

import keras
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.norms import NormOptions, normalization
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.encoders.small import Padding, convolution
from simper_tf.utils.options import option, takes


@dataclasses.dataclass(frozen=True)
class ResNetOptions(NormOptions):
    """Options of `resnet3d18`. With one output the axis of series is dropped; with 0 features are the last 512."""

    outputs: int = option(1, "Series that the encoder returns.", low=0, rare=True)


@takes(ResNetOptions)
def resnet3d18(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns ResNet-3D-18 that keeps all frames.

    33,166,272 trainable parameters at 3 channels and 33,147,456 at 1, and the head's 513 an output. As published, but
    for one thing: nothing strides over time. The published strides leave one feature for 8 frames, and what swings
    faster than a 16th of the frame rate is lost. The last three stages cost 2, 4 and 8 times as much for it.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `ResNetOptions`: norm `batch`, as published; `group` (8 groups) or `affine`. The outputs are a
            linear head on the 512 features of a frame.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.

    Raises:
        ValueError: `frame_shape` or `norm` is none.

    Source: Tran et al., CVPR 2018, https://arxiv.org/abs/1711.11248, as `r3d_18` of torchvision, its padding,
    initial weights and batch norm (momentum 0.9, epsilon 1e-5) included.

    Example:
        >>> simper_tf.encoders.resnet3d18((None, None, 3), outputs=2).output_shape
        (None, None, 2)
    """
    clips, norm, outputs = clip_input(frame_shape), options.norm, options.outputs
    x = layers.ReLU()(convolution_norm(clips, 64, (3, 7, 7), 2, norm))
    for stage, filters in enumerate((64, 128, 256, 512)):
        x = basic_block(x, filters, (3, 3, 3), 2 if stage else 1, norm)
        x = basic_block(x, filters, (3, 3, 3), 1, norm)
    x = mark(space_mean(x))
    if outputs:
        x = layers.Dense(outputs, dtype=FULL)(x)
    return keras.Model(clips, keras.ops.squeeze(x, axis=-1) if outputs == 1 else x, name="resnet3d18")


def basic_block(x, filters, kernel, stride, norm):
    """Returns two convolutions and norms, added to their input, which is projected where the shapes differ.

    The first convolution has the stride, in space alone; kernels are odd.
    """
    shortcut = x
    if stride > 1 or x.shape[-1] != filters:
        shortcut = convolution_norm(x, filters, (1, 1, 1), stride, norm)
    x = layers.ReLU()(convolution_norm(x, filters, kernel, stride, norm))
    return layers.ReLU()(layers.Add()([shortcut, convolution_norm(x, filters, kernel, 1, norm)]))


def convolution_norm(x, filters, kernel, stride, norm):
    """Returns a norm of a convolution without bias; `stride` is that in space, `kernel` odd."""
    if stride > 1:
        # Alike on both sides, as in PyTorch; `same` would put one more behind.
        x = Padding([size // 2 for size in kernel])(x)
    spread = keras.initializers.VarianceScaling(2.0, mode="fan_out", distribution="untruncated_normal")
    padding = "valid" if stride > 1 else "same"
    x = convolution(filters, kernel, (1, stride, stride), padding=padding, use_bias=False, kernel_initializer=spread)(x)
    return normalization(norm, momentum=0.9, epsilon=1e-5)(x)
