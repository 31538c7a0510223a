import csv
import pathlib
import re
import shutil
import signal

import numpy as np
import pytest
import tensorflow as tf
from few_digits import Digits
from finished import final_weights, flags_of, results
from matplotlib.figure import Figure
from processes import lines_until, wait_for

from simper_tf.evaluation import plots
from simper_tf.export import saved_model
from simper_tf.methods import SimPer
from simper_tf.training import loop, run_folder
from simper_tf.training.checkpoints import checkpoint_steps
from trainers import evaluate, history, pretrain
from trainers import export as export_trainer

pytestmark = pytest.mark.slow


@pytest.fixture
def figures(monkeypatch):
    """Returns the figures that are saved from here on, by name."""
    saved, save = {}, Figure.savefig

    def keep(figure, file, **options):
        saved[pathlib.Path(file.name).name.split(".")[0]] = figure
        save(figure, file, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return saved


def test_a_run_leaves_all_that_its_folder_promises(finished):
    assert {path.name for path in finished.iterdir()} == {
        "flags.cfg", "results.jsonl", "readout.json", "clips.csv", "features.npz", "heads", "checkpoints", "logs",
        "plots", "saved_model",
    }  # fmt: skip
    rows = results(finished)
    assert {"1nn", "fft", "fft_calibrated"} <= {row["protocol"] for row in rows}
    assert all(row["n"] == 6 and row["low"] <= row["value"] <= row["high"] for row in rows)
    assert all(row["dataset"] == "rotating_digits" and row["config"] == "digits" for row in rows)
    pictures = {path.stem for path in (finished / "plots").glob("*.png")}
    assert pictures == {"training", "features_over_angle", "spectra", "predicted_over_true"}
    assert (finished / "saved_model" / "1" / "saved_model.pb").exists()
    assert list((finished / "logs").glob("events.out.tfevents.*"))


def test_the_table_of_clips_has_the_errors_of_the_rows(finished):
    each = list(csv.DictReader((finished / "clips.csv").open()))
    kept = np.load(finished / "features.npz")
    assert [line["id"] for line in each] == kept["ids"].tolist()
    labels = np.array([float(line["label (Hz)"]) for line in each])
    np.testing.assert_allclose(labels, kept["labels"], rtol=1e-6)
    for row in results(finished):
        if row["metric"] == "mae":
            read = np.array([float(line[f"{row['protocol']} (Hz)"]) for line in each])
            assert np.abs(read - labels).mean() == pytest.approx(row["value"], rel=1e-4, abs=1e-6)


def test_the_written_flags_repeat_the_run(call, finished, tmp_path):
    again = tmp_path / "again"
    call(pretrain.main, f"--flagfile={finished / 'flags.cfg'}", f"--run_dir={again}")
    values = [[(row["protocol"], row["metric"], row["n"]) for row in results(folder)] for folder in (finished, again)]
    assert values[0] == values[1]
    np.testing.assert_allclose(
        [row["value"] for row in results(finished)], [row["value"] for row in results(again)], rtol=1e-6
    )


def test_a_finished_run_is_evaluated_again_without_training(call, finished, capsys):
    before = final_weights(finished)
    versions = sorted((finished / "saved_model").iterdir())
    call(pretrain.main, f"--run_dir={finished}", "--artifacts")
    out = capsys.readouterr().out
    assert "Training was finished at step 6. Nothing was to be trained." in out
    assert f"{versions[-1]} is the model of this run: nothing was to be exported." in out
    assert sorted((finished / "saved_model").iterdir()) == versions
    assert final_weights(finished)[0] == before[0]


@pytest.mark.usefixtures("training_alone")
def test_op_by_op_no_step_is_in_a_graph(call, tmp_path, capsys, monkeypatch):
    eager, step = [], SimPer.train_step

    def noted(self, data):
        eager.append(tf.executing_eagerly())
        return step(self, data)

    monkeypatch.setattr(SimPer, "train_step", noted)
    for name, flags in (("eager", ["--run_eagerly"]), ("graph", [])):
        call(pretrain.main, f"--run_dir={tmp_path / name}", "--epochs=1", *flags)
        assert ("is compiled" in capsys.readouterr().out) == (name == "graph")
        assert eager == [True] * 3 if name == "eager" else set(eager) == {False}
        eager.clear()
        (record,) = history.records_of(tmp_path / name / "logs" / "history.jsonl")
        assert np.isfinite(record["loss"])


def lines(axes):
    return {line.get_label(): line.get_xydata() for line in axes.get_lines()}


def test_evaluate_alone_gives_the_rows_of_the_run_and_draws_it(call, finished, figures):
    before = results(finished)
    (finished / "results.jsonl").unlink()
    call(evaluate.main, f"--run_dir={finished}", "--artifacts")
    for old, new in zip(before, results(finished), strict=True):
        assert (old["protocol"], old["metric"]) == (new["protocol"], new["metric"])
        assert new["value"] == pytest.approx(old["value"], rel=1e-4)
    records, kept = history.records_of(finished / "logs" / "history.jsonl"), np.load(finished / "features.npz")
    loss = lines(figures["training"].axes[0])["loss"]
    np.testing.assert_allclose(loss, [(record["step"], record["loss"]) for record in records])
    errors = {row["protocol"]: row["value"] for row in results(finished) if row["metric"] == "mae"}
    panels = figures["predicted_over_true"].axes
    assert [axes.get_title() for axes in panels] == [f"{name}: MAE {mae:.4f} Hz" for name, mae in errors.items()]
    for axes in panels:
        np.testing.assert_array_equal(axes.get_lines()[1].get_xdata(), kept["labels"])
    assert sorted(kept["ids"]) == [f"test-{k:05d}" for k in range(len(kept["labels"]))]
    drawn = plots.spaced(kept["labels"], 4)
    for k, panel, spectrum in zip(drawn, figures["features_over_angle"].axes, figures["spectra"].axes, strict=True):
        assert panel.get_ylabel() == spectrum.get_ylabel() == f"{kept['labels'][k]:.3g} Hz"
        truth, feature = kept["angle"][k], np.atleast_3d(kept["series"])[k, :, 0]
        for name, values in (("true angle", truth), ("feature", feature)):
            expected = (values - values.mean()) / values.std()
            np.testing.assert_allclose(lines(panel)[name][:, 1], expected, atol=1e-3)


def test_export_alone_adds_a_version_that_computes_the_same(call, finished):
    call(export_trainer.main, f"--run_dir={finished}")
    assert {path.name for path in (finished / "saved_model").iterdir()} >= {"1", "2"}
    first, second = (saved_model.load_encoder(finished / "saved_model" / version) for version in ("1", "2"))
    clip = np.random.default_rng(0).uniform(size=(1, 20, 28, 28, 1)).astype(np.float32)
    np.testing.assert_array_equal(first(clip), second(clip))


def test_export_takes_evaluations_octave_and_encodes_no_clip(call, finished, monkeypatch):
    found = run_folder.read_readout(finished)
    assert found["fft_calibrated"].keys() == {"harmonic", "validation_mae"}
    exported = []
    monkeypatch.setattr(saved_model, "export_model", lambda *_, **given: exported.append(given))
    monkeypatch.setattr(evaluate, "extract", lambda *_: pytest.fail("It encodes clips."))
    octave, calibrated = {"divisor": 3, "agreement": 0.9, "voting": 0.4}, {"harmonic": 0.5, "validation_mae": 0.2}
    # The smallest error on validation clips decides, of equal ones the first.
    for changed, error, harmonic in (({}, 0.2, 1 / 3), ({"agreement": 0.5}, 0.1, None), ({}, 0.3, 0.5)):
        resolved = {"octave": octave | changed, "validation_mae": error}
        run_folder.write_readout(finished, {"fft_resolved": resolved, "fft_calibrated": calibrated})
        call(export_trainer.main, f"--run_dir={finished}")
        assert exported[-1]["harmonic"] == harmonic
    run_folder.write_readout(finished, found)


@pytest.mark.parametrize("name", ["1nn", "1nn_npsd", "probe", "fft", "fft_calibrated"])
def test_an_exported_readout_answers_as_evaluation_wrote(call, finished, data_dir, name):
    call(export_trainer.main, f"--run_dir={finished}", f"--readout={name}")
    loaded = tf.saved_model.load(saved_model.newest_version(finished / "saved_model"))
    lines = {line["id"]: line for line in csv.DictReader((finished / "clips.csv").open())}
    clips = Digits(data_dir=data_dir, config="digits").as_dataset(split="test[:6]").batch(6).as_numpy_iterator()
    (batch,) = clips
    said = loaded.signatures["answer"](frames=batch["clip"], rate=batch["rate"])["frequency_hz"]
    expected = [float(lines[key.decode()][f"{name} (Hz)"]) for key in batch["id"]]
    np.testing.assert_allclose(said, expected, atol=1e-5)


UNREADABLE = [None, b"", b"[]", bytes(range(256)), b"{}", b'{"fft_resolved": {"octave": 7}}']


@pytest.mark.parametrize(
    ("name", "flags", "content"),
    [
        *(("heads/probe.npz", ["--readout=probe"], content) for content in (None, b"", b"PK\x03\x04 cut off")),
        *(("readout.json", [], content) for content in UNREADABLE),
    ],
)
def test_an_export_says_how_to_make_again_what_is_damaged(call, finished, name, flags, content):
    path = finished / name
    before = path.read_bytes()
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^{path} is missing or damaged \(.*evaluate --run_dir={finished}$"):
        call(export_trainer.main, f"--run_dir={finished}", *flags)
    path.write_bytes(before)


def test_validation_clips_are_predicted_where_asked_for(call, finished):
    before, features = results(finished), (finished / "features.npz").read_bytes()
    call(evaluate.main, f"--run_dir={finished}", "--split=validation")
    rows = results(finished)
    assert rows[: len(before)] == before
    assert {(row["split"], row["n"]) for row in rows} == {("test", 6), ("validation", 4)}
    assert (finished / "features.npz").read_bytes() == features
    with np.load(finished / "features_validation.npz") as kept:
        assert kept["split"] == "validation"
        assert sorted(kept["ids"]) == [f"validation-{k:05d}" for k in range(4)]


def test_overwrite_starts_anew(call, finished, training_alone, tmp_path, capsys):
    shutil.copytree(finished, tmp_path / "run")
    call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--seed=5", "--epochs=1", "--overwrite")
    assert "Deleting the earlier run" in capsys.readouterr().out
    assert flags_of(tmp_path / "run")["seed"] == "5"
    assert checkpoint_steps(tmp_path / "run" / "checkpoints") == [3]
    for of_the_earlier in ("saved_model", "results.jsonl"):
        assert not (tmp_path / "run" / of_the_earlier).exists()


def test_a_folder_of_something_else_is_left_alone(call, tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds files, but no run"):
        call(pretrain.main, f"--run_dir={tmp_path}", "--overwrite")
    assert (tmp_path / "letter.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--speed_range=0.5,4", r"4 a clip of 5.5 Hz runs at 22 Hz.*at most 2.73"),
        ("--speed_range=fast", "two rising numbers, .*Found: fast"),
        ("--band=5,1", "two rising numbers, .*Found: 5,1"),
        ("--crop_area=0.5,2", "`crop_area` must be at least 0 and at most 1"),
        ("--replicas=3", "`batch_size=4` clips cannot be shared evenly among 3 replicas"),
        ("--gray_probability=0.2", r"`gray_probability=0.2` takes color away, but the clips have 1 channel\(s\)"),
        ("--micro_batch=3", r"batch of 4 clips \(a replica's share\) cannot be cut into micro-batches of 3"),
        (
            "--encoder=cells",
            "`encoder=cells` has no weights to learn. Give `epochs=0` to read its features",
        ),
        ("--decay_epochs=soon", "--decay_epochs takes whole numbers, .*Found: soon"),
    ],
)
def test_wrong_flags_are_refused_before_anything_is_kept(call, tmp_path, flag, message):
    with pytest.raises(ValueError, match=message):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", flag)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != run_folder.LOCK]


@pytest.mark.usefixtures("training_alone")
def test_a_killed_run_continues_bit_for_bit(call, command, tmp_path, capsys):
    arguments = ["--epochs=8", "--save_seconds=0"]
    environment = {"TF_DETERMINISTIC_OPS": "1"}
    killed = command("pretrain", f"--run_dir={tmp_path / 'killed'}", *arguments, environment=environment)
    wait_for(lambda: checkpoint_steps(tmp_path / "killed" / "checkpoints"), killed)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    for folder in ("killed", "whole"):
        call(pretrain.main, f"--run_dir={tmp_path / folder}", *arguments)
        assert ("Continuing at step" in capsys.readouterr().out) == (folder == "killed")
    weights, expected = (final_weights(tmp_path / folder)[1] for folder in ("killed", "whole"))
    assert weights.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(weights[name], value, err_msg=name)


@pytest.mark.usefixtures("training_alone")
def test_two_replicas_reach_the_loss_of_one_on_the_same_views(call, command, tmp_path):
    process = command("pretrain", f"--run_dir={tmp_path / 'two'}", "--replicas=2")
    call(pretrain.main, f"--run_dir={tmp_path / 'one'}")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "Training on 2 replicas" in out
    logs, expected = (history.records_of(tmp_path / name / "logs" / "history.jsonl")[-1] for name in ("two", "one"))
    # The label entropy is that of the speeds drawn. Adam makes steps of rounding errors where a gradient is near 0.
    assert logs["label_entropy"] == pytest.approx(expected["label_entropy"], rel=1e-5)
    assert logs["loss"] == pytest.approx(expected["loss"], rel=1e-2)


def test_an_interrupt_saves_and_leaves_no_run_to_evaluate(call, command, tmp_path):
    process = command("pretrain", f"--run_dir={tmp_path / 'run'}", "--epochs=100000")
    lines_until(process, r"step \d")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    stopped = int(re.search(r"Stopped at step (\d+) of 300000. The same command continues.", out).group(1))
    assert tf.train.latest_checkpoint(tmp_path / "run" / "checkpoints").endswith(f"step-{stopped}")
    assert err == ""
    assert not (tmp_path / "run" / "results.jsonl").exists()
    message = rf"holds a run that was stopped at step {stopped} of 300000\. Train to the end: .*flags\.cfg"
    for main in (evaluate.main, export_trainer.main):
        with pytest.raises(ValueError, match=message):
            call(main, f"--run_dir={tmp_path / 'run'}", "--epochs=100000")


def test_a_stopped_run_says_that_overwrite_would_delete_it(call, capsys, monkeypatch, tmp_path):
    arguments = [f"--run_dir={tmp_path / 'run'}"]
    monkeypatch.setattr(loop, "train", lambda *_, **__: False)
    for more, again in ([], "The same command"), (["--overwrite"], "The same command without --overwrite"):
        with pytest.raises(SystemExit):
            call(pretrain.main, *arguments, *more)
        assert f"Stopped at step 0 of 6. {again} continues.\n" in capsys.readouterr().out
