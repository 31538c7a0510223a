import dataclasses
import pathlib
import re

import pytest
from processes import done
from stand_in import calls, written
from tiny_runs import TINY

from reproduce import grid
from reproduce.grid import Grid, Run
from simper_tf.evaluation.rows import read_rows, read_runs


@pytest.mark.slow
def test_a_run_is_the_changed_flagfile_in_its_own_folder(stand_in, base, tmp_path):
    stand_in(written(0.25))
    runs, run = Grid(tmp_path / "runs", {"data_dir": "elsewhere"}), base.but(method="moco", seed=3)
    assert runs.train([run]) == {}
    assert [row.value for row in runs.rows_of(run)] == [0.25]
    folder = runs.folder_of(run)
    assert re.fullmatch(r"moco_rotating_digits-digits_[0-9a-f]{8}_3", folder.name)
    expected = f"--flagfile={base.flagfile} --seed=3 --method=moco --split=test --run_dir={folder} --data_dir=elsewhere"
    assert calls(runs, run) == [expected]


def test_the_same_run_however_written_is_trained_once(stand_in, base, tmp_path):
    stand_in(written())
    runs = Grid(tmp_path / "runs")
    same = base.but(epochs=3, data_dir="x", temperature=1)
    assert runs.train([base, same, base]) == {}
    assert runs.train([same]) == {}
    assert runs.folder_of(base) == runs.folder_of(same)
    assert len(calls(runs, base)) == 1
    others = [base.but(epochs=4), base.but(seed=1), base.but(test_clips=7), base.but(temperature=0.5)]
    assert len({runs.folder_of(run) for run in [base, *others]}) == 5


def test_a_run_begins_with_its_source_of_the_same_seed(stand_in, base, tmp_path):
    stand_in(written())
    runs, order = Grid(tmp_path / "runs"), []
    tuned = base.but(method="supervised").begun_with(base).seeded(2)
    assert runs.train([tuned], say=order.append) == {}
    first = base.seeded(2)
    assert [line.split(": ")[1] for line in order] == [runs.folder_of(run).name for run in (first, tuned)]
    assert f"--encoder_from={runs.folder_of(first)}" in calls(runs, tuned)[0]
    assert runs.folder_of(tuned) != runs.folder_of(tuned.begun_with(base.but(epochs=4).seeded(2)))
    assert Grid(tmp_path / "else").folder_of(tuned).name == runs.folder_of(tuned).name


def test_a_run_with_kept_rows_is_made_again_only_as_a_source(stand_in, base, tmp_path):
    stand_in(written(0.25))
    there = Grid(tmp_path / "there", kept=tmp_path / "rows.jsonl")
    tuned = base.but(method="supervised").begun_with(base)
    there.train([base])
    assert len(read_runs(tmp_path / "rows.jsonl")[there.folder_of(base).name]) == 1  # As soon as a run has ended.
    here = Grid(tmp_path / "here", kept=tmp_path / "rows.jsonl")
    assert here.train([base]) == {}
    assert calls(here, base) == []
    assert [row.value for row in here.rows_of(base)] == [0.25]
    assert here.train([tuned]) == {}
    assert [call.endswith(" (unread)") for call in calls(here, base) + calls(here, tuned)] == [True, False]
    assert read_rows(here.folder_of(base) / "results.jsonl") == here.rows_of(base)
    assert read_runs(tmp_path / "rows.jsonl")[here.folder_of(tuned).name] == here.rows_of(tuned)


def test_clips_of_another_split_are_predicted_where_asked_for(stand_in, base, tmp_path):
    stand_in(written())
    runs, other = Grid(tmp_path / "runs"), dataclasses.replace(base, split="validation")
    runs.train([base])
    stand_in(written(0.75, split="validation"))
    runs.train([other])
    assert [row.value for row in runs.rows_of(other)] == [0.75]
    assert [("--split=validation" in call) for call in calls(runs, base)] == [False, True]


def test_a_run_of_two_splits_is_evaluated_on_one_after_the_other(stand_in, base, tmp_path):
    lines = [f"    {written(split=split)}" for split in ("validation", "test")]
    busy = "(folder / 'busy')"
    begin = f"assert not {busy}.exists(); {busy}.touch(); time.sleep(0.2)\n"
    stand_in(f"{begin}if '--split=validation' in words:\n{lines[0]}else:\n{lines[1]}{busy}.unlink()\n")
    runs = Grid(tmp_path / "runs", jobs=2)
    assert runs.train([base, dataclasses.replace(base, split="validation")]) == {}
    assert ["--split=validation" in call for call in calls(runs, base)] == [False, True]


@pytest.mark.parametrize(
    ("end", "reason"),
    [("sys.exit('it is so')", "failed, see above"), ("signal.raise_signal(9)", "was ended by signal 9")],
)
def test_a_failed_run_leaves_others_alone_and_its_heirs_undone(stand_in, base, tmp_path, end, reason):
    fails = "'--epochs=4' in words and "
    stand_in(f"if {fails}not (folder / 'again').exists():\n    (folder / 'again').touch(); {end}\n{written()}")
    runs, bad = Grid(tmp_path / "runs"), base.but(epochs=4)
    tuned = base.but(method="supervised").begun_with(bad)
    assert runs.train([tuned, base]) == {bad: reason, tuned: "what it begins with has failed"}
    assert runs.rows_of(base)
    assert not runs.rows_of(bad)
    assert runs.train([tuned, base]) == {}
    assert [len(calls(runs, run)) for run in (base, bad, tuned)] == [1, 2, 1]


def test_each_of_several_runs_logs_and_its_last_line_is_told(stand_in, base, tmp_path, capfd):
    stand_in(f"print('hello'); '--seed=1' in words and sys.exit('no disk')\n{written()}")
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


@pytest.mark.slow
def test_a_run_of_a_grid_has_the_rows_of_the_command(data_dir, tmp_path):
    flagfile = tmp_path / "tiny.cfg"
    flagfile.write_text("\n".join([*TINY]))
    runs, run = Grid(tmp_path / "runs", {"data_dir": str(data_dir)}), Run(str(flagfile))
    assert runs.train([run]) == {}
    code, _, said = done(["trainers.pretrain", f"--data_dir={data_dir}", *TINY, f"--run_dir={tmp_path / 'alone'}"])
    assert code == 0, said
    found = [[dataclasses.replace(each, seconds=0) for each in rows] for rows in (
        runs.rows_of(run), read_rows(tmp_path / "alone" / "results.jsonl"))]  # fmt: skip
    assert found[0] == found[1]


def test_wrong_flags_and_damaged_rows_are_told_before_training(stand_in, base, tmp_path):
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


def test_flags_are_taken_back_by_none_and_written_as_typed(base):
    run = base.but(epochs=4, speed_range=(0.5, 2.0), saliency=True, seed=None)
    assert run.arguments() == [
        f"--flagfile={base.flagfile}", "--epochs=4", "--speed_range=0.5,2.0", "--saliency=true", "--split=test",
    ]  # fmt: skip
    assert run.but(epochs=None).changes == (("speed_range", "0.5,2.0"), ("saliency", "true"))


def test_what_says_where_things_are_changes_no_name(base):
    known = set(base.settings().as_text())
    assert grid.ELSEWHERE - {"overwrite"} <= known
    same = {"data_dir": "x", "save_seconds": "1", "artifacts": "true", "replicas": "2"}
    for flag, value in same.items():
        assert base.but(**{flag: value}).name() == base.name()
    for flag, value in {"test_clips": "3", "validation_clips": "3", "steps": "7"}.items():
        assert base.but(**{flag: value}).name() != base.name()


def test_folders_keep_the_names_that_they_have_had():
    left_out = {
        "run_dir", "data_dir", "manual_dir", "overwrite", "save_seconds", "artifacts", "max_frames", "format",
        "readout", "warm_up", "split", "strategy", "replicas", "worker_seconds", "own_head",
    }  # fmt: skip
    assert left_out == grid.ELSEWHERE


def test_each_seed_has_another_split_of_people():
    run = Run("flags/phone_ppg.cfg", configs=("phone_ppg/split0", "phone_ppg/split1"))
    assert [run.seeded(seed).settings().dataset for seed in range(3)] == [f"phone_ppg/split{k}" for k in (0, 1, 0)]
    assert len({run.seeded(seed).name() for seed in range(3)}) == 3


def test_a_run_of_one_data_set_keeps_it_with_every_seed():
    run = Run("flags/phone_ppg.cfg")
    assert {run.seeded(seed).settings().dataset for seed in range(3)} == {"phone_ppg/split0"}
