"""Tests of the builder of sets of exercises."""

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets import testing
from datasets.imu_sets import imu_sets_dataset_builder, standin


@pytest.mark.slow
class ImuSetsTest(testing.StandInTest, tfds.testing.DatasetBuilderTestCase):
    """One set of each of six exercises: two of each folder."""

    DATASET_CLASS = imu_sets_dataset_builder.Builder
    BUILDER_CONFIG_NAMES_TO_TEST = ["arms"]
    STANDIN = standin
    SIZES = {"subjects": 6, "seconds": 30}
    SPLITS = {"train": 2, "validation": 2, "test": 2}

    def test_acceleration_repeats_as_often_as_the_label_says(self):
        for example, truth in self.examples_and_truth():
            assert example["label"] == truth["count"]
            clip = example["clip"][:, 0, 0]
            power = np.abs(np.fft.rfft(clip - clip.mean(0), 4096, axis=0)) ** 2
            cycles = np.arange(len(power)) * len(clip) / 4096
            strongest = cycles[np.where(cycles > 2, power.sum(1), 0).argmax()]
            assert min(abs(strongest - multiple * example["label"]) for multiple in (1, 2)) < 1.5
