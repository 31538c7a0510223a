"""Tests of the builder of phone pulses."""

import json
import pathlib
import tempfile

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets.phone_ppg import phone_ppg_dataset_builder, standin


@pytest.mark.slow
class PhonePpgTest(tfds.testing.DatasetBuilderTestCase):
    """Three people of 12 seconds: two windows each."""

    DATASET_CLASS = phone_ppg_dataset_builder.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = ["split0"]
    SPLITS = {"train": 2, "validation": 2, "test": 2}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.EXAMPLE_DIR = folder.name
        standin.write(folder.name, subjects=3, seconds=12)
        super().setUpClass()

    def test_green_rises_and_falls_at_the_labeled_rate(self):
        truth = json.loads(pathlib.Path(self.EXAMPLE_DIR, "truth.json").read_text(encoding="utf-8"))
        self._download_and_prepare_as_dataset(self.builder)
        for split in self.SPLITS:
            for example in tfds.as_numpy(self.builder.as_dataset(split=split)):
                true = truth[example["id"].decode().split("/")[0]]["heart_rate"]
                assert abs(example["label"] - true) < 3
                green = example["clip"][:, 0, 0, 1]
                power = np.abs(np.fft.rfft((green - green.mean()) * np.hanning(len(green)), 4096)) ** 2
                hertz = np.fft.rfftfreq(4096, 1 / example["rate"])
                beat = np.where((hertz > 0.6) & (hertz < 3.3), power, 0).argmax()
                assert abs(60 * hertz[beat] - example["label"]) < 3
