"""What the comparison of heart rates counts; its other readers are in an environment of their own."""

import numpy as np
import pytest

from benchmarks import made_series, series


def test_no_answer_is_a_wrong_one_and_has_no_error():
    truth, found = np.float64([60, 60, 60, 60]), np.float64([61, 62.9, 70, np.nan])
    assert series.measures(truth, found) == ["50.0%", "4.63", "75.0%"]
    assert series.measures(truth, np.full(4, np.nan)) == ["0.0%", "", "0.0%"]


def test_half_of_the_windows_on_which_scores_are_fitted_repeat_inside_their_band():
    made = list(made_series.windows(count=60))
    assert 15 <= sum(np.isfinite(frequency) for frequency, *_ in made) <= 45
    for frequency, values, rate, (low, high) in made:
        assert not frequency < low
        assert not frequency > high
        assert np.isfinite(values).all()
        assert len(values) / rate > 2 / low or frequency * len(values) / rate > 2 or np.isnan(frequency)


def test_a_window_is_read_as_the_command_reads_it():
    class Window:
        values, rate = np.sin(2 * np.pi * 1.2 * np.arange(1000) / 100), 100.0

    assert series.predicted(Window) == pytest.approx(72, abs=0.5)
