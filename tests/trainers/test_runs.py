"""A run's folder belongs to one process, and what is damaged in it is told in one line before any work."""

import functools
import json
import re
import resource
import shutil
import signal
import subprocess
import sys

import pytest
from finished import results
from processes import lines_until

from simper_tf.data import built as library
from simper_tf.evaluation import tasks
from simper_tf.training import loop, run_folder
from simper_tf.training.checkpoints import checkpoint_steps
from trainers import evaluate, history, options, pretrain
from trainers import export as export_trainer

LONG = ("--epochs=100000",)


@pytest.fixture
def training(command, tmp_path):
    """Returns a process that is training in `tmp_path / "run"`."""
    process = command("pretrain", f"--run_dir={tmp_path / 'run'}", *LONG)
    process.lines = lines_until(process, r"step \d")  # Of a slow machine not always step 20.
    yield process
    process.kill()
    process.communicate()


@pytest.mark.slow
def test_a_second_process_on_the_folder_is_refused_at_once(training, call, tmp_path):
    refused = rf"`run_dir={tmp_path / 'run'}` is in use by process {training.pid} on \S+\. Wait until it has ended"
    for main, *more in (
        (pretrain.main, *LONG),
        (pretrain.main, *LONG, "--seed=1"),
        (pretrain.main, *LONG, "--overwrite"),
        (evaluate.main, *LONG),
        (export_trainer.main, *LONG),
    ):
        with pytest.raises(ValueError, match=refused):
            call(main, f"--run_dir={tmp_path / 'run'}", *more)
    compile_said = [line.startswith("The first step is compiled") for line in training.lines]
    assert compile_said.index(True) < next(k for k, line in enumerate(training.lines) if line.startswith("step "))
    training.send_signal(signal.SIGHUP)  # As a terminal does that is closed.
    out, err = training.communicate()
    assert training.returncode == 130, err
    stopped = int(re.search(r"Stopped at step (\d+) of 300000", out)[1])
    assert checkpoint_steps(tmp_path / "run" / "checkpoints")[-1] == stopped > 0
    assert not (tmp_path / "run" / ".lock").exists()


@pytest.mark.slow
def test_a_closed_standard_output_saves_and_ends_in_one_line(command, tmp_path):
    process = command("pretrain", f"--run_dir={tmp_path / 'run'}", "--epochs=60", "--save_seconds=999")
    while "step 20/" not in process.stdout.readline():
        assert process.poll() is None
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait() == 1
    assert err == "pretrain: error: standard output: Broken pipe; nothing that was finished is lost.\n"
    assert checkpoint_steps(tmp_path / "run" / "checkpoints")[-1] == 40  # The next of the lines, one a tenth.


@pytest.mark.slow
def test_left_overs_of_killed_processes_are_removed(call, finished):
    for name in ("results.jsonl.12345678.tmp", "logs/history.jsonl.12345678.tmp"):
        (finished / name).touch()
    for name in ("checkpoints/step-9_temp", "saved_model/3.unfinished"):
        (finished / name).mkdir(parents=True)
    call(pretrain.main, f"--run_dir={finished}")
    assert not [path for path in finished.rglob("*") if re.search(r"tmp|temp|unfinished|lock", path.name)]
    assert (finished / "checkpoints" / "step-6.index").exists()


@pytest.mark.slow
def test_rows_name_their_settings_and_the_seed_is_none_of_them(call, finished):
    def settings(*arguments):
        found = []
        call(lambda: found.append(options.settings().digest()), "--run_dir=x", *arguments)
        return found[0]

    assert {row["settings"] for row in results(finished)} == {settings()}
    assert re.fullmatch("[0-9a-f]{8}", settings())
    assert settings("--seed=3", "--data_dir=elsewhere", "--test_clips=2") == settings()
    others = [settings("--prior_weight=3"), settings("--outputs=2"), settings("--kernel_frames=5"), settings()]
    assert len(set(others)) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"--epochs=2\n--learning_rate=fast\n", r"flags\.cfg is damaged: flag --learning_rate=fast: .*Mend that line"),
        (b"--encoder=huge\n", r"flags\.cfg is damaged: flag --encoder=huge: .*should be one of"),
        (b"--epochs=-2\n", r"flags\.cfg is damaged: flag --epochs=-2: "),
        (bytes(range(256)), r"flags\.cfg is damaged: it is no text\. .*`overwrite`"),
    ],
)
def test_impossible_flags_of_a_run_are_told_with_file_and_flag(call, tmp_path, content, message):
    (tmp_path / "flags.cfg").write_bytes(content)
    call(lambda: None, f"--run_dir={tmp_path}")
    for name in ("epochs", "learning_rate", "encoder"):
        options.flags.FLAGS[name].unparse()
    with pytest.raises(ValueError, match=message):
        options.of_run()


@pytest.mark.parametrize("main", [evaluate.main, export_trainer.main])
def test_commands_that_read_a_run_never_overwrite_or_advise_it(call, tmp_path, main):
    call(lambda: run_folder.begin(tmp_path, options.settings()), f"--run_dir={tmp_path}")
    with pytest.raises(ValueError, match=r"`seed` was 0, now 5\. Leave these flags out, or name .* another run\.$"):
        call(main, f"--run_dir={tmp_path}", "--seed=5")
    with pytest.raises(ValueError, match=r"^--overwrite deletes a run .*, but this command reads one\. Leave it out\."):
        call(main, f"--run_dir={tmp_path}", "--overwrite")


def test_a_default_given_or_left_out_is_of_the_same_run(call, tmp_path):
    call(lambda: run_folder.begin(tmp_path, options.settings()), f"--run_dir={tmp_path}", "--temperature=1")
    adopted = []
    for given in ([], ["--temperature=1"], ["--crop_area=0.5,1"]):
        call(lambda: adopted.append(options.of_run().digest()), f"--run_dir={tmp_path}", *given)
    assert len(set(adopted)) == 1
    with pytest.raises(ValueError, match=r"`temperature` was 1\.0, now 0\.5\."):
        call(options.of_run, f"--run_dir={tmp_path}", "--temperature=0.5")


@pytest.mark.slow
def test_a_wrong_flag_of_the_command_is_not_blamed_on_the_run(call, finished):
    with pytest.raises(ValueError, match=r"^`temperature` takes a number\. Found: 'abc'"):
        call(evaluate.main, f"--run_dir={finished}", "--temperature=abc")


@pytest.mark.slow
def test_a_wrong_pair_in_the_flags_of_a_run_names_its_file(call, tmp_path):
    with pytest.raises(ValueError, match="`band` takes two rising"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--band=5,1")
    values = []
    call(lambda: values.extend(options.settings().as_text().items()), "--run_dir=x")
    values = [(name, "5,1" if name == "band" else value) for name, value in values]
    (tmp_path / "flags.cfg").write_text("".join(f"--{name}={value}\n" for name, value in values if name != "run_dir"))
    with pytest.raises(ValueError, match=r"flags\.cfg is damaged: `band` takes two .*Found: 5,1\. Mend that line"):
        call(evaluate.main, f"--run_dir={tmp_path}")


@pytest.mark.slow
@pytest.mark.parametrize("main", [pretrain.main, evaluate.main])
def test_damaged_rows_are_refused_before_any_work(call, finished, monkeypatch, main):
    path = finished / "results.jsonl"
    before = path.read_bytes()
    path.write_bytes(before[:-40])
    monkeypatch.setattr(evaluate, "extract", lambda *_: pytest.fail("It encodes clips."))
    with pytest.raises(ValueError, match=r"results\.jsonl, line \d+, is not a result row .*Delete that line"):
        call(main, f"--run_dir={finished}")
    path.write_bytes(before)


def test_odd_lines_of_the_history_are_passed_over_and_said(tmp_path, capsys):
    good = {"step": 20, "seconds": 1.5, "loss": 0.25}
    odd = ['{"step": 20, "seco', "7", "[]", "null", "\ufffd", '{"loss": 1}', ""]
    odd += ['{"step": "20", "seconds": 1, "loss": 2}']
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join([json.dumps(good), *odd, json.dumps({**good, "step": 40})]))
    assert [record["step"] for record in history.records_of(path)] == [20, 40]
    assert capsys.readouterr().out == f"{path}: 8 of its 10 lines are damaged and passed over.\n"
    with history.History(tmp_path, 30):
        pass
    assert path.read_text() == json.dumps(good) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("size", [300, 3_000])
def test_a_full_disk_in_evaluation_leaves_nothing_half_written(command, finished, size):
    before = {path: path.read_bytes() for path in finished.iterdir() if path.is_file()}
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
    _, err = (process := command("evaluate", f"--run_dir={finished}", before=limit)).communicate()
    assert process.returncode == 1
    assert re.fullmatch(rf"evaluate: error: .*File too large: '{finished}/(features\.npz|results\.jsonl)'\n", err)
    assert {path: path.read_bytes() for path in finished.iterdir() if path.is_file()} == before


NO_TEMPORARY_FOLDER = """
import runpy, tempfile
tempfile._candidate_tempdir_list = lambda: ["/nowhere"]
runpy.run_module("trainers.pretrain", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
def test_no_temporary_folder_is_one_line_that_names_those_tried():
    done = subprocess.run([sys.executable, "-c", NO_TEMPORARY_FOLDER], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "error: No usable temporary directory found in ['/nowhere']. Make room there, or name a folder that can be "
        "written by TMPDIR.\n"
    )


@pytest.mark.slow
def test_labels_of_another_unit_are_scored_without_frequencies(call, monkeypatch, tmp_path):
    monkeypatch.setattr(library.ClipData, "task", tasks.Scalar("mmHg"))
    call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--artifacts")
    rows = results(tmp_path / "run")
    protocols = {"1nn", "1nn_npsd", "1nn_euclidean", "probe", "linear_probe", "training_mean"}
    assert {row["protocol"] for row in rows} == protocols
    assert {row["unit"] for row in rows if row["metric"] == "mae"} == {"mmHg"}
    assert (tmp_path / "run" / "saved_model" / "1" / "saved_model.pb").exists()
    assert (tmp_path / "run" / "plots" / "predicted_over_true.png").exists()


@pytest.mark.slow
def test_results_of_other_flags_stay_apart_without_checkpoints(call, finished, tmp_path):
    run = shutil.copytree(finished, tmp_path / "run")
    before = results(run)
    shutil.rmtree(run / "checkpoints")
    with pytest.raises(ValueError, match=r"belongs to a run with other flags: `seed` was 0, now 5"):
        call(pretrain.main, f"--run_dir={run}", "--seed=5")
    assert results(run) == before


@pytest.mark.slow
def test_a_file_where_checkpoints_go_is_refused_before_any_step(call, tmp_path, monkeypatch):
    (tmp_path / "flags.cfg").write_text("--seed=0\n")
    (tmp_path / "checkpoints").write_text("")
    monkeypatch.setattr(loop, "train", lambda *_, **__: pytest.fail("A step was made."))
    with pytest.raises(OSError, match="checkpoints"):
        call(pretrain.main, f"--run_dir={tmp_path}")
