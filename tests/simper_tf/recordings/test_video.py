"""Frames of videos of every container at their own times."""

import os
import pathlib

import av
import numpy as np
import pytest
from PIL import Image
from ramps import EVEN, SHAPE, VARYING, grainy, noise, numbers, ramp, read, write

from simper_tf.reading import source_reader
from simper_tf.recordings import sources, video
from simper_tf.utils import worker
from simper_tf.utils.errors import RawDataError

REAL = pathlib.Path(os.environ.get("SIMPER_REAL", pathlib.Path(__file__).parents[4] / "shared" / "real"), "videos")
INTERLACED = {"flags": "+ildct+ilme"}
B_FRAMES = {"bf": "3", "x264-params": "keyint=12:scenecut=0:b-adapt=0"}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("b_frames.mp4", {"options": B_FRAMES}),
        ("varying.mp4", {"times": VARYING, "options": B_FRAMES}),
        ("later.mp4", {"times": 2 + VARYING, "options": B_FRAMES}),
        ("negative.mp4", {"times": VARYING, "options": B_FRAMES, "movflags": "negative_cts_offsets"}),
        ("unedited.mp4", {"times": VARYING, "options": B_FRAMES, "use_editlist": "0"}),
        ("fragments.mp4", {"movflags": "frag_keyframe+empty_moov"}),
        ("mpeg4.mp4", {"codec": "mpeg4", "options": {"bf": "2", "qmax": "2"}}),
        ("av1.mp4", {"codec": "libsvtav1"}),
        ("hevc.mkv", {"codec": "libx265", "options": {"x265-params": "log-level=none"}}),
        ("varying.mkv", {"times": VARYING}),
        ("lossless.mkv", {"codec": "ffv1"}),
        ("browser.webm", {"codec": "libvpx-vp9", "live": "1", "options": {"deadline": "realtime", "cpu-used": "8"}}),
        ("vp8.webm", {"codec": "libvpx", "options": {"crf": "4", "b": "4M"}}),
        ("b_frames.avi", {"codec": "mpeg4", "options": {"bf": "2", "qmax": "2"}}),
        ("h264.avi", {}),
        ("plain.avi", {"codec": "rawvideo", "pixels": "bgr24"}),
        ("plain.y4m", {"codec": "wrapped_avframe"}),
        ("pictures.mov", {"codec": "mjpeg", "pixels": "yuvj420p"}),
        ("drawn.gif", {"codec": "gif", "pixels": "rgb8"}),
        ("b_frames.mpg", {"codec": "mpeg2video", "options": {"bf": "2", "qmax": "2"}, "make": grainy}),
        (
            "interlaced.mpg",
            {"codec": "mpeg2video", "options": INTERLACED | {"qmax": "2"}, "make": grainy, "shape": (240, 320)},
        ),
        ("interlaced.ts", {"options": INTERLACED | {"x264-params": "tff=1"}}),
        ("camcorder.dv", {"codec": "dvvideo", "form": "dv", "shape": (576, 720)}),
        ("camcorder.avi", {"codec": "dvvideo", "shape": (576, 720)}),
    ],
)
def test_every_container_gives_its_frames_at_their_times(folder, name, settings):
    times = settings.get("times", EVEN)
    pictures = settings.pop("make", ramp)(len(times), settings.pop("shape", SHAPE))
    path = write(folder / name, pictures, **settings)
    info, (found, frames) = video.probe(path), read(path)
    np.testing.assert_allclose(found, times - times[0], atol=1.1e-3 if path.suffix in (".mkv", ".webm") else 1e-4)
    np.testing.assert_array_equal(numbers(frames), range(len(times)))
    assert (info.num_frames, info.notes) == (len(times), [])
    assert info.rate == pytest.approx((len(times) - 1) / np.ptp(times), rel=1e-4)
    assert info.longest_gap == pytest.approx(np.diff(times).max(), abs=1.1e-3)
    assert info.keys[0] == 0
    is_whole = settings.get("codec") in ("gif", "rawvideo", "mjpeg", "dvvideo", "wrapped_avframe")
    assert (len(info.keys) == len(times)) == is_whole


def test_a_gif_without_delays_has_ten_frames_a_second(folder):
    pictures = [Image.fromarray(picture) for picture in ramp(20, SHAPE)]
    pictures[0].save(folder / "still.gif", save_all=True, append_images=pictures[1:], duration=0)
    np.testing.assert_allclose(read(folder / "still.gif")[0], np.arange(20) / 10)


def test_interlaced_frames_are_the_mean_of_both_fields(folder):
    rising = np.repeat(np.arange(0, 240, 2, dtype=np.uint8)[:, None, None], 160, axis=1).repeat(3, axis=2)
    path = write(folder / "fields.mpg", [rising] * 10, codec="mpeg2video", options=INTERLACED | {"q": "2"})
    with av.open(str(path)) as container:
        assert next(container.decode(video=0)).interlaced_frame
    _, frames = read(path, shape=(12, 16))
    np.testing.assert_allclose(frames[0].mean(axis=(1, 2)), rising[:, 0, 0].reshape(12, 10).mean(1), atol=3)


def test_frames_are_exact_means_of_areas_and_red_comes_first(folder):
    (picture,) = noise(1)
    path = write(folder / "exact.avi", [picture] * 3, codec="rawvideo", pixels="bgr24")
    _, frames = read(path)
    np.testing.assert_allclose(frames[1], picture.reshape(12, 4, 16, 4, 3).mean((1, 3)), atol=1)
    np.testing.assert_array_equal(read(path, shape=None)[1][0], picture)
    part = picture[8:40, 4:36]
    np.testing.assert_array_equal(read(path, shape=None, box=(4, 8, 32, 32))[1][0], part)
    np.testing.assert_allclose(
        read(path, shape=(4, 8), box=(4, 8, 32, 32))[1][0], part.reshape(4, 8, 8, 4, 3).mean((1, 3)), atol=1
    )


@pytest.mark.parametrize(("start", "end"), [(0, 1.5), (0.5, 0.8), (0.7, 1.2), (0.51, 0.99)])
def test_an_interval_holds_exactly_the_frames_shown_in_it(varying, start, end):
    frames, times = video.read_interval(varying, start, end, 16)
    expected = [number for number, time in enumerate(VARYING) if start <= time < end]
    np.testing.assert_allclose(times, VARYING[expected], atol=1e-4)
    np.testing.assert_array_equal(numbers(frames), expected)


# A quarter turn clockwise, and half a turn: what is bright at the left, or at the upper left, comes where it is shown.
TURNS = {
    "quarter": ([0, 1 << 16, 0, -1 << 16], (48, 32), (64, 48), (16, 16), np.s_[:6], np.s_[-6:]),
    "half": ([-1 << 16, 0, 0, 0, -1 << 16], (24, 32), SHAPE, (24, 32), np.s_[13:, 17:], np.s_[:11]),
}


@pytest.mark.parametrize(
    ("turn", "box"), [("quarter", None), ("quarter", (0, 0, 24, 64)), ("quarter", (24, 0, 24, 64)), ("half", None)]
)
def test_a_turn_in_the_file_is_applied(folder, turn, box):
    matrix, (height, width), size, shape, is_bright, is_dark = TURNS[turn]
    bright = np.full((*SHAPE, 3), 20, np.uint8)
    bright[:height, :width] = 220
    content = bytearray(write(folder / "turned.mp4", [bright] * 10).read_bytes())
    at = content.index(b"tkhd") + 44  # The display matrix starts so many bytes after the name of the track header.
    content[at : at + 36] = np.array([*matrix, *[0] * (8 - len(matrix)), 1 << 30], ">i4").tobytes()
    (folder / "turned.mp4").write_bytes(content)
    info, (_, frames) = video.probe(folder / "turned.mp4"), read(folder / "turned.mp4", shape=shape, box=box)
    assert (info.height, info.width) == size
    assert frames.shape[1:3] == shape
    assert frames[0][is_bright].min() > 200 > 40 > frames[0][is_dark].max()


def test_frames_that_an_edit_list_cuts_off_do_not_count(folder):
    whole, trimmed = write(folder / "whole.mp4", ramp(40), np.arange(40) / 20), folder / "trimmed.mp4"
    with av.open(str(whole)) as source, av.open(str(trimmed), "w") as copy:
        stream = copy.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                shift = round(0.5 / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - shift, packet.dts - shift, stream
                copy.mux(packet)
    assert video.probe(trimmed).num_frames == 30
    times, frames = read(trimmed)
    np.testing.assert_allclose(times, np.arange(30) / 20, atol=1e-4)
    np.testing.assert_array_equal(numbers(frames), range(10, 40))


@pytest.mark.parametrize(
    ("name", "form", "codec", "is_stated"),
    [
        ("a.h264", "h264", "libx264", True),
        ("a.m4v", "m4v", "mpeg4", True),
        ("a.m2v", "mpeg2video", "mpeg2video", True),
        ("a.mjpeg", "mjpeg", "mjpeg", False),
        ("a.h263", "h263", "h263", False),
        ("a.obu", "obu", "libsvtav1", False),
    ],
)
def test_streams_without_times_are_read_at_their_or_a_given_rate(folder, name, form, codec, is_stated):
    shape = (144, 176)
    pixels = "yuvj420p" if codec == "mjpeg" else "yuv420p"
    path = write(folder / name, ramp(30, shape), codec=codec, pixels=pixels, rate=25, form=form, options={"qmax": "2"})
    if is_stated:
        assert video.probe(path).notes == ["The file holds no times: its frames are taken as 25 a second."]
        assert video.probe(path).rate == pytest.approx(25)
    else:
        with pytest.raises(RawDataError, match=f"{name}: found frames without times; .*, such as `rate=30`"):
            video.probe(path)
    assert video.probe(path, 10.0).seconds == pytest.approx(3)
    times, frames = read(path, rate=10.0)
    np.testing.assert_allclose(times, np.arange(30) / 10)
    np.testing.assert_array_equal(numbers(frames), range(30))


@pytest.mark.parametrize("together", [2, 25])
def test_frames_of_one_time_are_spread_up_to_the_next(folder, together):
    path = write(folder / "coarse.mkv", ramp(50), np.repeat(EVEN[::together], together), codec="ffv1")
    info, (times, frames) = video.probe(path), read(path)
    said = f"{50 - 50 // together} of 50 time stamps repeat: the frames are spread evenly, 25 a second."
    assert (info.num_frames, info.notes) == (50, [said])
    np.testing.assert_allclose(times, EVEN, atol=1e-9)
    np.testing.assert_array_equal(numbers(frames), range(50))
    assert video.probe(path, 50.0).seconds == pytest.approx(1)


def test_frames_that_all_have_one_time_need_a_rate(folder):
    path = write(folder / "at_once.mkv", ramp(50), np.zeros(50), codec="ffv1")
    with pytest.raises(RawDataError, match=r"found 50 frames that all have one time; .*, such as `rate=30`"):
        video.probe(path)
    assert video.probe(path, 25.0).notes == ["All frames have one time: they are taken as 25 a second."]
    times, frames = read(path, rate=25.0)
    np.testing.assert_allclose(times, EVEN)
    np.testing.assert_array_equal(numbers(frames), range(50))


def test_a_film_of_several_streams_says_which_one_is_read(folder):
    with av.open(str(folder / "two.mkv"), "w") as container:
        for height, width in (SHAPE, (96, 128)):
            stream = container.add_stream("mjpeg", rate=25)
            stream.height, stream.width, stream.pix_fmt = height, width, "yuvj420p"
        for stream in container.streams.video:
            for picture in ramp(5, (stream.height, stream.width)):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
    assert video.probe(folder / "two.mkv").notes == ["1 of 2 video streams is read, the one of 64 x 48."]


def test_slow_motion_is_read_at_the_rate_at_which_it_was_filmed(varying):
    info = video.probe(varying, 240.0)
    slower = video.probe(varying).rate / 240
    assert (info.rate, info.num_frames) == (240, 40)
    assert info.seconds == pytest.approx(40 / 240)
    assert info.notes == ["Its 26.44 frames a second are taken as filmed at 240, as asked for."]
    times, frames = read(varying, 0.5 * slower, 1.2 * slower, rate=240.0)
    expected = [number for number, time in enumerate(VARYING) if 0.5 <= time < 1.2]
    np.testing.assert_allclose(times, slower * VARYING[expected], atol=1e-5)
    np.testing.assert_array_equal(numbers(frames), expected)


def test_a_rate_for_files_without_times_leaves_other_files_alone(varying, folder):
    kept, filmed = sources.open_file(varying, 240.0, is_fallback=True), sources.open_file(varying, 240.0)
    assert (kept.info().rate, filmed.info().rate) == (pytest.approx(26.44, rel=1e-3), 240)
    assert [time for time, _ in kept.frames(0, 9, (4, 4), None)] == pytest.approx(VARYING, abs=1e-4)
    assert [time for time, _ in filmed.frames(0, 9, (4, 4), None)][-1] < 0.2
    assert (kept.notes, len(filmed.notes)) == ((), 1)


@pytest.mark.slow
def test_frames_that_are_left_unread_cost_no_more_than_a_process(varying):
    frames = video.decoded(varying, shape=(4, 4))
    next(frames)
    frames.close()
    assert len(read(varying)[0]) == 40


def test_a_file_is_looked_at_again_once_it_has_changed(folder):
    path = write(folder / "changing.mkv", ramp(10))
    assert video.probe(path).num_frames == 10
    write(path, ramp(12))
    assert video.probe(path).num_frames == 12


def test_many_files_share_one_process(varying, first):
    worker._idle.clear()
    for path in (varying, first) * 3:
        read(path)
    assert len(worker._idle) == 1


@pytest.mark.skipif(not REAL.is_dir(), reason=f"{REAL} is not there")
def test_real_videos_are_read_from_first_frame_to_last():
    paths = sorted(REAL.glob("*.mkv"))
    assert len(paths) == 24
    for path in paths:
        info, (times, frames) = video.probe(path), read(path)
        assert (info.notes, len(times), times[0]) == ([], info.num_frames, 0)
        assert np.diff(times).max() == pytest.approx(info.longest_gap)
        assert frames.std() > 10


@pytest.mark.parametrize(("start", "end"), [(1, 2), (5, 6)])
def test_an_interval_beyond_the_end_is_refused_with_the_times(varying, start, end):
    with pytest.raises(RawDataError, match=rf"found no frame between .* s and {end:.3f} s"):
        video.read_interval(varying, start, end, 16)


def test_a_hole_in_an_interval_is_refused(folder):
    times = np.concatenate([np.arange(20) / 20, 1.5 + np.arange(20) / 20])
    path = write(folder / "hole.mp4", ramp(40), times)
    assert video.probe(path).longest_gap == pytest.approx(0.55)
    with pytest.raises(RawDataError, match=r"no frame between 0\.950 s and 1\.500 s"):
        video.read_interval(path, 0.5, 2, 16)


@pytest.mark.parametrize("shape", [(2, 640), (16, 1920), (640, 2)])
def test_pictures_of_a_few_rows_are_read(tmp_path, shape):
    light = 120 + 80 * np.sin(2 * np.pi * np.arange(125) / 25)[:, None, None] * np.linspace(0.2, 1, max(shape))
    pictures = np.broadcast_to(light if shape[0] < shape[1] else light.transpose(0, 2, 1), (125, *shape))
    path = write(tmp_path / "narrow.mkv", np.repeat(np.uint8(pictures)[..., None], 3, 3), codec="ffv1", pixels="gray")
    (answer,) = source_reader.reading_of_source(sources.open_file(path)).reading.clear
    assert answer.hertz == pytest.approx(1, abs=0.01)
