import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf.methods.frequency_contrast import psd_distance

RNG = np.random.default_rng(5)
BAND = (0.1, 0.4)  # Cycles per frame.


def sinusoid(frequency, num_frames=40, phase=0.3):
    return np.sin(2 * np.pi * frequency * np.arange(num_frames) + phase).astype(np.float32)


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


def test_two_sinusoids_of_whole_periods_by_hand():
    # All power of each in one of the bins 4 to 16: two of 13 differences are 1.
    pair = [tf.constant(sinusoid(k / 40)[None]) for k in (5, 9)]
    np.testing.assert_allclose(psd_distance(*pair, BAND), 2 / 13, rtol=1e-4)


@pytest.mark.parametrize("band", [BAND, (0.0, 0.4)])
def test_phase_direction_scale_and_offset_do_not_matter(band):
    series = RNG.normal(size=40).astype(np.float32)
    others = np.stack([np.roll(series, 7), series[::-1], 5 * series, series + 3])
    np.testing.assert_allclose(psd_distance(series[None], tf.constant(others), band), 0, atol=1e-9)


def test_the_distance_grows_with_the_distance_of_frequencies():
    anchor = sinusoid(0.2)[None]
    found = [float(psd_distance(anchor, sinusoid(f)[None], BAND)) for f in (0.2, 0.205, 0.21, 0.22)]
    assert found[0] == pytest.approx(0, abs=1e-9)
    assert np.all(np.diff(found) > 0)


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
