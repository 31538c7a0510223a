import numpy as np
import pytest

from simper_tf.readers import retime


def grey(level):
    return np.full((2, 3, 3), level, np.uint8)


def uniform(times, levels, rate, longest_gap=1.0):
    frames = list(retime.uniform(zip(times, map(grey, levels), strict=True), rate, longest_gap))
    return [int(frame[0, 0, 0]) for frame, _ in frames], [bridges for _, bridges in frames]


def test_frames_at_their_own_times_come_out_unchanged_the_last_one_excluded():
    times = 7.3 + np.arange(100) / 29.97
    assert uniform(times, np.arange(100), 29.97) == (list(range(99)), [False] * 99)


def test_between_two_frames_the_level_goes_by_the_time():
    # At 0, 0.3, 0.6 and 0.9 s: on the first, 3/4 and 1/2 of the way between neighbours at uneven distances.
    levels, _ = uniform([0, 0.4, 0.8, 1.0], [0, 40, 80, 200], 1 / 0.3)
    assert levels == [0, 30, 60, 140]


def test_only_frames_inside_a_longer_gap_bridge_it():
    levels, bridges = uniform([0, 0.5, 2.0, 2.5], [10, 20, 50, 60], 2)
    assert levels == [10, 20, 30, 40, 50]
    assert bridges == [False, False, True, True, False]


@pytest.mark.parametrize("times", [[], [1.0]])
def test_fewer_than_two_frames_give_nothing(times):
    assert uniform(times, np.zeros(len(times), int), 30) == ([], [])
