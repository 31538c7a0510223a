"""Rhythms of slow series: days, weeks and years at once, however many samples there are."""

import numpy as np
import pytest

from simper_tf.reading.series import series_reader

DAY = 86400.0


@pytest.mark.slow
@pytest.mark.parametrize("years", [0.5, 2, 6])
def test_of_hourly_traffic_days_and_weeks_are_told(years):
    days = np.arange(0, 365 * years, 1 / 24)
    rush = np.exp(-(((days % 1 - 0.33) / 0.06) ** 2)) + np.exp(-(((days % 1 - 0.72) / 0.08) ** 2))
    counts = rush * np.where(days // 1 % 7 < 5, 1.0, 0.35) + 0.1 * np.random.default_rng(0).normal(size=len(days))
    told = [answer.hertz * DAY for answer in series_reader.reading_of_samples(DAY * days, counts[:, None]).clear]
    assert any(a_day == pytest.approx(1, rel=0.01) for a_day in told), told
    assert any(a_day == pytest.approx(1 / 7, rel=0.01) for a_day in told), told
