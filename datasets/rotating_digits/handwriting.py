"""Handwritten digits, MNIST's or scikit-learn's, by split and digit: what `digits.py` sets in motion."""

import gzip
import math
import struct
import zlib

import numpy as np
import tensorflow as tf
from sklearn import datasets as sklearn_datasets

SIZE = 28  # Pixels, both height and width.
SPLIT_INDEX = {"train": 0, "test": 1, "validation": 2}  # First number of a split's seeds.

MNIST_FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
# Of which images a split takes its own.
SOURCE = {"train": "train", "validation": "train", "test": "test"}

_SEED = 0  # Any: with another number other images validate.
_VALIDATION_SHARE = 10  # One of so many training images of each digit validates.
_EMBEDDED_TRAIN_IMAGES = 100  # Per digit; the other 74 to 83 are for test.
_EMBEDDED_MAX_VALUE = 16.0  # Of the ink of a pixel, in scikit-learn's digits.
_MNIST_GLYPH_SIZE = 20  # MNIST fits its digits into 20 x 20 pixels and centers them in 28 x 28.
_NUM_AXES = {2051: 3, 2049: 1}  # IDX magic number: images, labels.


def read_idx(path):
    """Reads a file of MNIST's format, plain or gzip-compressed (told by its content, not its name).

    Returns uint8 images `(N, height, width)` (magic number 2051) or labels `(N,)` (2049). A file that is neither,
    damaged, or of another length than its header says is a ValueError.
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
    """Returns `(N, 28, 28)` uint8 images and labels that `by_digit` takes those of a split from, of MNIST's four files.

    They may be plain or end in `.gz`. Raises FileNotFoundError where one is missing, ValueError where one is damaged or
    two do not belong together.
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
    """Returns images and labels of the digits that come with scikit-learn, brought into MNIST's geometry.

    They were written by other people than MNIST's and stored as 8x8 pixels. The first 100 images of each digit are for
    `train` and `validation`, among which `by_digit` divides them, and the other 797 for `test`.
    """
    digits = sklearn_datasets.load_digits()
    rank_in_digit = np.zeros(len(digits.target), np.int64)
    for digit in range(10):
        positions = np.flatnonzero(digits.target == digit)
        rank_in_digit[positions] = np.arange(len(positions))
    kept = (rank_in_digit >= _EMBEDDED_TRAIN_IMAGES) == (split == "test")
    small = (digits.images[kept, :, :, None] * (255.0 / _EMBEDDED_MAX_VALUE)).astype(np.float32)
    glyphs = to_uint8(tf.image.resize(small, [_MNIST_GLYPH_SIZE, _MNIST_GLYPH_SIZE], "bicubic"))[..., 0]
    margin = (SIZE - _MNIST_GLYPH_SIZE) // 2
    return np.pad(glyphs, [(0, 0), (margin, margin), (margin, margin)]), digits.target[kept]


def by_digit(images, labels, split):
    """Returns ten arrays `(n, 28, 28)`: the images of a split by digit, in a random order that is always the same.

    For `train` and `validation` they come from the same ones: of each digit the last tenth in that order, at least one,
    is for `validation`. A digit without an image, or without two to divide, is a ValueError.
    """
    source = SOURCE[split]
    groups = [images[labels == digit] for digit in range(10)]
    least = 1 if source == "test" else 2
    missing = [digit for digit, group in enumerate(groups) if len(group) < least]
    if missing:
        raise ValueError(f"Every digit needs {least} or more {source} images; there are fewer of {missing}.")
    # The fourth number keeps these seeds apart from those of the clips.
    groups = [
        np.random.default_rng([_SEED, SPLIT_INDEX[source], digit, 1]).permutation(group)
        for digit, group in enumerate(groups)
    ]
    if split == "test":
        return groups
    borders = [len(group) - max(1, len(group) // _VALIDATION_SHARE) for group in groups]
    parts = [np.split(group, [border]) for group, border in zip(groups, borders, strict=True)]
    return [part[split == "validation"] for part in parts]


def _find(folder, name):
    for path in (f"{folder}/{name}", f"{folder}/{name}.gz"):
        if tf.io.gfile.exists(path):
            return path
    raise FileNotFoundError(f"{folder} has neither {name} nor {name}.gz; expected MNIST's four files there.")


def to_uint8(values):
    """Returns values as the nearest gray levels, `uint8`."""
    # Rounded: a bare cast would darken every interpolated pixel by half a level on average.
    return np.rint(values).clip(0, 255).astype(np.uint8)
