import h5py
import numpy as np
import pytest

from datasets.lst import goes, standin
from simper_tf.utils.errors import RawDataError

NAME = "OR_ABI-L2-LSTC-M6_G16_s20221850301180_e20221850303553_c20221850305091.nc"
RESOLUTION = 0.0025  # Kelvin for a count.


@pytest.fixture
def kelvin():
    return np.random.default_rng(0).uniform(240, 330, (30, 50))


def edges(pixels, cells):
    """The share of each pixel in each cell, `(cells, pixels)`, by its definition."""
    shares = np.zeros((cells, pixels))
    for cell in range(cells):
        low, high = cell * pixels / cells, (cell + 1) * pixels / cells
        for pixel in range(pixels):
            shares[cell, pixel] = max(0, min(high, pixel + 1) - max(low, pixel))
    return shares


def explicit_area_mean(celsius, size):
    """The area mean and the coverage of each cell, pixel by pixel."""
    rows, columns = (edges(side, size) for side in celsius.shape)
    measured = np.isfinite(celsius)
    area = rows @ measured @ columns.T
    with np.errstate(invalid="ignore"):
        mean = rows @ np.where(measured, celsius, 0).astype(float) @ columns.T / area
    return mean, area / (rows.sum(axis=1)[0] * columns.sum(axis=1)[0])


def test_files_are_parsed_in_the_bounded_process(tmp_path, kelvin, monkeypatch):
    standin.write_map(tmp_path / NAME, kelvin, kelvin < 320)
    monkeypatch.setattr(goes, "_map", None)
    assert goes.read_map(tmp_path / NAME).shape == (30, 50)


@pytest.mark.parametrize("as_signed", [True, False], ids=["int16 with _Unsigned", "uint16"])
def test_both_spellings_give_the_temperatures_and_the_gaps(tmp_path, kelvin, as_signed):
    retrieved = kelvin < 320
    standin.write_map(tmp_path / NAME, kelvin, retrieved, as_signed)
    with h5py.File(tmp_path / NAME) as file:
        assert file["LST"].dtype == (np.int16 if as_signed else np.uint16)
        assert file["LST"].attrs["_FillValue"][0] == (-1 if as_signed else 65535)
    celsius = goes.read_map(tmp_path / NAME)
    assert celsius.dtype == np.float32
    np.testing.assert_array_equal(np.isfinite(celsius), retrieved)
    np.testing.assert_allclose(celsius[retrieved], kelvin[retrieved] - 273.15, atol=RESOLUTION / 2 + 1e-4)


def test_counts_outside_the_valid_range_are_no_temperatures(tmp_path, kelvin):
    kelvin[0, 0], kelvin[0, 1] = 343.1, 343.0  # 343 K is count 61200, the last valid one.
    standin.write_map(tmp_path / NAME, kelvin, np.ones(kelvin.shape, bool))
    celsius = goes.read_map(tmp_path / NAME)
    assert np.isnan(celsius[0, 0])
    assert celsius[0, 1] == pytest.approx(69.85, abs=0.001)


def test_a_map_that_lies_in_another_file_is_refused(tmp_path, kelvin):
    standin.write_map(tmp_path / "other", kelvin, np.ones(kelvin.shape, bool))
    standin.write_map(tmp_path / NAME, kelvin, np.ones(kelvin.shape, bool))
    with h5py.File(tmp_path / NAME, "r+") as file:
        del file["DQF"]
        file["DQF"] = h5py.ExternalLink("other", "DQF")
    with pytest.raises(RawDataError, match=r"\.nc: found ValueError: DQF is a link to DQF in other"):
        goes.read_map(tmp_path / NAME)


VALUES_2022 = {"flag_values": np.arange(4, dtype=np.uint8), "flag_meanings": np.bytes_(" ".join(standin.FLAGS))}
BIT_NAMES = "good_qf invalid_input_qf cloudy_qf degraded_lza_qf water_qf out_of_range_qf"
BITS = np.array([2, 4, 8, 16, 32], np.uint8)
MASKS = {"flag_masks": BITS, "flag_meanings": BIT_NAMES.removeprefix("good_qf ")}
MASKED_VALUES = {
    "flag_masks": np.array([62, 2, 4, 8, 16, 32], np.uint8),
    "flag_values": np.array([0, 2, 4, 8, 16, 32], np.uint8),
    "flag_meanings": BIT_NAMES,
}


@pytest.mark.parametrize(
    ("meaning", "kept", "rejected"),
    [
        (VALUES_2022, [0, 1, 2], [3, 4, 255]),
        (MASKS, [0, 8, 16, 24], [2, 4, 32, 12, 64, 255]),
        (MASKED_VALUES, [0, 8, 16, 24], [2, 4, 32, 12, 255]),
    ],
    ids=["values of 2022", "bit masks", "masks with values"],
)
@pytest.mark.parametrize("as_signed", [True, False])
def test_quality_flags_are_read_by_their_meaning(tmp_path, kelvin, meaning, kept, rejected, as_signed):
    codes = np.array([*kept, *rejected], np.uint8)
    flags = np.resize(codes, kelvin.shape)
    standin.write_map(tmp_path / NAME, kelvin, np.ones(kelvin.shape, bool), as_signed, (flags, meaning))
    np.testing.assert_array_equal(np.isfinite(goes.read_map(tmp_path / NAME)), np.isin(flags, kept))


def test_flags_that_never_say_no_retrieval_are_refused(tmp_path, kelvin):
    meaning = {"flag_values": np.arange(2, dtype=np.uint8), "flag_meanings": "day night"}
    standin.write_map(tmp_path / NAME, kelvin, np.ones(kelvin.shape, bool), True, (np.zeros(kelvin.shape), meaning))
    with pytest.raises(RawDataError, match="flag_meanings"):
        goes.read_map(tmp_path / NAME)


@pytest.mark.parametrize(
    ("attribute", "value", "found"),
    [
        ("units", "degC", "degC"),
        ("scale_factor", 1.0, "temperatures of"),
        ("add_offset", 0.0, "temperatures of"),
        ("scale_factor", None, "KeyError"),
        ("_FillValue", None, "KeyError"),
        ("_FillValue", 0.5, "whole numbers"),
    ],
)
def test_an_attribute_that_cannot_be_is_refused_with_the_file(tmp_path, kelvin, attribute, value, found):
    standin.write_map(tmp_path / NAME, kelvin, np.ones(kelvin.shape, bool))
    with h5py.File(tmp_path / NAME, "r+") as file:
        del file["LST"].attrs[attribute]
        if value is not None:
            file["LST"].attrs[attribute] = value
    with pytest.raises(RawDataError, match=rf"LSTC.*found.*{found}"):
        goes.read_map(tmp_path / NAME)


def test_a_truncated_file_is_refused_by_name(tmp_path, kelvin):
    standin.write_map(tmp_path / NAME, kelvin, np.ones(kelvin.shape, bool))
    content = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(content[: len(content) // 2])
    with pytest.raises(RawDataError, match=r"20221850305091\.nc: found OSError"):
        goes.read_map(tmp_path / NAME)


def test_an_area_mean_equals_the_explicit_one_to_a_hundredth(tmp_path, kelvin):
    retrieved = np.random.default_rng(1).random(kelvin.shape) < 0.6
    retrieved[:10, :17] = False
    standin.write_map(tmp_path / NAME, kelvin, retrieved)
    truth, coverage = explicit_area_mean(np.where(retrieved, kelvin - 273.15, np.nan), 4)
    mean = goes.area_mean(goes.read_map(tmp_path / NAME), 4)
    assert mean.dtype == np.float32
    np.testing.assert_array_equal(np.isfinite(mean), coverage >= goes.LEAST_COVERAGE)
    assert np.isnan(mean[0, 0])
    np.testing.assert_allclose(mean[np.isfinite(mean)], truth[np.isfinite(mean)], atol=0.01)


def test_an_area_mean_of_the_full_quarter_is_exact_too():
    rng = np.random.default_rng(0)
    celsius = np.where(rng.random((750, 1250)) < 0.7, rng.uniform(-40, 60, (750, 1250)), np.nan).astype(np.float32)
    np.testing.assert_allclose(goes.area_mean(celsius, 100), explicit_area_mean(celsius, 100)[0], atol=1e-3)


def test_fewer_pixels_than_cells_are_refused():
    with pytest.raises(ValueError, match=r"30 x 30 cells cannot be averaged from \(20, 40\) pixels"):
        goes.area_mean(np.zeros((20, 40), np.float32), 30)


def test_quarters_are_named_with_north_up_and_west_left():
    image = np.array([[0, 1], [2, 3]]).repeat(4, 0).repeat(6, 1)
    assert goes.QUARTERS == ("north_west", "north_east", "south_west", "south_east")
    for index, quarter in enumerate(goes.quarters(image)):
        assert quarter.shape == (4, 6)
        assert np.all(quarter == index)


@pytest.mark.parametrize(
    ("name", "hour"),
    [
        (NAME, "2022-07-04T03"),
        (NAME.replace("s2022185", "s2022097"), "2022-04-07T03"),
        (NAME.replace("s2022185", "s2022196"), "2022-07-15T03"),
        (NAME.replace("s2022185", "s2020366"), "2020-12-31T03"),
        (NAME.replace("s2022185", "s2022000"), None),
        (NAME.replace("s202218503", "s202218524"), None),
        (NAME.replace("G16", "G17"), None),
        (NAME.replace("LSTC", "LSTF"), None),
        (NAME + ".part", None),
    ],
)
def test_the_name_tells_the_hour(name, hour):
    assert goes.hour_of(name) == (hour and np.datetime64(hour, "h"))


def test_of_two_files_of_an_hour_the_later_made_is_taken(tmp_path):
    later = NAME.replace("c20221850305091", "c20221860000000")
    for folder, name in (("a", later), ("b", NAME), ("c", "index.nc")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).touch()
    assert goes.index_hours(tmp_path) == {np.datetime64("2022-07-04T03", "h"): tmp_path / "a" / later}
