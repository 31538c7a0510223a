"""Tops between samples, and spectra under a Hann window, by hand."""

import numpy as np
import pytest

from simper_tf.signals import samples


@pytest.mark.parametrize("top", [-0.4, 0.0, 0.3])
def test_the_top_of_a_parabola_is_where_it_is(top):
    before, at, after = 5 - 2 * np.square(np.array([-1.0, 0.0, 1.0]) - top)
    assert samples.top_offset(before, at, after) == pytest.approx(top)


def test_a_flat_top_and_an_edge_stay_beside_the_middle():
    np.testing.assert_array_equal(samples.top_offset(np.array([1.0, 1.0]), 1.0, np.array([1.0, 9.0])), [0.0, 0.5])


def test_a_hann_spectrum_is_that_of_its_definition():
    series = np.random.default_rng(0).normal(size=(20, 3))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(20) / 19)
    padded = np.concatenate([series * window[:, None], np.zeros((20, 3))])
    waves = np.exp(-2j * np.pi * np.outer(np.arange(21), np.arange(40)) / 40)
    np.testing.assert_allclose(samples.hann_spectrum(series, 2), waves @ padded, atol=1e-12)


@pytest.mark.parametrize("share", [0, 0.4, 0.5, 1])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_a_quantile_is_that_of_numpy(size, share):
    values = np.random.default_rng(size).normal(size=size)
    assert samples.quantile(values, share) == pytest.approx(np.quantile(values, share), abs=1e-12)
