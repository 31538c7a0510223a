"""Readings of clips that train and encode nothing."""

import pytest

from reproduce import ranking, unlearned
from reproduce.grid import Grid, Run
from reproduce.studies import controls
from simper_tf.evaluation import rows
from trainers import data

OF_PIXELS = {"pixels", "pixel_patterns", "harmonic_sum", "contrast_sum", "spectra_1nn"}


@pytest.fixture
def reading(data_dir):
    """Returns the run that reads the clips of a trained one."""
    trained = Run("flags/small/rotating_digits.cfg").but(data_dir=data_dir, learning_rate=1, method="byol", steps=7)
    return controls.reading(trained).seeded(2)


def test_clips_are_read_by_every_control_and_no_encoder(reading, tmp_path):
    settings = reading.settings()
    with data.opened(settings) as clips:
        unlearned.read(tmp_path, clips, settings)
    made = rows.read_rows(tmp_path / "results.jsonl")
    assert {row.protocol for row in made} == OF_PIXELS <= ranking.OF_CLIPS
    assert {(row.method, row.encoder, row.n, row.seconds) for row in made} == {("untrained", "none", 40, 0.0)}
    (error,) = (row.value for row in made if (row.protocol, row.metric) == ("harmonic_sum", "mae"))
    assert error < 0.005
    assert {path.name for path in tmp_path.iterdir()} == {"results.jsonl", "clips.csv"}


def test_one_reading_stands_for_all_runs_on_the_same_clips(reading, data_dir):
    others = Run("flags/small/rotating_digits.cfg").but(data_dir=data_dir, num_views=3)
    assert controls.reading(others).seeded(0).name() == reading.name()
    assert controls.reading(others.but(clip_frames=90)).seeded(0).name() != reading.name()


@pytest.mark.slow
def test_a_grid_reads_clips_once_and_calls_no_trainer(stand_in, reading, tmp_path):
    stand_in("raise SystemExit(1)")
    grid = Grid(tmp_path / "runs", kept=tmp_path / "rows.jsonl")
    assert grid.train([reading]) == {}
    assert {row.protocol for row in Grid(tmp_path / "none", kept=tmp_path / "rows.jsonl").rows_of(reading)} == OF_PIXELS
    assert grid.train([reading]) == {}
    assert not list((tmp_path / "runs").rglob("calls"))
