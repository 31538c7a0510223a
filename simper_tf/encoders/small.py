"""A small CNN that looks at three frames at a time: quick enough to pre-train on two CPU cores in minutes."""

import dataclasses
import math

import keras
from keras import layers

from simper_tf.encoders.frames import clip_input, convolution
from simper_tf.encoders.precision import FULL, space_mean
from simper_tf.utils.options import Options, option, takes


@dataclasses.dataclass(frozen=True)
class SmallOptions(Options):
    """Options of `small`. With one output the axis of series is dropped.

    Similarities average over the series, and readouts add their power. With an even number of frames the feature of a
    frame would lie half a frame beside it.
    """

    kernel_frames: int = option(3, "Frames that a layer of the encoder sees, odd.", low=1, rare=True)
    widths: tuple[int, ...] = option((16, 32, 32), "Filters of the convolutions of the encoder.", low=1, rare=True)
    outputs: int = option(4, "Series that the encoder returns.", low=1, rare=True)
    keep_place: bool = option(False, "Tell the head where in the frame a stroke lies, not only how it runs.")

    def __post_init__(self):
        super().__post_init__()
        if self.kernel_frames % 2 == 0:
            raise ValueError(f"`kernel_frames` must be odd. Received: {self.kernel_frames}.")


@takes(SmallOptions)
def small(frame_shape: tuple[int | None, int | None, int], options) -> keras.Model:
    """Returns strided convolutions of single frames, their mean over space, and a head over neighboring frames.

    A swinging thing looks the same on its way back, so features may settle at twice the frequency. Two things keep
    them from it: a head that sees the direction of a movement, at a third of the cost of convolutions over time from
    the first layer on, and several outputs, which are rarely all caught. There is no norm: clips are never mixed, and
    on a CPU it would take half of the time. 20,516 parameters at 1 channel.

    The mean over space tells the direction of strokes, not their place, and a stroke turned by 180 degrees has the same
    direction. So it tells twice the angle: of a swing by 90 degrees mostly the second and third harmonics.
    With `keep_place` a dense layer over all places stands in its stead, and the first harmonic is the strongest.

    Args:
        frame_shape: `(H, W, C)` of the clips; H and W None for frames of any size.
        options: See `SmallOptions`. Convolutions are 3 x 3 with stride 2.

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
    for filters in options.widths:
        x = convolution(filters, (1, 3, 3), (1, 2, 2), padding="same", activation="relu")(x)
    x = layers.Dense(64)(layers.Reshape((-1, math.prod(x.shape[2:])))(x)) if options.keep_place else space_mean(x)
    # Frames off either end mirror those before it. Zeros there would give every clip the same two spikes.
    beyond = options.kernel_frames // 2
    x = keras.ops.pad(x, ((0, 0), (beyond, beyond), (0, 0)), mode="symmetric")
    x = layers.Conv1D(64, options.kernel_frames, activation="relu", dtype=FULL)(x)
    x = layers.Dense(options.outputs, dtype=FULL)(x)
    return keras.Model(clips, x if options.outputs > 1 else keras.ops.squeeze(x, axis=-1), name="small")
