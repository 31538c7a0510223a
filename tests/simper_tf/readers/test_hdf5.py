import h5py
import numpy as np
import pytest

from simper_tf.readers import hdf5


@pytest.fixture
def file(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as opened:
        yield opened


@pytest.mark.parametrize("settings", [{}, {"chunks": (4, 5)}, {"chunks": (3, 4), "compression": "gzip"}], ids=str)
@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<u2", "<i1"])
def test_whole_data_sets_pass_whatever_their_layout(file, settings, dtype):
    values = np.arange(70).reshape(7, 10).astype(dtype)
    file.create_dataset("x", data=values, **settings)
    hdf5.refuse_damaged(file["x"])


def test_a_chunk_that_is_not_there_is_missed_although_reading_gives_zeros(file):
    dataset = file.create_dataset("x", (8, 10), np.float64, chunks=(4, 5), compression="gzip")
    dataset[:4] = dataset[4:, :5] = 1.0
    assert dataset[7, 9] == 0.0
    with pytest.raises(RuntimeError, match="storage size of chunk"):
        hdf5.refuse_damaged(dataset)


@pytest.mark.parametrize("settings", [{}, {"chunks": (4, 5)}], ids=str)
def test_values_that_were_never_stored_are_missed(file, settings):
    with pytest.raises(ValueError, match="0 bytes of /x stored without compression, of 640"):
        hdf5.refuse_damaged(file.create_dataset("x", (8, 10), np.float64, **settings))


def test_a_chunk_that_skipped_the_compression_is_named(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        dataset = file.create_dataset("x", (8, 10), np.float64, chunks=(8, 10), compression="gzip")
        dataset.id.write_direct_chunk((0, 0), bytes(640), filter_mask=1)
    with (
        h5py.File(tmp_path / "file.h5") as file,
        pytest.raises(ValueError, match="1 chunks of /x in 1 places, or compressed by halves"),
    ):
        hdf5.refuse_damaged(file["x"])


@pytest.mark.parametrize("dtype", [">f8", "<f2", "<i8", "S3"])
def test_other_number_types_are_named(file, dtype):
    with pytest.raises(ValueError, match="/x of a type that is no usual"):
        hdf5.refuse_damaged(file.create_dataset("x", data=np.zeros((2, 3)).astype(dtype)))
