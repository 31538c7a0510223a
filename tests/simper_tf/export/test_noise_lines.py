"""Confidence of models of series in noise, which an encoder makes look like a wave."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.export import noise_lines
from simper_tf.export.served_frequency import FrequencyModel

pytestmark = pytest.mark.usefixtures("eagerly")
RATE, BAND = 10.0, (0.25, 1.4)
TAPS = np.arange(-20, 21)
WAVE = np.float32(np.hanning(41) * np.cos(2 * np.pi * 0.07 * TAPS))


def smoothed(series):
    """Returns `(B, T, 1)` features of `(B, T, 1, 1, 1)` series: what is left of them around 0.7 Hz."""
    return tf.nn.conv1d(series[:, :, 0, 0], WAVE[:, None, None], 1, "SAME")


def noise(number, num_samples, seed):
    """Returns `(N, T, 1, 1, 1)` white noise."""
    return np.float32(np.random.default_rng(seed).normal(size=(number, num_samples, 1, 1, 1)))


def confidence(model, series):
    """Returns the confidence of each answer."""
    return model.answer(tf.constant(series), tf.fill([len(series)], RATE))["confidence"].numpy()


@pytest.fixture(scope="module")
def encoder():
    return keras.Sequential([keras.Input((None, 1, 1, 1)), keras.layers.Lambda(smoothed)])


def test_noise_fills_the_spectrum_unless_an_encoder_narrows_it():
    assert noise_lines.noise_width(lambda series: series[:, :, 0, 0], 1) > 0.8
    assert 0.05 < noise_lines.noise_width(smoothed, 1) < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("num_samples", [81, 400])
def test_noise_is_seldom_sure_and_waves_in_it_are(encoder, num_samples):
    model, blind = (FrequencyModel(encoder, (1, 1, 1), BAND, harmonic=1.0) for _ in range(2))
    blind.noise_width = None
    silent = noise(300, num_samples, 0)
    assert np.mean(confidence(blind, silent) >= 0.5) > 0.15
    assert np.mean(confidence(model, silent) >= 0.5) < 0.1
    wave = 2 * np.sin(2 * np.pi * 0.7 * np.arange(num_samples) / RATE)[:, None, None, None]
    assert np.mean(confidence(model, wave + noise(100, num_samples, 1)) >= 0.5) > 0.95


@pytest.mark.slow
def test_a_wave_that_noise_hides_is_sure_by_its_features(encoder):
    model, times = FrequencyModel(encoder, (1, 1, 1), BAND, harmonic=1.0), np.arange(400) / RATE
    faint = 0.7 * np.sin(2 * np.pi * 0.7 * times)[:, None, None, None] + noise(100, 400, 2)
    assert np.mean(confidence(model, faint) >= 0.5) > 0.9
