"""What repeats faster than beats, sampled many times a second: shafts, tones, oscilloscopes."""

import numpy as np
import pytest

from simper_tf.reading.series import series_reader


def grain(number):
    return np.random.default_rng(0).normal(size=number)


def told(values, rate):
    times = np.arange(len(values)) / rate
    return [answer.hertz for answer in series_reader.reading_of_samples(times, values[:, None]).clear]


def tone(hertz, seconds, rate, noise):
    times = np.arange(0, seconds, 1 / rate)
    return np.sin(2 * np.pi * hertz * times) + noise * grain(len(times))


@pytest.mark.parametrize("noise", [0.02, 0.5])
@pytest.mark.parametrize(
    ("hertz", "rate", "seconds"),
    [(29.9, 12000, 10), (45, 500, 20), (80, 1000, 10), (100, 10000, 10), (55.98, 4000, 10), (32.5, 1e4, 0.12),
     (1000, 1e6, 0.02), (60, 250, 20)],
)  # fmt: skip
def test_a_tone_is_read_however_fast_it_is(hertz, rate, seconds, noise):
    assert told(tone(hertz, seconds, rate, noise), rate) == pytest.approx([hertz], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [200, 500, 1000, 4000])
@pytest.mark.parametrize("hertz", np.geomspace(15, 48, 8).round(1))
def test_no_tone_is_told_at_another_frequency(hertz, rate):
    assert told(tone(hertz, 10, rate, 0.02), rate) == pytest.approx([hertz], rel=0.02)


def test_pulses_of_a_motor_are_read_at_their_rate():
    phase = (np.arange(0, 6, 1 / 5000) * 90) % 1
    values = np.exp(-(((phase - 0.5) / 0.08) ** 2)) + 0.05 * grain(len(phase))
    assert told(values, 5000.0) == pytest.approx([90], rel=0.01)


@pytest.mark.parametrize(("rate", "seconds"), [(250, 60), (1000, 10), (10000, 5)])
def test_noise_sampled_fast_has_no_tone(rate, seconds):
    white = grain(int(rate * seconds))
    assert told(white, rate) == told(np.cumsum(white), rate) == []


def test_mains_hum_below_other_changes_is_not_told():
    noise = grain(20_000)
    assert told(noise + 0.3 * np.sin(2 * np.pi * 50 * np.arange(20_000) / 1000), 1000.0) == []
