"""Handwritten digits that swing like a pendulum at a known frequency.

    images = by_digit(*embedded_digits("train"), "train")  # Or: by_digit(*read_mnist(folder, "train"), "train")
    record = clip_record(images, "train", 17)              # Clip 17 alone, as it is in the built data set.

Nothing is drawn from a shared stream: each clip has a generator of its own, seeded by its split and index, so any clip
can be made without those before it. Clip k shows the digit k % 10, so any ten clips in a row hold every digit once.

Reference: Yang et al., SimPer, ICLR 2023, https://arxiv.org/abs/2210.03115
"""

import collections
import concurrent.futures
import gzip
import math
import struct
import typing
import zlib

import numpy as np
import tensorflow as tf
from sklearn import datasets as sklearn_datasets

NUM_FRAMES = 150
RATE = 30.0  # Frames per second.
SIZE = 28  # Pixels, both height and width.
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

MNIST_FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
# Of which images a split takes its own.
SOURCE = {"train": "train", "validation": "train", "test": "test"}

_SEED = 0
_SPLIT_INDEX = {"train": 0, "test": 1, "validation": 2}
_VALIDATION_SHARE = 10  # One of so many training images of each digit validates.
_EMBEDDED_TRAIN_IMAGES = 100  # Per digit; the other 74 to 83 are for test.
_EMBEDDED_MAX_VALUE = 16.0
_MNIST_GLYPH_SIZE = 20  # MNIST fits its digits into 20 x 20 pixels and centres them in 28 x 28.
_NUM_AXES = {2051: 3, 2049: 1}  # IDX magic number: images, labels.


class ClipParameters(typing.NamedTuple):
    """What is drawn for one clip."""

    frequency: float  # Swings per second, Hz.
    phase: float  # Radians.
    color: tuple[int, ...]  # Level of full ink in each channel: (255,) for gray, or one of `COLORS`.


def read_idx(path):
    """Reads a file of MNIST's format, plain or gzip-compressed (told by its content, not its name).

    Args:
        path: Path of an IDX file of images (magic number 2051) or labels (2049).

    Returns:
        uint8: images `(N, height, width)`, or labels `(N,)`.

    Raises:
        ValueError: the file is neither, is damaged, or is shorter or longer than its header says.
    """
    with tf.io.gfile.GFile(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{path} is a damaged gzip file: {error}. Fetch it again.") from error
    magic = int.from_bytes(data[:4], "big")
    if len(data) < 4 or magic not in _NUM_AXES:
        raise ValueError(
            f"{path} is not an IDX file of images or labels: it begins with {data[:4].hex(' ') or 'nothing'} "
            f"(number {magic}), expected the number 2051 or 2049."
        )
    header_size = 4 + 4 * _NUM_AXES[magic]
    if len(data) < header_size:
        raise ValueError(f"{path} ends inside its header: found {len(data)} bytes, expected at least {header_size}.")
    shape = struct.unpack_from(f">{_NUM_AXES[magic]}I", data, 4)
    expected_size = header_size + math.prod(shape)
    if len(data) != expected_size:
        raise ValueError(
            f"{path} has the wrong length: found {len(data)} bytes, expected {expected_size} for shape {shape}."
        )
    return np.frombuffer(data, np.uint8, offset=header_size).reshape(shape)


def read_mnist(folder, split):
    """Reads the images that `by_digit` takes those of a split from, of a folder with MNIST's four files.

    Args:
        folder: Where they are, each plain or with the ending `.gz`.
        split: `train`, `validation` or `test`.

    Returns:
        Images `(N, 28, 28)` uint8 and labels `(N,)` uint8.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file is damaged, or the two do not belong together.
    """
    return read_labeled_images(*(_find(folder, name) for name in MNIST_FILES[SOURCE[split]]))


def read_labeled_images(images_path, labels_path):
    """Reads a pair of IDX files. Results and errors are those of `read_mnist`."""
    images, labels = read_idx(images_path), read_idx(labels_path)
    if images.shape[1:] != (SIZE, SIZE):
        raise ValueError(f"{images_path} holds an array of shape {images.shape}, expected images (N, {SIZE}, {SIZE}).")
    if labels.shape != images.shape[:1]:
        raise ValueError(
            f"{labels_path} holds an array of shape {labels.shape}, expected one label for each of the {len(images)} "
            f"images of {images_path}."
        )
    return images, labels


def embedded_digits(split):
    """Returns the handwritten digits that come with scikit-learn, brought into MNIST's geometry.

    They were written by other people than MNIST's and stored as 8x8 pixels. The first 100 images of each digit are for
    `train` and `validation`, among which `by_digit` divides them, and the others for `test`.

    Args:
        split: `train`, `validation` or `test`.

    Returns:
        Images `(N, 28, 28)` uint8 and labels `(N,)` int64; N is 1000 (`train` and `validation`) or 797 (`test`).
    """
    digits = sklearn_datasets.load_digits()
    rank_in_digit = np.zeros(len(digits.target), np.int64)
    for digit in range(10):
        positions = np.flatnonzero(digits.target == digit)
        rank_in_digit[positions] = np.arange(len(positions))
    kept = (rank_in_digit >= _EMBEDDED_TRAIN_IMAGES) == (split == "test")
    small = (digits.images[kept, :, :, None] * (255.0 / _EMBEDDED_MAX_VALUE)).astype(np.float32)
    glyphs = _to_uint8(tf.image.resize(small, [_MNIST_GLYPH_SIZE, _MNIST_GLYPH_SIZE], "bicubic"))[..., 0]
    margin = (SIZE - _MNIST_GLYPH_SIZE) // 2
    return np.pad(glyphs, [(0, 0), (margin, margin), (margin, margin)]), digits.target[kept]


def by_digit(images, labels, split):
    """Returns the images of a split by digit, each group in a random order that is always the same.

    Args:
        images: `(N, 28, 28)` uint8. For `train` and `validation` the same ones: of each digit the last tenth in that
            order, at least one, is for `validation`, the others are for `train`.
        labels: `(N,)` integers in [0, 9].
        split: `train`, `validation` or `test`.

    Returns:
        Ten arrays `(n, 28, 28)` uint8.

    Raises:
        ValueError: a digit has no image, or no two to divide.
    """
    source = SOURCE[split]
    groups = [images[labels == digit] for digit in range(10)]
    least = 1 if source == "test" else 2
    missing = [digit for digit, group in enumerate(groups) if len(group) < least]
    if missing:
        raise ValueError(f"Every digit needs {least} or more {source} images; there are fewer of {missing}.")
    # The fourth number keeps these seeds apart from those of the clips.
    groups = [
        np.random.default_rng([_SEED, _SPLIT_INDEX[source], digit, 1]).permutation(group)
        for digit, group in enumerate(groups)
    ]
    if split == "test":
        return groups
    borders = [len(group) - max(1, len(group) // _VALIDATION_SHARE) for group in groups]
    parts = [np.split(group, [border]) for group, border in zip(groups, borders, strict=True)]
    return [part[split == "validation"] for part in parts]


def clip_parameters(split, index, spurious=False):
    """Draws frequency, phase and color of one clip.

    Args:
        split: `train`, `validation` or `test`.
        index: Which clip of the split, from 0.
        spurious: Whether the digit, except in `test`, decides the color and which tenth of the frequency range is
            drawn from, as in the paper's study of spurious correlations. In `test` frequency and color are drawn
            from all there are. The paper gives each digit 0.5 Hz, which would end at 5.5 Hz; the range ends at 5 Hz
            like that of all other clips, so each digit has 0.45 Hz.

    Returns:
        `ClipParameters`. Without `spurious` the color is gray. A test clip has the same frequency and phase with
        `spurious` and without.
    """
    rng = np.random.default_rng([_SEED, _SPLIT_INDEX[split], index])
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
    """Rotates images about their centres, with bilinear interpolation and zeros from outside.

    Args:
        images: `(N, H, W, C)` float32.
        angles: `(N,)` radians; a positive angle turns counterclockwise.

    Returns:
        `(N, H, W, C)` float32: what `tfa.image.rotate(images, angles, interpolation="bilinear")` returns.
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


def swing(image, frequency, phase, num_frames=NUM_FRAMES, rate=RATE):
    """Swings an image by 90 degrees to either side: angle(t) = pi/2 sin(2 pi frequency t / rate + phase).

    Args:
        image: `(H, W, C)`, values in [0, 255].
        frequency: Swings per second, Hz.
        phase: Radians.
        num_frames: Length of the clip.
        rate: Frames per second.

    Returns:
        Frames `(num_frames, H, W, C)` uint8, and their angles `(num_frames,)` float32 in radians.
    """
    times = np.arange(num_frames) / rate
    angles = (AMPLITUDE * np.sin(2 * np.pi * frequency * times + phase)).astype(np.float32)
    image = np.asarray(image, np.float32)
    return _to_uint8(rotate(np.broadcast_to(image, (num_frames, *image.shape)), angles)), angles


def clip_record(images, split, index, spurious=False):
    """Makes one clip with all that is known about it.

    Args:
        images: Ten arrays `(n, 28, 28)` uint8, see `by_digit`. A digit with fewer images than clips uses them in turn.
        split: `train`, `validation` or `test`.
        index: Which clip of the split, from 0.
        spurious: See `clip_parameters`.

    Returns:
        A dict: `clip` (150, 28, 28, C) uint8, C = 3 if `spurious` else 1; `rate` (frames per second), `label` (Hz) and
        `phase` (radians) as float32; `angle` (150,) float32 radians; `digit` int; `id`, such as "train-00017".
    """
    digit, turn = index % 10, index // 10
    image = images[digit][turn % len(images[digit])]
    frequency, phase, color = clip_parameters(split, index, spurious)
    frames, angles = swing(image[:, :, None], frequency, phase)
    # Colored after the rotation, by table: cheaper than rotating three channels that differ in scale only.
    table = np.rint(np.arange(256)[:, None] * (np.array(color) / 255)).astype(np.uint8)
    return {
        "clip": np.take(table, frames[..., 0], axis=0),
        "rate": np.float32(RATE),
        "label": np.float32(frequency),
        "id": f"{split}-{index:05d}",
        "digit": digit,
        "phase": np.float32(phase),
        "angle": angles,
    }


def clip_records(images, split, count, spurious=False):
    """Yields the first clips of a split in order, made ahead by threads: rotation spends its time outside Python.

    Args:
        images, split, spurious: As in `clip_record`.
        count: Number of clips.
    """
    with concurrent.futures.ThreadPoolExecutor() as pool:
        ahead = collections.deque()
        for index in range(count):
            ahead.append(pool.submit(clip_record, images, split, index, spurious))
            if len(ahead) == CLIPS_AHEAD:
                yield ahead.popleft().result()
        for clip in ahead:
            yield clip.result()


def _find(folder, name):
    for path in (f"{folder}/{name}", f"{folder}/{name}.gz"):
        if tf.io.gfile.exists(path):
            return path
    raise FileNotFoundError(f"{folder} has neither {name} nor {name}.gz; expected MNIST's four files there.")


def _to_uint8(values):
    # Rounded: a bare cast would darken every interpolated pixel by half a level on average.
    return np.rint(values).clip(0, 255).astype(np.uint8)
