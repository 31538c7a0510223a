"""Full cycles and halves of made events."""

import numpy as np
import pytest
import scipy.signal
from made_runs import course, run

from simper_tf.reading.films import courses, events, halves


def test_opposite_events_are_unlike():
    times = np.arange(200)
    seen = course(np.abs(np.sin(np.pi * times / 50)), np.sin(np.pi * times / 50) * 3)
    full, pairs = halves.full(run(seen, [25, 75, 125, 175]))
    assert not pairs
    np.testing.assert_allclose(full.marks, [25, 125])


def made(share, number=10):
    """Events of a course that sees them alike, in a picture whose other part turns over by a share."""
    times = np.arange(50 * number)
    own, turned = np.sin(np.pi * times / 50) ** 2, np.sin(np.pi * times / 50) * share
    whole = np.stack((own, turned), -1)[:, None].astype(np.float32)
    narrow = courses.Rung(whole[..., :1], 100.0, whole)
    return run(courses.Course(own, whole[:, 0, :1], narrow, whole[:, 0, :1]), np.arange(25, 50 * number, 50))


def test_halves_are_paired_though_some_of_one_kind_are_missed():
    # Of twelve halves the fourth and the sixth are missed: their gaps are no pauses, and sides go on behind them.
    seen = made(4.0, 12)
    some = run(seen.course, np.delete(seen.marks, [3, 5]))
    assert not halves.are_cycles(some)
    np.testing.assert_allclose(halves.every_second(some).marks, seen.marks[::2])
    # Behind a pause of two and a half events nothing is known of sides.
    np.testing.assert_array_equal(events.places(np.array([0.0, 10, 20, 40, 50, 60, 85, 95])), [0, 1, 2, 4, 5, 6, 7, 8])
    # Of 3.2 frames each: the marks on both sides of the missed one are off by a third of a frame.
    np.testing.assert_array_equal(events.places(np.array([1.0, 4, 7, 13.9, 17, 20])), [0, 1, 2, 4, 5, 6])


def test_events_the_whole_picture_sees_alike_are_cycles():
    assert halves.are_cycles(made(0.0))
    assert not halves.are_cycles(made(4.0))
    assert not halves.are_cycles(made(0.0, number=4))


@pytest.mark.parametrize(("low", "number", "are_pairs"), [(0.9, 8, False), (0.6, 4, True), (0.2, 4, False)])
def test_halves_that_differ_a_little_are_pairs(low, number, are_pairs):
    times = np.arange(400)
    high = np.where(times // 50 % 2, 1.0, low)
    own = np.sin(np.pi * times / 50) ** 2
    full, pairs = halves.full(run(course(own, 2 * (high - 0.5) * own), np.arange(25, 400, 50)))
    assert (len(full.marks), pairs) == (number, are_pairs)


def sampled(period, alternate=0.0, drift=0.0, number=16):
    """Scores and marks of events of so many frames, of which every second one differs."""
    phases = np.arange(round(number * period)) / period
    wave = np.exp(2 * np.cos(2 * np.pi * phases))
    scores = wave * (1 + alternate * np.cos(np.pi * phases)) + drift * phases
    return scores[:, None], period * np.arange(1, number)


@pytest.mark.parametrize("period", [3.5, 4.5, 6.5, 8.5, 12.5, 12.45, 24.5])
def test_events_caught_between_frames_do_not_differ(period):
    assert not events.differ(*sampled(period))
    assert not events.differ(*sampled(period, drift=1.0))
    # Of seven frames a cycle two halves may be the second harmonic of one: nobody knows.
    assert events.differ(*sampled(period, alternate=0.5)) == (period > 4)


@pytest.mark.parametrize(("period", "parts"), [(3.2, 5), (3.8, 5), (3.25, 4), (10 / 3, 3)])
def test_events_caught_at_several_moments_do_not_differ(period, parts):
    assert not events.differ(*sampled(period), parts)


@pytest.mark.parametrize(("period", "number"), [(3.57, 56), (8.0, 30)])
def test_noise_that_is_slow_makes_no_difference(period, number):
    # Each value is half of the one before, as what is left of pictures that an encoder builds on others.
    noise = scipy.signal.lfilter(
        [1], [1, -0.5], np.random.default_rng(0).normal(0, 0.5, (round(number * period), 40)), 0
    )
    for alternate in (0.0, 0.5):
        scores, marks = sampled(period, alternate, number=number)
        assert events.differ(np.append(scores, noise, 1), marks) == (alternate > 0)


def test_fewer_events_than_parts_do_not_differ():
    scores, marks = sampled(12.5, alternate=0.5)
    assert not events.differ(scores, marks[:2])
