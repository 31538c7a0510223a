"""The bench of folders: what it makes is read as it was made, by one process and by two."""

import csv

import pytest

from benchmarks import folder


@pytest.mark.slow
def test_made_recordings_are_read_as_they_were_made(tmp_path):
    (given := tmp_path / "in").mkdir()
    truth = folder.make(given, 2, 1)
    took = folder.measured(given, tmp_path / "out", 2)
    assert folder.right(tmp_path / "out", truth) == 1
    assert took.seconds > 0
    assert took.megabytes > 50  # More than an interpreter without NumPy.


def test_a_tempo_that_is_missing_or_off_is_not_right(tmp_path):
    with (tmp_path / "predictions.csv").open("w") as file:
        csv.writer(file).writerows([("recording", "hertz"), ("in/a.csv", 1.02), ("in/b.csv", 1.1), ("in/c.csv", "")])
    assert folder.right(tmp_path, {"a.csv": 1.0, "b.csv": 1.0, "c.csv": 1.0}) == pytest.approx(1 / 3)
