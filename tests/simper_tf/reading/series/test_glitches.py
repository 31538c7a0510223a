"""A few samples far from all others: they are passed over, and what a sensor shows is not."""

import numpy as np
import pytest

from simper_tf.reading.series import glitches, series_reader

RATE = 50.0
TIMES = np.arange(0, 30, 1 / RATE)


def pulses(seed=0):
    """Returns `(T, 1)` of a pulse of 1.1 Hz in noise."""
    phases = np.cumsum(1.1 * (1 + 0.05 * np.sin(TIMES / 2))) / RATE % 1
    wave = np.exp(-(((phases - 0.25) / 0.09) ** 2)) + 0.35 * np.exp(-(((phases - 0.55) / 0.12) ** 2))
    return (wave + 0.1 * np.random.default_rng(seed).normal(size=len(TIMES)))[:, None]


@pytest.mark.parametrize("size", [-65535.0, -40.0, 40.0, 1e3, 1e9])
@pytest.mark.parametrize("places", [[700], [0, 1499], [300, 301, 302, 900], [200, 201, 700, 1200, 1201, 1202]])
def test_a_pulse_is_read_past_a_few_glitches(size, places):
    values = pulses()
    values[places, 0] += size * (1 + 0.1 * np.arange(len(places)))
    reading = series_reader.reading_of_samples(TIMES, values)
    assert reading.clear[0].hertz == pytest.approx(1.1, rel=0.03)
    assert reading.notes[0].startswith(f"{len(places)} sample{'s lie' if len(places) > 1 else ' lies'} far from all")


def test_what_is_passed_over_is_straight_and_the_given_stays():
    given = np.stack((TIMES[:100], np.tile([0.0, 1.0], 50)), axis=1)
    values = given.copy()
    values[50:52, 0] = 9e4, -7e4
    mended, number = glitches.mended(values)
    np.testing.assert_allclose(mended, given, atol=1e-9)
    assert number == 2
    assert values[50, 0] == 9e4
    same, none = glitches.mended(given)
    assert same is given
    assert none == 0


def spikes(every):
    values = 0.01 * np.random.default_rng(0).normal(size=(1500, 1))
    values[::every] += 5.0
    return values


@pytest.mark.parametrize(
    "values",
    [spikes(50), spikes(330), pulses(), np.cumsum(pulses(), axis=0), np.repeat(np.eye(4), 400, axis=0)[:, :1]],
    ids=["spikes", "five spikes", "a pulse", "a walk", "a step"],
)
def test_what_a_sensor_shows_is_no_glitch(values):
    assert glitches.mended(values)[1] == 0


def test_few_samples_hold_no_glitch_that_can_be_told():
    assert glitches.mended(np.array([[0.0], [1.0], [900.0], [0.0]]))[1] == 0
