"""Faces with a faint pulse, their truth, and the table of how they are read."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import made_faces, pulse_faces
from benchmarks.made_faces import Made
from simper_tf.readings import windows


def test_beats_come_at_the_rate_that_is_told():
    times = np.arange(900) / 30
    beats = made_faces.beats_over(times, np.random.default_rng(0))
    assert (np.diff(beats) > 0).all()
    moments = np.interp(np.arange(np.ceil(beats[0]), np.floor(beats[-1]) + 1), beats, times)
    intervals = np.diff(moments)
    assert 0.01 < intervals.std() / intervals.mean() < 0.1
    made = Made("", times, beats)
    assert made.frequency(moments[2], moments[12] - moments[2]) == pytest.approx(10 / (moments[12] - moments[2]), 1e-3)


def test_a_rate_of_the_last_window_is_that_of_its_frames():
    times = np.arange(900) / 30
    made = Made("", times, 1.5 * times)
    assert made.frequency(20, 10) == pytest.approx(1.5, rel=1e-9)


def test_green_is_read_at_the_first_lag_as_the_other_colors_are():
    phases = 2 * np.pi * np.arange(300) / 30
    wave = np.sin(phases) + 1.5 * np.sin(2 * phases)  # The strongest line is the second harmonic.
    frames = (120 + wave[:, None, None, None] * np.array([0.25, 1.0, 0.5])).astype(np.float32)
    found = pulse_faces.green(windows.Window(0.0, frames, 30.0), None, (0.7, 3.0))
    assert found.readout == "green"
    assert found.frequency == pytest.approx(1.0, abs=0.01)


def test_waves_have_a_strong_second_harmonic_and_go_up_and_down_by_one():
    for number in range(6):
        wave = made_faces.drawn_template(np.random.default_rng(number))
        assert np.ptp(wave) == pytest.approx(2)
        assert abs(wave.mean()) < 1e-9
        assert made_faces.harmonic_of(number) > 1


def test_lines_count_windows_without_an_answer_as_wrong_and_leave_them_out_of_what_is_told():
    line = pulse_faces.lines_of("1.0%", {"pos": [(1.0, 1.01, 0.9), (1.0, float("nan"), 0.0), (1.0, 2.0, 0.2)]})[0]
    assert line == ["1.0%", "pos", "0.670", "1.000", "67%", "33%", "0.010", "3"]


@pytest.mark.slow
def test_a_face_is_made_and_read_as_the_command_reads_it(monkeypatch):
    monkeypatch.setattr(made_faces, "SECONDS", 11.0)
    found = pulse_faces.measured(0.02, 1, 0.0)
    assert set(found) == {"pixels", "selfdistance", "green", "chrom", "pos", "answer"}
    truth, hertz, score = found["pos"][0]
    assert hertz == pytest.approx(truth, abs=pulse_faces.AIM)
    assert score > 0.5
    assert "| 2.0% | pos |" in pulse_faces.report(pulse_faces.lines_of("2.0%", found), 1, 0.0)


@pytest.mark.slow
def test_the_command_reads_a_faint_pulse_at_its_rate_and_not_at_that_of_its_second_harmonic(tmp_path, monkeypatch):
    monkeypatch.setattr(made_faces, "SECONDS", 11.0)
    made = made_faces.make(tmp_path / "face.npy", 0.01, 1)
    words = [made.path, "--rate=30", "--face", "--band=0.7,3", "--window=10", f"--out={tmp_path}"]
    done = subprocess.run([sys.executable, "-m", "trainers.predict", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "predictions.csv").open()))
    truth = made.frequency(0, 10)
    assert float(rows[0]["pos_hz"]) == pytest.approx(truth, abs=pulse_faces.AIM)
    assert float(rows[0]["value"]) == pytest.approx(truth, abs=pulse_faces.AIM)
