import os
import pathlib

import h5py
import numpy as np
import pytest

from simper_tf.data import hdf5

REAL = pathlib.Path(os.environ.get("SIMPER_REAL", pathlib.Path(__file__).parents[4] / "shared" / "real"), "other")


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


def test_a_missing_chunk_is_noticed_although_it_reads_as_zeros(file):
    dataset = file.create_dataset("x", (8, 10), np.float64, chunks=(4, 5), compression="gzip")
    dataset[:4] = dataset[4:, :5] = 1.0
    assert dataset[7, 9] == 0.0
    with pytest.raises(ValueError, match="3 chunks of /x, of 4"):
        hdf5.refuse_damaged(dataset)


@pytest.mark.parametrize("settings", [{}, {"chunks": (4, 5)}], ids=str)
def test_values_that_were_never_stored_are_missed(file, settings):
    with pytest.raises(ValueError, match=r"(0 bytes of /x stored without compression, of 640|0 chunks of /x, of 4)"):
        hdf5.refuse_damaged(file.create_dataset("x", (8, 10), np.float64, **settings))


@pytest.mark.parametrize("settings", [{}, {"chunks": (4, 5)}, {"chunks": (4, 5), "compression": "gzip"}], ids=str)
def test_unwritten_chunks_hold_a_fill_value_that_was_chosen(file, settings):
    dataset = file.create_dataset("x", (8, 10), np.float64, fillvalue=-1.0, **settings)
    hdf5.refuse_damaged(dataset)
    dataset[:4, :5] = 3.0
    hdf5.refuse_damaged(dataset)
    assert (dataset[0, 0], dataset[7, 9]) == (3, -1)


@pytest.mark.skipif(not REAL.is_dir(), reason=f"{REAL} is not there")
def test_a_real_disk_map_with_unwritten_corners_is_whole():
    (path,) = REAL.glob("OR_ABI-L2-AODF-*.nc")
    with hdf5.opened(path, "a map", "") as opened:
        dataset = hdf5.dataset(opened, "AOD")
        hdf5.refuse_damaged(dataset)
        assert dataset.id.get_num_chunks() == 548
        assert dataset.shape == (5424, 5424) == tuple(24 * side for side in dataset.chunks)
        assert dataset[0, 0] == dataset.attrs["_FillValue"][0] == dataset.fillvalue


def test_a_chunk_that_skipped_the_compression_is_named(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        dataset = file.create_dataset("x", (8, 10), np.float64, chunks=(8, 10), compression="gzip")
        dataset.id.write_direct_chunk((0, 0), bytes(640), filter_mask=1)
    with (
        h5py.File(tmp_path / "file.h5") as file,
        pytest.raises(ValueError, match="1 chunks of /x in 1 places, or half compressed"),
    ):
        hdf5.refuse_damaged(file["x"])


def store_elsewhere(folder):
    """Writes `x` five times in ways that keep it out of the file it is asked of."""
    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = np.ones((2, 3))
    (folder / "values.bin").write_bytes(np.ones((2, 3)).tobytes())
    layout = h5py.VirtualLayout((2, 3), np.float64)
    layout[...] = h5py.VirtualSource(str(folder / "other.h5"), "x", (2, 3))
    with h5py.File(folder / "file.h5", "w") as file:
        file["external link"] = h5py.ExternalLink(str(folder / "other.h5"), "x")
        file["folder"] = h5py.ExternalLink(str(folder / "other.h5"), "/")
        file["soft link"] = h5py.SoftLink("/folder/x")
        file.create_dataset("external storage", (2, 3), np.float64, external=[(str(folder / "values.bin"), 0, 48)])
        file.create_virtual_dataset("virtual", layout)
        file.create_group("group")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("external link", r"external link is a link to x in .*other\.h5"),
        ("soft link", "soft link is a link to /folder/x"),
        ("external storage", "the values of external storage are kept in other files"),
        ("virtual", "the values of virtual are kept in other files"),
        ("group", "group is no data set"),
    ],
)
def test_values_in_another_file_are_refused(tmp_path, name, found):
    store_elsewhere(tmp_path)
    with hdf5.opened(tmp_path / "file.h5", "a file", "") as file, pytest.raises(ValueError, match=found):
        hdf5.dataset(file, name)


def test_another_file_is_not_even_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file["x"] = h5py.ExternalLink(str(tmp_path / "pipe"), "x")
    with hdf5.opened(tmp_path / "file.h5", "a file", "") as file, pytest.raises(ValueError, match="pipe"):
        hdf5.dataset(file, "x")


def test_a_header_of_too_many_chunks_is_refused_before_listing(file):
    dataset = file.create_dataset("x", (10**8, 10), np.float64, chunks=(1, 1), compression="gzip")
    with pytest.raises(ValueError, match="0 chunks of /x, of 1000000000"):
        hdf5.refuse_damaged(dataset)


@pytest.mark.parametrize("dtype", [">f8", "<f2", "<i8", "S3"])
def test_other_number_types_are_named(file, dtype):
    with pytest.raises(ValueError, match="/x of a type that is no usual"):
        hdf5.refuse_damaged(file.create_dataset("x", data=np.zeros((2, 3)).astype(dtype)))
