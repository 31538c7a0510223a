"""What was read from clips: by a run, and by the reader before it."""

import numpy as np
import pytest

from reproduce import clip_errors
from reproduce.grid import Grid, Run
from simper_tf.evaluation.rows import Row, write_rows


@pytest.fixture
def finished(tmp_path):
    """Returns a grid with one run of three clips, of which the reader answers the first alone."""
    grid, run = Grid(tmp_path, kept=tmp_path / "rows.jsonl"), Run("flags/phone_ppg.cfg").seeded(0)
    folder = grid.folder_of(run)
    folder.mkdir()
    (folder / "clips.csv").write_text("id,subject,label (bpm),fft (bpm)\na,1,60,70\nb,1,60,61\nc,2,80,83\n")
    row = Row("phone_ppg", "split0", "simper", "small1d", "fft", "mae", 4.7, "bpm", 1, 9, 3, 0, "abc", 5.0)
    write_rows(folder / "results.jsonl", [row])
    (tmp_path / "reader_phone_ppg-split0_test.csv").write_text(
        "id,hertz,count,clear,seconds\na,1.01,7,True,8\nb,,,False,8\nc,1.5,12,False,8\n"
    )
    return grid, run


def test_the_readout_answers_where_the_reader_does_not(finished):
    read = clip_errors.of_run(*finished, "reader_fft")["read"]
    assert read.to_dict() == pytest.approx({"a": 60.6, "b": 61, "c": 83})
    surest = clip_errors.of_run(*finished, "surest_fft")["read"]
    assert surest.to_dict() == pytest.approx({"a": 60.6, "b": 61, "c": 90})
    assert clip_errors.of_run(*finished, "fft")["read"].to_dict() == {"a": 70, "b": 61, "c": 83}


def test_counts_are_those_of_the_reader_not_of_its_frequency(finished):
    grid, run = finished
    (path,) = grid.folder.rglob("clips.csv")
    path.write_text(path.read_text().replace("bpm", "count"))
    assert clip_errors.of_run(grid, run, "surest_fft")["read"].to_dict() == {"a": 7, "b": 61, "c": 12}


def test_rows_behind_the_reader_are_scored_and_kept(finished, tmp_path):
    grid, run = finished
    rows = {row.metric: row for row in clip_errors.rows_behind_reader(grid, run, ["reader_fft"])}
    assert rows["mae"].value == pytest.approx((0.6 + 1 + 3) / 3)
    assert (rows["mae"].protocol, rows["mae"].unit, rows["mae"].n, rows["mae"].commit) == (
        "reader_fft",
        "bpm",
        3,
        "abc",
    )
    grid.save_rows()
    elsewhere = Grid(tmp_path / "none", kept=tmp_path / "rows.jsonl")
    assert clip_errors.rows_behind_reader(elsewhere, run, ["reader_fft"]) == list(rows.values())
    assert clip_errors.of_run(elsewhere, run, "fft") is None


def test_a_clear_series_is_read_and_noise_is_not():
    times = np.arange(120) / 15
    clip = np.sin(2 * np.pi * 1.2 * times)[:, None, None, None]
    read = clip_errors.read_clip(clip, 15.0, (0.67, 3.3))
    assert read == {"hertz": pytest.approx(1.2, abs=0.02), "count": 10, "clear": True, "seconds": 8.0}
    noise = np.random.default_rng(0).normal(size=(120, 1, 1, 1))
    assert not clip_errors.read_clip(noise, 15.0, (0.67, 3.3))["clear"]


def test_the_reader_is_asked_once_for_a_split(finished, monkeypatch):
    grid, run = finished
    (grid.folder / "reader_phone_ppg-split0_test.csv").unlink()
    clip = {"id": b"b", "clip": np.zeros((8, 1, 1, 3)), "rate": 15.0}

    class Clips:
        def split(self, name):
            assert name == "test"
            return self, 1

        def as_numpy_iterator(self):
            return iter([clip])

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    asked, answer = [], {"hertz": 1.0, "count": 8, "clear": True, "seconds": 8.0}
    monkeypatch.setattr(clip_errors.data, "opened", lambda settings: Clips())
    monkeypatch.setattr(clip_errors, "read_clip", lambda *given: asked.append(given) or answer)
    for _ in range(2):
        assert clip_errors.of_run(grid, run, "reader_fft")["read"].to_dict() == {"a": 70, "b": 60, "c": 83}
    assert len(asked) == 1
