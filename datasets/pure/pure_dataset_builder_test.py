"""Tests of the PURE builder."""

import pytest
import tensorflow_datasets as tfds

from datasets import testing
from datasets.pure import pure_dataset_builder, standin


@pytest.mark.slow
class PureTest(testing.FacesTest, tfds.testing.DatasetBuilderTestCase):
    """Three subjects in both layouts, 6.6 seconds: one whole clip each, where the PPG overlaps."""

    DATASET_CLASS = pure_dataset_builder.Builder
    STANDIN = standin
    SIZES = {"subjects": 3, "seconds": 6.6}
    SPLITS = {"train": 2, "validation": 2, "test": 2}
