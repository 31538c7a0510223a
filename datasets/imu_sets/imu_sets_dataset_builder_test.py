"""Tests of the builder of sets of exercises."""

import json
import pathlib
import tempfile

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets.imu_sets import imu_sets_dataset_builder, standin


@pytest.mark.slow
class ImuSetsTest(tfds.testing.DatasetBuilderTestCase):
    """One set of each of six exercises: two of each folder."""

    DATASET_CLASS = imu_sets_dataset_builder.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = ["arms"]
    SPLITS = {"train": 2, "validation": 2, "test": 2}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.EXAMPLE_DIR = folder.name
        standin.write(folder.name, subjects=6, seconds=30)
        super().setUpClass()

    def test_acceleration_repeats_as_often_as_the_label_says(self):
        truth = json.loads(pathlib.Path(self.EXAMPLE_DIR, "truth.json").read_text(encoding="utf-8"))
        self._download_and_prepare_as_dataset(self.builder)
        for split in self.SPLITS:
            for example in tfds.as_numpy(self.builder.as_dataset(split=split)):
                assert example["label"] == truth[example["id"].decode()]["count"]
                clip = example["clip"][:, 0, 0]
                power = np.abs(np.fft.rfft(clip - clip.mean(0), 4096, axis=0)) ** 2
                cycles = np.arange(len(power)) * len(clip) / 4096
                strongest = cycles[np.where(cycles > 2, power.sum(1), 0).argmax()]
                assert min(abs(strongest - multiple * example["label"]) for multiple in (1, 2)) < 1.5
