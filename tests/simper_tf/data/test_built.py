"""Built data sets of which some clips alone are taken."""

import numpy as np

from simper_tf.data.built import ClipData


def test_labeled_clips_are_those_whose_labels_are_known():
    rows = {"train": np.array([1, 4, 5, 9]), "test": np.array([2, 3])}
    labeled = ClipData(None).take(rows, np.array([True, False, True, False])).labeled()
    assert {name: taken.tolist() for name, taken in labeled.rows.items()} == {"train": [1, 5], "test": [2, 3]}
    assert labeled.labeled() is labeled
