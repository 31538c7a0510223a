import itertools

import numpy as np
import pytest

from simper_tf.signals import pulse


def wave(bpm, rate, phase=0.0, harmonics=((0.3, 0.8), (0.1, 1.5)), num_samples=180):
    angle = 2.0 * np.pi * bpm / 60.0 * np.arange(num_samples) / rate + phase
    overtones = sum(a * np.sin((k + 2) * angle + p) for k, (a, p) in enumerate(harmonics))
    return np.sin(angle) + overtones


@pytest.mark.slow
@pytest.mark.parametrize("harmonics", [(), ((0.3, 0.8), (0.1, 1.5)), ((0.5, 1.0),), ((0.5, 5.0), (0.15, 3.0))])
@pytest.mark.parametrize("rate", [29.26, 30.0])
def test_heart_rates_of_six_seconds_err_by_a_fifth_of_a_beat(rate, harmonics):
    cases = itertools.product(np.arange(45.0, 150.1, 7.5), np.linspace(0.0, 2.0 * np.pi, 3, endpoint=False))
    errors = [abs(pulse.heart_rate(wave(bpm, rate, phase, harmonics), rate) - bpm) for bpm, phase in cases]
    assert max(errors) <= 0.2


def test_heart_rates_between_two_spectral_bins_are_told_apart():
    between = np.linspace(90.0, 90.0 + 60.0 * 30.0 / pulse.SPECTRUM_LENGTH, 9)
    errors = [abs(pulse.heart_rate(wave(bpm, 30.0, harmonics=(), num_samples=600), 30.0) - bpm) for bpm in between]
    assert max(errors) < 0.02


def test_heart_rate_ignores_offset_scale_and_drift():
    ppg = wave(72.0, 30.0)
    drift = np.linspace(0.0, 5.0, 180)
    assert pulse.heart_rate(50.0 + 40.0 * ppg, 30.0) == pytest.approx(pulse.heart_rate(ppg, 30.0), abs=1e-6)
    assert pulse.heart_rate(ppg + drift, 30.0) == pytest.approx(72.0, abs=0.5)


def test_series_longer_than_the_spectrum_are_used_whole():
    slow, fast = wave(60.0, 30.0, num_samples=9000), wave(90.0, 30.0, num_samples=30000)
    assert pulse.heart_rate(np.concatenate([slow, fast]), 30.0) == pytest.approx(90.0, abs=0.2)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda x: np.full_like(x, 3.0), "constant"),
        (lambda x: np.where(np.arange(180) < 120, 3.0, x), "constant"),
        (lambda x: np.where(np.arange(180) == 7, np.nan, x), "1 of 180 PPG samples are not finite"),
        (lambda x: np.where(np.arange(180) == 7, 1e8, x), "interquartile ranges from the median"),
        (lambda x: x[:59], "shorter than 2 s"),
        (lambda x: x[:, None], "shape"),
    ],
)
def test_a_ppg_without_a_pulse_is_refused_with_the_reason(spoil, reason):
    with pytest.raises(ValueError, match=reason):
        pulse.heart_rate(spoil(wave(72.0, 30.0)), 30.0)


def test_detrend_solves_the_dense_system():
    second_difference = np.diff(np.eye(40), 2, axis=0)
    series = np.random.default_rng(0).normal(size=40)
    trend = np.linalg.solve(np.eye(40) + 100.0**2 * second_difference.T @ second_difference, series)
    np.testing.assert_allclose(pulse.detrend(series), series - trend, atol=1e-10)


def test_interpolation_is_exact_at_nanoseconds():
    start = 1_392_643_993_642_815_001  # Odd: 64-bit floats are 256 apart here.
    value_times = start + np.array([0, 100, 200])
    values, inside = pulse.at_times(
        np.array([0.0, 100.0, 300.0]), value_times, start + np.array([-1, 0, 37, 150, 200, 201])
    )
    assert inside.tolist() == [False, True, True, True, True, False]
    assert values[inside].tolist() == [0.0, 37.0, 200.0, 300.0]


def test_repeated_and_backward_times_move_forward_by_the_least():
    repaired, moved = pulse.increasing(np.array([0, 10, 10, 9, 30]))
    assert (repaired.tolist(), moved) == ([0, 10, 11, 12, 30], 2)


def test_time_stamps_that_would_move_by_a_second_are_refused():
    with pytest.raises(ValueError, match=r"time stamp 2 lies 1\.000 s before"):
        pulse.increasing(np.array([0, 2_000_000_000, 1_000_000_000]))


def test_a_repeated_last_time_stamp_hardly_changes_the_rate():
    times = np.rint(np.arange(180) * 1e9 / 29.5).astype(np.int64)
    times[0] = times[1] - 1
    _, rate = pulse.uniform(np.zeros(180), times)
    assert rate == pytest.approx(29.5, rel=1e-3)


def test_uniform_removes_jitter():
    rng = np.random.default_rng(0)
    times = np.arange(300) * 33_000_000 + rng.integers(-5_000_000, 5_000_000, 300)
    values, rate = pulse.uniform(np.sin(2.0 * np.pi * 1.2 * times * 1e-9), times)
    assert pulse.heart_rate(values, rate) == pytest.approx(72.0, abs=0.1)
