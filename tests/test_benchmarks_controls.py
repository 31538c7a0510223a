"""Recordings in which nothing repeats, and the table of those that are given a number."""

import numpy as np
import pytest

from benchmarks import controls


@pytest.mark.parametrize("kind", [*controls.KINDS, "one burst"])
def test_nothing_repeats_in_controls_of_any_length(kind):
    for seconds in (60, 600):
        times = np.arange(0, seconds, 0.25)
        values = controls.made(kind, times, np.random.default_rng(0))
        assert values.shape == times.shape
        assert np.ptp(values) > 0


def test_a_coarse_walk_has_steps_of_a_tenth():
    values = controls.made("coarse walk", np.arange(0, 60, 0.25), np.random.default_rng(0))
    np.testing.assert_allclose(10 * values, np.round(10 * values), atol=1e-9)


@pytest.mark.parametrize(("kind", "quality"), controls.BANDS.items())
def test_noise_of_a_band_is_as_wide_as_its_quality_says(kind, quality):
    """A resonance is half as strong at edges whose distance is its middle over its quality."""
    values = controls.made(kind, np.arange(2**18) / 4, np.random.default_rng(0))
    power, at = np.abs(np.fft.rfft(values)) ** 2, np.fft.rfftfreq(2**18)
    edges = 0.05 * (np.hypot(1, 1 / (2 * quality)) + np.array([-1, 1]) / (2 * quality))
    low, middle, high = (power[np.abs(at - place) < 0.001].mean() for place in (edges[0], 0.05, edges[1]))
    np.testing.assert_allclose([low / middle, high / middle], 0.5, atol=0.07)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["brown noise", "walk with drift", "steps"])
def test_ten_minutes_of_noise_get_no_number(kind):
    times = np.arange(0, 600, 0.25)
    told = [
        controls.is_answered(times, controls.made(kind, times, np.random.default_rng(k))[:, None]) for k in range(4)
    ]
    assert told == [False] * 4


@pytest.mark.slow
@pytest.mark.parametrize("rate", [16, 20, 25, 30, 40, 64, 100])
def test_a_minute_of_white_noise_gets_no_number_at_any_rate(rate):
    """Where samples end a span of frequencies, noise in what is left of it is almost a wave."""
    times = np.arange(0, 60, 1 / rate)
    noise = np.random.default_rng(77).normal(size=(5, len(times), 1))
    assert [controls.is_answered(times, values) for values in noise] == [False] * 5


def test_files_are_cut_to_the_lengths(tmp_path, monkeypatch):
    (tmp_path / "still.csv").write_text("time,a\n" + "\n".join(f"{0.25 * k},{k % 7}" for k in range(600)))
    monkeypatch.setattr(controls, "is_answered", lambda times, values: len(times) == 240)
    assert controls.of_files([tmp_path / "still.csv"], 60) == [True, True]


def test_a_table_counts_recordings(monkeypatch):
    monkeypatch.setattr(controls, "CASES", ((60, 4.0, 1, 2), (60, 4.0, 3, 1), (7200, 0.1, 1, 1)))
    monkeypatch.setattr(controls, "is_answered", lambda times, values: len(times) == 720 or values.shape[1] == 3)
    text = controls.report([60, 7200], [])
    assert "60 min" not in text
    assert "| 1 min, 4 a second | 1 min, 4 a second, 3 channels |" in text
    assert "| white noise | 0 of 2 | 1 of 1 | 1 of 1 |" in text
    every = f"{len(controls.KINDS)} of {len(controls.KINDS)}"
    assert f"| **all** | 0 of {2 * len(controls.KINDS)} | {every} | {every} |" in text
