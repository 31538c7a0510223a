"""Frames of videos of every container at their own times, whatever is damaged, hostile or unusual in them."""

import fractions
import os
import pathlib
import re

import av
import numpy as np
import pytest

from simper_tf.recordings import sources, video, worker
from simper_tf.recordings.errors import RawDataError

REAL = pathlib.Path(os.environ.get("SIMPER_REAL", pathlib.Path(__file__).parents[4] / "shared" / "real"), "videos")
SHAPE = 48, 64
EVEN = np.arange(50) / 25
# 20 frames per second for a second, then 40 for half a second.
VARYING = np.concatenate([np.arange(20) / 20, 1 + np.arange(20) / 40])
CLOCK = fractions.Fraction(1, 12_800)
INTERLACED = {"flags": "+ildct+ilme"}
B_FRAMES = {"bf": "3", "x264-params": "keyint=12:scenecut=0:b-adapt=0"}
MPEG2 = "mpeg2video", "yuv420p"


def ramp(number, shape=SHAPE):
    """Returns frames of which number k has the level 20 + 4 k, so that a frame read tells which one it is."""
    return (np.full((*shape, 3), 20 + 4 * k, np.uint8) for k in range(number))


def grainy(number, shape=SHAPE):
    """Returns a `ramp` whose frames take some kilobytes each, as those of camcorders do."""
    grain = np.random.default_rng(0).integers(-15, 16, (number, *shape, 3))
    return ((one + part).clip(0, 255).astype(np.uint8) for one, part in zip(ramp(number, shape), grain, strict=True))


def noise(number, shape=SHAPE):
    return np.random.default_rng(0).integers(0, 256, (number, *shape, 3), np.uint8)


def write(path, pictures, times=None, codec="libx264", pixels="yuv420p", rate=25, form=None, options=None, **files):
    """Writes pictures at some times; of those containers that hold none, or a constant rate, at that rate.

    Args:
        files: `sound`, seconds of silence beside the pictures; `last`, seconds that the last one stays; or options of
            the container.
    """
    sound, last, pictures = files.pop("sound", 0), files.pop("last", None), list(pictures)
    with av.open(str(path), "w", format=form, options=files) as container:
        stream = container.add_stream(codec, rate=rate, options=options or {})
        heard = container.add_stream("mp2", rate=44100, layout="mono") if sound else None
        stream.height, stream.width, stream.pix_fmt = *pictures[0].shape[:2], pixels
        if times is not None:
            stream.codec_context.time_base = CLOCK
        packets = []
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            if times is not None:
                frame.pts, frame.time_base = round(times[number] / CLOCK), CLOCK
            packets += stream.encode(frame)
        packets += stream.encode()
        if last is not None:
            packets[-1].duration = round(last / packets[-1].time_base)
        container.mux(packets)
        for start in range(0, int(44100 * sound), 1152):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1152), np.int16), "s16", "mono")
            frame.sample_rate, frame.pts, frame.time_base = 44100, start, fractions.Fraction(1, 44100)
            container.mux(heard.encode(frame))
    return path


def numbers(frames):
    """Returns which frames of a `ramp` some are."""
    return np.round((np.mean(frames, axis=(1, 2, 3)) - 20) / 4).astype(int)


def read(path, *words, **named):
    times, frames = zip(*video.decoded(path, *words, **{"shape": (12, 16)} | named), strict=True)
    return np.array(times), np.stack(frames)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("video")


@pytest.fixture(scope="module")
def varying(folder):
    return write(folder / "varying é.mp4", ramp(40), VARYING)


@pytest.fixture(scope="module")
def first(folder):
    """A video of 4 s of noise whose tables come before its frames."""
    return write(folder / "first.mp4", noise(100), movflags="faststart")


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


@pytest.mark.parametrize("box", [None, (0, 0, 24, 64), (24, 0, 24, 64)])
def test_a_rotation_in_the_file_is_applied(folder, box):
    left_bright = np.full((*SHAPE, 3), 20, np.uint8)
    left_bright[:, :32] = 220
    content = bytearray(write(folder / "turned.mp4", [left_bright] * 10).read_bytes())
    # The display matrix starts 44 bytes after the name of the track header: a quarter turn clockwise.
    at = content.index(b"tkhd") + 44
    content[at : at + 36] = np.array([0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30], ">i4").tobytes()
    (folder / "turned.mp4").write_bytes(content)
    info, (_, frames) = video.probe(folder / "turned.mp4"), read(folder / "turned.mp4", shape=(16, 16), box=box)
    assert (info.height, info.width) == (64, 48)
    assert frames[0, :6].min() > 200 > 40 > frames[0, -6:].max()


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
        with pytest.raises(RawDataError, match=f"{name}: found frames without times; .*, such as --rate=30"):
            video.probe(path)
    assert video.probe(path, 10.0).seconds == pytest.approx(3)
    times, frames = read(path, rate=10.0)
    np.testing.assert_allclose(times, np.arange(30) / 10)
    np.testing.assert_array_equal(numbers(frames), range(30))


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
    kept, filmed = sources.open_file(varying, 240.0), sources.open_file(varying, 240.0, is_filmed_at_rate=True)
    assert (kept.info().rate, filmed.info().rate) == (pytest.approx(26.44, rel=1e-3), 240)
    assert [time for time, _ in kept.frames(0, 9, (4, 4), None)] == pytest.approx(VARYING, abs=1e-4)
    assert [time for time, _ in filmed.frames(0, 9, (4, 4), None)][-1] < 0.2
    assert (kept.notes, len(filmed.notes)) == ((), 1)


@pytest.mark.parametrize("kept", [0.6, 0.8])
def test_what_decodes_of_a_file_cut_off_is_read_with_a_note(first, folder, kept):
    content, path = first.read_bytes(), folder / "cut.mp4"
    path.write_bytes(content[: int(kept * len(content))])
    info, (times, frames) = video.probe(path), read(path)
    (note,) = info.notes
    stated, held = map(float, re.fullmatch(r"The file states (.*) s and holds (.*) s: the rest is.*", note).groups())
    assert stated == 4
    assert held == pytest.approx(4 * kept, abs=0.3)
    assert times[-1] == pytest.approx(held, abs=0.3)
    np.testing.assert_allclose(times, np.arange(len(times)) / 25, atol=1e-4)
    assert np.abs(frames[:5] - read(first)[1][:5].astype(float)).max() == 0


@pytest.mark.parametrize("sound", [0, 8])
def test_a_matroska_file_cut_off_or_zero_at_its_end_is_noted(folder, sound):
    whole = write(folder / "whole.mkv", noise(200), sound=sound)
    content, path = whole.read_bytes(), folder / "cut.mkv"
    half = len(content) // 2
    assert not video.probe(whole).notes
    for damaged in (content[:half], content[:half] + bytes(len(content) - half)):
        path.write_bytes(damaged)
        (note,) = video.probe(path).notes
        assert "The file states 8.0" in note
        assert len(read(path)[0]) == pytest.approx(100, abs=20)


def test_a_header_that_states_too_many_frames_is_noted(folder):
    content = bytearray(write(folder / "lies.avi", ramp(10), codec="rawvideo", pixels="bgr24").read_bytes())
    at = content.index(b"strh") + 40
    assert int.from_bytes(content[at : at + 4], "little") == 10
    content[at : at + 4] = (1000).to_bytes(4, "little")
    (folder / "lies.avi").write_bytes(content)
    info = video.probe(folder / "lies.avi")
    assert (info.num_frames, info.stated_frames) == (10, 1000)
    assert info.notes == ["The file states 40.00 s and holds 0.40 s: the rest is missing or damaged."]


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("name", ["a.mkv", "a.ts", "a.mpg"])
def test_sound_that_outlasts_the_pictures_is_no_loss(folder, name, start):
    codec, times = ("mpeg2video", None) if name == "a.mpg" else ("libx264", start + EVEN)
    info = video.probe(write(folder / f"sound_{name}", ramp(50), times, codec, sound=8.0))
    assert (info.num_frames, info.notes) == (50, [])


@pytest.mark.parametrize("name", ["stays.mp4", "stays.mkv"])
def test_a_last_frame_that_stays_for_long_is_no_loss(folder, name):
    info = video.probe(write(folder / name, ramp(50), EVEN, last=3.0))
    assert (info.num_frames, info.notes) == (50, [])


def test_a_file_without_index_is_refused_in_the_decoders_words(varying, folder):
    (folder / "truncated.mp4").write_bytes(varying.read_bytes()[:800])
    with pytest.raises(RawDataError, match=r"truncated\.mp4: found it cannot be opened .* \(moov atom not found\)"):
        video.probe(folder / "truncated.mp4")


@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>", b"%PDF-1.7", b"\x7fELF" + bytes(3000)])
def test_what_is_no_video_is_refused_by_name(tmp_path, content):
    (tmp_path / "page_000001.mp4").write_bytes(content)
    for ask in (video.probe, read):
        with pytest.raises(RawDataError, match=r"page_000001\.mp4: found it cannot be opened as a video"):
            ask(tmp_path / "page_000001.mp4")


@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile 'OTHER'\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nOTHER\n#EXT-X-ENDLIST\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
        '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>OTHER</BaseURL></MPD>',
    ],
)
@pytest.mark.parametrize("ending", ["mp4", "ts", "m3u8"])
def test_lists_of_other_files_are_not_followed(varying, tmp_path, text, ending):
    (tmp_path / f"list.{ending}").write_text(text.replace("OTHER", str(varying)))
    with pytest.raises(RawDataError, match=rf"list\.{ending}: found it cannot be opened as a video"):
        video.probe(tmp_path / f"list.{ending}")


@pytest.mark.parametrize("name", ["concat:a|b.mp4", "file:x.mp4", "%03d.mp4", "-", "pipe:0", "b\udcff.mp4", "a\nb.mp4"])
def test_names_that_mean_something_to_ffmpeg_are_names(varying, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(varying.read_bytes())
    assert video.probe(name).num_frames == 40


def gif(side, count):
    """Returns a GIF of a few bytes a frame."""
    size = side.to_bytes(2, "little") * 2
    frame = b"\x21\xf9\x04\0\x04\0\0\0," + bytes(4) + size + b"\0\x02\x02\x44\x01\0"
    return b"GIF89a" + size + b"\xf0\0\0" + bytes(6) + count * frame + b";"


@pytest.mark.parametrize(
    ("side", "said"),
    [
        (65535, "a header of no pixels, or of far more than a picture has"),
        (8000, "a header of 8000 x 8000 pixels; expected at most 33,554,432"),
        (5000, "a header of 400 frames of 5000 x"),
    ],
)
def test_more_pixels_than_the_bytes_can_hold_are_refused(tmp_path, side, said):
    (tmp_path / "huge.gif").write_bytes(gif(side, 400))
    with pytest.raises(RawDataError, match=rf"huge\.gif: found {said}"):
        video.probe(tmp_path / "huge.gif")


def test_a_gif_of_more_than_a_gibibyte_is_refused(tmp_path):
    path = tmp_path / "endless.gif"
    write(path, ramp(20), codec="gif", pixels="rgb8")
    os.truncate(path, 2**31)  # Zeros, of which hardly any are on the disk.
    with pytest.raises(RawDataError, match=r"endless\.gif: found a GIF of 2 GiB; expected one of 1 GiB at most"):
        video.probe(path)


def test_what_is_no_file_is_refused_before_it_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.mp4")
    for path, said in ((tmp_path / "pipe.mp4", "a named pipe"), ("/dev/zero", "a device"), (tmp_path, "a folder")):
        with pytest.raises(RawDataError, match=f"{path}: found {said}; expected a complete video"):
            video.probe(path)


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


@pytest.mark.skipif(not REAL.is_dir(), reason=f"{REAL} is not there")
def test_real_videos_are_read_from_first_frame_to_last():
    paths = sorted(REAL.glob("*.mkv"))
    assert len(paths) == 24
    for path in paths:
        info, (times, frames) = video.probe(path), read(path)
        assert (info.notes, len(times), times[0]) == ([], info.num_frames, 0)
        assert np.diff(times).max() == pytest.approx(info.longest_gap)
        assert frames.std() > 10
