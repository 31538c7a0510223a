"""Random damage to files of GOES-16: a clear error or the true map, nothing else."""

import h5py
import numpy as np
import pytest

from datasets.damages import outcomes
from datasets.lst import goes, standin

pytestmark = pytest.mark.slow

VALUES = [np.nan, np.inf, -1e30, 0, -5, "K", b"\xff\xfe", [1, 2, 3], np.int8(-1), "none of these"]
# The attributes whose numbers turn counts into temperatures, or into none; each stands once, without a checksum.
UNCHECKED_ATTRIBUTES = (b"scale_factor", b"add_offset", b"valid_range", b"_FillValue", b"flag_values", b"flag_meanings")
ATTRIBUTE_BYTES = 160  # More than the longest of them takes.


@pytest.fixture(scope="module")
def hour(tmp_path_factory):
    path = tmp_path_factory.mktemp("lst") / "sound.nc"
    rng = np.random.default_rng(0)
    kelvin = rng.uniform(250, 320, (24, 40))
    standin.write_map(path, kelvin, rng.random(kelvin.shape) < 0.7)
    return path


def read_hour(path):
    celsius = goes.read_map(path)
    assert celsius.dtype == np.float32
    return [("hour", {"celsius": np.nan_to_num(celsius, nan=-999.0)})]


def test_a_damaged_netcdf_file_is_refused_or_gives_the_true_map(hour):
    content = hour.read_bytes()
    unchecked = []
    for name in UNCHECKED_ATTRIBUTES:
        starts = [at + len(name) for at in range(len(content)) if content.startswith(name, at)]
        assert starts
        unchecked += [(start, start + ATTRIBUTE_BYTES) for start in starts]
    counts = outcomes(hour, lambda: read_hour(hour), unchecked)
    assert min(counts[kind] for kind in ("error", "equal")) > 10


def test_wrong_or_missing_attributes_are_refused_or_obeyed(hour):
    def spoil(rng, data):
        hour.write_bytes(data)
        with h5py.File(hour, "r+") as file:
            attributes = file[("LST", "DQF")[int(rng.integers(2))]].attrs
            name = sorted(set(attributes) - {"DIMENSION_LIST"})[int(rng.integers(len(attributes) - 1))]
            del attributes[name]
            if rng.random() < 0.9:
                value = VALUES[int(rng.integers(len(VALUES)))]
                attributes[name] = np.bytes_(value) if isinstance(value, bytes) else value
        return hour.read_bytes()

    def explain(maps):
        ((_, values),) = maps
        with h5py.File(hour) as file:
            packing = file["LST"].attrs
            counts = file["LST"][()].view(np.uint16)
            celsius = counts * np.float64(packing["scale_factor"]) + np.float64(packing["add_offset"]) - 273.15
        measured = values["celsius"] != -999.0
        return np.allclose(values["celsius"][measured], celsius[measured], atol=1e-3)

    counts = outcomes(hour, lambda: read_hour(hour), explain=explain, damages=(spoil,))
    assert min(counts["error"], counts["equal"] + counts["unchecked"]) > 10
