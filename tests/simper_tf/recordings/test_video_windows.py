"""Windows and intervals of videos at their own times, or resampled."""

import numpy as np
import pytest
from ramps import numbers, ramp, write

from simper_tf.recordings import video
from simper_tf.recordings.errors import RawDataError


@pytest.mark.parametrize(("start", "end"), [(1, 2), (5, 6)])
def test_an_interval_beyond_the_end_is_refused_with_the_times(varying, start, end):
    with pytest.raises(RawDataError, match=rf"found no frame between .* s and {end:.3f} s"):
        video.read_interval(varying, start, end, 16)


def test_a_hole_is_refused_or_left_out_of_windows(folder):
    times = np.concatenate([np.arange(20) / 20, 1.5 + np.arange(20) / 20])
    path = write(folder / "hole.mp4", ramp(40), times)
    assert video.probe(path).longest_gap == pytest.approx(0.55)
    with pytest.raises(RawDataError, match=r"no frame between 0\.950 s and 1\.500 s"):
        video.read_interval(path, 0.5, 2, 16)
    # Frames to 0.95 s and from 1.5 s to 2.5 s.
    assert [start for start, _ in video.windows(path, 0.5, 0.25, 16, rate=20)] == pytest.approx(
        [0, 0.25, 0.5, 1.5, 1.75, 2]
    )


def test_windows_of_a_constant_rate_are_the_frames_themselves(folder):
    path = write(folder / "constant.mp4", ramp(40), np.arange(40) / 20)
    clips = list(video.windows(path, 0.5, 0.25, 16))
    assert [start for start, _ in clips] == pytest.approx(np.arange(0, 1.6, 0.25))
    for start, clip in clips:
        assert (clip.shape, clip.dtype) == ((10, 16, 16, 3), np.uint8)
        np.testing.assert_array_equal(numbers(clip), np.arange(10) + round(20 * start))


def test_windows_of_another_rate_show_levels_of_their_own_times(varying):
    (start, clip), *others = video.windows(varying, 1.4, 10, (12, 18), rate=30)
    times = np.arange(42) / 30
    levels = 20 + 4 * np.where(times < 1, 20 * times, 20 + 40 * (times - 1))
    assert (start, others, clip.shape) == (0, [], (42, 12, 18, 3))
    np.testing.assert_allclose(clip.mean(axis=(1, 2, 3)), levels, atol=2)


def test_recordings_shorter_than_a_window_are_refused(varying):
    with pytest.raises(RawDataError, match=r"found 1\.51 s .* expected 2\.00 s without a hole"):
        list(video.windows(varying, 2, 1, 16))


@pytest.mark.parametrize(
    "options", [{"seconds": 0.01}, {"hop": 0.0}, {"hop": float("nan")}, {"rate": 0.0}, {"rate": -30.0}, {"size": 0}]
)
def test_impossible_windows_are_refused_with_what_was_asked_for(varying, options):
    with pytest.raises(ValueError, match=r"two frames or more, .* Received: .* s every"):
        video.windows(varying, **{"seconds": 0.5, "hop": 0.5, "size": 16, **options})
