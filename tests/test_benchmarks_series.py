"""Counts of the comparison of heart rates; its other readers are in an environment of their own."""

import dataclasses

import numpy as np
import pytest

from benchmarks import series

TIMES = np.arange(0, 30, 0.02)
BEATS = np.arange(0.4, 30, 0.8)
VALUES = np.exp(-0.5 * ((TIMES - BEATS[np.argmin(np.abs(TIMES[:, None] - BEATS), axis=1)]) / 0.05) ** 2)[:, None]


def windows(kind="a"):
    return list(series.windows(series.Heart(kind, TIMES, VALUES, False, lambda start: series._rate(BEATS, start))))


def test_no_answer_is_neither_right_nor_wrong():
    truth, found = np.float64([60, 60, 60, 60]), np.float64([61, 62.9, 70, np.nan])
    assert series.measures(truth, found) == "50.0%, 25.0%"
    assert series.measures(truth, np.full(4, np.nan)) == "0.0%, 0.0%"


def test_windows_overlap_by_half_and_take_their_beats_rate():
    cut = windows()
    assert len(cut) == 5
    assert [window.bpm for window in cut] == pytest.approx([75] * 5)
    assert all(window.times[0] == pytest.approx(0, abs=1e-9) and len(window.times) == 500 for window in cut)
    assert np.isnan(series._rate(BEATS, 29.0))


def test_a_window_is_read_by_this_package_and_by_autocorrelation():
    window = windows()[1]
    bpm, confidence = series.own(window)
    assert bpm == pytest.approx(75, abs=0.5)
    assert confidence > 0.5
    wave = np.sin(2 * np.pi * 1.25 * window.times)[:, None]
    assert series.autocorrelation(dataclasses.replace(window, values=wave)) == pytest.approx(75, abs=1)


def test_marked_beats_are_the_truth_of_published_files(tmp_path):
    (tmp_path / "heartpy_118e00_ann.csv").write_text("\n".join(str(round(360 * beat)) for beat in BEATS))
    fine = np.interp(np.arange(0, 30, 1 / 360), TIMES, VALUES[:, 0])
    (tmp_path / "heartpy_118e12.csv").write_text("\n".join(f"{value:.4f}" for value in fine))
    found = [window for heart in series.real_hearts(tmp_path) for window in series.windows(heart)]
    assert [window.bpm for window in found] == pytest.approx([75] * 5, abs=0.1)
    assert all(window.is_ecg and window.kind == "heartpy_118e12" for window in found)


def test_marks_of_another_clock_are_moved_onto_the_beats():
    intervals = np.random.default_rng(0).uniform(0.7, 0.9, 36)
    beats = 0.5 + np.cumsum(intervals)
    values = np.exp(-0.5 * (np.min(np.abs(TIMES[:, None] - beats), axis=1) / 0.08) ** 2)
    moved = beats + 1.7 + series.offset(beats + 1.7, TIMES, values)
    assert np.ptp(moved - beats) < 1e-9
    assert abs(moved[0] - beats[0]) < 0.4


@pytest.mark.slow
def test_an_answer_to_a_control_is_wrong():
    found = list(series.controls(1))
    assert len({window.kind for window in found}) == len(found) == 5
    assert all(np.isnan(window.bpm) for window in found)
    assert series.measures(np.full(2, np.nan), np.float64([60, np.nan])) == "0.0%, 50.0%"


def test_the_whole_recording_is_read_for_each_window():
    assert [window.whole for window in windows()] == pytest.approx([75] * 5, abs=0.7)


def test_another_library_gets_the_form_of_a_pulse_that_suits_it():
    times = np.arange(0, 10, 1 / 28)
    dark = -np.exp(-0.5 * ((times % 0.8 - 0.4) / 0.08) ** 2)[:, None]
    kinds, truth = np.array(["a", "b"]), np.array([75.0, 75.0])
    pulses = [
        series.Window(kind, times, values, False, 75.0) for kind, values in zip(kinds, (dark, -dark), strict=True)
    ]
    rates = []

    def highest(values, rate, is_ecg):
        rates.append(rate)
        above = values > 0.6 * values.max() if values.max() > -values.min() else np.zeros(len(values), bool)
        return np.flatnonzero(above[1:] & ~above[:-1]) / rate

    assert series.of_peer(highest, pulses, truth, kinds) == pytest.approx([75, 75], abs=1)
    assert set(rates) == {series.PEERS_RATE}
    heart = dataclasses.replace(pulses[0], is_ecg=True)
    assert series.in_form(heart, -1, True)[1] == pytest.approx(28)
