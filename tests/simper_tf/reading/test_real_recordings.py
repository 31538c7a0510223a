"""Seven real recordings, one a kind; skipped where their folder is missing."""

import csv
import os
import pathlib

import pytest

from benchmarks import real

ROOT = pathlib.Path(__file__).parents[3]
VIDEOS = pathlib.Path(os.environ.get("SIMPER_REAL", ROOT.parent / "shared" / "real")) / "videos"
KINDS = {
    "squat1.mkv": real.RIGHT,
    "pendulum_sb1.mkv": real.RIGHT,
    "echo_0X1291.mkv": real.RIGHT,
    "treadmill_kx.mkv": real.RIGHT,
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
