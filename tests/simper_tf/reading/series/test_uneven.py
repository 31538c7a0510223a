"""Rhythms of uneven times: sines seen at night, lines a day apart, noise, and gaps that are named."""

import numpy as np
import pytest

from simper_tf.reading import result
from simper_tf.reading.series import beat_stretches, rhythms, series_reader, uneven

DAY, NIGHTS = 86400.0, 75


def nights(rng, a_night=2):
    """Returns times of the first five hours of each night."""
    return np.sort(np.repeat(np.arange(NIGHTS), a_night) * DAY + rng.uniform(0, 5 * 3600, NIGHTS * a_night))


@pytest.mark.parametrize("days", [0.7137, 1.05, 2.6, 14.0])
def test_what_is_seen_at_night_alone_is_read(days):
    rng = np.random.default_rng(0)
    times = nights(rng, 4)
    values = np.sin(2 * np.pi * times / (days * DAY)) + 0.2 * rng.normal(size=len(times))
    (answer,) = rhythms.of_slow(times, np.stack((rng.normal(size=len(times)), values), axis=1), None)
    assert answer.verdict == result.CLEAR
    assert answer.hertz * DAY == pytest.approx(1 / days, rel=0.005)
    assert answer.count == pytest.approx(np.ptp(times) / DAY / days, abs=2)
    assert answer.channel == 1
    assert np.array(answer.peaks) % (days * DAY) / (days * DAY) == pytest.approx(0.25, abs=0.05)  # The top of the sine.


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("a_day", [1, 2])
def test_whole_cycles_a_day_seen_at_night_are_no_other_number(seed, a_day):
    rng = np.random.default_rng(seed)
    times = nights(rng, 4)
    values = np.sin(2 * np.pi * a_day * times / DAY) + 0.2 * rng.normal(size=len(times))
    assert all(round(answer.hertz * DAY, 2) == a_day for answer in rhythms.of_slow(times, values[:, None], None))


def test_lines_a_day_apart_that_are_alike_are_not_told():
    rng = np.random.default_rng(0)
    times = np.sort(np.repeat(np.arange(NIGHTS), 3) * DAY + rng.uniform(0, 900, 3 * NIGHTS))
    values = np.sin(2 * np.pi * times / (0.7137 * DAY)) + 0.5 * rng.normal(size=len(times))
    assert uneven.clearest(times, values[:, None], (0.1 / DAY, 3 / DAY)) == []
    (answer,) = uneven.clearest(times, values[:, None], (0.9 / DAY, 1.5 / DAY))  # Who knows better names the band.
    assert answer.hertz * DAY == pytest.approx(1 / 0.7137, rel=0.005)


@pytest.mark.parametrize("kind", ["white", "walk"])
def test_noise_at_uneven_times_is_hardly_ever_clear(kind):
    clear = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        times = nights(rng)
        steps = rng.normal(size=len(times))
        walk = np.cumsum(np.sqrt(np.diff(times, prepend=times[0])) * steps)
        clear += len(uneven.clearest(times, (steps if kind == "white" else walk)[:, None], None) or ())
    assert clear <= 1


def bursts(days, missing, seed):
    """Returns times of every five minutes but for some whole days, and steps: in a quarter of them, by day alone."""
    rng = np.random.default_rng(seed)
    times = np.arange(0, days * DAY, 300)
    hour, kept = times % DAY / 3600, ~np.isin(times // DAY, rng.choice(days, missing, replace=False))
    steps = (rng.random(len(times)) < 0.25 * ((hour > 7) & (hour < 22))) * rng.exponential(60, len(times))
    return times[kept], steps[kept]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("days", "missing"), [(14, 3), (30, 7)])
def test_days_of_bursts_are_read_though_some_are_missing(days, missing, seed):
    times, steps = bursts(days, missing, seed)
    (answer,) = series_reader.reading_of_samples(times, steps[:, None]).clear
    assert answer.hertz * DAY == pytest.approx(1, rel=0.01)
    assert answer.count <= days - missing + 1  # A day that nobody saw is not counted.


@pytest.mark.parametrize("days", [1.0, 7.0, 365.25 / 12])
@pytest.mark.parametrize("years", [4.0, 4.3, 4.7])
def test_four_years_show_the_year_in_noise(days, years):
    year = 365.25 * DAY
    times = np.arange(0, years * year, days * DAY)
    values = np.sin(2 * np.pi * times / year) + 0.5 * np.random.default_rng(0).normal(size=len(times))
    (answer,) = series_reader.reading_of_samples(times, values[:, None]).clear
    assert answer.hertz * year == pytest.approx(1, rel=0.04)
    times = times[times < 3 * year]
    assert not series_reader.reading_of_samples(times, values[: len(times), None]).clear


@pytest.mark.parametrize("kind", ["white", "walk"])
def test_means_of_noise_show_no_line(kind):
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=(2000, 1))
        values = noise if kind == "white" else np.cumsum(noise, axis=0)
        assert uneven.clearest_of_means(np.arange(2000.0), values, None) == []


def test_the_fewest_means_that_show_a_wave_tell_it():
    times = np.arange(0, 3000.0)
    values = (np.sin(2 * np.pi * times / 100) > 0) * (times % 7 == 0)
    (answer,) = uneven.clearest_of_means(times, values[:, None], None)
    assert answer.hertz == pytest.approx(0.01, rel=1e-3)
    assert np.diff(answer.times).mean() == pytest.approx(8, rel=0.1)
    assert uneven.clearest_of_means(times, values[:, None], (0.02, 0.4)) == []


def test_even_times_with_holes_and_jitter_are_no_uneven_ones():
    rng = np.random.default_rng(0)
    times = np.arange(700) * 3600.0
    assert not uneven.is_one(times)
    assert not uneven.is_one(times + rng.uniform(-900, 900, 700))
    assert not uneven.is_one(times[(np.arange(700) // 24) % 7 < 5])  # Working days.
    assert uneven.is_one(np.sort(rng.uniform(0, 1e6, 700)))


def test_a_constant_at_uneven_times_says_nothing():
    assert uneven.clearest(nights(np.random.default_rng(0)), np.ones((2 * NIGHTS, 1)), None) is None


@pytest.mark.parametrize("unit", [1.0, 7200.0])
def test_a_gap_is_named_and_is_no_pause(unit):
    times = np.arange(0, 60, 0.02 if unit == 1 else 0.1) * unit
    times = times[(times < 20 * unit) | (times > 33 * unit)]
    reading = series_reader.reading_of_samples(times, np.sin(2 * np.pi * 1.1 * times / unit)[:, None])
    assert all(answer.pauses == () for answer in reading.answers)
    lasts = "13 s from 20 s on" if unit == 1 else "26.4 hours from 39.8 hours on"
    (note,) = [note for note in reading.notes if "samples" in note]
    assert note == f"There are no samples for {lasts}."


def test_gaps_are_counted_in_one_note():
    times = np.concatenate([k * 30 + np.arange(0, 20, 0.05) for k in range(4)])
    reading = series_reader.reading_of_samples(times, np.sin(2 * np.pi * times)[:, None])
    assert "There are 3 gaps without samples, 30.1 s in all, the longest 10 s from 20 s on." in reading.notes


def test_a_seam_in_which_nothing_repeats_is_a_pause():
    times = np.arange(0, 20, 0.02)
    wave = np.sin(2 * np.pi * 1.1 * times)[:, None]
    (one,), (other,) = (series_reader.reading_of_samples(start + times, wave).clear for start in (0, 33))
    (both,) = beat_stretches._joined([one, other])
    assert both.pauses == ((one.end, other.start),)
    assert both.count == one.count + other.count


def in_two_parts(rng, rate=50.0):
    """Returns times of two recordings of 20 s with ten minutes between."""
    times = np.arange(0, 20, 1 / rate)
    return np.concatenate((times, times + 620)) + rng.uniform(0, 0.1 / rate, 2 * len(times))


@pytest.mark.parametrize("seed", range(4))
def test_slow_movement_before_and_after_a_gap_is_no_rhythm(seed):
    rng = np.random.default_rng(seed)
    times = in_two_parts(rng)
    walk = np.cumsum(rng.normal(size=len(times)))
    smooth = np.convolve(walk, np.ones(200) / 200, "same")[:, None]
    assert not series_reader.reading_of_samples(times, smooth).clear


@pytest.mark.parametrize("hertz", [0.3, 0.5, 2.0])
def test_repetitions_are_not_counted_through_a_gap(hertz):
    times = in_two_parts(np.random.default_rng(0))
    answers = series_reader.reading_of_samples(times, np.sin(2 * np.pi * hertz * times)[:, None]).clear
    assert answers[0].hertz == pytest.approx(hertz, rel=0.02)
    assert sum(answer.count for answer in answers) == pytest.approx(40 * hertz, abs=3)
