"""Shapes of beats: what repeats explains its course, and drift has no line in the spectrum."""

import numpy as np
import pytest

from simper_tf.reading.series import beat_shapes

RNG = np.random.default_rng(0)
PLACES = np.arange(20, 400, 25)


def explained(course, places):
    return beat_shapes.explained(course, places, beat_shapes.segments(course, places, 15))


def test_a_wave_is_explained_whole_and_noise_hardly():
    wave = np.cos(2 * np.pi * (np.arange(420) - 20) / 25)
    assert explained(wave, PLACES) > 0.98
    assert explained(RNG.normal(size=420), PLACES) < 0.3


def test_noise_as_strong_as_a_wave_leaves_half_explained():
    wave = np.sqrt(2) * np.cos(2 * np.pi * (np.arange(2020) - 20) / 25)
    places = np.arange(20, 2000, 25)
    assert explained(wave + RNG.normal(size=2020), places) == pytest.approx(0.5, abs=0.06)


def test_a_wave_has_a_line_and_drift_has_none():
    times = np.arange(0, 10, 0.02)
    assert beat_shapes.line(np.sin(2 * np.pi * 1.2 * times), 50.0, 1.2) == 5
    drifts = np.cumsum(RNG.normal(size=(99, 500)), axis=1)
    assert np.median([beat_shapes.line(drift, 50.0, 1.2) for drift in drifts]) < 0.5
    assert beat_shapes.line(np.zeros(500), 50.0, 1.2) <= 0


@pytest.mark.parametrize("scale", [-1.0, 1e-3, 20.0])
def test_likeness_is_the_correlation_with_what_is_around(scale):
    course = 0.5 + RNG.normal(size=200)
    alike = beat_shapes.likeness(course, scale * course[90:111] + 3, beat_shapes.spread(course, 21))
    assert alike[100] == pytest.approx(np.sign(scale))
    expected = np.sign(scale) * np.corrcoef(course[140:161], course[90:111])[0, 1]
    assert alike[150] == pytest.approx(expected)


def test_the_top_of_a_parabola_lies_between_samples():
    curve = -np.square(np.arange(9) - 4.3)
    np.testing.assert_allclose(beat_shapes.shift(curve, np.array([4, 5, 8])), [0.3, -0.5, 0.0])


def test_beats_off_the_middle_of_a_curve_have_what_lies_between():
    curve = np.cos(2 * np.pi * np.arange(420) / 25 * 2)
    assert beat_shapes.between(curve, np.arange(0, 400, 25)) == pytest.approx(np.cos(2 * np.pi / 25), abs=1e-9)
    assert beat_shapes.between(np.cos(np.pi * np.arange(420) / 25) ** 2, np.arange(0, 400, 25)) < 0.7


def test_segments_correlate_by_what_is_seen_of_both():
    first, second = RNG.normal(size=(2, 3, 9))
    first[0, :4], second[0, 7:], first[2, :7] = np.nan, np.nan, np.nan
    found = beat_shapes.correlations(first, second)
    expected = [np.corrcoef(first[0, 4:7], second[0, 4:7])[0, 1], np.corrcoef(first[1], second[1])[0, 1], 0.0]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(beat_shapes.mean(first), np.nanmean(first, axis=0))


def test_the_middle_of_touching_beats_holds_nothing():
    curve = np.array([9.0, 1.0, 2.0, 9.0, 9.0, 3.0, 4.0, 1.0])
    assert beat_shapes.between(curve / 10, np.array([0, 3, 4, 7])) == pytest.approx(0.2)  # Of 0.2, nothing, 0.4.
