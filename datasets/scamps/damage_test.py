"""Random damage to raw files of SCAMPS: a clear error, a named skip or the true clip, nothing else."""

import h5py
import numpy as np
import pytest

from datasets.damages import outcomes
from datasets.scamps import reader, standin
from simper_tf.data import standin_faces

pytestmark = pytest.mark.slow

WINDOW, SIZE = 60, 8


@pytest.fixture(scope="module")
def mat(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scamps")
    standin.write(folder, subjects=1, seconds=2, look=standin_faces.CLEAN, height=12, width=8)
    return folder / "scamps_videos" / "P000001.mat"


def read_scamps(mat):
    return list(reader.clips(str(mat), SIZE, WINDOW, WINDOW))


def test_a_damaged_mat_file_is_refused_or_gives_the_true_clip(mat):
    # All its data are compressed, and compression has a checksum; see simper_tf.data.hdf5 for the rest.
    counts = outcomes(mat, lambda: read_scamps(mat))
    assert min(counts["error"], counts["equal"]) > 10


def test_a_wrong_mat_number_is_refused_skipped_or_in_series_only(mat):
    ((_, sound),) = read_scamps(mat)

    def spoil(rng, data):
        mat.write_bytes(data)
        with h5py.File(mat, "r+") as file:
            values = file[("Xsub", "d_ppg", "d_br")[int(rng.integers(3))]]
            values[tuple(int(rng.integers(side)) for side in values.shape)] = rng.choice([np.nan, np.inf, -1.0, 1e8])
        return mat.read_bytes()

    def explain(clips):
        ((_, example),) = clips
        with h5py.File(mat) as file:
            said = {name: np.float32(file[key][()].ravel()) for name, key in reader.SERIES.items()}
        same = [np.array_equal(example[name], values) for name, values in said.items()]
        return all(same) and np.array_equal(example["clip"], sound["clip"])

    counts = outcomes(mat, lambda: read_scamps(mat), explain=explain, damages=(spoil,))
    assert min(counts[kind] for kind in ("error", "skipped", "unchecked")) > 10
