"""Nine real recordings, one a kind, and films of k + 1/2 frames a period; skipped where their folder is missing."""

import csv
import os
import pathlib

import pytest

from benchmarks import real

ROOT = pathlib.Path(__file__).parents[3]
REAL = pathlib.Path(os.environ.get("SIMPER_REAL", ROOT.parent / "shared" / "real"))
VIDEOS, BETWEEN_FRAMES = REAL / "videos", REAL / "videos2"
KINDS = {
    "squat1.mkv": real.RIGHT,
    "pendulum_sb1.mkv": real.RIGHT,
    "echo_0X1291.mkv": real.RIGHT,
    "treadmill_kx.mkv": real.RIGHT,
    "jumping_kx.mkv": real.RIGHT,
    "skipping_sw.mkv": real.RIGHT,
    "evm_face.mkv": real.RIGHT,
    "metronome.mkv": real.RIGHT,
    "fan.mkv": real.REFUSED,
}

pytestmark = pytest.mark.skipif(not (VIDEOS / "truth.csv").is_file(), reason=f"{VIDEOS}/truth.csv is not there")


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_real_recording_is_read_as_it_was_counted(name):
    with (VIDEOS / "truth.csv").open() as file:
        truth = real.truth(next(row for row in csv.DictReader(file) if row["file"] == name))
    assert real.outcome(truth, real.read(VIDEOS / name).reading.clear)[0] == KINDS[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "hertz"), [("disc_25fps_2.00.mp4", 2.0), ("disc_10fps_0.80.mp4", 0.8), ("hr168_10.mp4", 2.8)]
)
def test_a_film_between_frames_is_told_at_its_own_tempo(name, hertz):
    (answer,) = real.read(BETWEEN_FRAMES / name).reading.clear
    assert (answer.hertz, answer.pairs) == (pytest.approx(hertz, rel=0.01), None)
