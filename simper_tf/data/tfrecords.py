"""TFRecord files -> single records, each read without those before it.

`tfds.data_source` does so for files of `array_record` alone, a package without builds for every system. Data sets here
are TFRecord files, as `tfds build` makes them where nothing else is asked for.
"""

import os
import pathlib
import struct
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

# Before the bytes of a record stand their number, in 8 bytes, and its checksum; behind them another checksum.
_HEADER, _FOOTER = struct.Struct("<QI"), 4
# Records that are waited for at the same time, at most: disks and networks answer several sooner than one by one.
_AT_ONCE = 8


class Damaged(ValueError):
    """A file does not hold the records that it should."""


def offsets(path: pathlib.Path, number: int) -> np.ndarray:
    """Returns where the records of a TFRecord file begin, `(number,)` int64, from the 12 bytes before each alone.

    Raises Damaged where it holds another number or does not end with its last record, OSError where it cannot be read.
    """
    places, place = [], 0
    with _opened(path) as file:
        file.seek(0, os.SEEK_END)
        end = file.tell()  # Files of TensorFlow do not return it.
        while place < end:
            file.seek(place)
            header = file.read(_HEADER.size)
            if len(header) < _HEADER.size or len(places) == number:
                break
            places.append(place)
            place += _HEADER.size + _HEADER.unpack(header)[0] + _FOOTER
    if place != end or len(places) != number:
        raise Damaged(f"{path.name} holds truncated or damaged records, or others than the {number} it should")
    return np.array(places, np.int64)


def _opened(path):
    # A buffer would read some KiB for each 12 bytes.
    return path.open("rb") if _is_remote(path) else pathlib.Path(path).open("rb", buffering=0)


def _is_remote(path):
    return "://" in os.fspath(path)


def reader(
    files: Sequence[pathlib.Path], numbers: Sequence[int], rows: np.ndarray
) -> Callable[[tf.data.Dataset], tf.data.Dataset]:
    """Returns a function from a data set of places in `rows` to that of pairs `(serialized record, place)`.

    They come in the same order. Several are read at once, and checked against their checksums. The graph holds 12 bytes
    for each row, in a set of a million records 12 MB, and there are a few copies of it while it is made and sent.

    Args:
        files: TFRecord files, all records of which count on from file to file.
        numbers: How many records each holds.
        rows: `(N,)` numbers of records, rising.

    Raises:
        Damaged, OSError: as `offsets`.
    """
    needed = int(np.searchsorted(np.cumsum(numbers), rows[-1], side="right")) + 1
    files, numbers = files[:needed], numbers[:needed]
    # Relative names mean nothing to a process that was started elsewhere.
    names = tf.constant([os.fspath(path if _is_remote(path) else pathlib.Path(path).absolute()) for path in files])
    of_files = [offsets(path, number) for path, number in zip(files, numbers, strict=True)]
    starts, file_of = np.concatenate(of_files)[rows], np.repeat(np.arange(needed, dtype=np.int32), numbers)[rows]

    def record(place):
        rest = tf.raw_ops.TFRecordDatasetV2(
            filenames=[tf.gather(names, tf.gather(file_of, place))],
            byte_offsets=[tf.gather(starts, place)],
            compression_type="",
            buffer_size=tf.constant(0, tf.int64),
        )
        first = tf.data.experimental.from_variant(rest, tf.TensorSpec((), tf.string)).take(1)
        return first.map(lambda content: (content, place))

    return lambda places: places.interleave(record, _AT_ONCE, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
