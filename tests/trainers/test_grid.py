import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import TINY
from made_up import row

from simper_tf import files
from simper_tf.rows import read_rows
from trainers import grid, workers
from trainers.grid import Grid, Run
from trainers.kept_rows import KeptRows

# A stand-in for `trainers.pretrain`, which says what it was called with and waits for nothing.
PRETRAIN = """
import pathlib, signal, sys, time
(folder,) = [pathlib.Path(word.removeprefix("--run_dir=")) for word in sys.argv if word.startswith("--run_dir=")]
folder.mkdir(parents=True, exist_ok=True)
with (folder / "calls").open("a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
def stop(number, _):
    time.sleep(0.6)  # Saving takes longer than Python would wait for a child after a Ctrl-C.
    (folder / "saved").write_text(str(number))
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)
(folder / "ready").touch()
"""
CALLER = """
import sys
from trainers import workers
from trainers.grid import Grid, Run
workers.PROGRAM = "pretrain_stand_in"
Grid(sys.argv[1]).train([Run(sys.argv[2]).but(method="moco", seed=0)])
"""
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Returns a function that puts some lines of Python, which know their `folder`, in place of `trainers.pretrain`."""
    monkeypatch.setattr(workers, "PROGRAM", "pretrain_stand_in")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # One test may put another in its place within a second.

    def put(lines):
        program = f"import sys\ndef start(words):\n    sys.argv[1:] = words\n    exec({PRETRAIN + lines!r}, {{}})\n"
        (tmp_path / "pretrain_stand_in.py").write_text(program)

    return put


@pytest.fixture
def base(tmp_path):
    """Returns a run by a flagfile of its own."""
    path = tmp_path / "base.cfg"
    path.write_text("--epochs=3\n--band=0.5,4\n--noartifacts\n")
    return Run(str(path)).but(seed=0)


def written(value=0.5, **others):
    """Returns Python that writes a result row."""
    found = dataclasses.asdict(row(value=value, **others))
    return f"(folder / 'results.jsonl').write_text({json.dumps(found)!r})\n"


def calls(runs, run):
    path = runs.folder_of(run) / "calls"
    return path.read_text().splitlines() if path.exists() else []


def test_a_run_is_the_flagfile_with_its_changes_in_a_folder_of_its_own(stand_in, base, tmp_path):
    stand_in(written(0.25))
    runs, run = Grid(tmp_path / "runs", {"data_dir": "elsewhere"}), base.but(method="moco", seed=3)
    assert runs.train([run]) == {}
    assert [row.value for row in runs.rows_of(run)] == [0.25]
    folder = runs.folder_of(run)
    assert re.fullmatch(r"moco_rotating_digits-digits_[0-9a-f]{8}_3", folder.name)
    expected = f"--flagfile={base.flagfile} --seed=3 --method=moco --split=test --run_dir={folder} --data_dir=elsewhere"
    assert calls(runs, run) == [expected]


def test_runs_that_are_the_same_however_written_are_trained_once_and_one_that_is_done_not_again(
    stand_in, base, tmp_path
):
    stand_in(written())
    runs = Grid(tmp_path / "runs")
    same = base.but(epochs=3, data_dir="x", temperature=1)
    assert runs.train([base, same, base]) == {}
    assert runs.train([same]) == {}
    assert runs.folder_of(base) == runs.folder_of(same)
    assert len(calls(runs, base)) == 1
    others = [base.but(epochs=4), base.but(seed=1), base.but(test_clips=7), base.but(temperature=0.5)]
    assert len({runs.folder_of(run) for run in [base, *others]}) == 5


def test_a_run_begins_with_its_source_which_is_trained_before_with_the_same_seed(stand_in, base, tmp_path):
    stand_in(written())
    runs, order = Grid(tmp_path / "runs"), []
    tuned = base.but(method="supervised").begun_with(base).seeded(2)
    assert runs.train([tuned], say=order.append) == {}
    first = base.seeded(2)
    assert [line.split(": ")[1] for line in order] == [runs.folder_of(run).name for run in (first, tuned)]
    assert f"--encoder_from={runs.folder_of(first)}" in calls(runs, tuned)[0]
    assert runs.folder_of(tuned) != runs.folder_of(tuned.begun_with(base.but(epochs=4).seeded(2)))
    assert Grid(tmp_path / "else").folder_of(tuned).name == runs.folder_of(tuned).name


def test_a_run_whose_rows_are_kept_is_not_made_again_but_for_one_that_begins_with_it(stand_in, base, tmp_path):
    stand_in(written(0.25))
    there = Grid(tmp_path / "there", kept=KeptRows(tmp_path / "rows.jsonl"))
    tuned = base.but(method="supervised").begun_with(base)
    there.train([base])
    assert len(KeptRows(tmp_path / "rows.jsonl").of(there.folder_of(base).name)) == 1  # As soon as a run has ended.
    here = Grid(tmp_path / "here", kept=KeptRows(tmp_path / "rows.jsonl"))
    assert here.train([base]) == {}
    assert calls(here, base) == []
    assert [row.value for row in here.rows_of(base)] == [0.25]
    assert here.train([tuned]) == {}
    assert (len(calls(here, base)), len(calls(here, tuned))) == (1, 1)
    assert KeptRows(tmp_path / "rows.jsonl").of(here.folder_of(tuned).name) == here.rows_of(tuned)


def test_clips_of_another_split_are_predicted_where_they_are_asked_for(stand_in, base, tmp_path):
    stand_in(written())
    runs, other = Grid(tmp_path / "runs"), dataclasses.replace(base, split="validation")
    runs.train([base])
    stand_in(written(0.75, split="validation"))
    runs.train([other])
    assert [row.value for row in runs.rows_of(other)] == [0.75]
    assert [("--split=validation" in call) for call in calls(runs, base)] == [False, True]


def test_a_run_wanted_for_two_splits_is_evaluated_on_both_one_after_the_other(stand_in, base, tmp_path):
    lines = [f"    {written(split=split)}" for split in ("validation", "test")]
    busy = "(folder / 'busy')"
    begin = f"assert not {busy}.exists(); {busy}.touch(); time.sleep(0.2)\n"
    stand_in(f"{begin}if '--split=validation' in sys.argv:\n{lines[0]}else:\n{lines[1]}{busy}.unlink()\n")
    runs = Grid(tmp_path / "runs", jobs=2)
    assert runs.train([base, dataclasses.replace(base, split="validation")]) == {}
    assert ["--split=validation" in call for call in calls(runs, base)] == [False, True]


@pytest.mark.slow
def test_a_hangup_that_is_ignored_stays_ignored_and_a_stop_while_a_run_is_begun_reaches_it(stand_in, base, tmp_path):
    stand_in("time.sleep(60)")
    runs = Grid(tmp_path / "runs")
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:

        def say(_):
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGINT)  # Before there is a process to pass it on to.

        with pytest.raises(KeyboardInterrupt):
            runs.train([base, base.seeded(1)], say)
    finally:
        signal.signal(signal.SIGHUP, previous)
    assert not calls(runs, base.seeded(1))


@pytest.mark.parametrize(
    ("end", "reason"),
    [("sys.exit('it is so')", "failed, see above"), ("signal.raise_signal(9)", "was ended by signal 9")],
)
def test_a_run_that_fails_leaves_the_others_alone_and_what_begins_with_it_undone(stand_in, base, tmp_path, end, reason):
    fails = "'--epochs=4' in sys.argv and "
    stand_in(f"if {fails}not (folder / 'again').exists():\n    (folder / 'again').touch(); {end}\n{written()}")
    runs, bad = Grid(tmp_path / "runs"), base.but(epochs=4)
    tuned = base.but(method="supervised").begun_with(bad)
    assert runs.train([tuned, base]) == {bad: reason, tuned: "what it begins with has failed"}
    assert runs.rows_of(base)
    assert not runs.rows_of(bad)
    assert runs.train([tuned, base]) == {}
    assert [len(calls(runs, run)) for run in (base, bad, tuned)] == [1, 2, 1]


def test_of_several_at_a_time_each_prints_to_its_log_and_the_last_line_of_a_failed_one_is_said(
    stand_in, base, tmp_path, capfd
):
    stand_in(f"print('hello'); '--seed=1' in sys.argv and sys.exit('no disk')\n{written()}")
    runs, said = Grid(tmp_path / "runs", jobs=2), []
    failed = runs.train([base.seeded(seed) for seed in (0, 1, 2)], said.append)
    assert failed == {base.seeded(1): "failed: no disk"}
    assert f"{runs.folder_of(base.seeded(1))} failed: no disk." in said
    assert (tmp_path / "runs" / f"{runs.folder_of(base).name}.log").read_text() == "hello\n"
    assert "hello" not in capfd.readouterr().out


def test_several_are_trained_at_a_time(stand_in, base, tmp_path):
    # Each waits until the other has begun.
    stand_in(f"while len(list(folder.parent.glob('*/ready'))) < 2: time.sleep(0.01)\n{written()}")
    assert Grid(tmp_path / "runs", jobs=2).train([base, base.seeded(1)]) == {}


def test_progress_names_the_run_and_the_time_left(stand_in, base, tmp_path):
    stand_in(written())
    said = []
    Grid(tmp_path / "runs").train([base, base.seeded(1)], said.append)
    assert re.fullmatch(r"Run 1/2: simper_rotating_digits-digits_\w+_0", said[0])
    assert re.fullmatch(r"Run 2/2, 0:\d\d left: simper_rotating_digits-digits_\w+_1", said[1])


def test_a_run_that_was_stopped_stops_the_grid(stand_in, base, tmp_path):
    stand_in("sys.exit(130)")
    with pytest.raises(KeyboardInterrupt):
        Grid(tmp_path / "runs").train([base, base.seeded(1)])
    assert not calls(Grid(tmp_path / "runs"), base.seeded(1))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_the_grid_is_passed_on_and_all_runs_may_save(stand_in, base, tmp_path, number):
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    stand_in("time.sleep(60)")
    runs, pair = Grid(tmp_path / "runs", jobs=2), [base, base.seeded(1)]

    def tell():
        while not all((runs.folder_of(run) / "ready").exists() for run in pair):
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    # Handled in the main thread, which waits for the runs meanwhile.
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    with pytest.raises(KeyboardInterrupt):
        runs.train([*pair, base.seeded(2)])
    teller.join()
    assert [(runs.folder_of(run) / "saved").read_text() for run in pair] == [str(int(number))] * 2
    assert not calls(runs, base.seeded(2))
    assert {each: signal.getsignal(each) for each in handlers} == handlers


@pytest.mark.slow
def test_a_grid_that_is_killed_takes_its_run_with_it_which_saves_first(stand_in, base, tmp_path):
    stand_in("time.sleep(60)")
    words = [sys.executable, "-c", CALLER, str(tmp_path / "runs"), base.flagfile]
    process = subprocess.Popen(words, cwd=ROOT)
    folder = Grid(tmp_path / "runs").folder_of(base.but(method="moco"))
    while not (folder / "ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    for _ in range(100):
        if (folder / "saved").exists():
            break
        time.sleep(0.1)
    assert (folder / "saved").read_text() == str(int(signal.SIGTERM))


@pytest.mark.slow
def test_where_what_begins_the_runs_is_killed_they_save_and_one_line_says_so(stand_in, base, tmp_path):
    stand_in("import os; (folder / 'parent').write_text(str(os.getppid())); time.sleep(60)")
    runs = Grid(tmp_path / "runs")

    def kill():
        while not (parent := runs.folder_of(base) / "parent").exists() or not parent.read_text():
            time.sleep(0.01)
        os.kill(int(parent.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    with pytest.raises(ChildProcessError, match=r"has ended with code -9\. Its runs save"):
        runs.train([base])
    killer.join()
    while not (runs.folder_of(base) / "saved").exists():
        time.sleep(0.01)


@pytest.mark.slow
def test_a_run_of_a_grid_has_the_rows_of_the_command(command, data_dir, tmp_path):
    flagfile = tmp_path / "tiny.cfg"
    flagfile.write_text("\n".join([*TINY, "--noartifacts"]))
    runs, run = Grid(tmp_path / "runs", {"data_dir": str(data_dir)}), Run(str(flagfile))
    assert runs.train([run]) == {}
    process = command("pretrain", "--noartifacts", f"--run_dir={tmp_path / 'alone'}")
    assert process.wait() == 0, process.communicate()
    found = [[dataclasses.replace(each, seconds=0) for each in rows] for rows in (
        runs.rows_of(run), read_rows(tmp_path / "alone" / "results.jsonl"))]  # fmt: skip
    assert found[0] == found[1]


def test_two_grids_in_one_folder_are_refused(tmp_path):
    runs = Grid(tmp_path / "runs")
    message = rf"--runs={runs.folder} is in use by process {os.getpid()}"
    with runs.held(), pytest.raises(ValueError, match=message), Grid(tmp_path / "runs").held():
        pass
    with runs.held():
        pass


def test_a_run_whose_folder_somebody_still_saves_in_is_waited_for(stand_in, base, tmp_path):
    stand_in(written())
    runs = Grid(tmp_path / "runs")
    folder = runs.folder_of(base)
    folder.mkdir(parents=True)
    held = files.alone(folder / ".lock")
    held.__enter__()
    timer = threading.Timer(0.3, lambda: held.__exit__(None, None, None))
    timer.start()
    assert runs.train([base]) == {}
    assert not timer.is_alive()


def test_wrong_flags_and_damaged_rows_are_told_before_anything_is_trained(stand_in, base, tmp_path):
    stand_in(written())
    runs = Grid(tmp_path / "runs")
    pathlib.Path(base.flagfile).write_text("--epoch=3")
    with pytest.raises(ValueError, match=r"base\.cfg: Unknown command line flag 'epoch'"):
        runs.train([base])
    with pytest.raises(ValueError, match=r"none\.cfg"):
        runs.train([Run(str(tmp_path / "none.cfg"))])
    pathlib.Path(base.flagfile).write_text("--epochs=3")
    runs.folder_of(base).mkdir(parents=True)
    (runs.folder_of(base) / "results.jsonl").write_text("{")
    with pytest.raises(ValueError, match=r"results\.jsonl, line 1, is not a result row"):
        runs.train([base.seeded(1), base])
    assert not calls(runs, base.seeded(1))


def test_flags_are_taken_back_by_none_and_written_as_at_the_command_line(base):
    run = base.but(epochs=4, speed_range=(0.5, 2.0), saliency=True, seed=None)
    assert run.arguments() == [
        f"--flagfile={base.flagfile}", "--epochs=4", "--speed_range=0.5,2.0", "--saliency=true", "--split=test",
    ]  # fmt: skip
    assert run.but(epochs=None).changes == (("speed_range", "0.5,2.0"), ("saliency", "true"))


def test_what_says_where_things_are_is_among_the_settings_and_changes_no_name(base):
    known = set(base.settings().as_text())
    assert grid.ELSEWHERE - {"overwrite"} <= known
    same = {"data_dir": "x", "save_seconds": "1", "artifacts": "true", "replicas": "2", "data_service": "grpc://a:1"}
    for flag, value in same.items():
        assert base.but(**{flag: value}).name() == base.name()
    for flag, value in {"test_clips": "3", "validation_clips": "3", "steps": "7"}.items():
        assert base.but(**{flag: value}).name() != base.name()


def test_folders_keep_the_names_that_they_have_had():
    left_out = {
        "run_dir", "data_dir", "manual_dir", "overwrite", "save_seconds", "artifacts", "max_frames", "format",
        "warm_up", "split", "strategy", "replicas", "worker_seconds", "profile",
    }  # fmt: skip
    assert left_out | {"data_service"} == grid.ELSEWHERE
