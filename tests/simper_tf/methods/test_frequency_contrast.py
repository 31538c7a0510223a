import functools

import numpy as np
import oracles
import pytest
import tensorflow as tf
from made_up_features import sinusoids
from small_methods import built

from simper_tf.losses import diagnostics
from simper_tf.methods import FrequencyContrast
from simper_tf.methods.frequency_contrast import branches, sample_windows
from simper_tf.views.appearance import UNCHANGED
from simper_tf.views.times import StretchedTimes
from simper_tf.views.views import Views

RNG = np.random.default_rng(41)
VIEWS = Views(26, FrequencyContrast.times_for(10, (0.5, 2.0)), UNCHANGED)
SEED = tf.constant([7, 1])
ENCODER = {"widths": (8, 8), "outputs": 4}
compiled = functools.partial(built, FrequencyContrast, VIEWS, learning_rate=1e-2, encoder=ENCODER)


def loss_of(model, features, speeds, windows):
    return model.logs_of(features, {"speeds": speeds, "windows": windows})


def drawn(batch_size, num_frames=26):
    """Returns speeds and windows of a batch."""
    draws = StretchedTimes().draw(batch_size, 2 * num_frames, num_frames, SEED)
    return draws["speeds"], draws["windows"]


def test_windows_are_read_between_frames_and_whole_ones_exactly():
    series = RNG.normal(size=(2, 9, 3)).astype(np.float32)
    starts, steps = np.float32([[0, 4], [1.3, 2.6]]), np.float32([[1.0], [0.8]])
    windows = sample_windows(tf.constant(series), tf.constant(starts), tf.constant(steps), 5)
    assert windows.shape == (2, 3, 2, 5)
    for b, d, v in np.ndindex(2, 3, 2):
        times = starts[b, v] + steps[b, 0] * np.arange(5)
        np.testing.assert_allclose(windows[b, d, v], np.interp(times, np.arange(9), series[b, :, d]), atol=1e-6)


@pytest.mark.parametrize("num_frames", [20, 21])
def test_no_window_leaves_the_features(num_frames):
    speeds = tf.constant([[1.0, 1.25], [1.0, 1.5]])
    for share in (0.0, 0.5, 1 - 2**-24):
        for branch in branches(tf.ones([2, 2, num_frames]), speeds, tf.fill([2, 3, 4], share)):
            assert branch.shape == (2, 1, 4, num_frames // 2)
            np.testing.assert_allclose(branch, 1, atol=1e-5)


def test_windows_reach_from_the_first_frame_to_the_last():
    features, speeds = tf.tile(tf.range(20.0)[None, None], [1, 2, 1]), tf.constant([[1.0, 1.25]])
    first = branches(features, speeds, tf.zeros([1, 3, 1]))
    last = branches(features, speeds, tf.fill([1, 3, 1], 1 - 2**-24))
    for k, expected in enumerate([10, 19 - 9 / 1.25, 10]):
        assert float(first[k][0, 0, 0, 0]) == 0
        assert float(last[k][0, 0, 0, 0]) == pytest.approx(expected, abs=1e-4)
    np.testing.assert_allclose(np.diff(last[1]), 1 / 1.25, atol=1e-5)


def test_loss_and_distances_are_those_of_the_formula():
    features, (speeds, windows) = RNG.normal(size=(3, 2, 26, 2)).astype(np.float32), drawn(3)
    logs = loss_of(compiled(band=(0.05, 0.45)), tf.constant(features), speeds, windows)
    expected = np.zeros(2)
    for b, d in np.ndindex(3, 2):
        anchor, negative = features[b, :, :, d]
        speed = float(speeds[b, 1])
        starts = [np.floor(14 * windows[b, 0]), windows[b, 1] * (25 - 12 / speed), np.floor(14 * windows[b, 2])]
        anchors, positives, negatives = [
            [np.interp(s + step * np.arange(13), np.arange(26), source) for s in start]
            for start, step, source in zip(starts, (1, 1 / speed, 1), (anchor, negative, negative), strict=True)
        ]
        expected += [oracles.psd_distance(anchors, y, (0.05, 0.45)) / 6 for y in (positives, negatives)]
    assert float(logs["positive"]) == pytest.approx(expected[0], rel=1e-4)
    assert float(logs["negative"]) == pytest.approx(expected[1], rel=1e-4)
    assert float(logs["loss"]) == pytest.approx(expected[0] - expected[1], abs=1e-6)


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_collapsed_features_score_zero_with_a_finite_gradient(constant):
    features, (speeds, windows) = tf.fill([2, 2, 26], constant), drawn(2)
    with tf.GradientTape() as tape:
        tape.watch(features)
        logs = loss_of(compiled(band=(0.05, 0.45)), features, speeds, windows)
    for name in ("loss", "positive", "negative"):
        assert float(logs[name]) == pytest.approx(0, abs=1e-6)
    assert float(logs["ipr"]) == pytest.approx(0, abs=1e-3)  # Rounding, next to a power of 1e-8.
    assert np.all(np.isfinite(tape.gradient(logs["loss"], features)))


@pytest.mark.slow
def test_irrelevant_power_is_that_of_the_anchor_outside_the_band():
    speeds, windows = drawn(3, 60)
    model = compiled(band=(0.05, 0.2))
    inside = loss_of(model, sinusoids(RNG, [[0.1, 0.4]] * 3, 60), speeds, windows)
    outside = loss_of(model, sinusoids(RNG, [[0.4, 0.1]] * 3, 60), speeds, windows)
    assert float(inside["ipr"]) == pytest.approx(0, abs=0.01)
    assert float(outside["ipr"]) == pytest.approx(1, abs=0.01)
    assert "ipr" not in compiled().log_names()


@pytest.mark.slow
def test_training_lowers_the_loss_on_fresh_views(swinging_bars):
    clips = tf.constant(swinging_bars[0][3:])
    model = compiled()
    fresh = VIEWS(tf.repeat(clips, 16, axis=0), tf.constant([999, 0]))

    def on_fresh_views():
        features = model.encode_views(fresh["views"], training=False)
        return float(model.loss_and_logs(features, fresh)[0]), float(
            diagnostics.speed_correlation_and_slope(features, fresh["speeds"])[0]
        )

    before, step = on_fresh_views(), tf.function(model.train_step, autograph=False)
    for _ in range(30):
        step(clips)
    loss, rank = on_fresh_views()
    assert loss < before[0] - 0.08
    assert rank > 0.95
