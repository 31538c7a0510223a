import json

import numpy as np
import pytest

from datasets.lst import goes, reader, standin

PERIOD = ("2022-04-07T00", "2022-07-16T00")


@pytest.mark.slow
def test_clear_sky_labels_equal_the_land_mean_to_a_hundredth(tmp_path):
    truth = standin.write(tmp_path, subjects=1, seconds=3, seed=0, clouds=0, gaps=False)
    assert json.loads((tmp_path / "truth.json").read_text()) == truth
    recording = reader.read_hourly_maps(tmp_path, *PERIOD)
    assert (recording.missing, recording.maps.shape) == ([], (30, 4, 100, 100))
    for quarter, name in enumerate(goes.QUARTERS):
        example = reader.read_window(recording, reader.MapWindow(quarter, 0, 20, 10))
        np.testing.assert_allclose(example["label"], truth["land_mean"][name][20:], atol=0.01)
        np.testing.assert_array_equal(example["observed"], np.ones(10))


@pytest.mark.slow
def test_missing_hours_and_clouds_are_those_asked_for(tmp_path):
    truth = standin.write(tmp_path, subjects=2, seconds=1, seed=0, clouds=0.3)
    assert truth["missing"] == [11, 17, 18, 19, 20]
    recording = reader.read_hourly_maps(tmp_path, *PERIOD)
    start = np.datetime64(truth["start"], "h")
    assert [int((hour - start).astype(int)) for hour in recording.missing] == truth["missing"]
    seen = [recording.observed(quarter)[0] for quarter in range(4)]
    assert 0.5 < np.mean(seen) < 0.9


@pytest.mark.slow
def test_the_land_has_a_day_and_a_south(tmp_path):
    truth = standin.write(tmp_path, subjects=1, seconds=5, seed=0)
    series = np.array([truth["land_mean"][name] for name in goes.QUARTERS])
    daily = np.abs(np.fft.rfft(series[:, :48] - series[:, :48].mean(axis=1, keepdims=True)))
    np.testing.assert_array_equal(daily.argmax(axis=1), np.full(4, 2))  # Two days: two cycles.
    assert np.all(series[2:].mean(axis=1) > series[:2].mean(axis=1))


def test_the_same_seed_writes_the_same_temperatures(tmp_path):
    first, again, other = (standin.write(tmp_path / str(i), 1, 1, seed) for i, seed in enumerate((5, 5, 6)))
    assert first == again != other


def test_another_library_reads_the_files_as_netcdf(tmp_path):
    h5netcdf = pytest.importorskip("h5netcdf")
    standin.write(tmp_path, subjects=1, seconds=1, seed=0, gaps=False)
    for path in goes.index_hours(tmp_path).values():
        with h5netcdf.File(path, "r") as file:
            assert dict(file.dimensions.items()).keys() == {"y", "x"}
            assert file["LST"].dimensions == file["DQF"].dimensions == ("y", "x")
            assert file["x"][0] < file["x"][-1]
            assert file["y"][0] > file["y"][-1]
            counts = file["LST"][...].view(np.uint16)
            kelvin = counts * 0.0025 + 190
        celsius = goes.read_map(path)
        np.testing.assert_array_equal(np.isfinite(celsius), counts != 65535)
        np.testing.assert_allclose(celsius, np.where(counts == 65535, np.nan, kelvin - 273.15), atol=1e-4)
