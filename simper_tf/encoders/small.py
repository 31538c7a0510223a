"""A small CNN that looks at three frames at a time: quick enough to pre-train on two CPU cores in minutes."""

import keras
from keras import layers

from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL, space_mean


def small(
    frame_shape: tuple[int | None, int | None, int],
    *,
    kernel_frames: int = 3,
    widths: tuple[int, ...] = (16, 32, 32),
    outputs: int = 4,
) -> keras.Model:
    """Returns strided convolutions of single frames, their mean over space, and a head over neighboring frames.

    A swinging thing looks the same on its way back, so features may settle at twice the frequency. Two things keep
    them from it: a head that sees the direction of a movement, at a third of the cost of convolutions over time from
    the first layer on, and several outputs, which are rarely all caught. There is no norm: clips are never mixed, and
    on a CPU it would take half of the time. 20,516 parameters at 1 channel.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        kernel_frames: Number of frames that a feature sees, odd.
        widths: Filters of the convolutions, each 3 x 3 with stride 2.
        outputs: Number of series, D, which the similarity averages over and a readout adds the power of; with 1 the
            axis is dropped.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.

    Raises:
        ValueError: `frame_shape` is none, or `kernel_frames` is even: the feature of a frame would lie half a frame
            beside it.
    """
    if kernel_frames < 1 or kernel_frames % 2 == 0:
        raise ValueError(f"`kernel_frames` must be odd. Received: {kernel_frames}.")
    clips = x = clip_input(frame_shape)
    for filters in widths:
        x = layers.Conv3D(filters, (1, 3, 3), strides=(1, 2, 2), padding="same", activation="relu")(x)
    x = space_mean(x)
    # Frames off either end mirror those before it. Zeros there would give every clip the same two spikes.
    beyond = kernel_frames // 2
    x = keras.ops.pad(x, ((0, 0), (beyond, beyond), (0, 0)), mode="symmetric")
    x = layers.Conv1D(64, kernel_frames, activation="relu", dtype=FULL)(x)
    x = layers.Dense(outputs, dtype=FULL)(x)
    return keras.Model(clips, x if outputs > 1 else keras.ops.squeeze(x, axis=-1), name="small")
