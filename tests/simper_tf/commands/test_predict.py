"""`simper predict`: its flags, what it reads, writes and refuses; in this process but where that is the point."""

import csv
import json
import os
import pathlib
import types

import numpy as np
import photographs
import pytest
from predicted import breath, rows, run
from processes import done

from simper_tf.commands import annotated, learners, one_recording, predict
from simper_tf.reading import answers, source_reader
from simper_tf.recordings import source_contract, sources
from simper_tf.recordings.boxes import WHOLE
from simper_tf.utils import files
from simper_tf.utils.errors import RawDataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder with a video that swings at 1.2 Hz for 9 s, a file of noise and a series of 0.7 Hz."""
    folder = tmp_path_factory.mktemp("recordings")
    photographs.swinging(folder / "swing é 1.mp4", 1.2, 1, 25, seconds=9, size=(80, 60))
    (folder / "broken.mp4").write_bytes(np.random.default_rng(0).bytes(4000))
    (folder / "breath.csv").write_text(breath())
    return folder


@pytest.mark.slow
def test_good_recordings_are_read_and_bad_ones_named(folder, tmp_path):
    code, _, err = done(["simper_tf", "predict", folder, f"--out={tmp_path}"])
    assert code == 1
    bad, last = err.splitlines()
    assert bad.startswith(f"predict: {folder / 'broken.mp4'}: found ")
    assert last == "predict: 1 of 3 could not be read, see above."
    by_name = {pathlib.Path(row["recording"]).name: row for row in rows(tmp_path)}
    broken = by_name.pop("broken.mp4")
    assert (broken["status"], f"predict: {broken['reason']}") == ("unreadable", bad)
    assert float(by_name["swing é 1.mp4"]["hertz"]) == pytest.approx(1.2, abs=0.03)
    assert float(by_name["breath.csv"]["hertz"]) == pytest.approx(0.7, abs=0.01)
    assert {row["verdict"] for row in by_name.values()} == {"clear"}
    assert len(list(tmp_path.glob("*.png"))) == 2


def test_a_video_is_read_at_the_rate_at_which_it_was_filmed(folder, tmp_path):
    assert run(folder / "swing é 1.mp4", "--rate=50", f"--out={tmp_path}") == []  # Its times say 25.
    assert [float(row["hertz"]) for row in rows(tmp_path)] == pytest.approx([2.4], abs=0.06)


@pytest.mark.parametrize(("window", "asked"), [(None, 3.5), (5.0, 5.0)])
def test_a_model_is_asked_about_what_it_needs_or_is_told(window, asked, monkeypatch):
    """It needs half of what is read here: of 20 s those from 3 to 10 s."""
    monkeypatch.setattr(learners.learned, "planned", lambda *given: given[-1])
    monkeypatch.setattr(source_reader, "with_learned", lambda done, said: said)
    model = types.SimpleNamespace(band=None, window=lambda seconds: seconds / 2, read=lambda part: part)
    done = types.SimpleNamespace(info=types.SimpleNamespace(seconds=20.0))
    assert learners.with_model(None, source_reader.Wishes(start=3.0, end=10.0), done, model, window) == asked


def test_a_part_in_another_unit_goes_to_a_new_folder(folder, tmp_path):
    out = tmp_path / "not" / "there"
    assert run(folder / "breath.csv", "--start=2", "--end=9", "--unit=bpm", "--window=3.5", f"--out={out}") == []
    (row,) = rows(out)
    assert float(row["value"]) == pytest.approx(42, abs=1)
    assert float(row["start_s"]) >= 2
    assert len(list(csv.DictReader((out / predict.WINDOWS).open()))) == 2


@pytest.mark.slow
def test_where_nothing_repeats_there_is_no_number(tmp_path, capsys):
    np.save(tmp_path / "noise.npy", np.random.default_rng(0).integers(0, 256, (120, 12, 16), np.uint8))
    assert run(tmp_path / "noise.npy", "--rate=30", f"--out={tmp_path}") == []
    assert "Hz" not in capsys.readouterr().out
    (row,) = rows(tmp_path)
    assert (row["value"], row["hertz"]) == ("", "")
    (record,) = json.loads((tmp_path / predict.JSON).read_text())
    assert record["count"] is None


def test_tables_are_named_where_something_was_read(folder, tmp_path, capsys):
    (tmp_path / "a.csv").write_text("1,2\n" * 3)
    assert len(run(tmp_path / "a.csv", f"--out={tmp_path / 'out'}")) == 1
    assert "Tables:" not in capsys.readouterr().out
    assert len(run(tmp_path / "a.csv", folder / "breath.csv", f"--out={tmp_path / 'out'}")) == 1
    assert f"Tables: {tmp_path / 'out' / predict.CSV}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--crop=100,100,100,100"], "found --crop=100,100,100,100; expected a box inside of 80 x 60 pixels"),
        (["--start=20", "--end=30"], "found 9.00 s, nothing after 20 s and before 30 s; expected a part"),
        (["--start=20"], "found 9.00 s, nothing after 20 s; expected a part that is there"),
    ],
)
def test_a_part_that_is_not_there_is_named(folder, tmp_path, words, said):
    (problem,) = run(folder / "swing é 1.mp4", *words, f"--out={tmp_path}")
    assert said in str(problem)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (10.2, "The model needs 18.2 s, and the recording lasts 10.2 s: it was not asked."),
        (20.0, "The model was not asked: found a hole; expected none."),
    ],
)
def test_a_model_that_refuses_a_recording_says_why(seconds, said):
    assert learners.not_asked(RawDataError("a.mp4", "a hole", "none", "Mend it."), 18.2, seconds) == said


@pytest.mark.slow
def test_a_page_and_a_copy_are_made(folder, tmp_path, capsys):
    video = tmp_path / "read.mp4"
    words = [f"--video={video}", "--report", "--unit=per_minute", f"--out={tmp_path}"]
    assert run(folder / "swing é 1.mp4", *words) == []
    source = sources.Video(video)
    assert len(list(source.frames(0, 99, (6, 8), None))) == 225
    page = (tmp_path / "predictions.html").read_text()
    assert "swing é 1.mp4" in page
    assert page.count("data:image/png;base64,") == 1
    (record,) = json.loads((tmp_path / predict.JSON).read_text())
    assert record["learned"] == {}
    assert record["answers"][0]["value"] == pytest.approx(72, abs=2)
    printed = capsys.readouterr().out
    for name in (video, tmp_path / "predictions.html", tmp_path / predict.CSV):
        assert str(name) in printed


def test_what_a_model_reads_decides_nothing(tmp_path):
    nothing = source_reader.Done(
        "a", source_contract.Info(10, 9, 9, 9), (), source_reader.result.Reading((), (), "nothing repeats", ())
    )
    told = source_reader.with_learned(nothing, source_reader.Learned(1.3, 4))
    assert told.reading.clear == ()
    assert told.notes == ("model reads 1.3 Hz, but no repetitions were found: it is no answer.",)


def test_an_answer_that_a_model_contradicts_is_doubtful():
    spans = tuple((float(k), k + 1.0) for k in range(5))
    zeros = np.zeros(0, np.float32)
    clear = source_reader.result.Answer(
        0, "movement", spans, tuple(range(5)), 1.0, 0.0, None, (), WHOLE, 0.9, "clear", zeros, zeros
    )
    done = source_reader.Done(
        "a", source_contract.Info(10, 9, 9, 9), (), source_reader.result.Reading((), (clear,), "clear", ())
    )
    agrees = source_reader.with_learned(done, source_reader.Learned(1.05, 4))
    assert (agrees.notes, agrees.reading.clear[0].confidence) == ((), 0.9)
    differs = source_reader.with_learned(done, source_reader.Learned(3.0, 4))
    assert differs.notes == ("model reads 3 Hz, the repetitions say 1 Hz.",)
    assert differs.reading.clear[0].confidence == 0.45
    assert differs.reading.clear[0].verdict == differs.reading.verdict == "doubtful"
    assert answers.lines(differs)[0].endswith("doubtful (0.45)")
    twice = source_reader.with_learned(done, source_reader.Learned(2.05, 4))
    assert (twice.notes, twice.reading.clear[0].verdict) == ((), "clear")


def test_a_model_without_an_answer_of_its_band_lowers_nothing():
    spans, zeros = tuple((3.0 * k, 3.0 * k + 3) for k in range(5)), np.zeros(0, np.float32)
    clear = source_reader.result.Answer(
        0, "movement", spans, tuple(range(5)), 1 / 3, 0.0, None, (), WHOLE, 0.9, "clear", zeros, zeros
    )
    done = source_reader.Done(
        "a", source_contract.Info(10, 9, 9, 9), (), source_reader.result.Reading((), (clear,), "clear", ())
    )
    for hertz in (0.8, np.nan):  # Outside of its band lies what repeats; then it has no confidence.
        told = source_reader.with_learned(done, source_reader.Learned(hertz, 4, (0.4, 5.5)))
        assert (told.notes, told.reading) == ((), done.reading)
        assert answers.lines(told)[1] == "model: no answer that it is sure of, in 0.4 to 5.5 Hz"


def levels(frames):
    return np.stack([frame for _, frame in source_reader._levels(lambda: enumerate(np.float32(frames)))])


def test_levels_that_use_their_range_stay():
    frames = np.random.default_rng(0).uniform(10, 240, (9, 12, 16, 1))
    np.testing.assert_array_equal(levels(frames), np.round(np.float32(frames)))


def test_faint_noise_does_not_fill_the_range():
    assert levels(100 + np.random.default_rng(0).normal(0, 0.1, (9, 12, 16, 1))).std() < 2
    assert levels(300 * 255 + np.random.default_rng(0).normal(0, 5, (9, 12, 16, 1))).std() < 12


def test_one_bright_pixel_or_frame_does_not_flatten_the_rest():
    frames = np.random.default_rng(0).uniform(280 * 255, 300 * 255, (40, 24, 32, 1))
    spread = levels(frames).std()
    frames[:, 3, 4], frames[7] = 1e6, 1e6
    assert levels(frames)[:7].std() > 0.8 * spread


def test_a_kept_frame_does_not_hold_those_decoded_with_it():
    batch = np.zeros((20, 6, 8, 3), np.uint8)
    kept = source_reader._Kept(None, None)
    assert len(list(kept.watched((0.1 * k, frame) for k, frame in enumerate(batch)))) == 20
    assert [moment for moment, _ in kept._frames] == [0.0, 1.0]
    assert not any(np.shares_memory(frame, batch) for _, frame in kept._frames)


@pytest.mark.slow
def test_names_of_files_need_not_be_text(folder, tmp_path):
    name = os.fsencode(tmp_path) + b"/breath\xff.csv"
    pathlib.Path(os.fsdecode(name)).write_bytes((folder / "breath.csv").read_bytes())
    code, _, err = done(["simper_tf", "predict", os.fsdecode(name), f"--out={tmp_path}"])
    assert code == 0, err
    assert rows(tmp_path)[0]["recording"].endswith("breath\\udcff.csv")


@pytest.mark.slow
def test_a_folder_is_read_twice_alike_and_notes_are_skipped(folder, tmp_path, capsys):
    (tmp_path / "breath.csv").write_bytes((folder / "breath.csv").read_bytes())
    (tmp_path / "README.txt").write_text("Recorded on Monday.\n")
    printed = []
    for words in ([], [], ["--again"]):
        assert run(tmp_path, f"--out={tmp_path}", *words) == []
        printed.append(capsys.readouterr().out)
    kept = "2 of 2 were read before and kept: --again reads anew.\n"
    assert printed[1].replace(kept, "") == printed[0] == printed[2]
    assert kept in printed[1]
    assert f"skipped: {tmp_path / 'README.txt'}: found " in printed[0]


def test_a_folder_without_a_model_is_refused(folder, tmp_path):
    with pytest.raises(ValueError, match="holds no exported model"):
        run(folder / "breath.csv", f"--model={tmp_path}", f"--out={tmp_path / 'out'}")


def test_a_copy_of_a_series_is_refused(folder, tmp_path):
    with pytest.raises(ValueError, match="copies one recording with pictures"):
        run(folder / "breath.csv", f"--video={tmp_path / 'x.mp4'}", f"--out={tmp_path / 'out'}")


def test_a_name_as_long_as_a_file_may_have_gives_a_picture(tmp_path):
    for name in ("n" * 251 + ".csv", "胸" * 83 + ".csv", "𠀀" * 62 + ".csv"):
        path = one_recording.picture_path(tmp_path, str(tmp_path / name))
        with files.replacing(path, "wb") as file:
            file.write(b"picture")
        assert path.exists()


def test_two_commands_do_not_write_into_one_folder(folder, tmp_path):
    with (
        files.alone(tmp_path / predict.LOCK),
        pytest.raises(OSError, match=rf"^--out={tmp_path} is written by process \d+ on"),
    ):
        run(folder / "breath.csv", f"--out={tmp_path}")
    assert not (tmp_path / predict.CSV).exists()


def test_a_file_too_large_for_memory_is_named_and_the_next_read(folder, tmp_path, monkeypatch):
    read = source_reader.reading_of_source

    def greedy(source, *rest):
        if source.name.endswith("greedy.csv"):
            raise MemoryError
        return read(source, *rest)

    (tmp_path / "greedy.csv").write_bytes((folder / "breath.csv").read_bytes())
    monkeypatch.setattr(source_reader, "reading_of_source", greedy)
    (problem,) = run(tmp_path / "greedy.csv", folder / "breath.csv", f"--out={tmp_path / 'out'}")
    assert "greedy.csv: found more than fits into memory" in problem
    assert [row["status"] for row in rows(tmp_path / "out")] == ["unreadable", "ok"]


def test_a_camera_that_is_not_there_is_one_line(tmp_path):
    (problem,) = run(77, f"--out={tmp_path}")
    assert str(problem) == ("camera 77: found none; expected a camera of this number. Plug one in, or name a file.")


@pytest.mark.slow
def test_tables_are_written_before_a_copy_that_fails(folder, tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(annotated, "write", full)
    with pytest.raises(OSError, match="no space left"):
        run(folder / "swing é 1.mp4", f"--video={tmp_path / 'b.mp4'}", f"--out={tmp_path}")
    assert len(rows(tmp_path)) == 1
