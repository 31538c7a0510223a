"""Files that end badly and calls that are ended: nothing that was read is lost, and nothing is read twice."""

import json
import os
import signal
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest
from predicted import breath, rows, run
from processes import ROOT, lines_until

from simper_tf.commands import console, kept, learners, main, predict
from simper_tf.reading import drawing, source_reader
from simper_tf.reading.series import series_reader
from simper_tf.recordings import search, sources
from simper_tf.utils import files


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with three series."""
    (folder := tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv", "c.csv"):
        (folder / name).write_text(breath())
    return folder


@pytest.fixture
def opened(monkeypatch):
    """Returns a list that gets the name of each recording that is read."""
    names, read = [], source_reader.reading_of_source

    def watched(source, *rest):
        names.append(source.name.rpartition("/")[2])
        return read(source, *rest)

    monkeypatch.setattr(source_reader, "reading_of_source", watched)
    return names


STAGES = {
    "open": (search.Target, "open"), "info": (sources.Series, "info"), "part": (sources.Series, "part"),
    "reading": (series_reader, "reading_of_samples"), "model": (learners.Learner, "added"),
    "picture": (drawing, "canvas"),
}  # fmt: skip


@pytest.mark.parametrize("error", [MemoryError(), ZeroDivisionError("ours"), np.linalg.LinAlgError("Internal Error.")])
@pytest.mark.parametrize("stage", STAGES)
def test_whatever_a_file_does_it_has_its_row_and_others_are_read(stage, error, folder, tmp_path, monkeypatch, capsys):
    owner, name = STAGES[stage]
    true, out = getattr(owner, name), tmp_path / "out"
    calls = []

    def failing(*given, **named):
        calls.append(None)
        if names_b(given) or (stage == "reading" and len(calls) == 2):
            raise error
        return true(*given, **named)

    def names_b(given):
        return any(str(getattr(one, "name", "")).endswith("b.csv") for one in given)

    monkeypatch.setattr(owner, name, failing)
    problems = run(folder, f"--out={out}")
    by_name = {row["recording"].rpartition("/")[2]: row for row in rows(out)}
    record = json.loads((out / predict.JSON).read_text())[1]
    assert [by_name[name]["status"] for name in ("a.csv", "c.csv")] == ["ok", "ok"]
    said = (
        "more than fits into memory"
        if isinstance(error, MemoryError)
        else f"{type(error).__name__}: {error}".rstrip(".")
    )
    if stage in ("model", "picture"):  # The count stays.
        assert (by_name["b.csv"]["status"], problems) == ("ok", [])
        assert said in record["notes"][-1]
    else:
        assert [by_name["b.csv"]["status"], by_name["b.csv"]["reason"]] == ["unreadable", *problems]
        assert problems[0].startswith(f"{folder / 'b.csv'}: found ")
        assert said in problems[0]
        assert problems[0] in capsys.readouterr().err


def test_what_was_read_is_not_read_again(folder, tmp_path, opened):
    out = tmp_path / "out"
    assert run(folder / "a.csv", f"--out={out}") == []
    assert run(folder, f"--out={out}") == []
    assert opened == ["a.csv", "b.csv", "c.csv"]
    whole = {name: (out / name).read_bytes() for name in (predict.CSV, predict.REPETITIONS, predict.JSON)}
    del opened[:]
    assert run(folder, f"--out={out}") == []
    assert opened == []
    assert whole == {name: (out / name).read_bytes() for name in whole}
    (folder / "b.csv").write_text(breath(0.9))
    (out / rows(out)[2]["picture"]).unlink()
    run(folder, f"--out={out}")
    assert opened == ["b.csv", "c.csv"]
    assert [round(float(row["hertz"]), 1) for row in rows(out)] == [0.7, 0.9, 0.7]
    run(folder, f"--out={out}", "--pictures=none")
    assert opened == ["b.csv", "c.csv"]
    run(folder, f"--out={out}", "--again")
    assert opened == ["b.csv", "c.csv", "a.csv", "b.csv", "c.csv"]


@pytest.mark.parametrize("words", [["--unit=bpm"], ["--start=1"], ["--band=0.5,2"], ["--window=4"]])
def test_other_settings_are_another_reading(words, folder, tmp_path, opened):
    for some in ([], words, words):
        run(folder / "a.csv", f"--out={tmp_path / 'out'}", *some)
    assert opened == ["a.csv", "a.csv"]


def test_a_changed_package_reads_again(folder, tmp_path, opened, monkeypatch):
    run(folder / "a.csv", f"--out={tmp_path / 'out'}")
    monkeypatch.setattr(kept.simper_tf, "__version__", "9")
    run(folder / "a.csv", f"--out={tmp_path / 'out'}")
    monkeypatch.setattr(kept, "_newest_source", lambda: 0)
    run(folder / "a.csv", f"--out={tmp_path / 'out'}")
    assert opened == ["a.csv"] * 3


def test_what_could_not_be_read_is_tried_again(folder, tmp_path, monkeypatch):
    out, read = tmp_path / "out", source_reader.reading_of_source
    monkeypatch.setattr(source_reader, "reading_of_source", lambda *_: [][0])
    assert len(run(folder / "a.csv", f"--out={out}")) == 1
    monkeypatch.setattr(source_reader, "reading_of_source", read)
    assert run(folder / "a.csv", f"--out={out}") == []
    assert [row["status"] for row in rows(out)] == ["ok"]


def test_calls_for_other_files_keep_what_was_read(folder, tmp_path, opened):
    out = tmp_path / "out"
    for names in (["a.csv", "b.csv"], ["c.csv"], ["a.csv", "b.csv"]):
        run(*(folder / name for name in names), f"--out={out}")
        assert [row["recording"].rpartition("/")[2] for row in rows(out)] == names
    assert opened == ["a.csv", "b.csv", "c.csv"]


def test_a_line_that_a_kill_cut_off_is_read_again(folder, tmp_path, opened):
    out = tmp_path / "out"
    run(folder, f"--out={out}")
    whole = (out / predict.LINES).read_text()
    (out / predict.LINES).write_text(whole[: -len(whole.splitlines()[-1]) // 2])
    run(folder, f"--out={out}")
    assert opened == ["a.csv", "b.csv", "c.csv", "c.csv"]
    assert (out / predict.LINES).read_text() == whole


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, OSError(28, "No space left on device"), console.OutputClosed("x")]
)
def test_an_ended_call_loses_the_file_in_work_alone(error, folder, tmp_path, opened, monkeypatch):
    out, write_file = tmp_path / "out", files.replacing

    def failing(path, *rest):
        if path.name.startswith("b_csv"):
            raise error
        return write_file(path, *rest)

    monkeypatch.setattr(files, "replacing", failing)
    with pytest.raises(type(error) if isinstance(error, Exception) else error):
        run(folder, f"--out={out}")
    assert [row["status"] for row in rows(out)] == ["ok"]
    monkeypatch.setattr(files, "replacing", write_file)
    run(folder, f"--out={out}")
    assert opened == ["a.csv", "b.csv", "b.csv", "c.csv"]
    assert [row["status"] for row in rows(out)] == ["ok"] * 3


def test_leavings_of_a_killed_call_go_at_the_next(folder, tmp_path):
    (out := tmp_path / "out").mkdir()
    names = ("predictions.csv.0123abcd.tmp", "a_csv_1.png.ffffffff.tmp", predict.LOCK)
    for name in (*names, "mine.tmp", "x.0123abcd.tmp.txt"):
        (out / name).write_text("half")
    run(folder / "a.csv", f"--out={out}")
    left = {path.name for path in out.iterdir()}
    assert not left & {*names}
    assert {"mine.tmp", "x.0123abcd.tmp.txt"} <= left


def test_three_notes_are_printed_and_all_are_kept(folder, tmp_path, monkeypatch, capsys):
    read = source_reader.reading_of_source
    notes = tuple(f"Note {number}." for number in range(35))
    monkeypatch.setattr(
        source_reader,
        "reading_of_source",
        lambda source, *rest: source_reader.renamed(read(source, *rest), source.name, notes),
    )
    run(folder / "a.csv", f"--out={tmp_path / 'out'}")
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  NOTE")]
    assert printed == [*(f"  NOTE {note}" for note in notes[:3]), f"  NOTE 32 more in {predict.JSON}."]
    assert json.loads((tmp_path / "out" / predict.JSON).read_text())[0]["notes"] == [*notes]


@pytest.mark.parametrize(
    ("pictures", "most", "drawn"),
    [("auto", 100, "ab"), ("auto", 1, "a"), ("all", 1, "ab"), ("clear", 100, "a"), ("none", 100, "")],
)
def test_pictures_are_made_of_those_that_are_asked_for(pictures, most, drawn, folder, tmp_path, monkeypatch):
    noise = np.random.default_rng(0).normal(size=500)
    (folder / "b.csv").write_text("\n".join(["time,x", *(f"{at / 50},{x:.3f}" for at, x in enumerate(noise))]))
    monkeypatch.setattr(predict, "_DRAWN", most)
    run(folder / "a.csv", folder / "b.csv", f"--pictures={pictures}", f"--out={tmp_path / 'out'}")
    assert len([*(tmp_path / "out").glob("*.png")]) == len(drawn)
    assert [bool(row["picture"]) for row in rows(tmp_path / "out")] == ["a" in drawn, "b" in drawn]


def test_a_folder_of_texts_alone_is_a_problem_with_their_rows(tmp_path):
    (folder := tmp_path / "in").mkdir()
    (folder / "a.txt").write_text("words")
    (problem,) = run(folder, f"--out={tmp_path / 'out'}")
    assert problem.startswith(f"{folder}: found a folder without a recording")
    assert [row["status"] for row in rows(tmp_path / "out")] == ["skipped"]


def test_progress_is_told_as_far_as_it_goes(folder, tmp_path, monkeypatch, capsys):
    clock = iter(range(0, 10_000, 240))
    monkeypatch.setattr(predict, "time", types.SimpleNamespace(monotonic=lambda: next(clock)))
    run(folder, f"--out={tmp_path / 'out'}")
    numbers = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
    assert numbers[0] == f"[1/3] 8 min left  {folder / 'a.csv'}"
    assert numbers[2] == f"[3/3] {folder / 'c.csv'}"


@pytest.mark.slow
def test_several_processes_answer_byte_for_byte_alike(folder, tmp_path):
    for jobs in (1, 2):
        run(folder, f"--jobs={jobs}", f"--out={tmp_path / str(jobs)}")
    for path in (tmp_path / "1").iterdir():
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes(), path.name


def test_a_broken_installation_ends_the_call_and_blames_no_file(folder, tmp_path, monkeypatch, capsys):
    def lost(*_, **__):
        raise ModuleNotFoundError("No module named 'scipy'", name="scipy")

    monkeypatch.setattr(series_reader, "reading_of_samples", lost)
    with pytest.raises(SystemExit) as ended:
        main.main(["predict", str(folder), f"--out={tmp_path / 'out'}"])
    said = capsys.readouterr().err
    assert (ended.value.code, said.count("\n")) == (1, 1)
    assert said.startswith("simper predict: error: The installation is broken: No module named 'scipy'. Install it")
    assert not (tmp_path / "out").exists()


DYING = """
import os, signal, sys
from simper_tf.commands import main, many, one_recording
import dying
many._numbered = dying.numbered
if __name__ == "__main__":
    sys.exit(main.main(sys.argv[1:]))
"""
DYING_MODULE = """
import os, signal
from simper_tf.commands import one_recording

def numbered(number, target, request):
    if target.name.endswith("b.csv"):
        os.kill(os.getpid(), signal.SIGKILL)
    return number, one_recording.in_worker(target, request)
"""


@pytest.mark.slow
def test_a_process_that_dies_costs_the_file_that_killed_it_alone(folder, tmp_path):
    (tmp_path / "dying.py").write_text(DYING_MODULE)
    (tmp_path / "call.py").write_text(DYING)
    words = [sys.executable, tmp_path / "call.py", "predict", folder, "--jobs=2", f"--out={tmp_path / 'out'}"]
    paths = os.pathsep.join([str(ROOT), str(tmp_path)])
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert [row["status"] for row in rows(tmp_path / "out")] == ["ok", "unreadable", "ok"]
    assert "b.csv: found what ends the process that reads it; " in done.stderr


# Of a folder that is ended: two processes read a dozen before a signal arrives.
FILES = 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGINT, 2), (signal.SIGKILL, 2), (signal.SIGINT, 1), (signal.SIGTERM, 2), (signal.SIGTERM, 1)],
)
def test_a_folder_that_was_ended_in_the_middle_goes_on(number, jobs, tmp_path):
    (folder := tmp_path / "in").mkdir()
    for at in range(FILES):
        (folder / f"{at:03}.csv").write_text(breath())
    out = tmp_path / "out"
    words = [sys.executable, "-m", "simper_tf", "predict", folder, f"--jobs={jobs}", f"--out={out}", "--pictures=none"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=ROOT, **pipes) as command:
        lines_until(command, rf"\[3/{FILES}\]")
        command.send_signal(number)
        _, err = command.communicate()
    assert "Traceback" not in err
    kept_lines = len((out / predict.LINES).read_text().splitlines())
    assert 3 <= kept_lines < FILES
    if number != signal.SIGKILL:
        assert command.returncode == 128 + number
        assert err.splitlines() == [
            "",
            "simper predict: interrupted; what was read is kept, and the same command goes on.",
        ]
        assert len(rows(out)) == kept_lines
    printed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"{kept_lines} of {FILES} were read before and kept" in printed
    # As anybody opens them: each file is there once, with its answer.
    tables = pd.read_csv(out / predict.CSV), pd.read_json(out / predict.LINES, lines=True)
    for table in tables:
        assert sorted(table.recording) == sorted(map(str, folder.iterdir()))
        assert (table.status == "ok").all()
    np.testing.assert_allclose(tables[0].hertz, 0.7, rtol=0.02)


def test_tables_of_odd_names_are_opened_and_joined_by_pandas(folder, tmp_path):
    for name in (b"line\nbreak.csv", b"not_utf8_\xff.csv", b"a,b;'c'.csv"):
        (tmp_path / "in" / os.fsdecode(name)).write_text(breath())
    (folder / "empty.csv").write_text("")
    for _ in range(2):  # Read, and kept.
        run(folder, f"--out={tmp_path}", "--jobs=1")
        lines = pd.read_json(tmp_path / predict.LINES, lines=True)
        answers, repetitions = (pd.read_csv(tmp_path / name) for name in (predict.CSV, predict.REPETITIONS))
        assert [*lines["recording"]] == [*answers["recording"]] == [*dict.fromkeys(repetitions["recording"])]
        assert len(lines) == 7
        joined = repetitions.dropna(subset=["answer"]).merge(
            answers, on=["recording", "answer"], validate="many_to_one"
        )
        assert len(joined) == answers["count"].sum()
