"""TS-CAN: two-dimensional convolutions that look a frame ahead and a frame back by shifting channels in time.

The encoder of the paper's UBFC and PURE experiments, there without its attention branch.

Source: Liu et al., NeurIPS 2020, https://arxiv.org/abs/2006.03790, `code/model.py` of xliucs/MTTS-CAN. There, shifts
start anew every 10 frames, with zeros at each seam: at 30 frames per second a disturbance of 3 Hz, within the range of
pulses, that no change of speed moves. Here a shift runs through the whole clip, which may then have any length.
"""

import dataclasses

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.difference import FrameDifference
from simper_tf.encoders.dropout import Dropout
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.encoders.small import convolution
from simper_tf.utils.options import Options, option, takes

# Two convolutions without padding and two halvings: smaller frames leave nothing.
SMALLEST_FRAME = 10


@keras.saving.register_keras_serializable("simper_tf")
class TemporalShift(layers.Layer):
    """Replaces the first third of the channels by those of the next frame, the second by those of the last one.

    Thirds are rounded down: of 3 channels one comes from either side, of 1 none. Beyond the ends lie zeros.
    `(B, T, H, W, C)` -> the same.

    Source: Lin et al., TSM, ICCV 2019, https://arxiv.org/abs/1811.08383
    """

    def call(self, inputs):
        third = inputs.shape[-1] // 3
        # A convolution over time with a kernel a channel, 0 but for a 1: one op each way, which takes a fifth of the
        # time of cutting channels out and joining them again.
        kernel = np.zeros((3, 1, inputs.shape[-1], 1))
        for place, channels in ((2, slice(third)), (0, slice(third, 2 * third)), (1, slice(2 * third, None))):
            kernel[place, 0, channels] = 1
        batch, frames, height, width, channels = keras.ops.shape(inputs)
        rows = keras.ops.reshape(inputs, (batch, frames, height * width, channels))
        shifted = tf.nn.depthwise_conv2d(rows, tf.cast(kernel, inputs.dtype), [1, 1, 1, 1], "SAME")
        return keras.ops.reshape(shifted, (batch, frames, height, width, channels))


@dataclasses.dataclass(frozen=True)
class TSCANOptions(Options):
    """Options of `ts_can`. The published one has both; the paper of SimPer leaves attention out."""

    attention: bool = option(False, "Weigh motion by where the mean frame shows skin.", rare=True)
    difference: bool = option(True, "Start from relative differences of frames, not from frames.", is_flag=False)


@takes(TSCANOptions)
def ts_can(frame_shape: tuple[int, int, int], options) -> keras.Model:
    """Returns TS-CAN with one value a frame.

    At 36 x 36 x 3 it has 467,233 parameters, with attention 532,899. It has no norm: clips are never mixed. Dropout
    is as published, 0.25 after pooling and 0.5 before the last layer, a linear head on 128 features a frame.

    Args:
        frame_shape: `(H, W, C)` of the clips, on which the size of a dense layer depends.
        options: See `TSCANOptions`.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)`.

    Raises:
        ValueError: `frame_shape` is none, or the frames are smaller than 10 x 10.

    Example:
        >>> simper_tf.encoders.ts_can((36, 36, 3), attention=True).count_params()
        532899
    """
    clips = clip_input(frame_shape, SMALLEST_FRAME, known=True)
    masks = _appearance_masks(clips) if options.attention else ()
    motion = FrameDifference()(clips) if options.difference else clips
    return keras.Model(clips, motion_branch(motion, masks=masks), name="ts_can")


def motion_branch(x, masks=(), self_attention=False):
    """Returns the `(B, T)` outputs of TS-CAN's motion branch, a linear head on 128 features a frame.

    Two masks, or with `self_attention` such of the features themselves, multiply the features before either pooling.
    """
    for block, filters in enumerate((32, 64)):
        x = _convolution(TemporalShift()(x), filters, "same")
        x = _convolution(TemporalShift()(x), filters, "valid")
        if masks or self_attention:
            x = x * (masks[block] if masks else attention_mask(x))
        x = _pooling(x)
    # The first dense layer is what takes the place of a mean over space here.
    x = layers.Reshape((-1, x.shape[2] * x.shape[3] * x.shape[4]), dtype=FULL)(x)
    x = Dropout(0.5, dtype=FULL)(mark(layers.Dense(128, activation="tanh", dtype=FULL)(x)))
    return keras.ops.squeeze(layers.Dense(1, dtype=FULL)(x), axis=-1)


def attention_mask(x):
    """Returns `(B, T, H, W, 1)` weights made of `(B, T, H, W, C)` features; their mean over a frame is 1/2."""
    weights = convolution(1, (1, 1, 1), activation="sigmoid")(x)
    mask = 0.5 * keras.ops.cast(weights, FULL) / space_mean(weights, keepdims=True)
    return keras.ops.cast(mask, weights.dtype)


def _appearance_masks(clips):
    """Returns the masks of TS-CAN: the motion branch without shifts sees the mean frame of the clip."""
    x, masks = keras.ops.mean(clips, axis=1, keepdims=True), []
    for filters in (32, 64):
        x = _convolution(_convolution(x, filters, "same"), filters, "valid")
        masks.append(attention_mask(x))
        x = _pooling(x)
    return masks


def _convolution(x, filters, padding):
    return convolution(filters, (1, 3, 3), padding=padding, activation="tanh")(x)


def _pooling(x):
    return Dropout(0.25)(layers.AveragePooling3D((1, 2, 2))(x))
