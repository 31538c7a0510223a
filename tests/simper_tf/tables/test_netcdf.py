"""Series in netCDF, before version 4 and in HDF5, and arrays with axes of length 1."""

import h5py
import numpy as np
import pytest
import scipy.io

from simper_tf.recordings import sources
from simper_tf.tables import series_files
from simper_tf.utils.errors import RawDataError

COUNT = 96
WAVE = np.sin(np.arange(COUNT) / 3)
DAYS = np.arange(COUNT) + 25000.0
SINCE = {"units": "days since 1950-01-01"}


def classic(path, arrays, version=1, **settings):
    """Writes named pairs of values and attributes as netCDF before version 4, and returns the path."""
    with scipy.io.netcdf_file(path, "w", version=version) as file:
        for name, (values, about) in arrays.items():
            sides = [f"{name}{number}" for number in range(values.ndim)]
            for side, size in zip(sides, values.shape, strict=True):
                file.createDimension(side, size)
            item = file.createVariable(name, values.dtype, sides)
            item[:] = values
            for key, value in about.items():
                setattr(item, key, value)
        for key, value in settings.items():
            setattr(file, key, value)
    return path


def in_hdf5(path, arrays, **settings):
    """Writes what `classic` does as HDF5."""
    with h5py.File(path, "w") as file:
        for name, (values, about) in arrays.items():
            file[name] = values
            file[name].attrs.update(about)
        file.attrs.update(settings)
    return path


@pytest.fixture(params=[classic, in_hdf5])
def written(request, tmp_path):
    return lambda arrays, **settings: request.param(tmp_path / "a.nc", arrays, **settings)


def check(found, step=86400.0, count=COUNT):
    np.testing.assert_allclose(found.times, step * np.arange(COUNT)[-count:] - step * (COUNT - count))
    wave = WAVE[-count:]
    np.testing.assert_allclose(found.values[:, 0], (wave - wave.mean()) / wave.std(), atol=1e-3)


@pytest.mark.parametrize(
    ("units", "step"),
    [("seconds since 1970-01-01T00:00:00Z", 1.0), ("Days since 1950-1-1", 86400.0), ("hours since 1900-01-01", 3600.0),
     ("milliseconds since 2020-01-01", 1e-3), ("min since start", 60.0), ("ms", 1e-3)],
)  # fmt: skip
def test_units_of_times_in_netcdf_are_those_of_their_attribute(written, units, step):
    check(series_files.series_of(written({"time": (10 * DAYS, {"units": units}), "sst": (WAVE, {})})), 10 * step)


def test_units_since_a_date_tell_times_of_any_name(written):
    arrays = {"JULD": (DAYS, SINCE), "sst": (WAVE, {}), "lat": (np.array([40.0]), {})}
    found = series_files.series_of(written(arrays))
    check(found)
    assert found.names == ("sst",)


@pytest.mark.parametrize("key", ["_FillValue", "missing_value"])
def test_packed_values_of_netcdf_are_unpacked(written, key):
    packed = np.round(1000 * WAVE).astype(np.int16)
    packed[0] = -32768
    about = {"scale_factor": 0.01, "add_offset": 273.15, key: np.int16(-32768)}
    found = series_files.series_of(written({"time": (DAYS, SINCE), "sst": (packed, about)}))
    check(found, count=COUNT - 1)


@pytest.mark.parametrize("shape", [(COUNT, 1, 1), (1, 1, COUNT), (1, COUNT, 1, 1)])
def test_axes_of_length_one_leave_a_series(written, tmp_path, shape):
    check(series_files.series_of(written({"time": (DAYS, SINCE), "sst": (WAVE.reshape(shape), {})})))
    scipy.io.savemat(tmp_path / "a.mat", {"t": np.arange(COUNT) * 0.5, "x": WAVE.reshape(shape)})
    check(series_files.series_of(tmp_path / "a.mat"), 0.5)


def test_a_map_at_each_time_is_no_series(written):
    with pytest.raises(RawDataError, match="found no series among"):
        series_files.series_of(written({"sst": (np.zeros((COUNT, 3, 4)), {})}))


def test_a_setting_of_the_whole_file_states_its_rate(written):
    check(series_files.series_of(written({"x": (WAVE, {})}, sampling_rate=50.0)), 1 / 50)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["a.nc", "a.bin", "noending"])
def test_netcdf_is_told_by_its_first_bytes(tmp_path, version, name):
    path = classic(tmp_path / name, {"time": (DAYS, SINCE), "x": (WAVE, {})}, version)
    source = sources.open_file(path)
    source.info()
    assert source.names == ("x",)


def test_netcdf_cut_off_or_of_another_version_is_refused(tmp_path):
    path = classic(tmp_path / "a.nc", {"time": (DAYS, SINCE), "x": (WAVE, {})})
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    with pytest.raises(RawDataError, match="found what cannot be read"):
        series_files.series_of(path)
    path.write_bytes(b"CDF\5" + content[4:])
    with pytest.raises(RawDataError, match=r"found netCDF of version 5; expected 1, 2 or 4\. Convert it: nccopy"):
        series_files.series_of(path)
