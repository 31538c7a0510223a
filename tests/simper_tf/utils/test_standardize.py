"""Series in any unit are the same to encoders."""

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.utils.clips import unit_range
from simper_tf.utils.standardize import changes, is_series, standardize

RNG = np.random.default_rng(71)


def series(*shape):
    return RNG.normal(size=(*shape[:2], 1, 1, shape[2])).astype(np.float32)


def test_a_channel_is_its_distance_from_its_mean_in_deviations():
    # Mean 2, deviation 1: computed by hand.
    found = standardize(np.reshape([1.0, 3.0, 1.0, 3.0], (1, 4, 1, 1, 1)))
    np.testing.assert_allclose(found[0, :, 0, 0, 0], [0.4, 0.6, 0.4, 0.6], atol=1e-6)


@pytest.mark.parametrize(("scale", "offset"), [(1e-6, 0.0), (1.0, -40.0), (1e3, 3e5), (1e30, 0.0), (-1.0, 0.0)])
def test_unit_and_offset_make_no_difference_but_for_the_sign(scale, offset):
    x = series(2, 60, 2)
    found = standardize(np.float32(scale * x + offset)).numpy() - 0.5
    np.testing.assert_allclose(found, np.sign(scale) * (standardize(x).numpy() - 0.5), atol=1e-5)


def test_channels_are_scaled_apart_and_clips_too():
    x = series(2, 60, 2)
    scaled = x * np.float32([[1e3, 1e-3], [1.0, 1e6]]).reshape(2, 1, 1, 1, 2)
    np.testing.assert_allclose(standardize(scaled), standardize(x), atol=1e-6)


@pytest.mark.parametrize("level", [0.0, 7e8, 1e-30, -3.0])
def test_constant_series_are_centered_with_finite_gradients(level):
    x = tf.fill((1, 9, 1, 1, 1), np.float32(level))
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = standardize(x)
        total = tf.reduce_sum(found)
    np.testing.assert_array_equal(found, np.full((1, 9, 1, 1, 1), 0.5, np.float32))
    assert np.isfinite(tape.gradient(total, x)).all()


def test_a_jolt_is_cut_and_stays_in_range():
    x = series(1, 400, 1)
    x[0, 200] = 1e6
    found = standardize(x).numpy()
    assert found.max() == 1.0
    assert found.min() >= 0.0


def test_standardizing_twice_changes_only_where_a_jolt_was_cut():
    x = series(2, 60, 2)
    once = standardize(x)
    np.testing.assert_allclose(standardize(once), once, atol=1e-6)
    x[:, 30] = 1e3
    once = standardize(x).numpy()
    assert standardize(once).numpy()[:, :30].std() > 1.3 * once[:, :30].std()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float64"])
@pytest.mark.parametrize("in_graph", [False, True])
def test_steps_beside_a_large_offset_are_kept(dtype, in_graph):
    # Steps of 1 to 3 beside 2 ** 30, where float32 has steps of 128.
    x = np.round(RNG.uniform(0, 3, (1, 60, 1, 1, 2)))
    call = tf.function(standardize, autograph=False) if in_graph else standardize
    np.testing.assert_allclose(call(tf.constant((2.0**30 + x).astype(dtype))), standardize(x), atol=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_float64_beyond_the_range_of_float32_keeps_its_course(scale):
    x = RNG.normal(size=(1, 60, 1, 1, 2))
    np.testing.assert_allclose(standardize(scale * x), standardize(x), atol=1e-6)


def test_whether_a_series_changes_is_told_from_rounding():
    still = np.full((50, 1, 1, 2), 7.3, np.float32)
    rounded = still * (1 + 1e-7 * RNG.choice([-1, 1], still.shape).astype(np.float32))
    assert not changes(still)
    assert not changes(rounded)
    rounded[20, 0, 0, 1] += 0.01
    assert changes(rounded)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float64"])
def test_frames_of_one_pixel_are_series_and_pictures_are_none(dtype):
    x = np.round(20 + 5 * series(1, 40, 1)).astype(dtype)
    np.testing.assert_allclose(unit_range(tf.constant(x)), standardize(x.astype(np.float32)), atol=1e-3)
    picture = np.repeat(x, 2, axis=2).astype(np.uint8)
    np.testing.assert_allclose(unit_range(tf.constant(picture)), picture / 255, atol=1e-6)
    assert is_series((1, 1, 3))
    assert not is_series((1, 2, 3))
    assert not is_series((None, None, 1))
