"""`trainers.predict`, by the user's door: real files, a real process."""

import csv
import json
import pathlib
import subprocess
import sys

import numpy as np
import photographs
import pytest

from simper_tf import export
from simper_tf.encoders import ENCODERS
from simper_tf.readings import answers, sources
from simper_tf.readings.readouts import Reading
from simper_tf.recordings import mp4
from trainers.predictions import pictures, tables

ROOT = pathlib.Path(__file__).parents[2]


def predict(*words, **options):
    command = [sys.executable, "-m", "trainers.predict", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder with a video that swings at 1.2 Hz for 9 s, one that is cut off, and a series of 0.7 Hz."""
    folder = tmp_path_factory.mktemp("recordings")
    photographs.swinging(folder / "swing é 1.mp4", 1.2, 1, 25, seconds=9)
    whole = (folder / "swing é 1.mp4").read_bytes()
    (folder / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    times = np.arange(0, 12, 0.02)
    rows = [f"{time:.3f},{np.sin(2 * np.pi * 0.7 * time):.5f}" for time in times]
    (folder / "breath.csv").write_text("\n".join(["time,chest", *rows]))
    return folder


@pytest.mark.slow
def test_good_recordings_are_read_bad_ones_named_and_the_exit_code_says_so(folder, tmp_path):
    done = predict(folder, f"--out={tmp_path}")
    assert done.returncode == 1
    (bad, last) = done.stderr.splitlines()
    assert bad.startswith(f"predict: {folder / 'cut.mp4'}: found ")
    assert last == "predict: 1 of 3 could not be read, see above."
    assert "in all: 10.8 repetitions" in done.stdout
    rows = list(csv.DictReader((tmp_path / "predictions.csv").open()))
    by_name = {
        name: [row for row in rows if row["recording"] == str(folder / name)]
        for name in ("swing é 1.mp4", "breath.csv")
    }
    assert [float(row["value"]) for row in by_name["swing é 1.mp4"]] == pytest.approx([1.2, 1.2], abs=0.01)
    assert [float(row["value"]) for row in by_name["breath.csv"]] == pytest.approx([0.7] * 3, abs=0.01)
    assert {row["verdict"] for row in rows} == {"periodic"}
    records = {record["recording"]: record for record in json.loads((tmp_path / "predictions.json").read_text())}
    video = records[str(folder / "swing é 1.mp4")]
    assert video["repetitions"] == pytest.approx(10.8, abs=0.1)
    assert set(video["windows"][0]["readouts"]) == {"pixels", "selfdistance"}


@pytest.mark.slow
def test_a_part_of_a_recording_in_another_unit(folder, tmp_path):
    done = predict(folder / "breath.csv", "--start=2", "--end=9", "--unit=bpm", "--window=7", f"--out={tmp_path}")
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader((tmp_path / "predictions.csv").open())
    assert float(row["value"]) == pytest.approx(42, abs=0.5)
    assert float(row["start_s"]) == 2


@pytest.mark.slow
def test_where_nothing_repeats_there_is_no_number(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (300, 12, 16), np.uint8)
    np.save(tmp_path / "noise.npy", noise)
    done = predict(tmp_path / "noise.npy", "--rate=30", f"--out={tmp_path}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("no clear repetition") == 4
    assert "Hz" not in done.stdout
    for row in csv.DictReader((tmp_path / "predictions.csv").open()):
        assert (row["value"], row["verdict"]) == ("", "not periodic")
    (record,) = json.loads((tmp_path / "predictions.json").read_text())
    assert record["repetitions"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("--band=3,1", "--band takes two rising numbers in Hz"),
        ("--crop=1,2,3", "--crop takes 4 numbers with commas between them. Found: 1,2,3"),
        ("--start=5", None),
        ("--crop=100,100,100,100", "found --crop=100,100,100,100; expected a box inside of 160 x 120 pixels"),
        ("--start=20", "found 9.00 s, none of them between 20 and inf s; expected a part that is there"),
        ("--window=0", "--window must be above 0"),
    ],
)
def test_flags_that_cannot_be_are_one_line(folder, tmp_path, flag, said):
    done = predict(folder / "swing é 1.mp4", flag, f"--out={tmp_path}")
    if said is None:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 1
    assert said in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "predictions.csv").exists()


@pytest.mark.slow
def test_nothing_to_read_is_said():
    done = predict()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "predict: error: there is nothing to read. Name a file, a folder, a pattern or the number of a camera.\n"
    )


@pytest.mark.parametrize(("unit", "value"), [("hz", 1.5), ("bpm", 90), ("per_minute", 90), ("count", 9)])
def test_units_by_hand(unit, value):
    assert tables.value(1.5, unit, 6.0) == value


@pytest.mark.slow
def test_a_video_a_page_and_a_picture_are_made_and_learning_joins_the_readouts(folder, tmp_path):
    video = tmp_path / "read.mp4"
    words = ["--adapt=2", f"--video={video}", "--report", "--unit=per_minute", f"--out={tmp_path}"]
    done = predict(folder / "swing é 1.mp4", *words)
    assert done.returncode == 0, done.stderr
    info = mp4.probe(video)
    assert (info.height, info.width, info.num_frames) == (120, 160, 225)
    page = (tmp_path / "predictions.html").read_text()
    assert "swing é 1.mp4" in page
    assert page.count("data:image/png;base64,") == 1
    assert "per minute" in page
    assert len(list(tmp_path.glob("*.png"))) == 1
    assert not list(tmp_path.glob("*unfinished*"))
    rows = list(csv.DictReader((tmp_path / "predictions.csv").open()))
    assert {"pixels_hz", "selfdistance_hz", "adapt_hz"} <= set(rows[0])
    assert [float(row["value"]) for row in rows] == pytest.approx([72, 72], abs=0.6)
    assert "learning from" in done.stdout


@pytest.mark.slow
def test_an_exported_model_joins_the_readouts(folder, tmp_path):
    shape = (32, 32, 3)
    export.export_model(ENCODERS["small"](shape), tmp_path / "saved_model", shape, (0.4, 5.5))
    done = predict(folder / "swing é 1.mp4", f"--model={tmp_path}", f"--out={tmp_path}")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "predictions.csv").open()))
    assert [float(row["value"]) for row in rows] == pytest.approx([1.2, 1.2], abs=0.01)
    assert all(0.3 < float(row["model_hz"]) < 6 for row in rows)


@pytest.mark.slow
def test_a_folder_without_a_model_and_a_video_of_several_are_refused(folder, tmp_path):
    done = predict(folder / "breath.csv", f"--model={tmp_path}")
    assert done.returncode == 1
    assert done.stderr.startswith(f"predict: error: --model={tmp_path} holds no exported model.")
    done = predict(folder / "breath.csv", f"--video={tmp_path / 'x.mp4'}")
    assert done.returncode == 1
    assert "is for one recording with pictures" in done.stderr


def answer(start, frequency, score, others=()):
    wave = np.sin(np.arange(60) / 5).astype(np.float32)
    course = answers.Course(wave, np.ones(40, np.float32), 0.2)
    return answers.choose(start, start + 6, [Reading("pixels", frequency, score, others)], course)


def test_the_picture_shades_what_does_not_repeat_and_draws_both_octaves_dashed():
    found = [answer(0, 1.0, 0.9), answer(3, 1.0, 0.1), answer(6, 1.5, 0.8, (3.0,))]
    info = sources.Info(10, 12, 9, 9)
    above, below = pictures.figure(tables.Done("$a.mp4", info, (), found), "bpm").axes
    assert [(patch.get_x(), patch.get_width()) for patch in above.patches] == [(4.5, 3.0)]
    track = [(line.get_xdata().tolist(), line.get_ydata().tolist(), line.get_linestyle()) for line in below.lines]
    assert track == [([0, 4.5], [60, 60], "-"), ([7.5, 12], [90, 90], "--"), ([7.5, 12], [180, 180], "--")]
