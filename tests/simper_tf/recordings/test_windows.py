import numpy as np
import pytest

from simper_tf.recordings import windows
from simper_tf.recordings.source_contract import Info
from simper_tf.utils.errors import RawDataError


def frames(times):
    return [(time, np.full((2, 3, 1), round(10 * time), np.float32)) for time in times]


def cut(times, length, hop, rate=10.0, longest_gap=0.3):
    plan = windows.Plan(rate, length, hop, (0.4, 4.0))
    return [
        (round(window.start, 3), window.frames[:, 0, 0, 0].tolist())
        for window in windows.cut(frames(times), plan, longest_gap)
    ]


def test_windows_begin_a_hop_apart_and_the_last_ends_at_the_end():
    found = cut(np.arange(12) / 10, 5, 4)
    assert found == [(0.0, [0, 1, 2, 3, 4]), (0.4, [4, 5, 6, 7, 8]), (0.7, [7, 8, 9, 10, 11])]


def test_windows_with_a_hole_are_left_out():
    assert [start for start, _ in cut([*np.arange(6) / 10, *(2 + np.arange(6) / 10)], 5, 1)] == [0.0, 0.1, 2.0, 2.1]


def test_a_hole_ends_one_window_and_begins_the_next():
    found = cut([*np.arange(12) / 10, *(2.3 + np.arange(9) / 10)], 5, 4)
    assert [start for start, _ in found] == [0.0, 0.4, 0.7, 2.3, 2.7]
    assert found[2][1] == [7, 8, 9, 10, 11]
    assert found[3][1] == [23, 24, 25, 26, 27]


def test_surplus_frames_are_averaged_so_that_aliases_are_gone():
    times = np.arange(2000) / 1000
    plan = windows.Plan(24.0, 36, 18, (0.7, 3.0), averages=True)

    def read(frequency):
        wave = np.sin(2 * np.pi * frequency * times)
        given = windows.cut(
            ((time, np.float32(x).reshape(1, 1, 1)) for time, x in zip(times, wave, strict=True)), plan, 0.004
        )
        (first, *_) = given
        return first.frames[:, 0, 0, 0]

    assert np.abs(read(50)[3:]).max() < 0.001
    steps = np.arange(36) / 24
    np.testing.assert_allclose(read(2)[3:], 0.95 * np.sin(4 * np.pi * steps)[3:], atol=0.02)


def test_averaging_leaves_out_what_is_missing():
    times = [*np.arange(0, 2, 0.01), *np.arange(3, 5, 0.01)]
    found = [moment for moment, _ in windows.averaged(((time, np.ones((1, 1, 1))) for time in times), 10.0)]
    np.testing.assert_allclose(found, [*np.arange(0, 2.05, 0.1), *np.arange(3, 5.05, 0.1)], atol=1e-9)


def test_windows_too_large_for_memory_are_refused_with_remedy():
    with pytest.raises(RawDataError, match=r"^a.mov: found windows of 100 s, 4400 .* expected 4000 .* Shorten `w"):
        windows.plan("a.mov", Info(240, 300, 9, 9), 300, (0.4, 5.5), window=100)


def test_frames_between_two_are_mixed_even_at_a_varying_rate():
    assert cut([1.0, 1.2, 1.3, 1.4], 5, 4) == [(1.0, [10, 11, 12, 13, 14])]


def test_a_window_holds_enough_slow_periods_or_all_frames():
    long = windows.plan("a.mov", Info(30, 60, 9, 9), 60, (0.4, 5.5))
    assert (long.rate, long.length, long.hop, long.band) == (30, 180, 90, (0.4, 5.5))
    short = windows.plan("a.mov", Info(30, 3, 9, 9), 3, (0.4, 5.5))
    assert short.length == 90
    assert short.band == pytest.approx((0.6, 5.5))
    fast = windows.plan("a.mov", Info(240, 60, 9, 9), 60, (0.4, 5.5))
    assert (fast.rate, fast.length) == (44, 264)
    assert windows.plan("a.mov", Info(8, 60, 9, 9), 60, (0.4, 5.5)).band == pytest.approx((0.4, 3.6))


@pytest.mark.parametrize(("side", "of_what"), [(9, "frames"), (1, "samples")])
@pytest.mark.parametrize(("rate", "seconds"), [(30, 0.2), (1, 60), (30, 0.5)])
def test_a_recording_too_short_or_slow_states_length_and_rate(rate, seconds, side, of_what):
    found = (
        rf"^a: found {seconds:.2f} s at {rate} {of_what} per second; expected .* {of_what} or more and .* Record for"
    )
    with pytest.raises(RawDataError, match=found):
        windows.plan("a", Info(rate, seconds, side, side), seconds, (0.4, 3.0))
