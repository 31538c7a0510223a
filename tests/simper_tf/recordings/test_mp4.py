import av
import numpy as np
import pytest

from datasets.countix.standin import encode
from simper_tf.recordings import mp4, raw_files
from simper_tf.recordings.errors import RawDataError

# 20 frames per second for a second, then 40 for half a second.
VARYING = np.concatenate([np.arange(20) / 20, 1 + np.arange(20) / 40])


def write_gray_ramp(path, times):
    """Frame k has the level 20 + 5 k, so a frame read tells which one it is."""
    encode(path, [np.full((48, 64, 3), 20 + 5 * index, np.uint8) for index in range(len(times))], times)
    return path


def frame_indices(frames):
    return np.round((frames.mean(axis=(1, 2, 3)) - 20) / 5).astype(int)


@pytest.fixture(scope="module")
def varying(tmp_path_factory):
    return write_gray_ramp(tmp_path_factory.mktemp("mp4") / "varying.mp4", VARYING)


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


def test_a_rotation_in_the_metadata_is_applied(tmp_path):
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
    assert (video.height, video.width) == (64, 48)
    assert frames[0, :6].mean() > 200
    assert frames[0, -6:].mean() < 40


def test_probe_takes_rate_and_deviation_from_the_times_of_the_frames_not_from_the_header(varying):
    video = mp4.probe(varying)
    assert (video.num_frames, video.height, video.width) == (40, 48, 64)
    # 39 steps in 1.475 s. Frame 20 is shown at 1 s, and would be at 20 / 26.44 = 0.756 s.
    assert video.rate == pytest.approx(39 / 1.475, rel=1e-4)
    assert video.seconds == pytest.approx(40 * 1.475 / 39, rel=1e-4)
    assert video.deviation == pytest.approx(1 - 20 * 1.475 / 39, abs=1e-3)
    assert video.longest_gap == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("rate", [24, 25, 29.97, 60])
def test_probe_finds_no_deviation_at_a_constant_rate(tmp_path, rate):
    video = mp4.probe(write_gray_ramp(tmp_path / "constant.mp4", np.arange(40) / rate))
    assert video.rate == pytest.approx(rate, rel=1e-4)
    assert video.deviation < 1e-4


def test_windows_of_a_constant_rate_are_the_frames_themselves_from_start_to_end(tmp_path):
    path = write_gray_ramp(tmp_path / "constant.mp4", np.arange(40) / 20)
    found = list(mp4.windows(path, 0.5, 0.25, 16))
    assert [start for start, _ in found] == pytest.approx(np.arange(0, 1.6, 0.25))
    for start, clip in found:
        assert (clip.shape, clip.dtype) == ((10, 16, 16, 3), np.uint8)
        np.testing.assert_array_equal(frame_indices(clip), np.arange(10) + round(20 * start))


def test_windows_of_another_rate_show_the_level_of_their_own_times_although_the_rate_varies(varying):
    (start, clip), *others = mp4.windows(varying, 1.4, 10, (12, 18), rate=30)
    times = np.arange(42) / 30
    levels = 20 + 5 * np.where(times < 1, 20 * times, 20 + 40 * (times - 1))
    assert (start, others, clip.shape) == (0, [], (42, 12, 18, 3))
    np.testing.assert_allclose(clip.mean(axis=(1, 2, 3)), levels, atol=2)


def test_windows_that_would_bridge_a_hole_are_left_out(tmp_path):
    times = np.concatenate([np.arange(20) / 20, 1.5 + np.arange(20) / 20])
    path = write_gray_ramp(tmp_path / "hole.mp4", times)
    assert mp4.probe(path).longest_gap == pytest.approx(0.55)
    # Frames to 0.95 s and from 1.5 s to 2.5 s.
    assert [start for start, _ in mp4.windows(path, 0.5, 0.25, 16, rate=20)] == pytest.approx(
        [0, 0.25, 0.5, 1.5, 1.75, 2]
    )


def test_windows_of_a_slow_recording_are_not_taken_for_holes(tmp_path):
    path = write_gray_ramp(tmp_path / "slow.mp4", np.arange(12) / 2)
    assert [frame_indices(clip).tolist() for _, clip in mp4.windows(path, 3, 3, 16)] == [[*range(6)], [*range(6, 12)]]


def test_a_recording_shorter_than_a_window_is_refused_with_its_length(varying):
    with pytest.raises(RawDataError, match=r"varying\.mp4: found 1\.51 s .* expected 2\.00 s without a hole"):
        list(mp4.windows(varying, 2, 1, 16))


@pytest.mark.parametrize(
    "options",
    [
        {"seconds": 0.01},
        {"hop": 0.0},
        {"hop": float("nan")},
        {"rate": 0.0},
        {"rate": -30.0},
        {"rate": float("inf")},
        {"size": 0},
    ],
)
def test_impossible_windows_are_refused_at_the_call_with_what_was_asked_for(varying, options):
    with pytest.raises(ValueError, match=r"two frames or more, .* Received: .* s every"):
        mp4.windows(varying, **{"seconds": 0.5, "hop": 0.5, "size": 16, **options})


def test_frames_trimmed_off_the_start_but_still_stored_do_not_count(tmp_path):
    whole, trimmed = write_gray_ramp(tmp_path / "whole.mp4", np.arange(40) / 20), tmp_path / "trimmed.mp4"
    with av.open(str(whole)) as source, av.open(str(trimmed), "w") as copy:
        stream = copy.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                shift = round(0.5 / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - shift, packet.dts - shift, stream
                copy.mux(packet)
    assert mp4.probe(trimmed).num_frames == 30
    ((start, clip),) = mp4.windows(trimmed, 1.5, 1.5, 16)
    assert start == 0
    np.testing.assert_array_equal(frame_indices(clip), np.arange(10, 40))


def test_a_video_cut_off_behind_its_index_is_refused_with_both_lengths(tmp_path):
    noise = np.random.default_rng(0).integers(0, 255, (100, 48, 64, 3), np.uint8)
    with av.open(str(tmp_path / "whole.mp4"), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=25, width=64, height=48)
        for frame in noise:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        container.mux(stream.encode())
    content = (tmp_path / "whole.mp4").read_bytes()
    path = tmp_path / "cut.mp4"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(RawDataError, match=r"cut\.mp4: found .* s of video where its header states 4\.00 s"):
        mp4.probe(path)


def test_a_recording_that_states_no_length_is_read_to_its_end(tmp_path):
    path = tmp_path / "browser.mkv"
    with av.open(str(path), "w", options={"live": "1"}) as container:
        stream = container.add_stream("libx264", rate=25, width=64, height=48)
        for index in range(50):
            frame = np.full((48, 64, 3), 20 + 4 * index, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        container.mux(stream.encode())
    with pytest.raises(RawDataError, match="its header states -"):
        mp4.read_header(path)
    assert mp4.probe(path)[:2] == pytest.approx((25, 50))
    assert [start for start, _ in mp4.windows(path, 1, 1, 16)] == pytest.approx([0, 1])


def test_a_header_of_more_pixels_than_memory_is_for_is_refused(varying, monkeypatch):
    monkeypatch.setattr(raw_files, "MAX_PIXELS", 64 * 48 - 1)
    for read in (mp4.probe, lambda path: mp4.read_interval(path, 0, 1, 16)):
        with pytest.raises(
            RawDataError, match=r"varying\.mp4: found a header of 64 x 48 pixels; expected at most 3,071"
        ):
            read(varying)


@pytest.mark.parametrize(("start", "end"), [(1, 2), (5, 6)])
def test_an_interval_beyond_the_end_is_refused_with_the_times(varying, start, end):
    with pytest.raises(RawDataError, match=rf"varying\.mp4: found no frame between .* s and {end:.3f} s"):
        mp4.read_interval(varying, start, end, 16)


def test_an_end_within_the_longest_gap_after_the_last_frame_is_no_loss(varying):
    assert len(mp4.read_interval(varying, 1, 1.7, 16)[0]) == 20


def test_a_hole_is_refused_with_its_place(tmp_path):
    times = np.concatenate([np.arange(20) / 20, 1.5 + np.arange(20) / 20])
    path = write_gray_ramp(tmp_path / "hole.mp4", times)
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
    with pytest.raises(RawDataError, match=r"none\.mp4: found no such file; expected a complete video"):
        mp4.read_interval(tmp_path / "none.mp4", 0, 1, 16)
