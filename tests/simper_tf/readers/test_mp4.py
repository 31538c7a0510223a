import numpy as np
import pytest

from simper_tf.readers import mp4
from simper_tf.readers.errors import RawDataError
from simper_tf.standins.countix import encode

# 20 frames per second for a second, then 40 for half a second.
VARYING = np.concatenate([np.arange(20) / 20, 1 + np.arange(20) / 40])


def write_grey_ramp(path, times):
    """Frame k has the level 20 + 5 k, so a frame read tells which one it is."""
    encode(path, [np.full((48, 64, 3), 20 + 5 * index, np.uint8) for index in range(len(times))], times)
    return path


def frame_indices(frames):
    return np.round((frames.mean(axis=(1, 2, 3)) - 20) / 5).astype(int)


@pytest.fixture(scope="module")
def varying(tmp_path_factory):
    return write_grey_ramp(tmp_path_factory.mktemp("mp4") / "varying.mp4", VARYING)


@pytest.mark.parametrize(("start", "end"), [(0, 1.5), (0.5, 0.8), (0.7, 1.2), (1.1, 1.4), (0.51, 0.99)])
def test_an_interval_holds_exactly_the_frames_shown_in_it_although_the_rate_varies(varying, start, end):
    frames, times = mp4.read_interval(varying, start, end, 16)
    expected = [index for index, time in enumerate(VARYING) if start <= time < end]
    np.testing.assert_allclose(times, VARYING[expected], atol=1e-4)
    np.testing.assert_array_equal(frame_indices(frames), expected)


def test_frames_are_small_and_red_comes_first(tmp_path):
    red = np.zeros((48, 64, 3), np.uint8)
    red[..., 0] = 200
    encode(tmp_path / "red.mp4", [red] * 10, np.arange(10) / 25)
    frames, _ = mp4.read_interval(tmp_path / "red.mp4", 0, 0.4, 12)
    assert (frames.shape, frames.dtype) == ((10, 12, 12, 3), np.uint8)
    np.testing.assert_allclose(frames.mean(axis=(0, 1, 2)), [200, 0, 0], atol=6)


def test_a_rotation_in_the_metadata_is_applied_and_stated(tmp_path):
    left_bright = np.full((48, 64, 3), 20, np.uint8)
    left_bright[:, :32] = 220
    path = tmp_path / "turned.mp4"
    encode(path, [left_bright] * 10, np.arange(10) / 25)
    content = bytearray(path.read_bytes())
    # The display matrix starts 44 bytes after the name of the track header: a quarter turn clockwise.
    at = content.index(b"tkhd") + 44
    content[at : at + 36] = np.array([0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30], ">i4").tobytes()
    path.write_bytes(content)
    video = mp4.probe(path)
    frames, _ = mp4.read_interval(path, 0, 0.4, 16)
    assert (video.height, video.width, video.rotation) == (64, 48, 90)
    assert frames[0, :6].mean() > 200
    assert frames[0, -6:].mean() < 40


def test_probe_states_frames_rate_and_duration(varying):
    video = mp4.probe(varying)
    assert (video.frames, video.height, video.width, video.rotation) == (40, 48, 64, 0)
    assert video.duration == pytest.approx(1.5, abs=0.1)
    assert video.rate == pytest.approx(40 / 1.5, rel=0.05)


@pytest.mark.parametrize(("start", "end"), [(1, 2), (5, 6)])
def test_an_interval_beyond_the_end_is_refused_with_the_times(varying, start, end):
    with pytest.raises(RawDataError, match=rf"varying\.mp4: found no frame between .* s and {end:.3f} s"):
        mp4.read_interval(varying, start, end, 16)


def test_an_end_within_the_longest_gap_after_the_last_frame_is_no_loss(varying):
    assert len(mp4.read_interval(varying, 1, 1.7, 16)[0]) == 20


def test_a_hole_is_refused_with_its_place(tmp_path):
    times = np.concatenate([np.arange(20) / 20, 1.5 + np.arange(20) / 20])
    path = write_grey_ramp(tmp_path / "hole.mp4", times)
    with pytest.raises(RawDataError, match=r"no frame between 0\.950 s and 1\.500 s"):
        mp4.read_interval(path, 0.5, 2, 16)


def test_a_truncated_file_is_refused_by_name(varying, tmp_path):
    path = tmp_path / "truncated.mp4"
    path.write_bytes(varying.read_bytes()[:-600])
    for read in (mp4.probe, lambda path: mp4.read_interval(path, 0, 1.5, 16)):
        with pytest.raises(RawDataError, match=r"truncated\.mp4: found it cannot be opened as a video"):
            read(path)


@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>"])
def test_what_is_no_video_is_refused_by_name(tmp_path, content):
    path = tmp_path / "page_000001.mp4"
    path.write_bytes(content)
    with pytest.raises(RawDataError, match=r"page_000001\.mp4"):
        mp4.probe(path)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(RawDataError, match=r"none\.mp4"):
        mp4.read_interval(tmp_path / "none.mp4", 0, 1, 16)
