import numpy as np
import pytest

from simper_tf.signals import harmonics

RNG = np.random.default_rng(5)
RATE = 30.0


def waves(frequencies, heights, frames=150):
    """Returns `(N, T, 1)` sums of harmonics with some heights, at random phases."""
    times = np.arange(frames) / RATE
    phases = RNG.uniform(0, 2 * np.pi, (len(frequencies), 1))
    turns = 2 * np.pi * np.multiply.outer(frequencies, times) + phases
    return sum(height * np.sin(k * turns) for k, height in enumerate(heights, start=1))[..., None]


def read(heights, band=(0.5, 5.0)):
    return harmonics.comb_peak(heights, np.full(len(heights.found), RATE), band)


@pytest.mark.parametrize("heights", [(1.0,), (0.4, 1.0), (0.3, 1.0, 0.8, 0.5)])
def test_weak_fundamentals_are_found_by_their_harmonics(heights):
    frequencies = RNG.uniform(0.8, 4.5, 20)
    np.testing.assert_allclose(read(harmonics.total_power(waves(frequencies, heights))), frequencies, atol=0.02)


def test_the_total_power_of_a_sine_peaks_at_its_bin():
    (heights,), _ = harmonics.total_power(waves([3.0], (1.0,)))
    # 3 Hz of 15 are a fifth of the bins; a Hann window halves the amplitude, so a quarter of (T / 2) ** 2 is left.
    assert heights.argmax() == (len(heights) - 1) // 5
    assert heights.max() == pytest.approx((149 / 4) ** 2, rel=0.02)


def test_frequencies_stay_within_a_band_narrower_than_a_bin():
    heights = harmonics.total_power(waves([2.0], (1.0,)))
    assert 3.001 <= read(heights, (3.001, 3.002))[0] <= 3.002


def test_drift_at_the_low_end_of_the_band_is_no_frequency():
    times = np.arange(150) / 30
    wave = 0.2 * np.sin(2 * np.pi * 2.3 * times) + np.exp(-times)
    read = harmonics.comb_peak(harmonics.total_power(wave[None, :, None]), np.array([30.0]), (0.4, 5.5))
    np.testing.assert_allclose(read, 2.3, atol=0.02)


def test_frequencies_between_bins_are_read_to_a_hundredth_of_one():
    # Of several series at phases of their own, as in pictures, whose leaks cancel. A bin of the padded spectrum is
    # 0.0125 Hz, and its peak alone would be off by 0.003 Hz.
    frequencies = RNG.uniform(0.8, 3.3, 20)
    series = np.concatenate([waves(frequencies, (1.0, 0.6, 0.4, 0.2)) for _ in range(40)], axis=2)
    np.testing.assert_allclose(read(harmonics.total_power(series)), frequencies, atol=1e-3)
    assert np.median(np.abs(read(harmonics.total_power(series)) - frequencies)) < 1.25e-4


def test_a_third_harmonic_at_half_the_rate_draws_nothing():
    # 3 * 4.97 = 14.91 Hz, whose mirror image is 15.09 Hz: the two would meet at 15, and read 5 Hz.
    series = np.concatenate([waves([4.97], (1.0, 0.2, 1.0)) for _ in range(40)], axis=2)
    np.testing.assert_allclose(read(harmonics.total_power(series), (0.5, 5.5)), 4.97, atol=2e-3)
