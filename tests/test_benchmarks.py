"""The references that speed is measured against do the same work as the package."""

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import reference
from simper_tf import augment, neighbors, similarity

RNG = np.random.default_rng(0)


def test_the_speed_change_of_the_reference_is_that_of_the_package():
    clips, speeds = RNG.integers(0, 256, (2, 40, 6, 5, 3)).astype(np.uint8), tf.constant([[1.6, 0.7], [1.0, 2.0]])
    expected = reference.change_speeds(clips, speeds, 20)
    np.testing.assert_allclose(augment.resample(clips, tf.zeros([2, 2]), speeds, 20), expected, atol=2e-2)


def test_the_interpolation_of_the_reference_is_that_of_numpy():
    x, y = RNG.uniform(-2, 12, 50).astype(np.float32), RNG.normal(size=11).astype(np.float32)
    np.testing.assert_allclose(
        reference.interpolate(x, 0.0, 10.0, tf.constant(y)), np.interp(x, range(11), y), atol=1e-5
    )


def test_the_similarity_of_the_reference_is_that_of_the_package():
    first, second = (tf.constant(RNG.normal(size=(2, 3, 25)), tf.float32) for _ in range(2))
    expected = similarity.max_cross_correlation(first, second)
    np.testing.assert_allclose(reference.similarity_rows(first, second), expected, atol=1e-5)


@pytest.mark.parametrize("share_spatial", [False, True])
def test_the_views_of_the_reference_have_the_form_of_the_package_and_share_space_as_it_does(share_spatial):
    still = np.repeat(RNG.integers(0, 256, (2, 1, 12, 12, 1)), 40, axis=1).astype(np.uint8)
    views, speeds = reference.make_views(still, tf.constant([0, 1]), 3, 16, (0.5, 2.0), share_spatial)
    assert views.shape == (2, 6, 16, 12, 12, 1)
    assert 0 <= np.min(views) < 0.3 < 0.7 < np.max(views) <= 1
    np.testing.assert_array_equal(speeds[:, :3], speeds[:, 3:])
    in_a_set = np.abs(views[:, 0] - views[:, 1]).mean(axis=(1, 2, 3, 4))
    assert np.all(in_a_set < 1e-5 if share_spatial else in_a_set > 0.02)
    assert np.all(np.abs(views[:, 0] - views[:, 3]).mean(axis=(1, 2, 3, 4)) > 0.02)


def test_the_neighbors_of_the_reference_are_those_of_the_package():
    train, queries = (RNG.normal(size=(number, 40, 2)).astype(np.float32) for number in (30, 60))
    expected = neighbors.nearest_neighbor(train, range(30), queries)
    np.testing.assert_array_equal(reference.nearest_of_all(train, queries), expected)
