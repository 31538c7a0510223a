"""A small CNN that looks at one frame at a time: quick enough to pre-train on two CPU cores in minutes."""

import keras
from keras import layers


def small(channels=1, kernel_frames=1, widths=(16, 32, 32), outputs=1):
    """Returns a CNN of strided convolutions, mean over space and a small head a frame.

    With `kernel_frames=1` one function of the frame has to serve all speeds, so its features cannot run at one
    harmonic on slow clips and at another on fast ones, as those of a convolution over time can. There is no norm:
    clips are never mixed, and on a CPU it would take half of the time.

    Args:
        channels: C of the clips.
        kernel_frames: Length of the convolutions in time, odd.
        widths: Filters of the convolutions, each 3 x 3 with stride 2.
        outputs: D; with 1 the axis is dropped.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
    """
    clips = x = keras.Input((None, None, None, channels))
    for filters in widths:
        convolution = layers.Conv3D(filters, (kernel_frames, 3, 3), (1, 2, 2), padding="same", activation="relu")
        x = convolution(x)
    x = keras.ops.mean(x, axis=(2, 3))
    x = layers.Dense(outputs)(layers.Dense(64, activation="relu")(x))
    return keras.Model(clips, x if outputs > 1 else keras.ops.squeeze(x, axis=-1), name="small")
