"""Handling of a sensor at both ends of a recording is left out where it hides what repeats between."""

import numpy as np
import pytest

from simper_tf.reading.series import handling, series_reader

RATE, SECONDS = 50, 30


def recorded(hertz, noise=0.15, held=2.0, seed=0):
    """Times and values of a wave that is handled for some seconds at first and for one at last."""
    random, times = np.random.default_rng(seed), np.arange(0, SECONDS, 1 / RATE)
    values = np.sin(2 * np.pi * hertz * times) + noise * random.normal(size=len(times))
    moved = 5 * np.cumsum(random.normal(size=len(times)))
    before, after = times < held, times > SECONDS - 1
    values[before] += moved[before] - moved[before][-1]
    values[after] += moved[after] - moved[after][0]
    return times, values[:, None]


@pytest.mark.parametrize("hertz", [0.25, 0.4, 2.0])
def test_what_repeats_between_handling_is_read_at_its_times(hertz):
    (answer,) = series_reader.reading_of_samples(*recorded(hertz)).clear
    assert answer.hertz == pytest.approx(hertz, rel=0.03)
    assert answer.count == pytest.approx(26 * hertz, abs=2)
    assert np.median(np.array(answer.peaks) * hertz % 1) == pytest.approx(0.25, abs=0.1)


def test_a_breath_beside_the_heart_is_named_between_handling():
    times, breath = recorded(0.39, noise=0.02)
    heart = np.maximum(np.cos(2 * np.pi * 1.17 * times), 0) ** 12
    reading = series_reader.reading_of_samples(times, breath + heart[:, None])
    assert [answer.hertz for answer in reading.clear] == pytest.approx([1.17], rel=0.02)
    assert reading.notes == ("1.17 Hz may come in threes: 0.39 Hz.",)


def test_noise_between_handling_gets_no_number():
    for seed in range(5):
        times, values = recorded(1.0, noise=20.0, seed=seed)
        assert not series_reader.reading_of_samples(times, values / 20).clear


@pytest.mark.parametrize("held", [1.0, 4.0])
def test_handling_ends_within_a_block_of_its_end(held):
    _, values = recorded(1.2, held=held)
    calm = handling.outside(values)
    block = SECONDS * RATE / 40
    assert abs(calm.start - held * RATE) <= block
    assert abs(calm.stop - (SECONDS - 1) * RATE) <= block


def test_a_knock_in_the_middle_is_no_handling():
    values = np.sin(np.arange(1000) / 5)[:, None]
    values[500:520] += 100 * np.random.default_rng(0).normal(size=(20, 1))
    assert handling.outside(values) == slice(0, 1000)


def test_one_handled_channel_counts_and_still_ones_do_not():
    wave = np.sin(np.arange(1000) / 5)
    handled = np.where(np.arange(1000) < 100, 50 * wave, wave)
    assert handling.outside(np.stack((wave, handled, np.ones(1000)), axis=1)) == slice(100, 1000)
    assert handling.outside(np.stack((wave, np.arange(1000) < 10), axis=1)) == slice(0, 1000)


@pytest.mark.parametrize("length", [16, 79])
def test_a_short_series_is_taken_whole(length):
    assert handling.outside(np.arange(float(length))[:, None] ** 4) == slice(0, length)
