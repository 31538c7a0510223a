"""Beats of series are found one by one, at the right rate and with confidence, and noise has none."""

import os
import pathlib

import numpy as np
import pytest

from simper_tf.reading.series import beat_courses, beats
from simper_tf.tables import series_files

BAND = (0.6, 3.5)
RNG = np.random.default_rng(0)
REAL = pathlib.Path(os.environ.get("SIMPER_REAL", pathlib.Path(__file__).parents[4] / "shared" / "real"), "series")


def pulse(cycles):
    """A wave with a strong second harmonic, as of a finger."""
    return np.cos(2 * np.pi * cycles) + 0.6 * np.sin(4 * np.pi * cycles)


def spike(cycles):
    """A narrow QRS with a T wave a third of a beat later."""
    place = (cycles + 0.2) % 1 - 0.2
    return np.exp(-0.5 * (place / 0.015) ** 2) + 0.2 * np.exp(-0.5 * ((place - 0.3) / 0.06) ** 2)


def uneven(intervals, shape, rate=100.0, seconds=10.0):
    """Returns times and a series of beats of a shape, a function of cycles, at uneven intervals."""
    starts = np.concatenate([[-0.3], np.cumsum(intervals) - 0.3])
    times = np.arange(0, seconds, 1 / rate)
    return times, shape(np.interp(times, starts, np.arange(len(starts))))[:, None]


def hertz(intervals, seconds=10.0):
    ends = np.cumsum(intervals) - 0.3
    inside = (ends > 0) & (ends < seconds)
    return 1 / np.diff(ends[inside]).mean()


@pytest.mark.parametrize("shape", [pulse, spike, lambda cycles: -spike(cycles)], ids=["pulse", "spike", "inverted"])
@pytest.mark.parametrize("mean", [0.45, 0.8, 1.1])
def test_the_mean_of_uneven_intervals_is_read_with_confidence(shape, mean):
    intervals = mean * RNG.uniform(0.9, 1.1, 40)
    times, values = uneven(intervals, shape)
    found = beats.find(times, values + 0.05 * RNG.normal(size=values.shape), BAND)
    assert found.frequency == pytest.approx(hertz(intervals), rel=0.03)
    assert found.confidence > 0.5


@pytest.mark.parametrize("rate", [28.0, 50.0, 250.0, 1000.0])
def test_the_rate_of_samples_does_not_matter(rate):
    times, values = uneven(np.full(20, 0.75), pulse, rate)
    found = beats.find(times, values, BAND)
    assert found.frequency == pytest.approx(1 / 0.75, rel=0.01)
    assert found.confidence > 0.5


def test_a_narrow_spike_is_not_faster_than_the_band():
    found = beats.find(*uneven(np.full(20, 0.78), spike, 1000.0), BAND)
    assert not found.is_faster
    assert found.frequency == pytest.approx(1 / 0.78, rel=0.01)


def test_beats_are_where_they_are():
    times, values = uneven(np.full(20, 0.8), spike, 200.0)
    found = beats.find(times, values, BAND)
    true = np.arange(0.5, 10, 0.8)
    offsets = found.times - true[np.argmin(np.abs(found.times[:, None] - true), axis=1)]
    assert len(found.times) >= len(true) - 1
    assert np.ptp(offsets) < 0.06


def test_two_different_halves_are_one_beat():
    def double(cycles):
        return spike(2 * cycles % 1) * (1.0 - 0.6 * (np.floor(2 * cycles + 0.2) % 2))

    found = beats.find(*uneven(np.full(20, 1.3), double), BAND)
    rates = [candidate.frequency for candidate in found.candidates[:2]]
    assert min(abs(rate - 1 / 1.3) for rate in rates) < 0.02


def test_offset_size_and_slow_drift_do_not_matter():
    times, values = uneven(np.full(20, 0.8), pulse)
    whole = beats.find(times, values, BAND).frequency
    assert beats.find(times, 1e-3 * values + 7, BAND).frequency == pytest.approx(whole, rel=1e-6)
    drift = 4 * np.sin(2 * np.pi * 0.1 * times)[:, None]
    assert beats.find(times, values + drift, BAND).frequency == pytest.approx(whole, rel=0.02)


def test_jitter_and_holes_are_bridged():
    times, values = uneven(np.full(20, 0.8), pulse, 30.0)
    kept = (times < 4.1) | (times > 4.7)
    jittered = times + RNG.uniform(-0.01, 0.01, len(times))
    found = beats.find(jittered[kept], values[kept], BAND)
    assert found.frequency == pytest.approx(1.25, rel=0.02)
    assert found.confidence > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("rate", [20.0, 33.0, 60.0, 125.0, 250.0])
def test_a_pulse_with_a_fifth_of_its_samples_lost_is_read(rate):
    rng, times = np.random.default_rng(1), np.arange(0, 40, 1 / rate)
    phases = np.cumsum(1.1 * (1 + 0.05 * np.sin(times / 2))) / rate % 1
    values = np.exp(-(((phases - 0.25) / 0.09) ** 2)) + 0.35 * np.exp(-(((phases - 0.55) / 0.12) ** 2))
    values += 0.05 * rng.normal(size=len(times))
    are_lost = np.zeros(len(times), bool)
    while are_lost.mean() < 0.2:
        first, lasts = rng.integers(0, len(times)), max(int(rng.uniform(0.03, 0.25) * rate), 1)
        are_lost[first : first + lasts] = True
    found = beats.find(times[~are_lost], values[~are_lost, None], BAND)
    assert found.confidence >= 0.5
    assert found.frequency == pytest.approx(1.1, rel=0.03)


def test_of_several_channels_the_one_that_beats_is_read():
    times, values = uneven(np.full(20, 0.9), pulse, 50.0)
    noise = RNG.normal(size=(len(times), 3))
    found = beats.find(times, np.concatenate([noise, values + 0.2 * noise[:, :1]], axis=1), BAND)
    assert found.frequency == pytest.approx(1 / 0.9, rel=0.02)


def test_a_rhythm_of_the_noise_leaves_the_beats_a_candidate():
    times, values = uneven(np.full(30, 0.75), spike, 250.0)
    noise = 0.6 * np.sin(2 * np.pi * 0.99 * times)[:, None]
    found = beats.find(times, values + noise, BAND)
    assert min(abs(candidate.frequency * 0.75 - 1) for candidate in found.candidates[:2]) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("memory", [0.0, 0.9, 0.99])
def test_noise_is_hardly_ever_sure(memory):
    noise = RNG.normal(size=(15, 300))
    for k in range(1, 300):
        noise[:, k] += memory * noise[:, k - 1]
    times = np.arange(300) / 30
    assert sum(beats.find(times, one[:, None], BAND).confidence >= 0.5 for one in noise) <= 2


@pytest.mark.parametrize("frequency", [3.9, 5.0, 7.2, 10.5])
def test_beats_above_the_band_are_not_read_at_a_subharmonic(frequency):
    times = np.arange(0, 10, 0.01)
    found = beats.find(times, np.sin(2 * np.pi * frequency * times)[:, None], BAND)
    assert found.confidence < 0.5


@pytest.mark.parametrize("values", [np.ones(500), np.eye(500)[250], np.zeros(3)], ids=["still", "once", "short"])
def test_what_does_not_repeat_has_no_beats(values):
    found = beats.find(np.arange(len(values)) / 50, values[:, None], BAND)
    assert found.confidence < 0.5


def test_samples_at_uneven_times_come_to_even_ones():
    times = np.array([0, 0.1, 0.2, 0.3, 0.4, 1.2, 1.3, 1.4])
    even, holes, rate, _ = beat_courses.evenly(times, times[:, None])
    assert rate == pytest.approx(10)
    np.testing.assert_allclose(even[:, 0], np.arange(15) / 10, atol=1e-9)
    np.testing.assert_allclose(holes, np.where(np.isin(np.arange(15), np.arange(5, 13)), 0.8, 0), atol=1e-9)


def test_a_series_shorter_than_any_beat_has_no_course_of_beats():
    times = np.arange(600) / 1e9  # Of an oscilloscope: to thin these out would take gigabytes.
    even = beat_courses.evenly(times, np.sin(times[:, None] * 4e8))
    assert (len(even.values), even.rate) == (2, 125.0)
    assert not even.values.any()


def test_the_autocorrelation_of_a_wave_is_its_cosine():
    curve = beat_courses.autocorrelation(np.sin(2 * np.pi * np.arange(1000) / 25))
    np.testing.assert_allclose(curve[:500], np.cos(2 * np.pi * np.arange(500) / 25), atol=0.02)


@pytest.mark.parametrize(
    ("name", "start", "low", "high"),
    [
        ("ecg_clean_refused_Apache2.csv", 10, 74, 81), ("timer_ms_MIT.csv", 60, 50, 62),
        ("datetime_repeated_times_MIT.csv", 5, 85, 105), ("rounded_times_ODCBY.csv", 5, 89, 93),
        ("welltory_19_CC0.csv", 40, 70, 78),
    ],
)  # fmt: skip
@pytest.mark.skipif(not REAL.is_dir(), reason="The folder of real recordings is not there.")
def test_published_hearts_are_read_in_ten_seconds(name, start, low, high):
    recording = series_files.series_of(REAL / name)
    inside = (recording.times >= start) & (recording.times < start + 10)
    found = beats.find(recording.times[inside], recording.values[inside], BAND)
    assert low < 60 * found.frequency < high
    assert found.confidence > 0.5
