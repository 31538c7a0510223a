import numpy as np
import pytest
import tensorflow as tf

from simper_tf.signals.recurrence import recurrence

RNG = np.random.default_rng(4)
# As an exported model runs it: op by op, hundreds of clips take a minute.
in_a_graph = tf.function(recurrence, reduce_retracing=True, autograph=False)


def waves(*periods, num_frames=120, height=1.0, level=0.0):
    """Returns `(N, 1, num_frames)` sinusoids of periods in frames."""
    times = np.arange(num_frames)
    return np.float32([[level + height * np.sin(2 * np.pi * times / period + 0.3)] for period in periods])


def by_hand(series, period):
    """Returns the definition, written out over pairs of frames."""
    num_frames = series.shape[1]

    def difference(lag):
        return np.mean(np.sum(np.square(series[:, lag:] - series[:, : num_frames - lag]), axis=0))

    most = max(difference(lag) for lag in range(int(np.ceil(period)) + 1))
    return max(1 - min(difference(int(np.floor(period))), difference(int(np.ceil(period)))) / most, 0)


def test_it_is_the_share_of_the_change_that_a_period_undoes():
    series = RNG.normal(size=(4, 3, 50)).cumsum(axis=2) + 3 * waves(7.4, 12, 20, 25, num_frames=50)
    periods = np.float32([7.4, 12, 20, 25])
    expected = [by_hand(clip, period) for clip, period in zip(series, periods, strict=True)]
    np.testing.assert_allclose(recurrence(series, periods), expected, atol=1e-4)
    assert len({round(value, 2) for value in expected}) == 4


@pytest.mark.parametrize("num_frames", [30, 60, 150])
def test_what_does_not_come_back_is_not_sure(num_frames):
    noise = RNG.normal(size=(200, 20, num_frames))
    drift = RNG.normal(size=(200, 20, 1)) * np.arange(num_frames)
    periods = np.full(200, num_frames / 3)
    assert np.max(in_a_graph(drift, periods)) == 0
    assert np.max(in_a_graph(noise, periods)) < 0.35
    assert np.mean(in_a_graph(noise.cumsum(axis=2), periods) > 0.5) < 0.01


@pytest.mark.parametrize("level", [0.0, 0.1, 90.0, 1e6, -1e-6])
def test_a_constant_is_not_sure(level):
    assert recurrence(np.full((1, 5, 70), level, np.float32), [10.0]) == 0


def test_neither_level_nor_scale_of_the_series_matters():
    noise = RNG.normal(size=(1, 3, 90))
    expected = recurrence(waves(9, num_frames=90) + noise, [9])
    np.testing.assert_allclose(recurrence(1e-3 * (waves(9, num_frames=90) + noise) - 5e-3, [9]), expected, rtol=1e-3)


def test_it_runs_in_a_graph_of_unknown_shape():
    signature = [tf.TensorSpec([None, None, None]), tf.TensorSpec([None])]
    graph = tf.function(recurrence, input_signature=signature)
    np.testing.assert_allclose(graph(waves(9, 12), [9.0, 12.0]), 1, atol=1e-4)
    assert graph(np.zeros((0, 3, 20), np.float32), []).shape == (0,)
