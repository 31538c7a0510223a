"""Windows over the events of a reading."""

import itertools

import numpy as np
import pytest

from simper_tf.reading import continued, result
from simper_tf.recordings.boxes import WHOLE


def answer(spans, hertz=1.0, confidence=0.9, verdict=result.CLEAR, frames=(-1.0, 100.0)):
    """An answer with these repetitions, in frames from one second to another."""
    return result.Answer(
        scene=0, reader="movement", repetitions=tuple(spans), peaks=tuple(sum(span) / 2 for span in spans), hertz=hertz,
        error=0.0, pairs=None, pauses=(),
        box=WHOLE, confidence=confidence, verdict=verdict, times=np.array(frames), course=np.zeros(2),
    )  # fmt: skip


def reading(*answers, end=10.0):
    """A reading of one scene."""
    return result.Reading((result.Scene(0.0, end, result.CLEAR),), answers, result.CLEAR, ())


def test_a_window_counts_parts_of_repetitions():
    windows = result.windows(reading(answer([(i, i + 1.0) for i in range(10)])), 2.5, 2.5)
    assert [window.count for window in windows] == pytest.approx([2.5] * 4)
    assert [window.hertz for window in windows] == pytest.approx([1.0] * 4)


def test_a_window_in_a_rest_has_no_number():
    windows = result.windows(reading(answer([(0, 1), (1, 2), (2, 3)])), 2.0, 2.0)
    assert [window.hertz for window in windows] == pytest.approx([1.0, 1.0, 0, 0, 0])


def test_an_unclear_answer_gives_no_window_a_number():
    windows = result.windows(reading(answer([(0, 5), (5, 10)], verdict=result.UNCLEAR)), 5.0, 5.0)
    assert all(window.hertz == 0 for window in windows)


def test_tempo_follows_each_repetition():
    middles, hertz, error = answer([(0, 1), (1, 2), (2, 4), (4, 6)]).tempo()
    np.testing.assert_allclose(middles, [0.5, 1.5, 3, 5])
    np.testing.assert_allclose(hertz, [1, 1, 0.5, 0.5])
    assert (error > 0).all()


@pytest.mark.parametrize("hertz", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("phase", np.linspace(0, 0.9, 10).round(2))
def test_what_an_edge_cuts_short_leaves_the_tempo_as_it_is(phase, hertz):
    edges = np.clip((np.arange(9) - phase) / hertz, 0, (7.5 - phase) / hertz)
    cut = answer(list(itertools.pairwise(edges)), hertz, frames=edges[[0, -1]])
    _, inside, _ = cut.tempo()
    assert inside == pytest.approx(np.full(8, hertz))
    for span in ((0, 4 / hertz), (3 / hertz, 8 / hertz)):
        assert cut.within(*span)[1] == pytest.approx(hertz)
    windows = result.windows(reading(cut, end=edges[-1]), 3 / hertz, 3 / hertz)
    assert [window.hertz for window in windows] == pytest.approx([hertz] * len(windows))


def spans(first, last, seconds=1.0, phase=0.0):
    """Repetitions one after another, between two times."""
    starts = np.arange(first + phase, last - seconds + 1e-6, seconds)
    return list(zip(starts.tolist(), (starts + seconds).tolist(), strict=True))


@pytest.mark.parametrize("of", [((0, 30), (20, 60)), ((0, 60), (10, 30)), ((0, 60), (0.2, 30)), ((0.2, 30), (0, 60))])
def test_overlapping_answers_are_joined_without_a_loss(of):
    joined = continued.joined(answer(spans(*some), frames=some) for some in of)
    assert [(found.count, found.start, found.end) for found in joined] == [(60, 0.0, 60.0)]


def test_slow_answers_join_though_one_begins_a_little_later():
    one, other = answer(spans(0, 100, 20.0), hertz=0.05), answer(spans(108, 188, 20.0), hertz=0.05)
    assert [found.count for found in continued.joined((one, other))] == [9]
    late = answer(spans(112, 192, 20.0), hertz=0.05)
    assert [found.count for found in continued.joined((one, late))] == [5, 4]
