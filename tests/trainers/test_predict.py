"""`trainers.predict`, by the user's door: real files, a real process."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import photographs
import pytest
from absl import flags
from trainers.predictions import pictures, tables, videos

from simper_tf.encoders import ENCODERS
from simper_tf.export import saved_model
from simper_tf.reading import answers
from simper_tf.reading.scores import Reading
from simper_tf.recordings import search, sources
from simper_tf.recordings import video as recorded
from simper_tf.utils import files
from trainers import predict as command

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
def test_a_part_of_a_recording_in_another_unit_goes_to_a_folder_that_was_not_there(folder, tmp_path):
    out = tmp_path / "not" / "there"
    done = predict(folder / "breath.csv", "--start=2", "--end=9", "--unit=bpm", "--window=7", f"--out={out}")
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader((out / "predictions.csv").open())
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
    info = recorded.probe(video)
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
    saved_model.export_model(ENCODERS["small"](shape), tmp_path / "saved_model", shape, (0.4, 5.5))
    done = predict(folder / "swing é 1.mp4", f"--model={tmp_path}", f"--out={tmp_path}")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "predictions.csv").open()))
    assert [float(row["value"]) for row in rows] == pytest.approx([1.2, 1.2], abs=0.01)
    assert all(0.3 < float(row["model_hz"]) < 6 for row in rows)


@pytest.mark.slow
def test_a_video_never_takes_the_place_of_the_recording(folder, tmp_path):
    own = tmp_path / "own.mp4"
    own.write_bytes((folder / "swing é 1.mp4").read_bytes())
    (tmp_path / "link.mp4").symlink_to(own)
    before = own.read_bytes()
    for video, said in (
        (own, "is the recording itself, which would be lost"),
        (tmp_path / "link.mp4", "is the recording itself, which would be lost"),
        (tmp_path / "read.avi", "must be an .mp4 file in a folder that is there"),
        (tmp_path / "none" / "read.mp4", "must be an .mp4 file in a folder that is there"),
    ):
        done = predict(own, f"--video={video}", f"--out={tmp_path / 'out'}")
        assert done.returncode == 1
        assert done.stderr.startswith(f"predict: error: --video={video} {said}")
    assert own.read_bytes() == before
    assert not (tmp_path / "out").exists()


def test_a_moment_that_no_window_covers_has_no_label():
    done = tables.Done("a.mp4", sources.Info(10, 30, 9, 9), (), [answer(0, 1.0, 0.9), answer(20, 2.0, 0.9)])
    assert [videos.said_at(done, moment, "hz") for moment in (1, 10, 21)] == ["1 Hz", "", "2 Hz"]


@pytest.mark.slow
def test_names_of_files_need_not_be_text(folder, tmp_path):
    name = os.fsencode(tmp_path) + b"/breath\xff.csv"
    pathlib.Path(os.fsdecode(name)).write_bytes((folder / "breath.csv").read_bytes())
    words = [b"trainers.predict", name, b"--out=" + os.fsencode(tmp_path)]
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "predictions.csv").open(encoding="utf-8")))
    assert rows[0]["recording"].endswith("breath\\udcff.csv")


@pytest.mark.slow
def test_a_folder_is_read_twice_with_the_same_answers_and_notes_in_it_are_skipped(folder, tmp_path):
    (tmp_path / "breath.csv").write_bytes((folder / "breath.csv").read_bytes())
    (tmp_path / "README.txt").write_text("Recorded on Monday.\n")
    first = predict(tmp_path, f"--out={tmp_path}")
    second = predict(tmp_path, f"--out={tmp_path}")
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert first.stdout == second.stdout
    assert f"skipped, no series: {tmp_path / 'README.txt'}: found " in first.stdout


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


def test_tables_are_written_before_a_video_that_fails(tmp_path, monkeypatch):
    source = sources.Video(tmp_path / "a.mp4")
    values = flags.FlagValues()
    command.define(values)
    values(["predict", f"--out={tmp_path}", f"--video={tmp_path / 'b.mp4'}"])
    monkeypatch.setattr(command.flags, "FLAGS", values)
    monkeypatch.setattr(command.search, "find", lambda *_: search.Found([source], [], []))
    done = tables.Done(source.name, sources.Info(10, 12, 9, 9), (), [answer(0, 1.0, 0.9)])
    monkeypatch.setattr(command, "_read", lambda *_: (None, done))

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(command.videos, "write", full)
    with pytest.raises(OSError, match="no space left"):
        command.main([source.name])
    assert len(list(csv.DictReader((tmp_path / "predictions.csv").open()))) == 1


def test_a_name_as_long_as_a_file_may_have_gives_a_picture_of_a_name_that_fits(tmp_path):
    for name in ("n" * 251 + ".csv", "胸" * 83 + ".csv", "𠀀" * 62 + ".csv"):
        path = command.picture_path(tmp_path, str(tmp_path / name))
        with files.replacing(path, "wb") as file:
            file.write(b"picture")
        assert path.exists()


def in_process(monkeypatch, *words):
    """Returns a call of the command in this process."""
    values = flags.FlagValues()
    command.define(values)
    values(["predict", *map(str, words)])
    monkeypatch.setattr(command.flags, "FLAGS", values)
    return lambda: command.main([str(word) for word in words if not str(word).startswith("--")])


def test_two_commands_do_not_write_into_one_folder(folder, tmp_path, monkeypatch):
    call = in_process(monkeypatch, folder / "breath.csv", f"--out={tmp_path}")
    with (
        files.alone(tmp_path / ".lock"),
        pytest.raises(OSError, match=rf"^--out={tmp_path} is written by process \d+ on"),
    ):
        call()
    assert not (tmp_path / "predictions.csv").exists()
    call()
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".json", ".png"}


def test_a_recording_that_needs_too_much_memory_is_named_and_the_next_is_read(folder, tmp_path, monkeypatch, capsys):
    read = command._read

    def greedy(source, *rest):
        if source.name.endswith("greedy.csv"):
            raise MemoryError
        return read(source, *rest)

    (tmp_path / "greedy.csv").write_bytes((folder / "breath.csv").read_bytes())
    monkeypatch.setattr(command, "_read", greedy)
    words = tmp_path / "greedy.csv", folder / "breath.csv", f"--out={tmp_path / 'out'}"
    with pytest.raises(SystemExit, match="1 of 2 could not be read"):
        in_process(monkeypatch, *words)()
    assert f"predict: {tmp_path / 'greedy.csv'}: found more than fits into memory" in capsys.readouterr().err
    (record,) = json.loads((tmp_path / "out" / "predictions.json").read_text())
    assert record["recording"] == str(folder / "breath.csv")


def test_a_camera_that_is_not_there_is_one_line(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit, match="1 of 1 could not be read"):
        in_process(monkeypatch, 77, f"--out={tmp_path}")()
    assert capsys.readouterr().err == (
        "predict: camera 77: found none; expected a camera of this number. Plug one in, or name a file.\n"
    )


def test_answers_of_many_recordings_are_written_seldom_and_all_at_the_end(tmp_path, monkeypatch):
    names = [f"{number}.csv" for number in range(300)]
    done = {name: tables.Done(name, sources.Info(10, 12, 1, 1), (), [answer(0, 1.0, 0.9)]) for name in names}
    written, write = [], tables.write

    def slowly(folder, found, unit):
        written.append(len(found))
        time.sleep(0.05)
        write(folder, found, unit)

    monkeypatch.setattr(command.tables, "write", slowly)
    monkeypatch.setattr(command, "_show", lambda *_: None)
    in_process(monkeypatch, "none", f"--out={tmp_path}")
    found = [sources.Series(pathlib.Path(name)) for name in names]
    kept = command._read_all(found, [], tmp_path, lambda source: (None, done[source.name]))
    assert written[0] == 1
    assert written[-1] == 300
    assert len(written) < 30
    assert len(list(csv.DictReader((tmp_path / "predictions.csv").open()))) == 300
    assert {each.answers[0].course for each in kept} == {None}


def test_the_picture_shades_what_does_not_repeat_and_draws_both_octaves_dashed():
    found = [answer(0, 1.0, 0.9), answer(3, 1.0, 0.1), answer(6, 1.5, 0.8, (3.0,))]
    info = sources.Info(10, 12, 9, 9)
    above, below = pictures.figure(tables.Done("$a.mp4", info, (), found), "bpm").axes
    assert [(patch.get_x(), patch.get_width()) for patch in above.patches] == [(4.5, 3.0)]
    track = [(line.get_xdata().tolist(), line.get_ydata().tolist(), line.get_linestyle()) for line in below.lines]
    assert track == [([0, 4.5], [60, 60], "-"), ([7.5, 12], [90, 90], "--"), ([7.5, 12], [180, 180], "--")]
