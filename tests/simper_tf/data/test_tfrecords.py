"""Single records of TFRecord files, against TensorFlow's own reader of whole files."""

import io
import os
import pathlib

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.data import tfrecords

LENGTHS = ((3, 0, 40_000), (7,), (1, 2, 3, 4))


@pytest.fixture
def shards(tmp_path):
    """Returns files of 3, 1 and 4 records, and all records in their order."""
    paths, contents = [], []
    for k, lengths in enumerate(LENGTHS):
        paths.append(tmp_path / f"shard-{k}")
        with tf.io.TFRecordWriter(str(paths[-1])) as writer:
            for length in lengths:
                contents.append(bytes(np.random.default_rng(length).integers(0, 256, length, np.uint8)))
                writer.write(contents[-1])
    return paths, contents


class Elsewhere(os.PathLike):
    """A path that TensorFlow alone can open."""

    def __init__(self, address):
        self.address, self.name = address, address.rpartition("/")[2]

    def __fspath__(self):
        return self.address

    __str__ = __fspath__

    def open(self, mode):
        return tf.io.gfile.GFile(self.address, mode)


def read(shards, rows, places, numbers=(3, 1, 4)):
    found = tfrecords.reader(shards[0], numbers, np.array(rows))(tf.data.Dataset.from_tensor_slices(np.array(places)))
    contents, numbers = zip(*found.as_numpy_iterator(), strict=True)
    assert list(numbers) == list(places)
    return list(contents)


def test_files_of_a_cloud_are_read_too(shards):
    there = Elsewhere("ram://records/shard")
    with tf.io.TFRecordWriter(str(there)) as writer:
        for content in shards[1][:3]:
            writer.write(content)
    np.testing.assert_array_equal(tfrecords.offsets(there, 3), [0, 3 + 16, 3 + 16 + 16])
    assert read(([there], None), [0, 2], [1, 0], [3]) == [shards[1][2], shards[1][0]]
    with pytest.raises(tfrecords.Damaged, match="shard holds"):
        tfrecords.offsets(there, 2)


def test_twelve_bytes_are_read_before_each_record_and_no_more(shards, monkeypatch):
    opened, own = [], pathlib.Path.open

    def noted(*arguments, **named):
        opened.append(own(*arguments, **named))
        return opened[-1]

    monkeypatch.setattr(pathlib.Path, "open", noted)
    tfrecords.offsets(shards[0][0], 3)
    assert [type(file) for file in opened] == [io.FileIO]  # Any other reads ahead.


def test_records_begin_where_those_before_them_end(shards):
    np.testing.assert_array_equal(tfrecords.offsets(shards[0][0], 3), [0, 3 + 16, 3 + 16 + 16])
    assert list(tf.data.TFRecordDataset(list(map(str, shards[0]))).as_numpy_iterator()) == shards[1]


def test_records_come_in_the_order_that_is_asked_for(shards):
    places = [7, 0, 3, 2, 2, 5, 1, 6, 4, 0]
    assert read(shards, range(8), places) == [shards[1][k] for k in places]
    assert read(shards, [1, 2, 6], [2, 0, 1]) == [shards[1][k] for k in (6, 1, 2)]


def test_files_behind_the_last_row_are_not_opened(shards):
    shards[0][2].unlink()
    assert read(shards, [0, 3], [1, 0]) == [shards[1][3], shards[1][0]]
    with pytest.raises(FileNotFoundError):
        read(shards, [0, 4], [0])


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:20],
        lambda content: content + b"more",
        lambda content: content[:19],
        lambda content: b"",
        lambda content: bytes([4]) + content[1:],
        lambda content: b"\xff" * 8 + content[8:],
    ],
)
def test_a_file_of_too_few_or_many_records_is_refused_by_name(shards, damage):
    content = shards[0][0].read_bytes()
    shards[0][0].write_bytes(damage(content))
    with pytest.raises(tfrecords.Damaged, match="shard-0 holds truncated or damaged records, or others than the 3 it"):
        tfrecords.offsets(shards[0][0], 3)


def test_a_changed_byte_of_a_record_is_noticed_when_it_is_read(shards):
    content = bytearray(shards[0][0].read_bytes())
    content[19 + 16 + 100] ^= 1
    shards[0][0].write_bytes(content)
    assert read(shards, range(8), [0, 1, 3]) == [shards[1][k] for k in (0, 1, 3)]
    with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
        read(shards, range(8), [2])
