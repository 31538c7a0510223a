"""Beats at the tops of their series, without those of a rest."""

import dataclasses

import numpy as np
import pytest

from simper_tf.reading.series import beat_tops, beats

RATE = 50.0
TIMES = np.arange(0, 20, 1 / RATE)
BEATS = np.arange(1.0, 19.5, 1.0)


def bumps(moments, width=0.15):
    """A bump of height 1 at each moment."""
    return np.exp(-0.5 * ((TIMES[:, None] - moments) / width) ** 2).sum(axis=1)


def heard(source, times):
    """Beats that were found at some times of a series."""
    first = beats.find(TIMES, bumps(BEATS)[:, None], (0.6, 3.5)).candidates[0]
    first = dataclasses.replace(first, source=source, moments=TIMES, times=np.array(times))
    return beats.Beats(0.9, (dataclasses.replace(first, frequency=1.0),))


@pytest.mark.parametrize("off", [-0.3, -0.1, 0.0, 0.24])
@pytest.mark.parametrize("sign", [1, -1])
def test_beats_found_on_a_slope_are_marked_at_the_tops(off, sign):
    drift = 0.2 * np.sin(TIMES / 5)
    assert beat_tops.at_tops(heard(sign * bumps(BEATS) + drift, BEATS + off)).times == pytest.approx(BEATS, abs=0.03)


def test_beats_of_a_rest_are_none():
    seen = BEATS[(BEATS < 7.5) | (BEATS > 11.5)]
    stirred = 0.1 * np.sin(2 * np.pi * TIMES / 7) * ((TIMES > 7.5) & (TIMES < 11.5))
    assert beat_tops.at_tops(heard(bumps(seen) + stirred, BEATS)).times == pytest.approx(seen, abs=0.03)


def test_weak_beats_and_those_in_a_disturbance_stay():
    source = bumps(BEATS) - 0.6 * bumps(BEATS[8:12])
    lost = (TIMES > 13.5) & (TIMES < 15.5)
    source = np.where(lost, 3 * np.random.default_rng(0).normal(size=len(TIMES)), source)
    assert len(beat_tops.at_tops(heard(source, BEATS)).times) == len(BEATS)


def test_tops_outside_the_series_are_none():
    times = np.append(BEATS, 20.1) - 0.3
    assert beat_tops.at_tops(heard(bumps(np.append(BEATS, 20.1)), times)).times == pytest.approx(BEATS, abs=0.03)


def test_nothing_heard_stays_nothing():
    assert beat_tops.at_tops(beats.Beats(0.0, ())) == beats.Beats(0.0, ())
