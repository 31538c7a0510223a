"""Handwritten digits that swing like a pendulum, or spin, at a known frequency.

    images = handwriting.by_digit(*handwriting.embedded_digits("train"), "train")  # Or of `handwriting.read_mnist`.
    record = clip_record(images, "train", 17)  # Clip 17 alone, as it is in the built data set.

Nothing is drawn from a shared stream: each clip has a generator of its own, seeded by its split and index, so any clip
can be made without those before it. Clip k shows the digit k % 10, so any ten clips in a row hold every digit once.

Reference: Yang et al., SimPer, ICLR 2023, https://arxiv.org/abs/2210.03115
"""

import math
import typing

import numpy as np
import tensorflow as tf

from simper_tf.utils.ahead import made_ahead

from .disturbance import disturb
from .handwriting import SPLIT_INDEX, to_uint8

NUM_FRAMES = 150  # 5 s, in which the slowest digit swings two and a half times.
RATE = 30.0  # Frames per second.
FREQUENCIES = (0.5, 5.0)  # Hz.
MAX_PHASE = 1.57  # Radians.
AMPLITUDE = math.pi / 2  # Radians.
CLIPS_AHEAD = 32  # At most so many are kept that nobody has asked for yet.

# One RGB color per digit, each far from every other.
COLORS = (
    (255, 40, 40),
    (255, 150, 0),
    (255, 255, 60),
    (40, 200, 40),
    (0, 255, 255),
    (60, 60, 255),
    (150, 0, 200),
    (255, 100, 220),
    (255, 255, 255),
    (140, 80, 30),
)

_SEED = 0  # Any: with another number all clips are others.


class ClipParameters(typing.NamedTuple):
    """Parameters drawn for one clip."""

    frequency: float  # Swings or turns per second, Hz.
    phase: float  # Radians.
    color: tuple[int, ...]  # Level of full ink in each channel: (255,) for gray, or one of `COLORS`.


def clip_parameters(split, index, spurious=False):
    """Draws the `ClipParameters` of one clip, `index` from 0 of a split.

    If it is `spurious`, the digit, except in `test`, decides the color and which tenth of the frequency range is drawn
    from, as in the paper's study of spurious correlations; else it is gray. In `test` frequency and color are drawn
    from all there are, the frequency and phase that it has without. The paper gives each digit 0.5 Hz, which would end
    at 5.5 Hz; the range ends at 5 Hz like that of all other clips, so each digit has 0.45 Hz.
    """
    rng = np.random.default_rng([_SEED, SPLIT_INDEX[split], index])
    position, phase = rng.uniform(), rng.uniform(-MAX_PHASE, MAX_PHASE)
    color = (255,)
    if spurious and split != "test":
        digit = index % 10
        position, color = (digit + position) / 10, COLORS[digit]
    elif spurious:
        color = COLORS[rng.integers(len(COLORS))]
    low, high = FREQUENCIES
    return ClipParameters(low + (high - low) * position, phase, color)


def rotate(images, angles):
    """Rotates `(N, H, W, C)` float32 images about their centres, with bilinear interpolation and zeros from outside.

    Positive angles, in radians, turn counterclockwise: it is what `tfa.image.rotate(images, angles,
    interpolation="bilinear")` returns.
    """
    height, width = images.shape[1:3]
    angles = np.asarray(angles, np.float32)
    # Of NumPy's cosines one in twenty differs in its last bit: they would make other clips.
    cosine, sine = tf.cos(angles).numpy(), tf.sin(angles).numpy()
    centre_x, centre_y = (width - 1) / 2, (height - 1) / 2
    # Row-major matrix from output to input pixels that leaves the centre where it is; its last entry, 1, is implied.
    zero = np.zeros_like(angles)
    transforms = [
        *(cosine, -sine, centre_x - (cosine * centre_x - sine * centre_y)),
        *(sine, cosine, centre_y - (sine * centre_x + cosine * centre_y)),
        *(zero, zero),
    ]
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=images,
        transforms=np.stack(transforms, axis=1),
        output_shape=[height, width],
        fill_value=0.0,
        interpolation="BILINEAR",
        fill_mode="CONSTANT",
    )


def angles_of(frequency, phase, spin=False, num_frames=NUM_FRAMES, rate=RATE):
    """Returns `(T,)` float32 angles in radians of a digit that swings, or turns on counterclockwise, so often a second.

    It swings by 90 degrees to either side, pi/2 sin(2 pi frequency t + phase). Angles of a spin are in [-pi, pi].
    """
    turned = 2 * np.pi * frequency * (np.arange(num_frames) / rate) + phase
    angles = (turned + np.pi) % (2 * np.pi) - np.pi if spin else AMPLITUDE * np.sin(turned)
    return angles.astype(np.float32)


def turn(image, angles):
    """Returns an image `(H, W, C)` in [0, 255] at `(T,)` angles in radians, `(T, H, W, C)` uint8."""
    image = np.asarray(image, np.float32)
    return to_uint8(rotate(np.broadcast_to(image, (len(angles), *image.shape)), angles))


def clip_record(images, split, index, spurious=False, spin=False, disturbance=None):
    """Makes one clip of a split with all that is known about it.

    Images are those of `by_digit`; a digit with fewer of them than clips uses them in turn. `spurious` is that of
    `clip_parameters` and `spin` that of `angles_of`, with the frequency and phase of the swinging clip; `disturbance`
    is one of `disturbance.STRENGTHS`, or None for a clean clip.

    Returns a dict: `clip` (150, 28, 28, C) uint8, C = 3 if `spurious` else 1; `rate` (frames per second), `label` (Hz)
    and `phase` (radians) as float32; `angle` (150,) float32 radians; `digit` int; `id`, such as "train-00017", and
    `subject`, which image it shows: split, digit and the number of the image, such as "train-7-0001".
    """
    digit, number = _place(images, index)
    frequency, phase, color = clip_parameters(split, index, spurious)
    angles = angles_of(frequency, phase, spin)
    frames = turn(images[digit][number][:, :, None], angles)[..., 0]
    if disturbance:
        # The fourth number keeps these seeds apart from those of the parameters and of the images.
        frames = to_uint8(disturb(frames, disturbance, np.random.default_rng([_SEED, SPLIT_INDEX[split], index, 2])))
    # Colored after the rotation, by table: cheaper than rotating three channels that differ in scale only.
    table = np.rint(np.arange(256)[:, None] * (np.array(color) / 255)).astype(np.uint8)
    return {
        "clip": np.take(table, frames, axis=0),
        "rate": np.float32(RATE),
        "label": np.float32(frequency),
        "id": f"{split}-{index:05d}",
        "subject": f"{split}-{digit}-{number:04d}",
        "digit": digit,
        "phase": np.float32(phase),
        "angle": angles,
    }


def image_of(images, index):
    """Returns the image `(28, 28)` uint8 that a clip shows; arguments as in `clip_record`."""
    digit, number = _place(images, index)
    return images[digit][number]


def _place(images, index):
    digit = index % 10
    return digit, index // 10 % len(images[digit])


def clip_records(images, split, count, **look):
    """Yields the first clips of a split in order, made ahead by threads: rotation spends its time outside Python."""
    yield from made_ahead(lambda index: clip_record(images, split, index, **look), count, CLIPS_AHEAD)
