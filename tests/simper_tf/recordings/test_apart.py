"""Videos decoded in a process of their own: the same frames, and one sentence where that process dies."""

import os
import resource
import signal
import subprocess
import sys

import av
import numpy as np
import pytest

from datasets.countix.standin import encode
from simper_tf.recordings import apart, captures, decoder, mp4
from simper_tf.recordings.errors import RawDataError

LARGE = 480, 640  # Of so large frames the pipe holds one: the decoder waits.


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("apart") / "video é.mp4"
    frames = np.random.default_rng(0).integers(0, 256, (40, 48, 64, 3), np.uint8)
    encode(path, frames, np.arange(40) / 20)
    return path


@pytest.fixture
def started(monkeypatch):
    """Returns the decoders that are asked, in order."""
    found, ready = [], apart._Decoder.ready
    monkeypatch.setattr(apart._Decoder, "ready", lambda: found.append(ready()) or found[-1])
    return found


@pytest.mark.parametrize("box", [None, (8, 4, 32, 40)])
def test_frames_and_facts_are_those_of_this_process(video, box):
    assert apart.probe(video) == mp4.probe(video)
    here = list(mp4.decoded(video, 0.5, 1.5, (12, 16), box))
    apart_ = list(apart.decoded(video, 0.5, 1.5, (12, 16), box))
    assert [time for time, _ in here] == [time for time, _ in apart_]
    np.testing.assert_array_equal([frame for _, frame in here], [frame for _, frame in apart_])


def test_one_process_serves_file_after_file_and_one_that_is_no_video(video, tmp_path, started):
    page = tmp_path / "page.mp4"
    page.write_text("<html>Not found</html>")
    for _ in range(2):
        apart.probe(video)
        list(apart.decoded(video, 0, 1, (4, 4)))
        with pytest.raises(RawDataError, match=r"page.mp4: found it cannot be opened as a video; expected a complete"):
            apart.probe(page)
    assert len(set(started)) == 1


@pytest.mark.parametrize(
    ("form", "codec"),
    [("mjpeg", "mjpeg"), ("mpjpeg", "mjpeg"), ("h263", "h263"), ("obu", "libsvtav1"), ("h264", "libx264")],
)
def test_streams_without_times_are_refused_with_what_to_do(tmp_path, form, codec):
    path = stream(tmp_path / f"raw.{form}", form, codec)
    said = "raw.*: found frames without times; expected a video that holds the times of its frames. Put them into a con"
    for probe in (apart.probe, mp4.probe):
        with pytest.raises(RawDataError, match=said):
            probe(path)


@pytest.mark.parametrize(("form", "codec"), [("m4v", "mpeg4"), ("mpeg2video", "mpeg2video"), ("smjpeg", "mjpeg")])
def test_streams_that_say_their_rate_are_read_at_it(tmp_path, form, codec):
    assert apart.probe(stream(tmp_path / f"raw.{form}", form, codec)).rate == pytest.approx(10)


def stream(path, form, codec):
    """Writes 30 frames, 10 a second, in a format of FFmpeg."""
    with av.open(str(path), "w", format=form) as container:
        out = container.add_stream(codec, rate=10, width=176, height=144)
        out.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for level in range(30):
            picture = np.full((144, 176, 3), 20 + 5 * level, np.uint8)
            container.mux(out.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(out.encode())
    return path


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (signal.SIGSEGV, r"what the decoder does not survive \(SIGSEGV\)"),
        (signal.SIGABRT, r"what the decoder does not survive \(SIGABRT\)"),
        (signal.SIGALRM, r"no end of decoding, for 60 s"),
    ],
)
def test_a_decoder_that_dies_is_one_sentence_and_the_next_file_is_read(video, started, number, found):
    frames = apart.decoded(video, 0, 9, LARGE)
    next(frames)
    os.kill(started[-1]._process.pid, number)
    with pytest.raises(RawDataError, match=rf"video é.mp4: found {found}; expected a complete video file"):
        list(frames)
    assert apart.probe(video).num_frames == 40
    assert started[-1] is not started[0]


def test_an_idle_decoder_that_has_died_is_replaced(video, started):
    apart.probe(video)
    started[-1]._process.kill()
    started[-1]._process.wait()
    assert apart.probe(video).num_frames == 40


def test_frames_that_nobody_wants_any_more_end_their_decoder(video, started):
    frames = apart.decoded(video, 0, 9, LARGE)
    next(frames)
    frames.close()
    assert started[-1]._process.poll() == -signal.SIGKILL
    assert started[-1] not in apart._idle


def test_what_a_decoder_may_take_is_bounded(video, started):
    apart.probe(video)
    assert resource.prlimit(started[-1]._process.pid, resource.RLIMIT_AS)[0] == decoder.MEMORY


def test_a_defect_of_ours_shows_itself(video):
    with pytest.raises(RuntimeError, match="TypeError"):
        list(apart.decoded(video, None, 9, (4, 4)))


def test_two_readings_at_once_have_a_decoder_each(video, started):
    first, second = apart.decoded(video, 0, 9, (4, 4)), apart.decoded(video, 0, 9, (4, 4))
    for (one, a), (two, b) in zip(first, second, strict=True):
        assert one == two
        np.testing.assert_array_equal(a, b)
    assert len(set(started)) == 2


@pytest.mark.parametrize("name", ["concat:a|b.mp4", "file:x.mp4", "%03d.mp4", "-x.mp4", "b\udcff.mp4", "a\nb.mp4"])
def test_names_that_mean_something_to_ffmpeg_or_are_no_text_are_names(video, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(video.read_bytes())
    assert apart.probe(name).num_frames == 40


@pytest.mark.parametrize("text", ["ffconcat version 1.0\nfile other.mp4\n", "#EXTM3U\n#EXTINF:10,\nother.mp4\n"])
def test_lists_of_other_files_are_not_followed(video, tmp_path, text):
    (tmp_path / "other.mp4").write_bytes(video.read_bytes())
    (tmp_path / "list.mp4").write_text(text)
    with pytest.raises(RawDataError, match=r"list.mp4: found it cannot be opened as a video"):
        apart.probe(tmp_path / "list.mp4")


def in_a_process(code, before=""):
    """Returns what a program prints in which there is a decoder `running`, asked for nothing yet, of an id `pid`."""
    start = "from simper_tf.recordings import apart\nrunning = apart._Decoder.ready()\npid = running._process.pid\n"
    whole = f"import atexit, os, resource, signal, sys\n{before}{start}{code}"
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


LAST = """
def told():
    try:
        os.kill(pid, 0)
        print("it is there")
    except ProcessLookupError:
        print("it is gone", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 20_000)
atexit.register(told)
"""


@pytest.mark.parametrize("is_idle", [True, False])
def test_decoders_end_with_the_program_which_waits_for_them_and_knows_what_memory_they_took(is_idle):
    code = "running.keep_or_end()" if is_idle else "os.kill(pid, signal.SIGSTOP)"
    assert in_a_process(code, before=LAST) == "it is gone True\n"


def test_a_program_that_was_forked_leaves_the_decoders_of_the_first_alone():
    code = """
running.keep_or_end()
if os.fork() == 0:
    sys.exit()
os.wait()
print(running._process.poll())
"""
    assert in_a_process(code) == "None\n"


def test_what_prints_at_the_start_of_python_is_not_taken_for_an_answer(video, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("print('Welcome to this cluster')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code = f"running.keep_or_end()\nassert apart.probe({str(video)!r}).num_frames == 40"
    assert in_a_process(code) == "Welcome to this cluster\n"


def test_ctrl_c_is_not_heard_even_while_a_decoder_starts(monkeypatch):
    start, started = subprocess.Popen, []

    def interrupted(*words, **settings):
        started.append(start(*words, **settings))
        started[-1].send_signal(signal.SIGINT)
        return started[-1]

    monkeypatch.setattr(apart.subprocess, "Popen", interrupted)
    running = apart._Decoder()
    assert started[-1].poll() is None
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    running.end()


def test_a_decoder_obeys_its_alarm_and_a_lower_limit_whatever_it_was_started_with():
    before = f"""
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
resource.setrlimit(resource.RLIMIT_AS, ({decoder.MEMORY // 2}, resource.getrlimit(resource.RLIMIT_AS)[1]))
"""
    code = """
found = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
print(*(int(found[each], 16) >> (signal.SIGALRM - 1) & 1 for each in ("SigIgn", "SigBlk")))
print(resource.prlimit(pid, resource.RLIMIT_AS)[0])
"""
    assert in_a_process(code, before=before) == f"0 0\n{decoder.MEMORY // 2}\n"


def test_a_format_that_is_not_read_may_be_what_is_wrong_with_a_video(tmp_path):
    path = tmp_path / "video.swf"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("flv1", rate=20)
        stream.height, stream.width, stream.pix_fmt = 32, 48, "yuv420p"
        for picture in np.random.default_rng(0).integers(0, 256, (20, 32, 48, 3), np.uint8):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode())
    with captures.opened(path) as capture:
        assert capture.read()[1].shape == (32, 48, 3)
    with pytest.raises(RawDataError, match=r"cannot be opened.*convert it to MP4 if its format may not"):
        apart.probe(path)
