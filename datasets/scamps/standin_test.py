import h5py
import numpy as np

from datasets.scamps import standin


def test_scamps_axes_are_reversed_behind_a_matlab_header(tmp_path):
    standin.write(tmp_path, subjects=1, seconds=1, height=16, width=24)
    path = tmp_path / "scamps_videos" / "P000001.mat"
    header = path.read_bytes()[:128]
    assert header.startswith(b"MATLAB 7.3 MAT-file")
    assert header[124:] == b"\x00\x02IM"
    with h5py.File(path) as file:
        assert file.userblock_size == 512
        assert file["Xsub"].shape == (3, 24, 16, 30)
        assert file["skin_mask"].shape == (24, 16, 29)
        assert file["Xsub"].dtype == np.float64
