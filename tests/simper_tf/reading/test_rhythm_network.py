"""The network of the learned reader, with the weights that come with the package."""

import importlib.resources
import subprocess
import sys

import numpy as np
import pytest

from simper_tf.reading import rhythm_network, rhythm_reader

CARD = importlib.resources.files("simper_tf.reading").joinpath("rhythm_network.md").read_text()


def swinging(hertz, seconds=12.0, rate=25.0, noise=2.0):
    """Times and frames of a disc that swings from side to side, and grain."""
    times = np.arange(round(seconds * rate)) / rate
    y, x = np.mgrid[:32, :32]
    middles = 16 + 8 * np.sin(2 * np.pi * hertz * times)[:, None, None]
    disc = np.clip(4.5 - np.hypot(y - 16, x - middles), 0, 1)
    grain = np.random.default_rng(0).normal(size=disc.shape)
    return times, np.clip(60 + 120 * disc + noise * grain, 0, 255)


def test_the_card_names_the_weights_that_are_there():
    assert rhythm_network.checksum(rhythm_network.weights()) in CARD


def test_the_weights_take_less_than_1_5_megabytes():
    with importlib.resources.files("simper_tf.reading").joinpath(rhythm_network.WEIGHTS).open("rb") as file:
        assert len(file.read()) < 1.5e6


def test_chances_of_all_periods_and_of_none_have_sum_one():
    told = rhythm_network.told(np.random.default_rng(0).uniform(0, 255, (2, 64, 32, 32)))
    assert told.shape == (2, 64, len(rhythm_network.PERIODS) + 1)
    np.testing.assert_allclose(told.sum(-1), 1.0, rtol=1e-5)


def test_a_still_picture_is_told_as_none():
    told = rhythm_network.told(np.full((1, 64, 32, 32), 80.0))
    assert np.isfinite(told).all()


@pytest.mark.parametrize("gain", [0.5, 1.4])
def test_light_and_contrast_change_nothing(gain):
    windows = swinging(1.0, 64 / 25)[1][None]
    told, lit = rhythm_network.told(windows), rhythm_network.told(gain * windows + 20.0)
    np.testing.assert_allclose(lit, told, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("hertz", [0.4, 0.9, 2.1])
def test_a_swinging_disc_has_the_best_chance_at_its_tempo(hertz):
    times, frames = swinging(hertz)
    chance, rival = rhythm_reader.hear(times, frames).of(hertz, 0.0, times[-1])
    assert chance > max(0.5, rival)


@pytest.mark.slow
def test_noise_and_a_disc_that_moves_on_have_no_chance():
    times, frames = swinging(0.02)
    noise = np.random.default_rng(1).uniform(0, 255, frames.shape)
    for shown in (frames, noise):
        assert max(rhythm_reader.hear(times, shown).of(1.0, 0.0, times[-1])) < 0.3


def test_reading_needs_no_tensorflow():
    code = "import sys; from simper_tf.reading import rhythm_reader as r; r.rhythm_network.weights()"
    code += "; print('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
