"""Peaks that may be repetitions, ranked before they are compared as runs."""

import dataclasses

import numpy as np
import pytest
from made_runs import course

from simper_tf.reading import intervals
from simper_tf.reading.films import events, hints


def waves(pause=0, noise=0.0):
    """A course of ten waves of 30 samples, after five a pause, and another one that follows it."""
    wave = np.sin(2 * np.pi * np.arange(150) / 30)
    values = np.concatenate((wave, np.zeros(pause), wave)) + noise * np.random.default_rng(0).normal(size=300 + pause)
    return course(values, np.gradient(values), np.roll(values, 3))


@pytest.mark.parametrize("pause", [0, 90])
def test_a_hint_knows_about_what_its_run_does(pause):
    best = max(hints.of([waves(pause)]), key=lambda hint: hint.regularity)
    run = best.run()
    assert best.frequency == pytest.approx(intervals.frequency(run.marks)) == pytest.approx(1 / 30, rel=0.02)
    assert best.regularity == pytest.approx(events.regularity(run), abs=0.1)


def test_noise_is_less_regular_than_waves():
    regular, noise = (
        max((hint.regularity for hint in hints.of([waves(noise=noise)])), default=0.0) for noise in (0.05, 2.0)
    )
    assert regular > noise + 0.5


def test_hints_of_several_courses_are_those_of_each():
    first = waves(noise=0.05)
    several = [
        first,
        dataclasses.replace(first, values=first.values[::-1]),
        dataclasses.replace(waves(), rung=first.rung),
    ]
    expected = [hint for course in several for hint in hints.of([course])]
    for hint, alone in zip(hints.of(several), expected, strict=True):
        assert hint.course is alone.course
        assert hint.regularity == pytest.approx(alone.regularity)
        np.testing.assert_allclose(hint.marks, alone.marks)


def test_what_has_no_peaks_has_no_hints():
    assert hints.of([]) == []
    assert hints.of([course(np.arange(200.0), np.arange(200.0))]) == []
