"""Handwritten digits: the files read, and the images chosen for each split."""

import gzip
import re
import struct

import numpy as np
import pytest

from datasets.rotating_digits import handwriting


def idx_bytes(array):
    magic = {3: 2051, 1: 2049}[array.ndim]
    return struct.pack(f">{1 + array.ndim}I", magic, *array.shape) + array.astype(np.uint8).tobytes()


def random_images(shape):
    return np.random.default_rng(0).integers(0, 256, shape, np.uint8)


def test_read_idx_returns_the_pixels_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "images"
    path.write_bytes(bytes([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 10, 11, 12, 20, 21, 22]))
    np.testing.assert_array_equal(handwriting.read_idx(path), [[[10, 11, 12], [20, 21, 22]]])


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_read_mnist_takes_plain_and_compressed_files_of_a_split(tmp_path, compress):
    images, labels = random_images((4, 28, 28)), np.array([3, 1, 4, 1], np.uint8)
    ending = "" if compress is bytes else ".gz"
    (tmp_path / f"t10k-images-idx3-ubyte{ending}").write_bytes(compress(idx_bytes(images)))
    (tmp_path / f"t10k-labels-idx1-ubyte{ending}").write_bytes(compress(idx_bytes(labels)))
    read_images, read_labels = handwriting.read_mnist(tmp_path, "test")
    np.testing.assert_array_equal(read_images, images)
    np.testing.assert_array_equal(read_labels, labels)
    with pytest.raises(FileNotFoundError, match=r"has neither train-images-idx3-ubyte nor train-images-idx3-ubyte\.gz"):
        handwriting.read_mnist(tmp_path, "train")


WHOLE = idx_bytes(random_images((2, 28, 28)))


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (b"", "is not an IDX file of images or labels: it begins with nothing (number 0), expected the number 2051"),
        (b"\x89PNG" + WHOLE, "begins with 89 50 4e 47 (number 2303741511), expected the number 2051 or 2049"),
        (WHOLE[:4][::-1] + WHOLE[4:], "begins with 03 08 00 00 (number 50855936), expected the number 2051 or 2049"),
        (WHOLE[:9], "ends inside its header: found 9 bytes, expected at least 16"),
        (WHOLE[:-1], "has the wrong length: found 1583 bytes, expected 1584 for shape (2, 28, 28)"),
        (WHOLE + b"\0", "has the wrong length: found 1585 bytes, expected 1584 for shape (2, 28, 28)"),
        (gzip.compress(WHOLE)[:-20], "is a damaged gzip file"),
        (gzip.compress(WHOLE)[:20] + bytes(99), "is a damaged gzip file"),
        (gzip.compress(WHOLE[:-1]), "has the wrong length: found 1583 bytes"),
    ],
    ids=[
        "empty",
        "png",
        "little endian",
        "header",
        "truncated",
        "overlong",
        "gzip cut",
        "gzip overwritten",
        "cut first",
    ],
)
def test_read_idx_refuses_a_damaged_file_and_names_it(tmp_path, damaged, message):
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}.*{re.escape(message)}"):
        handwriting.read_idx(path)


def test_images_and_labels_that_do_not_match_are_refused(tmp_path):
    images, labels = tmp_path / "images", tmp_path / "labels"
    images.write_bytes(WHOLE)
    labels.write_bytes(idx_bytes(np.zeros(3)))
    with pytest.raises(ValueError, match=r"labels holds an array of shape \(3,\), expected one label .* the 2 images"):
        handwriting.read_labeled_images(images, labels)
    with pytest.raises(ValueError, match=r"labels holds an array of shape \(3,\), expected images \(N, 28, 28\)"):
        handwriting.read_labeled_images(labels, images)


# Images.


def test_embedded_digits_have_the_geometry_of_mnist():
    images, labels = handwriting.embedded_digits("train")
    assert (images.shape, images.dtype) == ((1000, 28, 28), np.uint8)
    np.testing.assert_array_equal(np.bincount(labels), [100] * 10)
    assert not images[:, :4].any()
    assert not images[:, 24:].any()
    assert not images[:, :, :4].any()
    assert not images[:, :, 24:].any()
    assert images[:, 4].any()
    assert images[:, 23].any()
    assert images.max() == 255


def test_embedded_train_and_test_share_no_image():
    train, test = ({image.tobytes() for image in handwriting.embedded_digits(split)[0]} for split in ("train", "test"))
    assert (len(train), len(test)) == (1000, 797)
    assert not train & test


def test_by_digit_keeps_every_image_under_its_label_once():
    images, labels = random_images((60, 28, 28)), np.arange(60) % 10
    groups = handwriting.by_digit(images, labels, "test")
    for digit, group in enumerate(groups):
        assert {image.tobytes() for image in group} == {image.tobytes() for image in images[digit::10]}
        assert len(group) == 6
    assert any((group != images[digit::10]).any() for digit, group in enumerate(groups))  # Not the order of the file.


def test_the_last_tenth_of_each_digit_validates_without_overlap():
    images, labels = random_images((250, 28, 28)), np.arange(250) % 10
    train, validation = (handwriting.by_digit(images, labels, split) for split in ("train", "validation"))
    for digit in range(10):
        assert [len(train[digit]), len(validation[digit])] == [23, 2]
        parts = [{image.tobytes() for image in group[digit]} for group in (train, validation)]
        assert parts[0] | parts[1] == {image.tobytes() for image in images[digit::10]}
        assert not parts[0] & parts[1]


def test_of_the_embedded_digits_no_image_is_in_two_splits():
    of = {split: handwriting.by_digit(*handwriting.embedded_digits(split), split) for split in handwriting.SOURCE}
    held = {split: {image.tobytes() for group in groups for image in group} for split, groups in of.items()}
    assert {split: len(images) for split, images in held.items()} == {"train": 900, "validation": 100, "test": 797}
    assert len(set.union(*held.values())) == 1797


@pytest.mark.parametrize(("split", "copies", "least"), [("test", 1, 1), ("train", 1, 2), ("validation", 1, 2)])
def test_by_digit_refuses_a_digit_without_images_enough(split, copies, least):
    labels = np.array([0, 1, 2, 3, 5, 6, 7, 8] * copies)
    expected = [4, 9] if least == 1 else list(range(10))
    message = re.escape(f"images; there are fewer of {expected}")
    with pytest.raises(ValueError, match=rf"needs {least} or more \w+ {message}"):
        handwriting.by_digit(random_images((len(labels), 28, 28)), labels, split)
