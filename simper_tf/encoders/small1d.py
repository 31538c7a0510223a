"""A small CNN over time alone: for series, whose frames have one pixel, quick enough for seconds on two CPU cores."""

import keras
from keras import layers

from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL, space_mean


def small1d(
    frame_shape: tuple[int | None, int | None, int],
    *,
    kernel_frames: int = 9,
    widths: tuple[int, ...] = (32, 32, 32),
    outputs: int = 4,
    per_channel: bool = False,
) -> keras.Model:
    """Returns convolutions over time of the mean of every frame; of a series, `(B, T, 1, 1, C)`, that is the series.

    A feature sees 12 samples to either side, a quarter of a second at 44 a second: it tells a rise from a fall. There
    is no norm: clips are never mixed. 18,948 parameters at 1 channel.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        kernel_frames: Samples that each convolution sees, odd and at most 17, as clips of 8 are taken.
        widths: Filters of the convolutions.
        outputs: Number of series, D, or of each channel; with 1 in all the axis is dropped.
        per_channel: Whether each channel is encoded by itself, with the same weights for all, and their outputs joined.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.

    Raises:
        ValueError: `frame_shape` is no frame shape, or `kernel_frames` is even or too long.
    """
    if not 1 <= kernel_frames <= 17 or kernel_frames % 2 == 0:
        raise ValueError(f"`kernel_frames` must be odd, from 1 to 17. Received: {kernel_frames}.")
    clips, beyond = clip_input(frame_shape), kernel_frames // 2
    x = space_mean(clips)
    # Channels side by side, over which the same convolutions run, or as what they see at once: (B, T, places, inputs).
    places = frame_shape[-1] if per_channel else 1
    x = layers.Reshape((-1, places, frame_shape[-1] // places), dtype=FULL)(x)
    for filters in widths:
        # Samples off either end mirror those before it, as in `small`.
        x = keras.ops.pad(x, ((0, 0), (beyond, beyond), (0, 0), (0, 0)), mode="symmetric")
        x = layers.Conv2D(filters, (kernel_frames, 1), activation="relu", dtype=FULL)(x)
    x = layers.Dense(outputs, dtype=FULL)(x)
    x = layers.Reshape((-1, places * outputs), dtype=FULL)(x)
    return keras.Model(clips, x if places * outputs > 1 else keras.ops.squeeze(x, axis=-1), name="small1d")
