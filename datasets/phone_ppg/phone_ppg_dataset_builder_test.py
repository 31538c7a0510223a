"""Tests of the builder of phone pulses."""

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets import testing
from datasets.phone_ppg import phone_ppg_dataset_builder, standin


@pytest.mark.slow
class PhonePpgTest(testing.StandInTest, tfds.testing.DatasetBuilderTestCase):
    """Three people of 12 seconds: two windows each."""

    DATASET_CLASS = phone_ppg_dataset_builder.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = ["split0"]
    STANDIN = standin
    SIZES = {"subjects": 3, "seconds": 12}
    SPLITS = {"train": 2, "validation": 2, "test": 2}

    def test_green_rises_and_falls_at_the_labeled_rate(self):
        for example, truth in self.examples_and_truth():
            assert abs(example["label"] - truth["heart_rate"]) < 3
            green = example["clip"][:, 0, 0, 1]
            power = np.abs(np.fft.rfft((green - green.mean()) * np.hanning(len(green)), 4096)) ** 2
            hertz = np.fft.rfftfreq(4096, 1 / example["rate"])
            beat = np.where((hertz > 0.6) & (hertz < 3.3), power, 0).argmax()
            assert abs(60 * hertz[beat] - example["label"]) < 3
