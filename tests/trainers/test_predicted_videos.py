"""The videos that `trainers.predict --video=` writes: of any rate, each frame at its time, whole or not at all."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
from trainers.predictions import videos

from simper_tf.recordings import video

ROOT = pathlib.Path(__file__).parents[2]
LIMITED = """
import pathlib, resource, sys
import numpy as np
from simper_tf.readings import read, sources
from trainers.predictions import tables, videos
recording, out, rate, limit = sys.argv[1:]
opened = read.prepare(sources.Frames(pathlib.Path(recording), float(rate)), read.Wishes())
done = tables.Done(recording, opened.info, (), list(read.read(opened)))
if int(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
videos.write(pathlib.Path(out), opened, done, "hz")
"""


def written_video(tmp_path, rate, limit=0):
    """Writes a video of frames of a rate in a process of its own whose files may have so many bytes."""
    times = np.arange(round(5 * rate))[:, None, None] / rate
    frames = 127 + 100 * np.sin(2 * np.pi * 1.2 * times + np.random.default_rng(0).uniform(0, 6, (32, 40)))
    np.save(tmp_path / "a.npy", frames.astype(np.uint8))
    words = [sys.executable, "-c", LIMITED, tmp_path / "a.npy", tmp_path / "out.mp4", rate, limit]
    return subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "expected"), [(119.8765, 119.88), (239.761, 239.76), (66.6667, 66.67), (960.123, 960.1)]
)
def test_a_video_of_any_rate_is_written(tmp_path, rate, expected):
    done = written_video(tmp_path, rate)
    assert done.returncode == 0, done.stderr
    info = video.probe(tmp_path / "out.mp4")
    assert info.rate == pytest.approx(expected, rel=1e-5)
    assert info.num_frames == pytest.approx(5 * rate, abs=1)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [100, 5_000, 50_000])
def test_a_full_disk_is_told_and_leaves_the_video_that_was_there(tmp_path, limit):
    (tmp_path / "out.mp4").write_text("mine")
    done = written_video(tmp_path, 30.0, limit)
    assert done.returncode == 1
    assert f"OSError: --video={tmp_path / 'out.mp4'} could not be written: 0 of 150 frames arrived." in done.stderr
    assert (tmp_path / "out.mp4").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "out.mp4"]


def test_a_video_of_varying_rate_shows_each_frame_at_its_time():
    times = [*np.arange(10) / 10, *(1 + np.arange(20) / 20)]
    found = list(videos._steady(((time, time) for time in times), 15.0))
    assert len(found) == 30
    assert max(abs(moment - shown) for moment, shown in found) < 0.1
    even = list(videos._steady(((k / 25, k) for k in range(50)), 25.0))
    assert [shown for _, shown in even] == list(range(50))
