"""Tests of the Countix builder, on a stand-in of 4-second videos."""

import pathlib
import tempfile

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets import testing
from datasets.countix import countix_dataset_builder, standin
from simper_tf.utils.errors import RawDataError

Config = countix_dataset_builder.CountixConfig
SMALL = {"num_frames": 80, "size": 24}


@pytest.mark.slow
class CountixTest(tfds.testing.DatasetBuilderTestCase):
    """The set builds from a stand-in."""

    DATASET_CLASS = countix_dataset_builder.Builder
    SPLITS = {"train": 5, "validation": 4, "test": 3}
    BUILDER_CONFIG_NAMES_TO_TEST = [Config(name="small", **SMALL)]

    @classmethod
    def setUpClass(cls):
        cls.EXAMPLE_DIR = tempfile.mkdtemp()
        standin.write(cls.EXAMPLE_DIR, subjects=3, seconds=4)
        super().setUpClass()


def make(data_dir):
    return countix_dataset_builder.Builder(data_dir=data_dir, config=Config(name="small", **SMALL))


def prepare(manual_dir, data_dir):
    builder = make(data_dir)
    builder.download_and_prepare(download_config=tfds.download.DownloadConfig(manual_dir=manual_dir))
    return builder


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    return folder, standin.write(folder, subjects=2, seconds=4)


@pytest.mark.slow
def test_the_built_set_has_true_counts_and_names_each_skip(raw, tmp_path):
    folder, truth = raw
    builder = prepare(folder, tmp_path)
    for split, name in (("train", "train"), ("val", "validation"), ("test", "test")):
        rows = {row["row"]: row for row in truth[split]}
        built = list(tfds.as_numpy(builder.as_dataset(split=name)))
        counts = {int(record["id"].decode().rsplit("_", 1)[1]): record["count"] for record in built}
        assert counts == {row: entry["count"] for row, entry in rows.items() if entry["usable"] is True}
        lines = pathlib.Path(builder.data_dir, f"skipped_{name}.txt").read_text().splitlines()
        left_out = [entry["video_id"] for entry in rows.values() if entry["usable"] is not True]
        assert len(lines) == len(left_out)
        assert all(any(video_id in line for line in lines) for video_id in left_out)
        for record in built:
            assert (record["clip"].dtype, record["clip"].shape) == (np.uint8, (80, 24, 24, 3))
            assert record["label"] == record["count"]
            assert record["id"].startswith(record["subject"] + b"_")
            assert 20 < record["rate"] < 30
            assert (record["class"] == b"") == (split == "test")


@pytest.mark.slow
def test_beam_builds_the_same_set_report_and_skips(tmp_path):
    raw = tmp_path / "raw"
    standin.write(raw, subjects=2, seconds=4)
    damaged = min((raw / "videos" / "test").rglob("*.mp4"))
    damaged.write_bytes(damaged.read_bytes()[:100])
    builders = testing.build_both_ways(make, raw, tmp_path)
    assert [builder.info.splits["test"].num_examples for builder in builders] == [1, 1]
    assert damaged.name in pathlib.Path(builders[1].data_dir, "skipped_test.txt").read_text()
    for split in ("train", "validation", "test"):
        reports = [pathlib.Path(builder.data_dir, f"skipped_{split}.txt") for builder in builders]
        assert sorted(reports[0].read_text().splitlines()) == sorted(reports[1].read_text().splitlines())


@pytest.mark.slow
def test_a_split_none_of_whose_videos_is_there_is_not_built(tmp_path):
    raw = tmp_path / "raw"
    standin.write(raw, subjects=1, seconds=4)
    for split in ("train", "test"):
        (raw / "videos" / split).rename(tmp_path / split)
    assert list(prepare(raw, tmp_path / "built").info.splits) == ["validation"]
    (raw / "videos" / "val").rename(tmp_path / "val")
    with pytest.raises(RawDataError, match="none of the annotated videos"):
        prepare(raw, tmp_path / "none")
    assert not list((tmp_path / "none").rglob("*.tfrecord*"))


def test_the_default_config_is_the_paper():
    default = countix_dataset_builder.Builder.BUILDER_CONFIGS[0]
    assert (default.name, default.num_frames, default.size, default.fit) == ("resample", 200, 96, "resample")
