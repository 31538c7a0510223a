"""Tests of the land surface temperature builder, on a stand-in of a few dozen hours."""

import pathlib
import tempfile

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets.lst import goes, lst_dataset_builder, reader, standin

Config = lst_dataset_builder.LstConfig
SMALL = {"window": 12, "horizon": 8, "stride": 6, "size": 10}


@pytest.mark.slow
class LstTest(tfds.testing.DatasetBuilderTestCase):
    """A split by region: 60 hours give 7 windows of each of the four quarters."""

    DATASET_CLASS = lst_dataset_builder.Builder
    SPLITS = {"train": 14, "validation": 7, "test": 7}
    BUILDER_CONFIG_NAMES_TO_TEST = [Config(name="small", split="region", **SMALL)]

    @classmethod
    def setUpClass(cls):
        cls.EXAMPLE_DIR = tempfile.mkdtemp()
        standin.write(cls.EXAMPLE_DIR, subjects=1, seconds=6, gaps=False)
        super().setUpClass()


@pytest.mark.slow
class LstByTimeTest(LstTest):
    """A split by time: of 14 hours from 0, 6, ..., 42 the last two test, those from 18 validate, from 0 train."""

    SPLITS = {"train": 4, "validation": 4, "test": 8}
    BUILDER_CONFIG_NAMES_TO_TEST = [Config(name="small_time", **SMALL | {"window": 6})]


def prepare(manual_dir, data_dir):
    builder = lst_dataset_builder.Builder(data_dir=data_dir, config=Config(name="small", split="region", **SMALL))
    builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=manual_dir))
    return builder


@pytest.fixture(scope="module")
def cloudy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    return folder, standin.write(folder, subjects=1, seconds=4, clouds=0.2)


@pytest.mark.slow
def test_a_built_example_equals_the_one_read_alone(cloudy, tmp_path):
    builder = prepare(cloudy[0], tmp_path)
    recording = reader.read_hourly_maps(cloudy[0], "2022-04-07T00", "2022-07-16T00", SMALL["size"])
    splits, _ = reader.split_windows(recording, builder.builder_config)
    alone = {example["id"]: example for example in (reader.read_window(recording, w) for w in splits["test"])}
    built = list(tfds.as_numpy(builder.as_dataset(split="test")))
    assert {record["id"].decode() for record in built} == alone.keys()
    for record in built:
        expected = alone[record["id"].decode()]
        assert goes.QUARTERS[record["quarter"]] == expected["quarter"] == "south_east"
        for name in ("clip", "mask", "label", "observed", "rate"):
            np.testing.assert_array_equal(record[name], expected[name])


@pytest.mark.slow
def test_labels_are_the_true_land_mean_where_all_of_it_is_seen(tmp_path):
    truth = standin.write(tmp_path / "raw", subjects=1, seconds=4, clouds=0, gaps=False)
    for record in tfds.as_numpy(prepare(tmp_path / "raw", tmp_path).as_dataset(split="train+test")):
        quarter, start = record["id"].decode().rsplit("_", 1)
        first = int((np.datetime64(start, "h") - np.datetime64(truth["start"], "h")).astype(int)) + SMALL["window"]
        expected = truth["land_mean"][quarter][first : first + SMALL["horizon"]]
        np.testing.assert_allclose(record["label"], expected, atol=0.01)


@pytest.mark.slow
def test_missing_hours_are_written_to_the_report(cloudy, tmp_path):
    report = pathlib.Path(prepare(cloudy[0], tmp_path).data_dir, "skipped.txt").read_text()
    assert "found 40 hours from 2022-04-07T00" in report
    assert report.count("No file for 2022-04-0") == len(cloudy[1]["missing"]) == 5


def test_the_default_config_is_the_paper():
    default = lst_dataset_builder.Builder.BUILDER_CONFIGS[0]
    assert (default.name, default.split) == ("time", "time")
    assert (default.window, default.horizon, default.stride, default.size) == (100, 100, 24, 100)
    assert np.datetime64(default.end, "h") - np.datetime64(default.start, "h") == np.timedelta64(2400, "h")
