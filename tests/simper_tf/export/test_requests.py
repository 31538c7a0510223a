"""Checks of requests, called directly: bounds by hand, and each refusal's sentence."""

import re

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.export import requests

FRAME, BAND = (6, 5, 1), (0.4, 5.0)
FRAMES = np.zeros((2, 10, *FRAME), np.uint8)


def refusal(checks):
    """Returns the sentence by which checks refuse; None where all hold."""
    try:
        requests.refuse(checks, tf.constant(FRAMES))
    except tf.errors.InvalidArgumentError as error:
        return re.search(r"b'(.*?)'", str(error))[1]
    return None


def of_frames(frames, frame_shape=FRAME, num_frames=None, value_range=(0.0, 1.0)):
    return refusal(requests.frames_checks(tf.constant(frames), frame_shape, num_frames, value_range))


def of_rates(rate, num_frames=150, band=BAND, lowest=0.4, highest=5.0, batch=2):
    return refusal(requests.rate_checks(tf.constant(rate, tf.float32), batch, num_frames, band, lowest, highest))


def of_windows(window, hop, batch=1, num_frames=700):
    return refusal(requests.window_checks(tf.constant(window), tf.constant(hop), batch, num_frames))


def test_frames_come_back_where_all_checks_hold():
    checks = iter([(tf.constant(True), "one"), (tf.constant(True), "two")])
    np.testing.assert_array_equal(requests.refuse(checks, tf.constant(FRAMES)), FRAMES)


def test_the_first_failing_check_is_told_and_ends_the_checks():
    def checks():
        yield tf.constant(True), tf.constant("`first` holds.")
        yield tf.constant(False), tf.constant("`second` fails.")
        raise AssertionError("made although the second failed")

    assert refusal(checks()) == "`second` fails."


@pytest.mark.parametrize("shape", [(1, 8, *FRAME), (3, 200, *FRAME)])
def test_frames_of_the_shape_are_taken(shape):
    assert of_frames(np.zeros(shape, np.uint8)) is None


@pytest.mark.parametrize(
    "shape",
    [
        (), (10,), (2, 10, 6, 5), (2, 10, *FRAME, 1), (0, 10, *FRAME), (2, 7, *FRAME), (2, 0, *FRAME),
        (2, 10, 5, 6, 1), (2, 10, 6, 5, 3), (2, 10, 7, 5, 1),
    ],
)  # fmt: skip
def test_frames_of_another_shape_are_refused_with_it(shape):
    expected = r"`frames` must have the shape \(batch >= 1, time >= 8, 6, 5, 1\)\. Received: "
    told = " ".join(map(str, shape))
    assert re.fullmatch(expected + rf"\[{told}\]\.", of_frames(np.zeros(shape, np.uint8)))


def test_one_length_alone_is_taken_where_there_is_one():
    assert of_frames(FRAMES, num_frames=10) is None
    for other in (9, 11):
        expected = "`frames` must have the shape (batch >= 1, time = " + f"{other}, 6, 5, 1). Received: [2 10 6 5 1]."
        assert of_frames(FRAMES, num_frames=other) == expected


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("value_range", [(0.0, 1.0), None])
def test_floats_that_are_not_finite_are_counted(value, value_range):
    frames = np.zeros((2, 10, *FRAME), np.float32)
    frames[1, 3:5, 2, 2, 0] = value
    expected = "`frames` must be finite. Received: 2 NaN or infinite of 600 values."
    assert of_frames(frames, value_range=value_range) == expected


@pytest.mark.parametrize(("value", "fits"), [(-61.29, True), (-61.31, False), (71.29, True), (71.31, False)])
def test_floats_may_leave_the_range_by_a_hundredth_of_it(value, fits):
    frames = np.zeros((1, 8, *FRAME), np.float32)
    frames[0, 3, 1, 2, 0] = value
    told = of_frames(frames, value_range=(-60.0, 70.0))
    ends = f"{min(value, 0):g} to {max(value, 0):g}"
    start = (
        f"`frames` of floats must lie in [-60, 70]. Received: values from {ends}. Send levels from 0 to 255 as uint8"
    )
    assert told is None if fits else told.startswith(start)


def test_levels_are_of_any_value_and_series_of_any_unit():
    assert of_frames(np.full((1, 8, *FRAME), 255, np.uint8)) is None
    assert of_frames(np.full((1, 8, 1, 1, 2), -4e9, np.float32), (1, 1, 2), value_range=None) is None


@pytest.mark.parametrize(("batch", "num_frames", "fits"), [(4, 150, True), (3, 201, False), (1, 600, True)])
def test_clips_times_frames_are_at_most_those_encoded_at_once(batch, num_frames, fits):
    told = refusal(requests.size_check(batch, num_frames, 600))
    expected = f"`frames` may hold at most 600 frames that are encoded at once. Received: {batch} clips of {num_frames}"
    assert told is None if fits else told.startswith(expected)


def test_sizes_beyond_32_bits_are_refused_too():
    assert refusal(requests.size_check(tf.constant(2**17), tf.constant(2**15), 600))
    big = tf.constant(2**16)
    assert refusal(requests.overlap_check(big, tf.constant(1), tf.constant(2**15), tf.constant(2**17), 600))


@pytest.mark.parametrize(("rate", "told"), [([30], "[1]"), ([30, 30, 30], "[3]"), (30, "[]"), ([[30, 30]], "[1 2]")])
def test_a_rate_is_one_number_for_each_clip(rate, told):
    assert of_rates(rate) == f"`rate` must have one number for each clip, the shape [2]. Received: {told}."


@pytest.mark.parametrize("rate", [np.nan, np.inf, -np.inf, 0.0, -30.0, 9.9999])
def test_rates_must_be_finite_and_twice_the_highest_frequency(rate):
    expected = (
        "`rate` must be finite and at least 10 frames per second, twice the frequency up to which features run for the "
        "band of 0.4 to 5 Hz. Received: ["
    )
    assert of_rates([30.0, rate]).startswith(expected)
    assert of_rates([30.0, 10.0 * (1 - 5e-7)]) is None


def test_the_fastest_clip_must_hold_two_periods_within_a_percent():
    assert of_rates([30.0, 10.0], 149) is None  # 5 s are 150 frames.
    expected = "`frames` must last 5 s, 2 periods of the lower end of the band of 0.4 to 5 Hz. Received: 148 frames at"
    assert of_rates([30.0, 10.0], 148) == f"{expected} a `rate` of 30 per second."


def test_features_that_run_slower_need_longer_clips():
    assert of_rates([60.0, 60.0], 595, lowest=0.2) is None  # 10 s are 600 frames.
    told = of_rates([60.0, 60.0], 593, lowest=0.2)
    assert told.startswith(
        "`frames` must last 10 s, 2 periods of the lower end of the band of 0.4 to 5 Hz, at 0.5 of which"
    )


@pytest.mark.parametrize(("window", "hop"), [([8], [1]), ([700], [700]), ([8, 8], [5, 5])])
def test_windows_and_hops_within_the_recording_are_taken(window, hop):
    assert of_windows(window, hop, len(window)) is None


@pytest.mark.parametrize(
    ("window", "hop", "told"),
    [
        ([7], [1], "`window_frames` must be the same for all clips, from 8 to their frames, 700. Received: [7]."),
        ([701], [1], "`window_frames` must be the same for all clips, from 8 to their frames, 700. Received: [701]."),
        ([8], [0], "`hop_frames` must be the same for all clips, from 1 to their frames, 700. Received: [0]."),
        ([8], [701], "`hop_frames` must be the same for all clips, from 1 to their frames, 700. Received: [701]."),
        ([8, 8], [1], "`window_frames` must have one number for each clip, the shape [1]. Received: [2]."),
        ([8], [[1]], "`hop_frames` must have one number for each clip, the shape [1]. Received: [1 1]."),
    ],
)
def test_other_windows_and_hops_are_refused(window, hop, told):
    assert of_windows(window, hop) == told


def test_windows_that_differ_between_clips_are_refused():
    assert of_windows([8, 9], [1, 1], 2).endswith("Received: [8 9].")
    assert of_windows([8, 8], [1, 2], 2).endswith("Received: [1 2].")


@pytest.mark.parametrize(
    ("window", "hop", "batch", "num_frames", "fits"),
    [
        (100, 1, 1, 104, True),  # 5 windows of 100 frames: at most 500.
        (100, 1, 1, 105, False),  # 6 windows.
        (50, 1, 2, 54, True),
        (50, 1, 2, 55, False),
        (100, 25, 1, 2500, True),  # Each frame in at most 4 windows.
        (100, 24, 1, 2500, False),  # 101 windows hold 10,100 frames, above 4 x 2500.
    ],
)
def test_windows_hold_the_limit_or_four_times_the_recording(window, hop, batch, num_frames, fits):
    counts = [tf.constant(count) for count in (window, hop, batch, num_frames)]
    told = refusal(requests.overlap_check(*counts, 500))
    if fits:
        assert told is None
    else:
        windows, most = (num_frames - window) // hop + 1, max(500, 4 * batch * num_frames)
        assert told == (
            f"`hop_frames` must be so large that windows hold at most {most} frames in all. Received: {hop}, which "
            f"makes {windows} windows of {window} frames in each of {batch} clips. Enlarge the hop, or send a shorter "
            "recording."
        )
