"""Tests of the builder of drawn faces, on one person a split."""

import dataclasses
import tempfile

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets.drawn_faces import disturbance, drawn_faces_dataset_builder, people
from simper_tf.evaluation import tasks

Builder = drawn_faces_dataset_builder.Builder
FEW = {"train_people": 1, "validation_people": 1, "test_people": 1}


@pytest.mark.slow
class DrawnFacesTest(tfds.testing.DatasetBuilderTestCase):
    """Every config builds, from no raw files."""

    DATASET_CLASS = Builder
    SPLITS = {"train": 10, "validation": 10, "test": 10}
    BUILDER_CONFIG_NAMES_TO_TEST = [
        dataclasses.replace(config, name=f"{config.name}_few", **FEW) for config in DATASET_CLASS.BUILDER_CONFIGS
    ]

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()  # TFDS wants one of raw files, which there are none of.
        cls.addClassCleanup(folder.cleanup)
        cls.EXAMPLE_DIR = folder.name
        super().setUpClass()


def test_each_look_is_a_config_of_60_15_and_25_people():
    assert [config.look for config in Builder.BUILDER_CONFIGS] == list(disturbance.LOOKS)
    for config in Builder.BUILDER_CONFIGS:
        assert config.name == config.look
        assert (config.train_people, config.validation_people, config.test_people) == (60, 15, 25)


@pytest.mark.slow
def test_splits_keep_order_share_nobody_and_labels_fit_the_task(tmp_path):
    config = drawn_faces_dataset_builder.DrawnFacesConfig(name="few", look="turning", **FEW)
    builder = Builder(data_dir=tmp_path, config=config)
    builder.download_and_prepare()
    task = tasks.from_metadata(builder.info.metadata["task"])
    assert (task.unit, task.limits(180, 30.0)) == ("bpm", people.HEART_RATES)
    for split in ("train", "validation", "test"):
        built = list(tfds.as_numpy(builder.as_dataset(split=split)))
        assert [clip["id"].decode() for clip in built] == [f"{split}-000-{k:02d}" for k in range(10)]
        assert {clip["subject"].decode() for clip in built} == {f"{split}-000"}
        assert all(people.HEART_RATES[0] <= clip["label"] <= people.HEART_RATES[1] for clip in built)
        alone = people.clip_record(split, 3, "turning")
        for name in ("clip", "label", "rate", "ppg"):
            np.testing.assert_array_equal(built[3][name], alone[name])
