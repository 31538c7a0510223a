"""A small per-frame CNN: quick enough to pre-train on two CPU cores in minutes."""

import keras
from keras import layers


def framewise(channels=1, widths=(16, 32, 32), outputs=1):
    """Returns a CNN that looks at one frame at a time.

    Because one function of the frame has to serve all speeds, its features cannot run at one harmonic on slow clips
    and at another on fast ones, as those of a convolution over time can. There is no norm either: clips are never
    mixed, and on a CPU it is what most of the time would go to.

    Args:
        channels: C of the clips.
        widths: Filters of the convolutions, each 3 x 3 with stride 2.
        outputs: D; with 1 the axis is dropped.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.
    """
    clips = x = keras.Input((None, None, None, channels))
    for filters in widths:
        x = layers.Conv3D(filters, (1, 3, 3), strides=(1, 2, 2), padding="same", activation="relu")(x)
    x = keras.ops.mean(x, axis=(2, 3))
    x = layers.Dense(outputs)(layers.Dense(64, activation="relu")(x))
    return keras.Model(clips, x if outputs > 1 else keras.ops.squeeze(x, axis=-1), name="framewise")
