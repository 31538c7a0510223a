import numpy as np
import pytest

from simper_tf.reading import self_similarity
from simper_tf.signals import spectrum

RNG = np.random.default_rng(0)


def test_summed_power_equals_that_of_every_pixels_transform():
    frames = RNG.normal(size=(50, 4, 5, 3))
    series = frames.reshape(50, -1).T
    slow = self_similarity.trend(50)
    expected = spectrum.power((series - series @ slow @ slow.T).astype(np.float32), 4).numpy().mean(axis=0)
    found = self_similarity.power(self_similarity.products(frames), 4)
    # The window of `spectrum` comes after another mean.
    np.testing.assert_allclose(found[8:], expected[8:], rtol=0.01)


def test_distances_are_those_of_frames_a_lag_apart():
    frames = RNG.normal(size=(20, 3, 3, 1))
    slow = self_similarity.trend(20)
    flat = frames.reshape(20, -1)
    flat = flat - slow @ (slow.T @ flat)
    expected = [np.mean(np.square(flat[lag:] - flat[: 20 - lag])) for lag in range(1, 15)]
    found = self_similarity.distances(self_similarity.products(frames))
    assert len(found) == 15
    assert found[0] == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(found[1:], expected, rtol=1e-4)


def test_only_its_own_frequency_explains_a_wave():
    times = np.arange(120)
    wave = np.sin(2 * np.pi * 0.05 * times + 0.3) + 0.4 * np.cos(2 * np.pi * 0.1 * times)
    products = self_similarity.products(wave[:, None] * RNG.normal(size=7))
    assert self_similarity.explained(products, 0.05, 2) == pytest.approx(1, abs=0.02)
    assert self_similarity.explained(products, 0.083, 1) < 0.1
    assert self_similarity.explained(np.zeros((9, 9)), 0.1, 3) == 0


def test_brightness_drift_is_left_out_if_anything_else_changes():
    drift = np.cumsum(RNG.normal(size=60))[:, None, None, None]
    moving = np.sin(2 * np.pi * 0.1 * np.arange(60))[:, None, None, None] * RNG.normal(size=(1, 6, 6, 1)) * 5
    moving -= moving.mean(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(self_similarity.of_frames(moving + drift), self_similarity.of_frames(moving), atol=1e-3)
    blinking = drift * np.ones((1, 6, 6, 1))
    np.testing.assert_allclose(self_similarity.of_frames(blinking), self_similarity.products(blinking))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3])
def test_the_strongest_course_has_deviation_one_and_a_still_none(scale):
    wave = np.sin(2 * np.pi * 0.05 * np.arange(120))
    course = self_similarity.strongest(self_similarity.products(scale * wave[:, None] * RNG.normal(size=7)))
    assert np.mean(course**2) == pytest.approx(1)
    assert abs(np.corrcoef(course, wave)[0, 1]) > 0.99
    np.testing.assert_array_equal(self_similarity.strongest(np.zeros((9, 9))), np.zeros(9))


def test_added_is_what_a_frequency_explains_beside_a_faster_one():
    times = np.arange(200)
    both = np.sin(2 * np.pi * 0.05 * times) + 3 * np.sin(2 * np.pi * 0.1 * times)
    share, noise = self_similarity.added(self_similarity.products(both), 0.05, 0.1, 5)
    assert share == pytest.approx(0.1, abs=0.005)
    assert noise == pytest.approx(0, abs=1e-3)
    share, noise = self_similarity.added(self_similarity.products(RNG.normal(size=(200, 3000))), 0.05, 0.1, 5)
    # Of 200 frames, each of the waves left takes two dimensions: 0.05, 0.15 and 0.25 are no multiples of 0.1.
    assert share == pytest.approx(6 / 200, rel=0.1)
    assert noise == pytest.approx(share / np.log(2), rel=0.1)  # The median of many pixels is their mean.
