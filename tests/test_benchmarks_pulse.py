"""Faces written in worse forms, and the cells of their pulses."""

import sys

import numpy as np
import pytest

from benchmarks import pulse, real
from simper_tf.commands import mp4


@pytest.fixture
def video(tmp_path):
    """A folder with a gray video of 20 frames, in two seconds, and its truth."""
    with mp4.Writer(tmp_path / "face.mp4", 64, 80) as written:
        for index in range(20):
            written.add(0.1 * index, np.full((64, 80, 3), 120, np.uint8))
    (tmp_path / "truth.csv").write_text(
        "file,truth,tolerance,kind\nface.mp4,0.9 Hz = 54 bpm pulse,2 bpm,real\nswing.mp4,0.9 Hz,0.02,real\n"
    )
    return tmp_path


def test_files_whose_truth_is_a_pulse_are_faces(video):
    assert list(pulse.faces(video)) == [("face.mp4", pytest.approx(54))]


@pytest.mark.parametrize(
    ("form", "shape", "light", "frames"),
    [("half the size", (32, 40), 120, 20), ("half the light", (64, 80), 60, 20), ("the first 60 %", (64, 80), 120, 12)],
)
def test_a_form_keeps_what_it_says(video, form, shape, light, frames):
    pulse.write(video / "face.mp4", video / "form.mp4", form)
    made = list(real.video(video / "form.mp4"))
    assert len(made) == frames
    assert made[0][1].shape[:2] == shape
    assert made[0][1].mean() == pytest.approx(light, abs=2)


def test_a_row_has_both_rates_and_their_errors():
    assert pulse.row("a.mp4", "as published", 53.0, 52.4, None) == [
        "a.mp4",
        "as published",
        "53",
        "52.4",
        "-0.6",
        "-",
        "-",
    ]


def test_rates_of_the_other_program_are_its_last_line(tmp_path, monkeypatch):
    (tmp_path / "rppg.py").write_text(
        "class Model:\n    def process_video(self, path):\n        print('a note')\n"
        "        return {'hr': 60.0} if path == 'a' else {'hr': None}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert pulse.of_peer(sys.executable, ["a", "b"]) == [60.0, None]
