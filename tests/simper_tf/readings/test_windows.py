import numpy as np
import pytest

from simper_tf.readings import windows
from simper_tf.readings.sources import Info


def frames(times):
    return [(time, np.full((2, 3, 1), round(10 * time), np.float32)) for time in times]


def cut(times, length, hop, rate=10.0, longest_gap=0.3):
    plan = windows.Plan(rate, length, hop, (0.4, 4.0))
    return [
        (round(window.start, 3), window.frames[:, 0, 0, 0].tolist())
        for window in windows.cut(frames(times), plan, longest_gap)
    ]


def test_windows_begin_a_hop_apart_and_the_last_ends_with_the_recording():
    found = cut(np.arange(12) / 10, 5, 4)
    assert found == [(0.0, [0, 1, 2, 3, 4]), (0.4, [4, 5, 6, 7, 8]), (0.7, [7, 8, 9, 10, 11])]


def test_windows_with_a_hole_are_left_out():
    assert [start for start, _ in cut([*np.arange(6) / 10, *(2 + np.arange(6) / 10)], 5, 1)] == [0.0, 0.1, 2.0, 2.1]


def test_frames_between_two_are_their_mixture_whatever_the_rate_varies():
    assert cut([1.0, 1.2, 1.3, 1.4], 5, 4) == [(1.0, [10, 11, 12, 13, 14])]


def test_a_window_holds_periods_of_the_lowest_frequency_or_all_of_a_short_recording():
    long = windows.plan(Info(30, 60, 9, 9), 60, (0.4, 5.5))
    assert (long.rate, long.length, long.hop, long.band) == (30, 180, 90, (0.4, 5.5))
    short = windows.plan(Info(30, 3, 9, 9), 3, (0.4, 5.5))
    assert short.length == 90
    assert short.band == pytest.approx((0.6, 5.5))
    fast = windows.plan(Info(240, 60, 9, 9), 60, (0.4, 5.5))
    assert (fast.rate, fast.length) == (44, 264)
    assert windows.plan(Info(8, 60, 9, 9), 60, (0.4, 5.5)).band == pytest.approx((0.4, 3.6))


@pytest.mark.parametrize(("rate", "seconds"), [(30, 0.2), (1, 60), (30, 0.5)])
def test_what_is_too_short_or_too_slow_is_refused_with_what_it_has(rate, seconds):
    with pytest.raises(ValueError, match=rf"found {seconds:.2f} s at {rate} frames per second; expected .* Record for"):
        windows.plan(Info(rate, seconds, 9, 9), seconds, (0.4, 3.0))
