"""Slow movement in whole numbers: its steps repeat at multiples of it, and are no rhythm of their own."""

import numpy as np
import pytest

from simper_tf.reading.series import series_reader


def told(values, rate):
    times = np.arange(len(values)) / rate
    return [answer.hertz for answer in series_reader.reading_of_samples(times, values[:, None].astype(float)).clear]


def wave(hertz, seconds, rate, height=1.0):
    return height * np.sin(2 * np.pi * hertz * np.arange(0, seconds, 1 / rate))


@pytest.mark.parametrize("rate", [1.0, pytest.param(4.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("height", [2, 5, 8, 12])
@pytest.mark.parametrize("period", [40, 60])
def test_a_slow_wave_in_whole_numbers_has_one_rhythm(period, height, rate):
    values = 70 + np.round(wave(1 / period, 20 * period, rate, height))
    assert told(values, rate) == pytest.approx([1 / period], rel=0.02)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_what_is_on_and_off_alone_is_read(share):
    """Two values, as of a door: no slower movement explains them."""
    values = (np.arange(0, 60, 0.05) % 1.5) < 1.5 * share
    assert told(values, 20.0) == pytest.approx([1 / 1.5], rel=0.02)


def test_a_ripple_of_two_steps_on_a_slow_wave_is_read():
    values = np.round(wave(1 / 60, 240, 4, 20) + wave(0.25, 240, 4, 1.4))
    assert any(hertz == pytest.approx(0.25, rel=0.02) for hertz in told(values, 4.0))


def test_a_pulse_in_whole_numbers_on_drift_is_read():
    values = np.round(500 + wave(1 / 50, 60, 25, 10) + wave(1.2, 60, 25, 2))
    assert any(hertz == pytest.approx(1.2, rel=0.02) for hertz in told(values, 25.0))
