"""Recordings that are read as a whole: what is known of them is told, and nothing that is not there."""

import math
import pathlib

import cv2
import numpy as np
import pytest

from simper_tf.reading import read
from simper_tf.recordings import sources


def series(path, times, values):
    path.write_text(
        "\n".join(["time,x", *(f"{time:.4f},{value:.6f}" for time, value in zip(times, values, strict=True))])
    )
    return sources.open_file(path)


def test_hum_that_is_too_fast_for_the_band_is_no_repetition(tmp_path):
    times = np.arange(0, 10, 0.001)
    hum = np.sin(2 * np.pi * 50 * times)
    source = series(tmp_path / "hum.csv", times, hum)
    found = list(read.read(read.prepare(source, read.Wishes(band=(0.7, 3)))))
    assert found
    assert not any(answer.is_periodic for answer in found)
    source = series(tmp_path / "pulse.csv", times, hum + 0.2 * np.sin(2 * np.pi * 1.2 * times))
    found = list(read.read(read.prepare(source, read.Wishes(band=(0.7, 3)))))
    assert [answer.frequency for answer in found] == pytest.approx([1.2] * len(found), abs=0.01)


def test_what_is_missing_is_told_and_nothing_where_all_is_there(tmp_path):
    times = np.arange(0, 30, 0.05)
    wave = np.sin(2 * np.pi * times)
    opened = read.prepare(series(tmp_path / "whole.csv", times, wave), read.Wishes())
    assert read.unread(opened, list(read.read(opened))) == ()
    kept = (times < 12) | (times >= 20)
    opened = read.prepare(series(tmp_path / "hole.csv", times[kept], wave[kept]), read.Wishes())
    (note,) = read.unread(opened, list(read.read(opened)))
    assert note == "8.0 s could not be read: there is no window in which no frame is missing for 0.13 s."


def test_a_band_that_is_cut_at_either_end_is_told(tmp_path):
    times = np.arange(0, 4, 0.2)
    (low, high) = read.prepare(series(tmp_path / "slow.csv", times, np.sin(times)), read.Wishes()).notes
    assert low == "Windows of 4.00 s show nothing slower than 0.45 Hz."
    assert high == "5 frames per second show nothing faster than 2.25 Hz."


def test_what_repeats_faster_than_the_band_is_told_in_a_note(tmp_path):
    times = np.arange(0, 20, 0.01)
    for frequency, is_fast in ((8.0, True), (4.0, False)):
        wave = np.sin(2 * np.pi * frequency * times)
        opened = read.prepare(series(tmp_path / f"{frequency}.csv", times, wave), read.Wishes())
        found = list(read.read(opened))
        assert [answer.is_periodic for answer in found] == [not is_fast] * len(found)
        notes = read.unread(opened, found)
        number = len(found)
        said = f"In {number} of {number} windows something repeats faster than the band, above 5.5 Hz: "
        assert notes == ((said + "raise the upper end of --band to read it.",) if is_fast else ())


class EndlessCapture:
    def __init__(self, number):
        pass

    def isOpened(self):
        return True

    def read(self):
        return True, np.zeros((6, 8, 3), np.uint8)

    def release(self):
        pass


def test_a_camera_is_recorded_for_a_minute_where_no_end_is_named(monkeypatch):
    monkeypatch.setattr(cv2, "VideoCapture", EndlessCapture)
    assert read.prepare(sources.Camera(0), read.Wishes(start=3)).wishes.end == 63
    opened = read.prepare(sources.Camera(0), read.Wishes(end=7))
    assert opened.wishes.end == 7
    assert math.isfinite(opened.num_windows)


@pytest.mark.parametrize("face", [False, True])
def test_compression_is_told_where_a_pulse_is_sought(tmp_path, face, monkeypatch):
    info = sources.Info(30, 20, 90, 120, bits=0.1)
    source = sources.Video(pathlib.Path("a.mp4"))
    monkeypatch.setattr(source, "info", lambda: info)
    picture = np.zeros((90, 120, 3), np.uint8)
    monkeypatch.setattr(source, "frames", lambda *_: iter([(0.0, picture), (0.03, picture)]))
    notes = read.prepare(source, read.Wishes(face=face)).notes
    assert any("bits a pixel" in note for note in notes) == face
