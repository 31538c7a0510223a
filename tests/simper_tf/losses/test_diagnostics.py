import numpy as np
import pytest
import tensorflow as tf
from made_up_features import of_views, sinusoids
from scipy import stats

from simper_tf.losses.diagnostics import feature_deviation, speed_correlation_and_slope

RNG = np.random.default_rng(37)


def test_ideal_features_have_speed_correlation_and_slope_one():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 8), (3, 1)), tf.float32)
    correlation, slope = speed_correlation_and_slope(of_views(RNG, speeds), speeds)
    assert float(correlation) == pytest.approx(1, abs=1e-6)
    # A peak of 3 to 10 periods is read to a hundredth of itself, over a range of speeds of log(2/0.6) = 1.2.
    assert float(slope) == pytest.approx(1, abs=0.02)
    doubled, doubled_slope = speed_correlation_and_slope(sinusoids(RNG, 0.16 * speeds, 60), speeds)
    assert float(doubled) == pytest.approx(1, abs=1e-6)
    assert float(doubled_slope) == pytest.approx(1, abs=0.02)


def test_one_cycle_a_view_is_the_slowest_peak():
    cosines = np.cos(2 * np.pi * np.float32([[1], [2]]) * np.arange(60) / 60)[None]
    assert float(speed_correlation_and_slope(cosines, tf.constant([[1.0, 2.0]]))[1]) == pytest.approx(1, abs=0.02)


def test_features_that_ignore_or_oppose_the_speed_are_told():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 8), (40, 1)), tf.float32)
    correlation, slope = speed_correlation_and_slope(tf.constant(RNG.normal(size=(40, 8, 60)), tf.float32), speeds)
    # A rank correlation of 8 has the deviation 1 / sqrt 7; the mean of 40 a sixth of it.
    assert abs(float(correlation)) < 5 / np.sqrt(7 * 40)
    assert abs(float(slope)) < 0.5
    correlation, slope = speed_correlation_and_slope(sinusoids(RNG, 0.08 / speeds.numpy(), 60), speeds)
    assert float(correlation) < -0.9
    assert float(slope) == pytest.approx(-1, abs=0.1)


def test_the_correlation_is_that_of_scipy_for_uneven_speeds():
    speeds = np.float32([[0.5, 0.52, 0.55, 2.0, 0.6, 1.9]])
    hertz = np.float32([[0.1, 0.05, 0.2, 0.06, 0.3, 0.15]])
    found, _ = speed_correlation_and_slope(sinusoids(RNG, hertz, 60), tf.constant(speeds))
    assert float(found) == pytest.approx(stats.spearmanr(speeds[0], hertz[0]).statistic, abs=1e-6)


def test_channels_pool_their_power():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 6), (2, 1)), tf.float32)
    features = tf.stack([of_views(RNG, speeds), 0.01 * tf.constant(RNG.normal(size=(2, 6, 60)), tf.float32)], axis=-1)
    assert float(speed_correlation_and_slope(features, speeds)[0]) == pytest.approx(1, abs=1e-6)


def test_the_deviation_is_that_over_time():
    # 60 frames are 6 whole periods, of deviation 3 / sqrt 2.
    assert float(feature_deviation(3 * of_views(RNG, np.full((2, 8), 1.25)))) == pytest.approx(3 / np.sqrt(2), rel=1e-4)


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_collapsed_features_never_deviate_or_follow_the_speed(constant):
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 8), (3, 1)), tf.float32)
    for shape in ((3, 8, 30), (3, 8, 30, 2)):
        assert float(feature_deviation(tf.fill(shape, constant))) == pytest.approx(0, abs=1e-6)
        found = speed_correlation_and_slope(tf.fill(shape, constant), speeds)
        assert [float(value) for value in found] == pytest.approx([0, 0], abs=1e-6)


def test_scores_do_not_depend_on_the_scale_of_features():
    speeds = tf.constant(np.tile(np.linspace(0.6, 2, 8), (3, 1)), tf.float32)
    for scale in (1e-18, 1e18):
        assert float(speed_correlation_and_slope(scale * of_views(RNG, speeds), speeds)[0]) == pytest.approx(
            1, abs=1e-6
        )
