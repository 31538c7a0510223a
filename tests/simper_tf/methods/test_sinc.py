import functools

import made_up_features
import numpy as np
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import SiNC

RNG = np.random.default_rng(61)
BAND = (0.05, 0.2)


model_of = functools.partial(built, SiNC, views=None, encoder={"widths": (8, 8), "outputs": 4}, band=BAND)
sinusoids = functools.partial(made_up_features.sinusoids, RNG, num_frames=200)


def logs_of(features, speeds, **arguments):
    """Returns the loss and the terms of features at speeds."""
    batch = {"speeds": tf.constant(speeds, tf.float32)}
    loss, logs = model_of(**arguments).loss_and_logs(tf.constant(features, tf.float32), batch)
    return {name: float(value) for name, value in {"loss": loss, **logs}.items()}


def ones(features):
    return np.ones(features.shape[:2])


def test_sines_in_the_bands_of_their_speeds_cost_variance_alone():
    speeds = RNG.uniform(0.5, 2, (16, 4))
    logs = logs_of(sinusoids(0.12 * speeds), speeds)
    assert logs["bandwidth"] < 1e-3
    assert logs["sparsity"] < 0.01


@pytest.mark.slow
def test_channels_share_one_spectrum():
    tones = sinusoids(np.full((4, 2, 2), [0.08, 0.16]))
    together = logs_of(np.moveaxis(tones, 2, 3), ones(tones))
    assert together["sparsity"] == pytest.approx(0.5, abs=0.02)
    one = sinusoids(np.full((4, 2, 1), 0.1))
    again = logs_of(np.moveaxis(one, 2, 3), ones(one))
    assert again == pytest.approx(logs_of(one[:, :, 0], ones(one)), abs=1e-6)


@pytest.mark.slow
def test_scale_offset_and_phase_change_nothing():
    features = RNG.normal(size=(4, 3, 100))
    expected = logs_of(features, ones(features))
    for changed in (300 * features, 1e-3 * features, features + 5, -features, features[:, :, ::-1]):
        assert logs_of(changed, ones(features)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_views_meet_only_in_the_mean_spectrum_of_the_batch():
    features, speeds = RNG.normal(size=(4, 2, 100)), RNG.uniform(0.5, 2, (4, 2))
    whole = logs_of(features, speeds)
    parts = [logs_of(features[k : k + 1, v : v + 1], speeds[k : k + 1, v : v + 1]) for k, v in np.ndindex(4, 2)]
    for name in ("bandwidth", "sparsity"):
        assert whole[name] == pytest.approx(np.mean([part[name] for part in parts]), abs=1e-5)
    assert whole["variance"] < np.mean([part["variance"] for part in parts])


def test_the_loss_is_the_weighted_sum():
    features, speeds = RNG.normal(size=(4, 2, 100)), RNG.uniform(0.5, 2, (4, 2))
    logs = logs_of(features, speeds, bandwidth_weight=2.0, sparsity_weight=3.0, variance_weight=5.0)
    assert logs["loss"] == pytest.approx(2 * logs["bandwidth"] + 3 * logs["sparsity"] + 5 * logs["variance"], rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.5, 1.0, 1.5])
def test_short_views_cost_more_outside_the_band_than_inside(speed):
    band = (0.022, 0.1)  # 40 to 180 beats per minute at 30 frames per second, of which a view has 90.
    costs = []
    for frequency in (0.01, 0.045, 0.07, 0.13):
        features = sinusoids(np.full((2, 8), frequency * speed), num_frames=90)
        costs.append(logs_of(features, np.full((2, 8), speed), band=band)["bandwidth"])
    assert min(costs[0], costs[3]) > 3 * max(costs[1:3])


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_constant_features_cost_nothing_with_a_finite_gradient(constant):
    features = tf.fill([2, 2, 40], constant)
    with tf.GradientTape() as tape:
        tape.watch(features)
        loss, logs = model_of().loss_and_logs(features, {"speeds": tf.ones([2, 2])})
    for name in ("bandwidth", "sparsity"):
        assert float(logs[name]) == pytest.approx(0, abs=1e-6)
    assert float(logs["variance"]) > 0.3  # Nothing at all is not even either.
    assert np.all(np.isfinite(tape.gradient(loss, features)))


def test_without_a_band_all_that_frames_can_show_is_inside():
    noise = RNG.normal(size=(8, 2, 100))
    logs = logs_of(noise, ones(noise), band=None)
    assert logs["bandwidth"] == 0
    assert logs["sparsity"] > 0.7
    # At half the speed, half of it.
    slow = sinusoids([[0.2], [0.3]])
    assert [logs_of(one[None], [[0.5]], band=None)["bandwidth"] for one in slow] == pytest.approx([0, 1], abs=0.01)


@pytest.mark.parametrize("name", ["bandwidth_weight", "sparsity_weight", "variance_weight"])
def test_negative_weights_are_refused_by_name(name):
    with pytest.raises(ValueError, match=rf"`{name}` must be at least 0 and finite. Received: -1"):
        model_of(**{name: -1.0})
