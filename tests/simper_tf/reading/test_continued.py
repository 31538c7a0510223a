"""Answers on overlapping stretches, put together."""

import itertools

import numpy as np
import pytest

from simper_tf.reading import continued, intervals
from tests.made_answers import answer


def part(peaks, hertz=1.0, **given):
    """An answer with repetitions around peaks."""
    starts, ends = intervals.bounds(np.array(peaks))
    spans = tuple(zip(starts.tolist(), ends.tolist(), strict=True))
    times = np.arange(starts[0], ends[-1], 0.1)
    return answer(hertz, repetitions=spans, peaks=tuple(peaks), times=times, course=np.sin(times), **given)


@pytest.mark.parametrize(("early", "late"), [(0.02, -0.02), (-0.02, 0.02), (0.3, -0.1), (0.0, 0.0)])
def test_a_repetition_at_a_seam_is_counted_once(early, late):
    # The stretches share what lies from 28.5 s to 31.5 s, and both see what is at 30 s, its middle.
    first, second = np.arange(1.0, 31.5), np.arange(29.0, 60.5)
    first[-2] += early
    second[1] += late
    whole = continued.together([part(first.tolist()), part(second.tolist())])
    assert whole.count == 60
    assert np.round(whole.peaks) == pytest.approx(np.arange(1, 61))
    assert not whole.pauses


def test_parts_meet_halfway_or_leave_a_pause():
    near = continued.together([part([1.0, 2.0, 3.0]), part([4.1, 5.1, 6.1])])
    assert [end for _, end in near.repetitions][:-1] == [start for start, _ in near.repetitions][1:]
    assert near.repetitions[2][1] == pytest.approx(3.55)
    far = continued.together([part([1.0, 2.0, 3.0]), part([8.0, 9.0, 10.0])])
    assert far.pauses == ((3.5, 7.5),)


def test_counts_weigh_tempos_and_errors():
    whole = continued.together([part([1, 2, 3, 4], 1.0, error=0.3), part([6, 8], 0.5, error=0.0)])
    assert whole.hertz == pytest.approx((4 * 1.0 + 2 * 0.5) / 6)
    assert whole.error == pytest.approx(0.2)


def test_a_course_is_drawn_once_where_stretches_overlap():
    whole = continued.together([part([1.0, 2.0, 3.0, 4.0]), part([3.0, 4.0, 5.0]), part([5.0, 6.0])])
    assert all(before < after for before, after in itertools.pairwise(whole.times))
    assert len(whole.times) == len(whole.course)


def of_stretch(hertz, first, last, start=0.0):
    """An answer on a stretch of a minute, with repetitions from a second to another."""
    peaks, times = np.arange(first + 0.5 / hertz, last, 1 / hertz), np.arange(start, start + 60, 0.1)
    spans = tuple(zip((peaks - 0.5 / hertz).tolist(), (peaks + 0.5 / hertz).tolist(), strict=True))
    return answer(hertz, repetitions=spans, peaks=tuple(peaks), times=times, course=np.sin(times))


def test_two_movements_of_one_stretch_stay_two():
    first, second = of_stretch(1.0, 0, 60), of_stretch(1.06, 0, 60)
    assert continued.joined([first, second]) == [first, second]


@pytest.mark.parametrize("swapped", [1, -1])
def test_two_movements_go_on_each_at_its_own_tempo(swapped):
    later = [of_stretch(1.002, 50, 110, 50.0), of_stretch(1.062, 50, 110, 50.0)]
    found = continued.joined([of_stretch(1.0, 0, 60), of_stretch(1.06, 0, 60), *later[::swapped]])
    assert [each.hertz for each in found] == pytest.approx([1.001, 1.061], abs=5e-4)


@pytest.mark.parametrize(("first", "start"), [(30, 0.0), (40, 30.0)])
def test_a_movement_goes_on_in_its_stretch_and_the_next(first, start):
    (whole,) = continued.joined([of_stretch(1.0, 0, 30 + start / 2), of_stretch(1.04, first, 60 + start, start)])
    assert whole.repetitions[0][0] == 0
    assert whole.repetitions[-1][1] > 58


def test_a_part_that_stands_alone_stays():
    alone = part([1.0, 2.0])
    assert continued.together([alone]) is alone
