"""Tests of the UBFC-rPPG builder."""

import pytest
import tensorflow_datasets as tfds

from datasets import testing
from datasets.ubfc import standin, ubfc_dataset_builder


@pytest.mark.slow
class UbfcTest(testing.FacesTest, tfds.testing.DatasetBuilderTestCase):
    """Three subjects of 12.3 seconds: two whole clips each, and a rest."""

    DATASET_CLASS = ubfc_dataset_builder.Builder
    STANDIN = standin
    SIZES = {"subjects": 3, "seconds": 12.3}
    SPLITS = {"train": 2, "validation": 2, "test": 2}
