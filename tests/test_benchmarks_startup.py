"""The bench of single recordings: what it makes is a heart and a swing, and each call has its line."""

import sys

import numpy as np
import pytest

import simper_tf
from benchmarks import folder, startup


@pytest.mark.slow
def test_each_call_of_the_bench_has_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(startup, "SHORT", 0)  # Each is called once.
    rows = startup.lines(tmp_path, 0.05, 0.1)
    assert [row[0] for row in rows][::8] == ["`simper --help`", "a film of 0.1 min, 640 x 360 pixels"]
    assert all(float(row[1]) > 0 and float(row[3]) >= 0 for row in rows)
    found = simper_tf.read(tmp_path / "film.mp4")
    assert found.hertz == pytest.approx(0.8, abs=0.01)


def test_the_heart_of_the_bench_beats_at_its_tempo():
    values = startup.beats(60)
    peaks = np.flatnonzero((values[1:-1] > 0.7) & (values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:]))
    beats = 1 + np.sum(np.diff(peaks) > 50)
    assert beats / 60 == pytest.approx(startup.HERTZ, rel=0.03)


@pytest.mark.parametrize(("seconds", "calls"), [(9.0, 3), (11.0, 1)])
def test_a_short_call_is_the_middle_one_of_three(seconds, calls, monkeypatch):
    left = [folder.Took(seconds, computing, 0.0) for computing in (3.0, 1.0, 2.0)]
    monkeypatch.setattr(folder, "watched", lambda words: left.pop())
    assert startup.typical([]).computing == 2.0
    assert len(left) == 3 - calls


def test_a_command_that_fails_is_no_measurement(tmp_path):
    with pytest.raises(RuntimeError, match="ended with 2"):
        folder.watched([sys.executable, "-c", "raise SystemExit(2)"])
