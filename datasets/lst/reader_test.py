import datetime

import numpy as np
import pytest

from datasets.lst import goes, lst_dataset_builder, reader, standin
from simper_tf.utils.errors import RawDataError

START, END = "2022-04-07T00", "2022-07-16T00"
SIZE = 4


def recording_of(maps, missing=()):
    land = np.isfinite(maps).any(axis=0)
    return reader.HourlyMaps(np.datetime64(START, "h"), maps.astype(np.float32), land, list(missing))


def noise(hours, gaps=0.3, seed=0):
    rng = np.random.default_rng(seed)
    maps = rng.uniform(-10, 40, (hours, 4, SIZE, SIZE))
    maps[rng.random(maps.shape) < gaps] = np.nan
    return maps


def write_hours(root, hours, skip=(), shape=(12, 20)):
    """Writes constant maps, `hour` degrees C at hour `hour`, all of it land."""
    for hour in set(range(hours)) - set(skip):
        path = root / standin.file_name(standin.START + datetime.timedelta(hours=hour))
        standin.write_map(path, np.full(shape, 273.15 + hour), np.ones(shape, bool), as_signed=hour % 2 == 0)


def test_a_missing_hour_is_a_gap_in_its_place(tmp_path):
    write_hours(tmp_path, 8, skip=(2, 3))
    recording = reader.read_hourly_maps(tmp_path, START, END, SIZE)
    assert [str(hour) for hour in recording.missing] == ["2022-04-07T02", "2022-04-07T03"]
    for hour in range(8):
        expected = np.nan if hour in (2, 3) else hour
        np.testing.assert_allclose(recording.maps[hour], np.full((4, SIZE, SIZE), expected), atol=0.01)
    example = reader.read_window(recording, reader.MapWindow(0, 0, 5, 3))
    assert not example["mask"][2:4].any()
    assert example["mask"][[0, 1, 4]].all()
    np.testing.assert_allclose(example["clip"][:, 0, 0, 0], [0, 1, 2, 3, 4], atol=0.01)
    np.testing.assert_allclose(example["label"], [5, 6, 7], atol=0.01)


def test_hours_outside_the_period_are_not_read(tmp_path):
    write_hours(tmp_path, 6)
    recording = reader.read_hourly_maps(tmp_path, "2022-04-07T01", "2022-04-07T05", SIZE)
    assert (str(recording.start), len(recording.maps)) == ("2022-04-07T01", 4)
    with pytest.raises(RawDataError, match="no ABI-L2-LSTC file"):
        reader.read_hourly_maps(tmp_path, "2023-04-07T01", "2023-04-07T05", SIZE)


def test_maps_of_two_shapes_are_refused_by_name(tmp_path):
    write_hours(tmp_path, 2)
    path = tmp_path / standin.file_name(standin.START + datetime.timedelta(hours=2))
    standin.write_map(path, np.full((14, 20), 280.0), np.ones((14, 20), bool))
    with pytest.raises(RawDataError, match=r"s20220970201171.*\(14, 20\) pixels beside others of \(12, 20\)"):
        reader.read_hourly_maps(tmp_path, START, END, SIZE)


def test_a_quarter_without_any_temperature_is_refused(tmp_path):
    retrieved = np.ones((12, 20), bool)
    retrieved[6:, 10:] = False
    standin.write_map(tmp_path / standin.file_name(standin.START), np.full((12, 20), 280.0), retrieved)
    with pytest.raises(RawDataError, match="no temperature in the quarter south_east"):
        reader.read_hourly_maps(tmp_path, START, END, SIZE)


def config(**changes):
    return lst_dataset_builder.LstConfig(name="test", **{"split": "region"} | changes)


@pytest.mark.slow
def test_overlapping_windows_are_one_subject_in_one_split():
    recording = recording_of(noise(900, gaps=0))
    sizes = {"window": 40, "horizon": 10, "stride": 10, "size": SIZE}
    examples = [reader.read_window(recording, reader.MapWindow(1, start, 40, 10)) for start in (0, 10, 40, 50, 90, 100)]
    stretches = [example["subject"].removeprefix(f"{goes.QUARTERS[1]}, stretch ") for example in examples]
    assert stretches == ["0", "0", "0", "1", "1", "2"]
    for rule in reader.RULES:
        splits, _ = reader.split_windows(recording, config(split=rule, **sizes))
        subjects = {split: {reader.read_window(recording, window)["subject"] for window in windows}
                 for split, windows in splits.items()}  # fmt: skip
        assert len(set.union(*subjects.values())) == sum(map(len, subjects.values()))


def sizes(splits):
    return {split: len(windows) for split, windows in splits.items()}


def test_by_region_one_quarter_tests_and_another_validates():
    splits, skipped = reader.split_windows(recording_of(np.zeros((2400, 4, 1, 1))), config())
    assert (sizes(splits), skipped) == ({"train": 276 - 92, "validation": 92, "test": 92}, [])
    quarters = {split: {goes.QUARTERS[window.quarter] for window in windows} for split, windows in splits.items()}
    north = {"north_west", "north_east"}
    assert quarters == {"train": north, "validation": {"south_west"}, "test": {"south_east"}}


def test_by_time_splits_follow_in_order_and_share_no_hour():
    splits, _ = reader.split_windows(recording_of(np.zeros((2400, 4, 1, 1))), config(split="time"))
    # Of the 92 windows of each quarter the last 23 test and 9 validate; 8 before each of these share hours with them.
    assert sizes(splits) == {"train": 4 * (92 - 23 - 8 - 9 - 8), "validation": 4 * 9, "test": 4 * 23}
    spans = [(min(w.start for w in windows), max(w.start for w in windows) + 200) for windows in splits.values()]
    assert spans[0][1] <= spans[1][0]
    assert spans[1][1] <= spans[2][0]
    assert all({window.quarter for window in windows} == set(range(4)) for windows in splits.values())


@pytest.mark.slow
def test_missing_hours_at_the_ends_change_no_windows_split(tmp_path):
    def windows(hours, skip=()):
        folder = tmp_path / f"{hours} {len(skip)}"
        folder.mkdir()
        write_hours(folder, hours, skip)
        recording = reader.read_hourly_maps(folder, START, "2022-04-08T16", SIZE)
        splits, _ = reader.split_windows(recording, config(split="time", window=4, horizon=2, stride=3))
        return [{reader.read_window(recording, window)["id"] for window in windows} for windows in splits.values()]

    whole = windows(40)
    # Starts 0, 3, ..., 33: the last three test from 27 on, 21 validates, and what ends by then trains.
    assert [len(side) for side in whole] == [4 * 6, 4, 4 * 3]
    for names, other in zip(windows(40, skip=(0, 1)), whole, strict=True):
        assert names == {name for name in other if not name.endswith("2022-04-07T00")}
    for names, other in zip(windows(38), whole, strict=True):
        assert names == {name for name in other if not name.endswith("2022-04-08T09")}
    # Of the first hours alone, all would train: their own last windows test and validate.
    assert [len(side) for side in windows(20)] == [4, 4, 4]


@pytest.mark.parametrize(("split", "hours"), [("region", 199), ("time", 700)])
def test_too_short_a_recording_is_refused_with_the_numbers(split, hours):
    with pytest.raises(RawDataError, match=f"{hours} hours: windows 0 for train, .*Fetch more hours"):
        reader.split_windows(recording_of(np.zeros((hours, 4, 1, 1))), config(split=split))


@pytest.mark.parametrize(
    "choice", [{"split": "regions"}, {"test_quarter": "South-East US"}, {"test_quarter": "south_west"}]
)
def test_unknown_splits_or_quarters_and_shared_ones_are_refused(choice):
    with pytest.raises(ValueError, match="split is one of"):
        reader.split_windows(recording_of(np.zeros((400, 4, 1, 1))), config(**choice))


def test_later_hours_leave_a_clip_and_earlier_ones_a_target():
    maps = noise(60)
    window = reader.MapWindow(1, 6, 24, 18)
    example = reader.read_window(recording_of(maps), window)
    later, earlier = maps.copy(), maps.copy()
    later[30:] = noise(30, seed=1)
    earlier[:30] = noise(30, seed=2)
    with_other_future = reader.read_window(recording_of(later), window)
    with_other_past = reader.read_window(recording_of(earlier), window)
    for name in ("clip", "mask"):
        np.testing.assert_array_equal(with_other_future[name], example[name])
    for name in ("label", "observed"):
        np.testing.assert_array_equal(with_other_past[name], example[name])
    assert not np.array_equal(with_other_future["label"], example["label"])
    assert not np.array_equal(with_other_past["clip"], example["clip"])


def test_a_window_without_gaps_is_the_maps_and_their_land_mean():
    maps = noise(50, gaps=0)
    maps[:, :, 0] = np.nan  # Sea.
    example = reader.read_window(recording_of(maps), reader.MapWindow(2, 3, 24, 20))
    np.testing.assert_array_equal(example["clip"][:, 1:, :, 0], maps[3:27, 2, 1:].astype(np.float32))
    # Where nothing is ever measured stands the mean of the map at that hour.
    np.testing.assert_allclose(example["clip"][:, 0, 0, 0], maps[3:27, 2, 1:].mean(axis=(1, 2)), atol=1e-4)
    np.testing.assert_array_equal(example["mask"][..., 0], np.isfinite(maps[3:27, 2]))
    np.testing.assert_allclose(example["label"], maps[27:47, 2, 1:].mean(axis=(1, 2)), atol=1e-4)
    np.testing.assert_array_equal(example["observed"], np.ones(20))
    assert (example["id"], example["quarter"]) == ("south_west_2022-04-07T03", "south_west")
    assert example["rate"] == np.float32(1 / 3600)
    assert example["clip"].dtype == example["label"].dtype == np.float32


def test_gaps_are_filled_by_line_hour_of_day_cell_then_map():
    hours = np.arange(72)
    maps = np.tile((10 + np.cos(hours * np.pi / 12))[:, None, None], (1, 2, 2))
    maps[:, 0, 1] += hours  # A cell with a trend.
    truth = maps.copy()
    maps[30:33, 0, 0] = np.nan  # Three hours: bridged by a line.
    maps[40:44, 0, 0] = np.nan  # Four: the same hours of the other two days.
    maps[5::24, 0, 1] = np.nan  # One hour, but never seen at the ends of its bridge...
    maps[4::24, 0, 1] = maps[6::24, 0, 1] = maps[7::24, 0, 1] = np.nan  # ...nor on another day: the cell's mean.
    maps[:, 1, 1] = np.nan  # Never seen: the mean of the map.
    filled = reader.fill_gaps(maps.astype(np.float32))
    np.testing.assert_allclose(filled[30:33, 0, 0], np.interp([30, 31, 32], [29, 33], truth[[29, 33], 0, 0]), rtol=1e-5)
    np.testing.assert_allclose(filled[40:44, 0, 0], truth[40:44, 0, 0], rtol=1e-5)
    np.testing.assert_allclose(filled[5::24, 0, 1], np.full(3, np.nanmean(maps[:, 0, 1])), rtol=1e-5)
    others = filled[:, [0, 0, 1], [0, 1, 0]].mean(axis=1)
    np.testing.assert_allclose(filled[:, 1, 1], others, rtol=1e-5)
    assert filled.dtype == np.float32
    np.testing.assert_array_equal(filled[np.isfinite(maps)], maps[np.isfinite(maps)].astype(np.float32))


def test_a_window_of_too_many_missing_hours_is_left_out_by_name():
    maps = noise(96, gaps=0)
    maps[30:40] = np.nan
    maps[40:60, 3] = np.nan  # Clouds over all of one quarter for longer.
    splits, skipped = reader.split_windows(recording_of(maps), config(window=12, horizon=12, stride=24))
    assert skipped[0] == "north_west, window from 2022-04-08T00: 50% of its hours are missing"
    assert [window.start for window in splits["train"] if window.quarter == 0] == [0, 48, 72]
    assert [window.start for window in splits["test"]] == [0, 72]
    assert len(skipped) == 5


def test_a_window_of_few_missing_hours_is_kept_and_tells_them():
    maps = noise(48, gaps=0)
    maps[14:16] = np.nan
    recording = recording_of(maps)
    splits, skipped = reader.split_windows(recording, config(window=12, horizon=12, stride=24))
    example = reader.read_window(recording, splits["train"][0])
    assert not skipped
    np.testing.assert_array_equal(example["observed"], [1, 1, 0, 0, *[1] * 8])
    assert np.isfinite(example["label"]).all()
