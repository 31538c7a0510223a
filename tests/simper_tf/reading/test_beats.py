"""Repetitions of uneven length are found one by one, and their mean interval is read."""

import numpy as np
import pytest

from simper_tf.reading import beats, gram, readouts
from simper_tf.recordings import windows

RATE, BAND = 28.0, (0.6, 3.5)
RNG = np.random.default_rng(0)


def read(values, rate=RATE):
    values = np.reshape(values, (len(values), -1))
    return beats.beats(windows.Window(0.0, values[:, None, None], rate), gram.products(values), BAND)


def uneven(intervals, shape, seconds=10.0):
    """Returns a series of pulses of a shape, functions of cycles, at uneven intervals."""
    starts = np.concatenate([[0.0], np.cumsum(intervals)])
    return shape(np.interp(np.arange(0, seconds, 1 / RATE), starts, np.arange(len(starts))))


def pulse(cycles):
    """A wave whose second harmonic is as strong as the first, as of a finger."""
    return np.cos(2 * np.pi * cycles) + np.sin(4 * np.pi * cycles)


def spike(cycles):
    return np.exp(60 * (np.cos(2 * np.pi * cycles) - 1))


@pytest.mark.parametrize("shape", [pulse, spike, lambda cycles: -spike(cycles)])
def test_the_mean_interval_of_uneven_repetitions_is_read_where_a_spectrum_is_off(shape):
    intervals = RNG.uniform(0.68, 0.92, 20)
    inside = np.cumsum(intervals) <= 10
    found = read(uneven(intervals, shape) + 0.05 * RNG.normal(size=280))
    assert found.frequency == pytest.approx(1 / intervals[inside].mean(), rel=0.03)
    assert found.score > 0.5


def test_an_even_wave_is_read_as_a_spectrum_reads_it():
    wave = np.sin(2 * np.pi * 1.3 * np.arange(280) / RATE)
    assert read(wave).frequency == pytest.approx(readouts.of_series("fft", wave, RATE, BAND).frequency, rel=0.01)


def test_places_are_where_the_repetitions_are_and_like_one_another():
    places, likeness = beats.repetitions(uneven(np.full(20, 20 / RATE), spike), 22)
    assert set(np.diff(places[1:-1])) == {20}
    assert np.all(likeness[1:-1] > 0.95)


def test_two_different_halves_are_one_repetition():
    def double(cycles):
        return spike(2 * cycles) * (1.0 + 0.6 * (np.floor(2 * cycles + 0.5) % 2))

    assert read(uneven(np.full(20, 1.25), double)).frequency == pytest.approx(0.8, rel=0.02)


def test_size_offset_and_slow_drift_of_a_series_do_not_matter():
    values = uneven(RNG.uniform(0.7, 0.9, 20), pulse)
    drift = 5 * np.sin(2 * np.pi * 0.1 * np.arange(280) / RATE)
    assert read(1e-3 * values + 7).frequency == pytest.approx(read(values).frequency, rel=1e-6)
    assert read(values + drift).frequency == pytest.approx(read(values).frequency, rel=0.02)


def test_of_several_series_their_common_course_is_read():
    values = uneven(RNG.uniform(0.7, 0.9, 20), pulse)
    several = values[:, None] * np.float64([1, -1, 0.5]) + 0.3 * RNG.normal(size=(280, 3))
    assert read(several).frequency == pytest.approx(read(values).frequency, rel=0.02)


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.99])
def test_noise_is_hardly_ever_sure(memory):
    noise = RNG.normal(size=(30, 280))
    for k in range(1, 280):
        noise[:, k] += memory * noise[:, k - 1]
    assert sum(read(each).score >= 0.5 for each in noise) <= 2


def test_what_is_still_or_has_no_repetition_has_no_reading():
    still = read(np.ones(280))
    assert np.isnan(still.frequency)
    assert still.score == 0
    assert not read(np.eye(280)[140]).score >= 0.5


@pytest.mark.parametrize("height", [0, 3])
def test_most_of_uneven_spikes_is_above_the_band_and_they_are_read_all_the_same(height):
    def beat(cycles):
        return np.exp(15 * (np.cos(2 * np.pi * cycles) - 1))

    for interval in (0.45, 0.55, 0.7):
        values = uneven(interval * RNG.uniform(0.92, 1.08, 40), beat)
        values = values / values.std() + height * np.sin(2 * np.pi * 0.2 * np.arange(280) / RATE)
        window = windows.Window(0.0, values[:, None, None, None], RATE)
        found = beats.limited(window, gram.products(values[:, None]), BAND)
        assert found.frequency == pytest.approx(1 / interval, rel=0.05)
        assert found.score > 0.5


@pytest.mark.parametrize("frequency", [3.7, 5.0, 7.2, 10.5])
def test_what_is_faster_than_the_band_is_not_read_at_a_part_of_its_frequency(frequency):
    values = np.sin(2 * np.pi * frequency * np.arange(280) / RATE)[:, None] + 0.05 * RNG.normal(size=(280, 1))
    window = windows.Window(0.0, values[:, None, None], RATE)
    assert beats.limited(window, gram.products(values), BAND).score < 0.5
