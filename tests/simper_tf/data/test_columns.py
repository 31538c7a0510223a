"""Columns that are kept: the very values, or none."""

import os
import types

import numpy as np
import pytest

from simper_tf.data import columns


@pytest.fixture
def kept(tmp_path):
    """The rate of a split of two files."""
    paths = [tmp_path / f"set-train.tfrecord-{k}" for k in range(2)]
    for path in paths:
        path.write_bytes(b"some records")
    info = types.SimpleNamespace(splits={"train": types.SimpleNamespace(filepaths=paths)})
    return columns.Kept(types.SimpleNamespace(data_path=tmp_path, info=info), "train", "rate")


@pytest.mark.parametrize("values", [np.linspace(20, 30, 7, dtype=np.float32), np.array([b"one", b"of two"])])
def test_what_was_kept_comes_back_of_its_type(kept, values):
    assert kept.values() is None
    kept.keep(values)
    found = kept.values()
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)


def test_values_of_files_that_have_changed_since_are_none(kept, tmp_path):
    kept.keep(np.ones(3))
    path = tmp_path / "set-train.tfrecord-1"
    path.write_bytes(b"more records")
    os.utime(path, ns=(0, 1_700_000_000_000_000_000))
    assert kept.values() is None
    kept.keep(np.zeros(3))
    np.testing.assert_array_equal(kept.values(), np.zeros(3))


def test_a_damaged_file_never_gives_other_values(kept, tmp_path):
    kept.keep(np.arange(5.0))
    (path,) = (tmp_path / ".columns").iterdir()
    whole, random = path.read_bytes(), np.random.default_rng(0)
    damaged = [b"", b"no archive", whole[: len(whole) // 2], whole[:-30]]
    for place in random.choice(len(whole), 60, replace=False):
        damaged.append(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
    for content in damaged:
        path.write_bytes(content)
        found = kept.values()
        assert found is None or np.array_equal(found, np.arange(5.0))


def test_an_unwritable_folder_keeps_nothing_and_says_nothing(kept, tmp_path, capfd):
    (tmp_path / ".columns").write_text("in the way")
    kept.keep(np.ones(3))
    assert kept.values() is None
    assert capfd.readouterr() == ("", "")
