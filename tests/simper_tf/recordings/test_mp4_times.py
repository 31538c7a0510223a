"""Times of frames from the tables of mp4 files are those at which a decoder shows them."""

import fractions
import struct

import av
import numpy as np
import pytest

from simper_tf.recordings import mp4, mp4_times
from simper_tf.recordings.errors import RawDataError

EVEN = np.arange(50) / 25
VARYING = np.concatenate([np.arange(20) / 20, 1 + np.arange(40) / 40])
CLOCK = fractions.Fraction(1, 12_800)


def write(path, times, codec="libx264", options=None, **movflags):
    """Writes noise, so that encoders need frames of every kind."""
    random = np.random.default_rng(0)
    with av.open(str(path), "w", options=movflags) as container:
        stream = container.add_stream(codec, rate=25, options=options or {})
        stream.width, stream.height, stream.codec_context.time_base = 64, 48, CLOCK
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for time in times:
            frame = av.VideoFrame.from_ndarray(random.integers(0, 256, (48, 64, 3), np.uint8), "rgb24")
            frame.pts, frame.time_base = round(time / CLOCK), CLOCK
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def trimmed(path, seconds, out):
    """Copies a file without its first seconds, which stay stored as far as a decoder needs them."""
    with av.open(str(path)) as source, av.open(str(out), "w") as copy:
        stream = copy.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                shift = round(seconds / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - shift, packet.dts - shift, stream
                copy.mux(packet)
    return out


def decoded(path):
    """Returns the times of the frames that PyAV decodes."""
    with av.open(str(path)) as container:
        return np.array([float(frame.pts * frame.time_base) for frame in container.decode(video=0)])


B_FRAMES = {"bf": "3", "x264-params": "keyint=12:scenecut=0:b-adapt=0"}


@pytest.mark.parametrize(
    ("name", "times", "settings"),
    [
        ("even.mp4", EVEN, {}),
        ("b_frames.mp4", EVEN, {"options": B_FRAMES}),
        ("varying_b_frames.mp4", VARYING, {"options": B_FRAMES}),
        ("no_b_frames.mp4", VARYING, {"options": {"bf": "0"}}),
        ("later.mp4", 2 + VARYING, {"options": B_FRAMES}),
        ("first.mp4", EVEN, {"movflags": "faststart"}),
        ("negative.mp4", VARYING, {"options": B_FRAMES, "movflags": "negative_cts_offsets"}),
        ("unedited.mp4", VARYING, {"options": B_FRAMES, "use_editlist": "0"}),
        ("pictures.mov", EVEN, {"codec": "mjpeg"}),
    ],
)
def test_times_are_those_of_a_decoder(tmp_path, name, times, settings):
    path = write(tmp_path / name, times, **settings)
    found, truth = mp4_times.read(path), decoded(path)
    np.testing.assert_allclose(found.shown - found.shown[0], truth - truth[0], atol=1e-9)
    np.testing.assert_allclose(truth - truth[0], times - times[0], atol=1e-4)
    video = mp4.probe(path)
    assert (video.num_frames, video.seconds) == (
        len(times),
        pytest.approx(len(times) * np.ptp(times) / (len(times) - 1)),
    )


@pytest.mark.parametrize("seconds", [0.04, 0.5, 0.97])
@pytest.mark.parametrize("options", [{"bf": "0"}, B_FRAMES])
def test_frames_that_an_edit_list_cuts_off_do_not_count(tmp_path, seconds, options):
    whole = write(tmp_path / "whole.mp4", EVEN, options=options)
    path = trimmed(whole, seconds, tmp_path / "trimmed.mp4")
    found, truth = mp4_times.read(path).shown, decoded(path)
    assert len(truth) < len(EVEN)
    np.testing.assert_allclose(found - found[0], truth - truth[0], atol=1e-9)


def boxes(content, name):
    """Returns where the contents of all boxes of a name start."""
    return [place + 4 for place in range(len(content)) if content[place : place + 4] == name]


def test_a_rotation_changes_no_time(tmp_path):
    path = write(tmp_path / "turned.mp4", VARYING)
    before, content = mp4_times.read(path).shown, bytearray(path.read_bytes())
    (place,) = boxes(content, b"tkhd")
    content[place + 40 : place + 76] = np.array([0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30], ">i4").tobytes()
    path.write_bytes(content)
    np.testing.assert_array_equal(mp4_times.read(path).shown, before)
    assert (mp4.probe(path).height, mp4.probe(path).width) == (64, 48)


def test_the_tables_are_read_in_place_of_all_frames(tmp_path, monkeypatch):
    path = write(tmp_path / "even.mp4", EVEN)
    monkeypatch.setattr(mp4, "_decoded_times", lambda *_: pytest.fail("decoded"))
    assert mp4.probe(path).num_frames == 50
    with pytest.raises(pytest.fail.Exception):
        mp4.probe(write(tmp_path / "even.mkv", EVEN))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("fragments.mp4", {"movflags": "frag_keyframe+empty_moov"}),
        ("other.mkv", {}),
        ("codec.mp4", {"codec": "mpeg4"}),
    ],
)
def test_what_tables_do_not_say_alone_is_left_to_the_decoder(tmp_path, name, settings):
    path = write(tmp_path / name, EVEN, **settings)
    assert mp4_times.read(path) is None
    assert mp4.probe(path).num_frames == 50


@pytest.mark.parametrize("name", [b"stts", b"ctts", b"stsz", b"stsc", b"stco", b"elst", b"mdhd", b"tkhd", b"stsd"])
def test_damaged_tables_give_no_times_or_those_that_agree_with_one_another(tmp_path, name):
    path, random = write(tmp_path / "whole.mp4", EVEN, options=B_FRAMES), np.random.default_rng(0)
    whole = path.read_bytes()
    (place,) = boxes(whole, name)
    (size,) = struct.unpack_from(">I", whole, place - 8)
    for _ in range(60):
        content = bytearray(whole)
        content[place + random.integers(size - 8)] = random.integers(256)
        path.write_bytes(content)
        found = mp4_times.read(path)
        if found is not None:
            assert len(found.shown) <= 50
            assert (np.diff(found.shown) > 0).all()


@pytest.mark.parametrize(("name", "offset"), [(b"mdhd", 16), (b"tkhd", 20)])
def test_lengths_that_contradict_the_tables_are_refused_with_both(tmp_path, name, offset):
    path = write(tmp_path / "lies.mp4", EVEN)
    content = bytearray(path.read_bytes())
    (place,) = boxes(content, name)
    (length,) = struct.unpack_from(">I", content, place + offset)
    struct.pack_into(">I", content, place + offset, 3 * length)
    path.write_bytes(content)
    with pytest.raises(RawDataError, match=r"lies.mp4: found (2.00|1.96) s of video where its header states 6.00 s"):
        mp4.probe(path)


def test_frames_that_are_not_there_are_told_from_those_that_are_and_many_are_refused(tmp_path):
    path = write(tmp_path / "cut.mp4", EVEN, movflags="faststart")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    found = mp4_times.read(path)
    assert 5 < len(found.shown) < 45
    assert found.seconds == pytest.approx(2)
    path.write_bytes(content[: len(content) // 3])
    with pytest.raises(RawDataError, match=r"cut.mp4: found 0\.\d\d s of video where its header states 2.00 s"):
        mp4.probe(path)
