"""Videos that are damaged, hostile or no videos: what is left is read with a note, the rest refused by name."""

import os
import pathlib
import re

import av
import numpy as np
import pytest
from ramps import EVEN, grainy, noise, ramp, read, write

from simper_tf.reading import source_reader
from simper_tf.recordings import sources, video
from simper_tf.utils.errors import RawDataError


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


def test_a_clock_that_turned_once_makes_no_long_video(folder):
    # As in files cut from a broadcast: sound starts at 0, pictures after 2**33 ticks of 90 kHz.
    path = write(folder / "turned.mkv", np.zeros((50, 96, 128, 3), np.uint8), 2**33 / 90_000 + EVEN, sound=1.0)
    times, _ = read(path)
    np.testing.assert_allclose(times - times[0], EVEN, atol=2e-3)


def test_a_film_that_begins_an_hour_late_is_whole(folder):
    info = video.probe(write(folder / "hour.mkv", ramp(50), 3600 + EVEN))
    assert (info.num_frames, info.notes) == (50, [])


@pytest.mark.parametrize("name", ["stays.mp4", "stays.mkv"])
def test_a_last_frame_that_stays_for_long_is_no_loss(folder, name):
    info = video.probe(write(folder / name, ramp(50), EVEN, last=3.0))
    assert (info.num_frames, info.notes) == (50, [])


def test_a_file_without_index_is_refused_in_the_decoders_words(varying, folder):
    (folder / "truncated.mp4").write_bytes(varying.read_bytes()[:800])
    with pytest.raises(RawDataError, match=r"truncated\.mp4: found what cannot be opened .* \(moov atom not found\)"):
        video.probe(folder / "truncated.mp4")


@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>", b"%PDF-1.7", b"\x7fELF" + bytes(3000)])
def test_what_is_no_video_is_refused_by_name(tmp_path, content):
    (tmp_path / "page_000001.mp4").write_bytes(content)
    for ask in (video.probe, read):
        with pytest.raises(RawDataError, match=r"page_000001\.mp4: found what cannot be opened as a video"):
            ask(tmp_path / "page_000001.mp4")


@pytest.mark.parametrize("name", ["a.m4a", "a.mp4", "a.mkv"])
def test_sound_alone_is_named_and_told_how_to_be_read(tmp_path, name):
    with av.open(str(tmp_path / name), "w") as container:
        stream = container.add_stream("aac", rate=44100, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 44100
        container.mux([*stream.encode(frame), *stream.encode()])
    with pytest.raises(RawDataError, match=f"{name}: found sound alone; .* Convert it to WAV, of which the loudness"):
        video.probe(tmp_path / name)


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
    with pytest.raises(RawDataError, match=rf"list\.{ending}: found what cannot be opened as a video"):
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


def turned(content, seed, number, first):
    """Returns bytes in which single bits are turned around, behind the first so many."""
    content, random = bytearray(content), np.random.default_rng(seed)
    for place in random.integers(first, len(content), number):
        content[place] ^= 1 << int(random.integers(8))
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [
        ("a.mp4", "libx264", "yuv420p"), ("a.mkv", "libx265", "yuv420p"), ("a.webm", "libvpx-vp9", "yuv420p"),
        ("a.ts", "mpeg2video", "yuv420p"), ("a.avi", "mpeg4", "yuv420p"), ("a.mov", "mjpeg", "yuvj420p"),
    ],
)  # fmt: skip
def test_frames_that_are_not_shown_are_counted_as_lost(folder, name, codec, pixels):
    path = write(folder / f"turned_{name}", grainy(50), codec=codec, pixels=pixels, movflags="faststart")
    whole = path.read_bytes()
    for seed in range(3):
        path.write_bytes(turned(whole, seed, 10, 3000))
        damage = video.Damage()
        info, shown = video.probe(path), [moment for moment, _ in video.decoded(path, shape=(4, 4), damage=damage)]
        assert np.diff(shown).min() > 0
        assert len(shown) + damage.frames <= 51
        assert damage.frames or len(shown) == info.num_frames


def test_no_sound_film_has_lost_frames(folder):
    for name, codec in (("a.mp4", "libx264"), ("b.avi", "libx264"), ("c.mkv", "libx265"), ("d.webm", "libvpx")):
        damage = video.Damage()
        path = write(folder / f"sound_{name}", grainy(40), codec=codec)
        assert len(list(video.decoded(path, damage=damage))) == 40
        assert (damage, video.probe(path).notes) == (video.Damage(), [])


def without(path, first, last):
    """Has the packets of some frames be nothing a decoder knows."""
    content = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        packets = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    for place, size in packets[first:last]:
        content[place : place + size] = b"\xff" * size
    path.write_bytes(content)


def test_a_hole_of_lost_frames_ends_a_scene_and_is_named(folder):
    path = write(folder / "hole.mov", grainy(50), codec="mjpeg", pixels="yuvj420p")
    without(path, 20, 40)
    source = sources.Video(path)
    done = source_reader.reading_of_source(source)
    edges = [(scene.start, scene.end) for scene in done.reading.scenes]
    np.testing.assert_allclose(edges, [(0, 0.76), (1.6, 1.96)], atol=1e-6)
    assert source.notes == ("20 frames cannot be decoded.", "Nothing is known of 0.76-1.60 s.")


@pytest.mark.parametrize(("end", "said"), [(21, "1 frame cannot be decoded."), (23, "3 frames cannot be decoded.")])
def test_a_few_lost_frames_are_named_and_read_across(folder, end, said):
    path = write(folder / "few.mov", grainy(50), codec="mjpeg", pixels="yuvj420p")
    without(path, 20, end)
    done = source_reader.reading_of_source(sources.Video(path))
    assert len(done.reading.scenes) == 1
    assert done.notes[0] == said


def test_frames_lost_at_both_ends_are_named(folder):
    path = write(folder / "ends.mov", grainy(50), codec="mjpeg", pixels="yuvj420p")
    without(path, 0, 20)
    without(path, 40, 50)
    source = sources.Video(path)
    assert [round(moment, 2) for moment, _ in source.frames(0, np.inf, (4, 4), None)] == pytest.approx(EVEN[:20])
    assert source.notes == (
        "30 frames cannot be decoded.", "The first 0.80 s cannot be decoded: times count from there.",
        "Nothing is known of 0.76-1.20 s.",
    )  # fmt: skip


def test_a_long_still_as_filmed_is_no_hole(folder):
    times = np.concatenate([EVEN[:25], 3 + EVEN[:25]])
    source = sources.Video(write(folder / "still.mp4", grainy(50), times))
    assert len(source_reader.reading_of_source(source).reading.scenes) == 1
    assert source.notes == ()


def test_empty_frames_between_those_of_an_avi_are_no_damage(folder):
    path = folder / "double.avi"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=50)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "yuv420p"
        for number, picture in enumerate(grainy(50)):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            frame.pts = 2 * number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    info = video.probe(path)
    assert (info.num_frames, info.stated_frames, info.notes) == (50, 99, [])


def test_a_false_time_costs_one_frame(folder):
    path = write(folder / "stray.ts", grainy(50), codec="mpeg2video")
    content = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        packet = [packet for packet in container.demux(video=0) if packet.size][30]
    at = content.index(b"\0\0\1\xe0", packet.pos)
    content[at + 9] ^= 0b100  # The third highest bit of its time.
    path.write_bytes(content)
    damage = video.Damage()
    shown = [moment for moment, _ in video.decoded(path, shape=(4, 4), damage=damage)]
    assert len(shown) == 49
    assert shown[-1] == pytest.approx(49 / 25)
    assert damage.frames == 1


def test_a_stream_that_begins_in_the_middle_ends_nothing():
    path = pathlib.Path(__file__).parents[4] / "shared/real/hostile/damaged.ts"
    if not path.exists():
        pytest.skip("real files are not there")
    assert len(list(video.decoded(path, shape=(4, 4)))) > 200
