import csv

import numpy as np
import pytest

from simper_tf.evaluation import clip_table
from simper_tf.evaluation.features import Features
from simper_tf.utils import files


def clips(labels, subjects=None):
    count = len(labels)
    ids = np.array([f"walk, {k}" for k in range(count)])
    return Features(np.zeros((count, 4)), np.asarray(labels, np.float32), np.ones(count), ids, subjects)


def written(path, *words):
    clip_table.write(path, *words)
    return list(csv.DictReader(path.open()))


def test_each_clip_has_a_line_of_its_label_and_predictions(tmp_path):
    found = written(
        tmp_path / "clips.csv", clips([1.5, 2], np.array(["ann", "bob"])),
        {"fft": np.array([1.25, 4]), "1nn": np.array([1e-9, np.nan])}, "Hz",
    )  # fmt: skip
    assert found == [
        {"id": "walk, 0", "subject": "ann", "label (Hz)": "1.5", "fft (Hz)": "1.25", "1nn (Hz)": "1e-09"},
        {"id": "walk, 1", "subject": "bob", "label (Hz)": "2", "fft (Hz)": "4", "1nn (Hz)": ""},
    ]


def test_series_have_a_column_for_each_of_their_values(tmp_path):
    (found,) = written(tmp_path / "clips.csv", clips([[20, 21]]), {"probe": np.array([[19.5, 22]])}, "°C")
    assert found == {
        "id": "walk, 0", "label 1 (°C)": "20", "label 2 (°C)": "21", "probe 1 (°C)": "19.5", "probe 2 (°C)": "22",
    }  # fmt: skip


def test_where_no_label_is_known_no_column_of_labels_stands(tmp_path):
    (found,) = written(tmp_path / "clips.csv", clips([np.nan]), {"fft": np.array([2.0])}, "Hz")
    assert list(found) == ["id", "fft (Hz)"]
    some = written(tmp_path / "clips.csv", clips([np.nan, 3]), {}, "Hz")
    assert [each["label (Hz)"] for each in some] == ["", "3"]


def test_a_table_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "clips.csv"
    path.write_text("old")
    monkeypatch.setattr(files.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        clip_table.write(path, clips([1]), {}, "Hz")
    assert path.read_text() == "old"
