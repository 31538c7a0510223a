"""A small CNN over time alone: for series, whose frames have one pixel, quick enough for seconds on two CPU cores."""

import dataclasses

import keras
from keras import layers

from simper_tf.encoders.before_head import mark
from simper_tf.encoders.frames import clip_input
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.utils.options import Options, option, takes


@dataclasses.dataclass(frozen=True)
class Small1DOptions(Options):
    """Options of `small1d`. Clips of 8 samples are taken, so that a convolution sees at most 17."""

    kernel_frames: int = option(9, "Frames that a layer of the encoder sees, odd.", low=1, high=17, rare=True)
    widths: tuple[int, ...] = option((32, 32, 32), "Filters of the convolutions of the encoder.", low=1, is_flag=False)
    outputs: int = option(4, "Series that the encoder returns.", low=1, rare=True)
    per_channel: bool = option(
        False, "Encode each channel of a series by itself, with the same weights.", is_flag=False
    )

    def __post_init__(self):
        super().__post_init__()
        if self.kernel_frames % 2 == 0:
            raise ValueError(f"`kernel_frames` must be odd. Received: {self.kernel_frames}.")


@takes(Small1DOptions)
def small1d(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns convolutions over time of the mean of every frame; of a series, `(B, T, 1, 1, C)`, that is the series.

    A feature sees 12 samples to either side, a quarter of a second at 44 a second: it tells a rise from a fall. There
    is no norm: clips are never mixed. 18,948 parameters at 1 channel.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `Small1DOptions`. The outputs are a linear head on the 32 features of a sample, or as many as the
            last width says. Where channels are encoded by themselves, each has as many outputs; with one
            series in all the axis is dropped.

    Returns:
        `keras.Model`, `(B, T, H, W, C)` -> `(B, T)` or `(B, T, D)`.

    Raises:
        ValueError: `frame_shape` is no frame shape, or an option is out of its range.

    Example:
        >>> encoder = simper_tf.small1d((1, 1, 3))  # Series of three channels.
        >>> encoder(np.zeros((2, 100, 1, 1, 3), np.float32)).shape
        TensorShape([2, 100, 4])
    """
    clips, beyond = clip_input(frame_shape), options.kernel_frames // 2
    x = space_mean(clips)
    # Channels side by side, over which the same convolutions run, or as what they see at once: (B, T, places, inputs).
    places = frame_shape[-1] if options.per_channel else 1
    x = layers.Reshape((-1, places, frame_shape[-1] // places), dtype=FULL)(x)
    for filters in options.widths:
        # Samples off either end mirror those before it, as in `small`.
        x = keras.ops.pad(x, ((0, 0), (beyond, beyond), (0, 0), (0, 0)), mode="symmetric")
        x = layers.Conv2D(filters, (options.kernel_frames, 1), activation="relu", dtype=FULL)(x)
    x = layers.Dense(options.outputs, dtype=FULL)(mark(x))
    x = layers.Reshape((-1, places * options.outputs), dtype=FULL)(x)
    return keras.Model(clips, x if places * options.outputs > 1 else keras.ops.squeeze(x, axis=-1), name="small1d")
