"""Tests of the SCAMPS builder."""

import numpy as np
import pytest
import tensorflow_datasets as tfds

from datasets import testing
from datasets.scamps import scamps_dataset_builder, standin
from simper_tf.data import standin_faces


@pytest.mark.slow
class ScampsTest(testing.FacesTest, tfds.testing.DatasetBuilderTestCase):
    """Four files of 20 seconds, frames higher than wide."""

    DATASET_CLASS = scamps_dataset_builder.Builder
    STANDIN = standin
    SIZES = {"subjects": 4, "seconds": 20, "height": 32, "width": 24}
    SKIN = np.s_[:]  # The face is too small here to be cut into.
    SPLITS = {"train": 2, "validation": 1, "test": 1}


@pytest.mark.slow
def test_beam_builds_the_same_set(tmp_path):
    standin.write(tmp_path / "raw", subjects=3, seconds=4, look=standin_faces.CLEAN, height=12, width=8)
    config = scamps_dataset_builder.ScampsConfig(name="small", size=8, window=60, stride=60)
    first, _ = testing.build_both_ways(
        lambda folder: scamps_dataset_builder.Builder(data_dir=folder, config=config), tmp_path / "raw", tmp_path
    )
    assert {split: info.num_examples for split, info in first.info.splits.items()} == dict.fromkeys(
        ("train", "validation", "test"), 2
    )
