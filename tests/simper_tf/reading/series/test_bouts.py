"""Bouts of a few seconds in a series that is silent otherwise."""

import numpy as np
import pytest

from benchmarks import controls
from simper_tf.reading.series import series_reader

RATE, LASTS = 50, 7


def recorded(hertz, seconds, first):
    """Times and values of a wave that lasts for some seconds, in noise."""
    times = np.arange(0, seconds, 1 / RATE)
    inside = (times >= first) & (times < first + LASTS)
    noise = 0.2 * np.random.default_rng(0).normal(size=len(times))
    return times, (np.where(inside, np.sin(2 * np.pi * hertz * times), 0) + noise)[:, None]


@pytest.mark.parametrize(
    ("hertz", "seconds", "first"), [(1.1, 120, 71), (2.0, 40, 22), (2.0, 45, 4), (3.5, 60, 31), (3.5, 120, 71)]
)
def test_a_bout_is_read_where_it_is(hertz, seconds, first):
    reading = series_reader.reading_of_samples(*recorded(hertz, seconds, first))
    (answer,) = reading.clear
    assert answer.hertz == pytest.approx(hertz, rel=0.03)
    assert answer.start == pytest.approx(first, abs=1.5)
    assert answer.end == pytest.approx(first + LASTS, abs=1.5)
    assert not reading.notes  # Not what stretches of half a minute doubted.


@pytest.mark.parametrize("kind", ["white noise", "brown noise", "steps"])
def test_noise_has_no_bouts(kind):
    times = np.arange(0, 40, 1 / RATE)
    answered = [
        controls.is_answered(times, controls.made(kind, times, np.random.default_rng(k))[:, None]) for k in range(6)
    ]
    assert not any(answered)
