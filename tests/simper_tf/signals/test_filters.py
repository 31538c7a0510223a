import numpy as np
import pytest
from scipy import ndimage, signal, special

from simper_tf.signals import filters


@pytest.mark.parametrize("size", [60, 3750])
@pytest.mark.parametrize(
    ("rate", "low", "high", "order"), [(30, 0.3, 3, 2), (125, 2, 20, 2), (30, 0.6, 3.3, 1), (250, 0, 52.5, 4)]
)
def test_filters_forward_and_back_as_scipy_does(size, rate, low, high, order):
    values = np.cumsum(np.random.default_rng(0).normal(size=(size, 2)), axis=0)
    sections = signal.butter(order, [low, high] if low else high, "bandpass" if low else "low", fs=rate, output="sos")
    expected = signal.sosfiltfilt(sections, values, axis=0, padlen=40)
    filtered = filters.butterworth(values, rate, low, high, order, padding=40)
    np.testing.assert_allclose(filtered, expected, atol=1e-8 * np.abs(expected).max())


def test_finds_the_tops_that_scipy_finds():
    random = np.random.default_rng(0)
    for number in range(300):  # Steps of whole numbers have flat tops, and others of equal height.
        values = np.cumsum(random.normal(size=random.integers(3, 200))).round(number % 3)
        np.testing.assert_array_equal(filters.tops(values), signal.find_peaks(values)[0])


def test_leaves_out_tops_beside_higher_ones_as_scipy_does():
    random = np.random.default_rng(0)
    for distance in np.linspace(1, 20, 50):
        values = random.normal(size=200)
        expected, _ = signal.find_peaks(values, distance=distance)
        np.testing.assert_array_equal(filters.apart(filters.tops(values), values, distance), expected)


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_finds_the_tops_of_each_row_by_its_own_prominence(decimals):
    rows = np.cumsum(np.random.default_rng(0).normal(size=(100, 90)), axis=1).round(decimals)
    numbers, places = filters.tops_of_rows(rows, prominences := np.linspace(0, 3, 100))
    for number, prominence in enumerate(prominences):
        expected, _ = signal.find_peaks(rows[number], prominence=prominence or None)
        np.testing.assert_array_equal(places[numbers == number], expected)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 200])
@pytest.mark.parametrize("shape", [(50,), (30, 5, 4)])
def test_smooths_as_scipy_does_whatever_the_width(shape, width):
    values = np.random.default_rng(0).normal(size=shape)
    expected = ndimage.uniform_filter1d(values, width, axis=0, mode="nearest")
    np.testing.assert_allclose(filters.smooth(values, width), expected, atol=1e-12)
    rows = values.reshape(len(values), -1).T
    np.testing.assert_allclose(filters.smooth(rows, width, axis=1).T.reshape(values.shape), expected, atol=1e-12)


@pytest.mark.parametrize("width", [0.01, 3.2, 30.0])
def test_a_gaussian_is_that_of_scipy(width):
    values = np.random.default_rng(0).normal(size=50)
    np.testing.assert_allclose(filters.gaussian(values, width), ndimage.gaussian_filter1d(values, width), atol=1e-12)


def test_correlates_a_series_with_itself_as_scipy_does():
    values = np.random.default_rng(0).normal(size=99)
    np.testing.assert_allclose(filters.autocorrelated(values), signal.correlate(values, values)[98:], atol=1e-10)


def test_odds_become_the_probabilities_of_scipy():
    odds = np.array([-800, -3, 0, 5, 900])
    np.testing.assert_allclose([filters.logistic(one) for one in odds], special.expit(odds), atol=1e-15)
