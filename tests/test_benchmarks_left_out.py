import math

import numpy as np
import pytest

from benchmarks import left_out, real, startup


def truth(text, tolerance):
    return real.truth({"truth": text, "tolerance": tolerance, "kind": "real"})


@pytest.mark.parametrize(
    ("hertz", "outcome"),
    [(0.51, real.RIGHT), (0.54, real.WRONG), (0.26, real.OCTAVE), (1.03, real.OCTAVE), (math.nan, real.SILENT)],
)
def test_a_frequency_is_judged_by_the_tolerance_of_its_truth(hertz, outcome):
    assert left_out.outcome(hertz, truth("0.5 Hz", "0.02")) == outcome


@pytest.mark.parametrize("tolerance", ["1 rep", "14.2"])
def test_without_a_tolerance_in_hertz_a_twentieth_is_near(tolerance):
    true = truth("0.36 Hz, 0.8 Hz; 14 in all", tolerance)
    assert [left_out.outcome(hertz, true) for hertz in (0.377, 0.761, 0.6)] == [real.RIGHT, real.RIGHT, real.WRONG]


def test_what_repeats_at_no_known_frequency_is_not_listed(tmp_path):
    rows = ["file,truth,tolerance,kind", "a.mkv,1 Hz,0.1,real", "b.mkv,3 reps,1 rep,real", "c.mkv,nothing,-,control"]
    (tmp_path / "truth.csv").write_text("\n".join(rows))
    for name in "abc":
        (tmp_path / f"{name}.mkv").touch()
    assert list(left_out.listed(tmp_path)) == [str(tmp_path / "a.mkv")]


def test_outcomes_are_counted_by_the_way_of_reading():
    rest = {"pixels": "1.000 Hz, right", "Replay": "silent", "network": "1.000 Hz, right"}
    rest["Replay before it learns"] = "0.400 Hz, wrong"
    table = [
        {"count": "1.000 Hz, right", "untrained": "silent", "SimPer": "0.500 Hz, an octave off", **rest},
        {"count": "2.000 Hz, octave named", "untrained": "3.000 Hz, wrong", "SimPer": "2.010 Hz, right", **rest},
    ]
    lines = left_out.totals(table).splitlines()[2:]
    assert lines == [
        "| count | 1 | 1 | 0 | 0 | 0 |",
        "| pixels | 2 | 0 | 0 | 0 | 0 |",
        "| untrained | 0 | 0 | 0 | 1 | 1 |",
        "| SimPer | 1 | 0 | 1 | 0 | 0 |",
        "| Replay before it learns | 0 | 0 | 0 | 2 | 0 |",
        "| Replay | 0 | 0 | 0 | 0 | 2 |",
        "| network | 2 | 0 | 0 | 0 | 0 |",
    ]


def test_pixels_read_clips_without_learning_and_within_the_band():
    light = 0.5 + 0.4 * np.sin(2 * np.pi * 1.5 * np.arange(100) / 20)  # 1.5 Hz at 20 frames per second.
    clips = np.broadcast_to(light[None, :, None, None, None], (3, 100, 4, 4, 1))
    assert left_out.by_pixels(clips, (0.5, 4.0), 20.0) == pytest.approx(1.5, abs=0.02)
    assert math.isnan(left_out.by_pixels(clips, (2.0, 4.0), 20.0))


def test_the_network_of_the_reader_is_asked_over_the_whole_film(tmp_path):
    path = tmp_path / "disc.mp4"
    startup.film(path, seconds=8)  # A disc that swings at 0.8 Hz.
    assert left_out.likeliest(str(path)) == pytest.approx(0.8, rel=0.03)
