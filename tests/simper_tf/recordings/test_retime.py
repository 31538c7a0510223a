import numpy as np
import pytest

from simper_tf.recordings import retime


def gray(level):
    return np.full((2, 3, 3), level, np.uint8)


def uniform(times, levels, rate, longest_gap=1.0):
    frames = retime.uniform(zip(times, map(gray, levels), strict=True), rate, longest_gap)
    return {index: int(frame[0, 0, 0]) for index, frame in frames}


def test_frames_at_their_own_times_stay_except_the_last():
    times = 7.3 + np.arange(100) / 29.97
    assert uniform(times, np.arange(100), 29.97) == {index: index for index in range(99)}


def test_between_two_frames_the_level_goes_by_the_time():
    # At 0, 0.3, 0.6 and 0.9 s: on the first, 3/4 and 1/2 of the way between neighbors at uneven distances.
    assert uniform([0, 0.4, 0.8, 1.0], [0, 40, 80, 200], 1 / 0.3) == {0: 0, 1: 30, 2: 60, 3: 140}


def test_frames_in_a_longer_gap_go_and_others_keep_their_numbers():
    assert uniform([0, 0.5, 2.0, 2.5], [10, 20, 50, 60], 2) == {0: 10, 1: 20, 4: 50}
    assert uniform([0, 0.5, 2.0, 2.5], [10, 20, 50, 60], 2, longest_gap=1.5) == {0: 10, 1: 20, 2: 30, 3: 40, 4: 50}
    # Off the grid, and shorter than a step of it.
    assert uniform([0, 0.5, 2.1, 2.5], [10, 20, 50, 60], 2) == {0: 10, 1: 20}
    assert uniform([0, 0.4, 0.6, 1.0], [10, 20, 30, 40], 2, longest_gap=0.1) == {0: 10}


def test_a_gap_of_years_takes_no_time():
    assert uniform([0, 1, 1e9, 1e9 + 1], [1, 2, 3, 4], 1) == {0: 1, 1: 2, 10**9: 3}


@pytest.mark.parametrize("times", [[], [1.0]])
def test_fewer_than_two_frames_give_nothing(times):
    assert uniform(times, np.zeros(len(times), int), 30) == {}
