"""Videos that are damaged, hostile or no videos: what is left is read with a note, the rest refused by name."""

import os
import re

import numpy as np
import pytest
from ramps import EVEN, noise, ramp, read, write

from simper_tf.recordings import video
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
