import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf.methods.frequency_contrast import psd_distance

RNG = np.random.default_rng(5)
BAND = (0.1, 0.4)  # Cycles per frame.


@pytest.mark.parametrize("num_frames", [20, 21])
def test_the_distance_equals_the_explicit_loop(num_frames):
    x, y = RNG.normal(size=(3, 2, 4, num_frames)), RNG.normal(size=(3, 2, 5, num_frames))
    found = psd_distance(tf.constant(x), tf.constant(y), BAND)
    assert found.shape == (3, 2)
    for k in np.ndindex(3, 2):
        assert float(found[k]) == pytest.approx(oracles.psd_distance(x[k], y[k], BAND), rel=1e-4)


def test_without_a_band_all_but_the_mean_counts():
    x, y = RNG.normal(size=(2, 3, 20))
    found = float(psd_distance(tf.constant(x), tf.constant(y)))
    assert found == pytest.approx(oracles.psd_distance(x, y, (1 / 20, 1 / 2)), rel=1e-4)


@pytest.mark.parametrize("constant", [0.0, 0.7])
def test_constant_series_have_no_distance_and_a_finite_gradient(constant):
    series = tf.fill([2, 20], constant)
    with tf.GradientTape() as tape:
        tape.watch(series)
        distance = psd_distance(series, series, BAND)
    assert float(distance) == pytest.approx(0, abs=1e-6)
    assert np.all(np.isfinite(tape.gradient(distance, series)))


def test_a_band_in_hertz_is_refused():
    with pytest.raises(ValueError, match=r"cycles per frame.*Received: \(0.4, 4\). If that is in Hz, divide"):
        psd_distance(tf.zeros([1, 20]), tf.zeros([1, 20]), (0.4, 4.0))


def test_a_band_of_one_frequency_is_refused_with_the_numbers():
    with pytest.raises(ValueError, match=r"Spectra of 20 frames.*\[0.21, 0.27\].*has 1 of those that are 0.05 apart"):
        psd_distance(tf.zeros([1, 20]), tf.zeros([1, 20]), (0.21, 0.27))
