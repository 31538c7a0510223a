"""Files that are all there are read although they state more than their pictures last; those cut off are told."""

import fractions

import av
import numpy as np
import pytest

from simper_tf.recordings import captures, mp4, whole
from simper_tf.recordings.errors import RawDataError

RATE = 25
EVEN = np.arange(75) / RATE
HEADER = b"\x1a\x45\xdf\xa3"


def write(path, times=EVEN, codec="libx264", sound=0.0, form=None, last=None, **options):
    """Writes noise at some times, the last of it for `last` seconds, beside so many seconds of silence."""
    random, is_old = np.random.default_rng(0), "mpeg" in codec
    clock, loud = fractions.Fraction(1, RATE if is_old else 1000), 20 if is_old else 256
    with av.open(str(path), "w", format=form) as container:
        stream = container.add_stream(codec, rate=RATE, options=options)
        stream.width, stream.height, stream.pix_fmt, stream.codec_context.time_base = 64, 48, "yuv420p", clock
        heard = container.add_stream("mp2", rate=44100, layout="mono") if sound else None
        packets = []
        for time in times:
            frame = av.VideoFrame.from_ndarray(random.integers(0, loud, (48, 64, 3), np.uint8), "rgb24")
            frame.pts, frame.time_base = round(time / clock), clock
            packets += stream.encode(frame)
        packets += stream.encode()
        if last is not None:
            packets[-1].duration = round(last / packets[-1].time_base)
        for packet in packets:
            container.mux(packet)
        for start in range(0, int(44100 * sound), 1152):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1152), np.int16), "s16", "mono")
            frame.sample_rate, frame.pts, frame.time_base = 44100, start, fractions.Fraction(1, 44100)
            container.mux(heard.encode(frame))
        if heard:
            container.mux(heard.encode())
    return path


@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [
        ("a.avi", "libx264", {}),
        ("b.avi", "mpeg4", {"bf": "2"}),
        ("c.mpg", "mpeg2video", {"bf": "2"}),
        ("d.vob", "mpeg2video", {"bf": "2"}),
        ("e.mpg", "mpeg1video", {"bf": "2"}),
    ],
)
def test_frames_that_a_decoder_holds_to_the_end_have_their_times(tmp_path, name, codec, options):
    path = write(tmp_path / name, codec=codec, **options)
    video = mp4.probe(path)
    assert (video.num_frames, video.rate) == (75, pytest.approx(RATE))
    assert video.longest_gap == pytest.approx(1 / RATE)
    times = [time for time, _ in mp4.decoded(path, -np.inf, np.inf, (12, 16))]
    np.testing.assert_allclose(np.diff(times), 1 / RATE, atol=1e-6)


class Clock:
    """A capture whose frames have these times in ms, and then one time for ever."""

    def __init__(self, times, last):
        self._times, self._last = iter(times), last

    def grab(self):
        return True

    def get(self, _):
        return next(self._times, self._last)


@pytest.mark.parametrize(("last", "number"), [(0.0, 3 + 16), (80.0, 3)])
def test_an_index_that_never_ends_ends_in_an_error(last, number):
    frames = []
    with pytest.raises(RawDataError, match=r"a.avi: found its time goes from 0.\d* s to"):
        frames += captures.frame_times(Clock([0.0, 40.0, 80.0], last), "a.avi")  # Each as it comes.
    np.testing.assert_allclose(frames, np.arange(number) / RATE)


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("name", ["a.mkv", "a.webm", "a.ts", "a.m2ts", "a.mpg"])
def test_sound_that_outlasts_the_pictures_or_begins_before_them_is_no_loss(tmp_path, name, start):
    codec, form = "mpeg2video" if name == "a.mpg" else "libx264", "matroska" if name == "a.webm" else None
    path = write(tmp_path / name, start + EVEN, codec, sound=8.0, form=form)
    assert mp4.probe(path).num_frames == 75


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "libx264"), ("b.mp4", "mpeg4"), ("a.mkv", "libx264")])
def test_a_last_frame_that_stays_for_long_is_no_loss(tmp_path, name, codec):
    path = write(tmp_path / name, np.arange(40) / 40 if codec != "mpeg4" else np.arange(40) / RATE, codec, last=3.0)
    assert mp4.probe(path).num_frames == 40


@pytest.mark.parametrize("ending", ["mkv", "webm"])
@pytest.mark.parametrize("sound", [0, 8])
def test_a_matroska_file_that_is_cut_off_or_zero_at_its_end_is_refused(tmp_path, ending, sound):
    whole_file = write(tmp_path / f"whole.{ending}", np.arange(200) / RATE, sound=sound, form="matroska")
    content, path = whole_file.read_bytes(), tmp_path / f"cut.{ending}"
    half = len(content) // 2
    assert whole.is_known_whole(whole_file)
    for damaged in (content[:half], content[:half] + bytes(len(content) - half)):
        path.write_bytes(damaged)
        assert not whole.is_known_whole(path)
        with pytest.raises(RawDataError, match=rf"cut.{ending}: found \d.\d\d s of video where its header states 8.0"):
            mp4.probe(path)


@pytest.mark.parametrize("content", [b"", HEADER, HEADER + b"\x80", HEADER + b"\x80" + bytes(40)])
def test_what_has_no_parts_is_not_known_to_be_whole(tmp_path, content):
    (tmp_path / "a.mkv").write_bytes(content)
    assert not whole.is_known_whole(tmp_path / "a.mkv")
