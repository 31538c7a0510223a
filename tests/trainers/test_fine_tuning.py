"""Runs that begin with the encoder of another."""

import json
import pathlib
import re
import shutil
import signal

import numpy as np
import pytest
from finished import final_weights, results

from simper_tf.training import best_epoch, encoder_weights
from trainers import cli, evaluate, pretrain

pytestmark = pytest.mark.slow

LABELED = ("--method=supervised",)


def encoder_of(folder):
    """Returns the weights of a run that are trained, of SimPer an encoder's alone, by name."""
    return {name: value for name, value in final_weights(folder)[1].items() if "optimizer/_trainable" in name}


@pytest.mark.parametrize(
    ("method", "part"),
    [("supervised", ""), ("supervised", "saved_model"), ("supervised", "saved_model/1"), ("byol", "")],
)
def test_a_run_begins_with_the_encoder_of_a_run_or_an_export(
    call, tmp_path, finished, training_alone, capsys, method, part
):
    still = [f"--encoder_from={finished / part}", "--learning_rate=0", "--epochs=1"]
    call(pretrain.main, f"--run_dir={tmp_path / 'run'}", f"--method={method}", *still)
    assert f"The encoder begins with the weights of {finished / part}." in capsys.readouterr().out
    before, after = encoder_of(finished), encoder_of(tmp_path / "run")
    assert len(before) == 10
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, err_msg=name)
    if method == "byol":  # The copy of the encoder begins where the encoder does.
        copies = [value for name, value in final_weights(tmp_path / "run")[1].items() if "target_encoder" in name]
        assert len(copies) == 10
        for value in before.values():
            assert any(np.shape(copy) == np.shape(value) and np.allclose(copy, value) for copy in copies)


@pytest.mark.usefixtures("undrawn")
def test_a_fine_tuned_run_or_its_export_goes_on_with_its_head(call, tmp_path, finished, capsys, monkeypatch):
    tuned = [*LABELED[:2], "--head=spectrum"]
    call(pretrain.main, f"--run_dir={tmp_path / 'tuned'}", f"--encoder_from={finished}", *tuned, "--artifacts")
    still = [*tuned, "--learning_rate=0", "--epochs=1", "--keep_head"]
    monkeypatch.setattr(pretrain.evaluate, "evaluate", lambda *_: None)
    expected = encoder_of(tmp_path / "tuned")
    for part in ("", "saved_model"):
        call(
            pretrain.main,
            f"--run_dir={tmp_path / f'again{part}'}",
            f"--encoder_from={tmp_path / 'tuned' / part}",
            *still,
        )
        assert "The encoder and its head begin with the weights of" in capsys.readouterr().out
        again = encoder_of(tmp_path / f"again{part}")
        assert again.keys() == expected.keys()
        assert len(again) > 10  # The encoder's, and those of the head.
        for name, value in expected.items():
            np.testing.assert_array_equal(again[name], value, err_msg=name)


def test_the_head_alone_reads_what_it_reads_beside_features(call, tmp_path, finished):
    flags = [f"--run_dir={tmp_path / 'run'}", f"--encoder_from={finished}", *LABELED, "--head=spectrum", "--epochs=1"]
    call(pretrain.main, *flags)
    every = results(tmp_path / "run")
    (tmp_path / "run" / "results.jsonl").unlink()
    call(evaluate.main, *flags, "--own_head")
    alone = results(tmp_path / "run")
    assert {row["protocol"] for row in alone} == {"supervised"}
    assert alone == [row for row in every if row["protocol"] == "supervised"]


def test_two_replicas_in_half_precision_begin_with_equal_weights(command, tmp_path, finished):
    flags = [f"--run_dir={tmp_path / 'run'}", f"--encoder_from={finished}", *LABELED, "--head=spectrum", "--freeze"]
    process = command("pretrain", *flags, "--replicas=2", "--precision=mixed_bfloat16", "--steps=2")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert "2 steps of 4 x 1 views" in out
    weights = final_weights(tmp_path / "run")[1]
    for name, value in encoder_of(finished).items():
        assert any(np.array_equal(value, other) for other in weights.values()), name
    (mae,) = (row for row in results(tmp_path / "run") if (row["protocol"], row["metric"]) == ("supervised", "mae"))
    assert np.isfinite(mae["value"])


def test_a_stopped_run_continues_without_the_run_it_began_from(call, tmp_path, finished, training_alone, monkeypatch):
    shutil.copytree(finished, tmp_path / "source")
    flags = [f"--encoder_from={tmp_path / 'source'}", *LABELED, "--epochs=8"]
    call(pretrain.main, f"--run_dir={tmp_path / 'whole'}", *flags)
    with monkeypatch.context() as patch:
        patch.setattr(cli, "show_training", lambda *_: signal.raise_signal(signal.SIGINT))  # At step 20 of 24.
        with pytest.raises(SystemExit, match="130"):
            call(pretrain.main, f"--run_dir={tmp_path / 'stopped'}", *flags)
    with monkeypatch.context() as patch:
        patch.setattr(pretrain.loop, "train", lambda *_, **__: False)  # Killed before its first step.
        with pytest.raises(SystemExit, match="130"):
            call(pretrain.main, f"--run_dir={tmp_path / 'killed'}", *flags)
    shutil.rmtree(tmp_path / "source")
    expected = final_weights(tmp_path / "whole")[1]
    for name in ("stopped", "killed"):
        call(pretrain.main, f"--run_dir={tmp_path / name}", *flags)
        for key, value in final_weights(tmp_path / name)[1].items():
            np.testing.assert_array_equal(value, expected[key], err_msg=key)
    with pytest.raises(ValueError, match=r"`encoder_from` was \S+source, now \."):
        call(pretrain.main, f"--run_dir={tmp_path / 'whole'}", *[flag for flag in flags if "encoder_from" not in flag])


def test_an_encoder_of_another_run_is_evaluated_without_training(call, tmp_path, finished):
    frozen = [f"--run_dir={tmp_path}", f"--encoder_from={finished}", "--epochs=0"]
    call(pretrain.main, *frozen)
    rows = results(tmp_path)
    values = [(row["method"], row["protocol"], row["metric"], row["value"]) for row in rows]
    expected = [("simper", row["protocol"], row["metric"], row["value"]) for row in results(finished)]
    assert [value[:3] for value in values] == [value[:3] for value in expected]
    np.testing.assert_allclose([value[3] for value in values], [value[3] for value in expected], rtol=1e-4)
    (tmp_path / "results.jsonl").unlink()
    call(evaluate.main, *frozen)
    np.testing.assert_allclose([row["value"] for row in results(tmp_path)], [value[3] for value in values], rtol=1e-4)
    shutil.rmtree(tmp_path / "checkpoints")
    with pytest.raises(ValueError, match=r"holds no checkpoint\. Train to the end"):
        call(evaluate.main, *frozen)


@pytest.mark.parametrize("method", ["simper", "supervised"])
def test_other_data_are_read_by_the_command_that_is_named(call, few, tmp_path, finished, method):
    run, labeled = finished, LABELED if method == "supervised" else ()
    if labeled:
        run = tmp_path / "labeled"
        call(pretrain.main, f"--run_dir={run}", *labeled)
    before = results(run)
    with pytest.raises(
        ValueError, match=r"To read another data set as it is: python -m trainers\.pretrain "
    ) as refused:
        call(evaluate.main, f"--run_dir={run}", "--dataset=rotating_digits/few", *labeled)
    words = str(refused.value).partition("trainers.pretrain ")[2].rstrip(".").split()
    call(pretrain.main, *words)
    moved = run.with_name(f"{run.name}_on_rotating_digits_few")
    rows = results(moved)
    assert {(row["config"], row["method"], row["seconds"], row["n"]) for row in rows} == {("few", method, 0, 6)}
    assert {"fft_resolved", "1nn"} <= {row["protocol"] for row in rows}
    assert ("supervised" in {row["protocol"] for row in rows}) == (method == "supervised")
    assert results(run) == before
    own, theirs = (encoder_weights.load(folder, method == "supervised") for folder in (run, moved))
    for name, value in {**own.encoder, **(own.head or {})}.items():
        np.testing.assert_array_equal(value, {**theirs.encoder, **(theirs.head or {})}[name])


def test_an_encoder_that_does_not_fit_is_refused_first(call, tmp_path, finished):
    begin = [f"--run_dir={tmp_path / 'run'}", f"--encoder_from={finished}", *LABELED]
    with pytest.raises(ValueError, match=r"`encoder_from=\S+` has another encoder .*dense/kernel is \(64, 4\) there"):
        call(pretrain.main, *begin, "--outputs=2")
    assert not (tmp_path / "run").exists()
    with pytest.raises(ValueError, match=rf"--encoder_from={finished}/saved_model lies in the folder of this very run"):
        call(pretrain.main, f"--run_dir={finished}", f"--encoder_from={finished}/saved_model", *LABELED, "--overwrite")
    assert results(finished)


def test_a_head_of_labels_in_another_unit_is_refused_first(call, tmp_path, finished):
    source = pathlib.Path(shutil.copytree(finished, tmp_path / "source")) / "results.jsonl"
    source.write_text(source.read_text().replace('"unit": "Hz"', '"unit": "bpm"'))
    with pytest.raises(
        ValueError, match=r"--keep_head: labels of \S+source are in bpm, and those of rotating_digits in Hz"
    ):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", f"--encoder_from={source.parent}", *LABELED, "--keep_head")
    assert not (tmp_path / "run").exists()


def test_a_run_ends_with_its_best_epoch_also_after_a_stop(call, few, tmp_path, capsys, monkeypatch):
    few_clips = ["--dataset=rotating_digits/few", "--train_clips=0", "--validation_clips=0"]
    flags = [*few_clips, *LABELED, "--head=spectrum", "--steps=24", "--learning_rate=0.05"]
    flags.append("--best_epoch")
    # The fourth epoch is to be the best, whatever this machine's rounding makes of 24 steps: what is restored below was
    # kept before the stop.
    measure = best_epoch.label_error

    def error_of(model, examples):
        error = measure(model, examples)
        return lambda: error() + 10 * abs(int(model.optimizer.iterations) - 8)

    monkeypatch.setattr(best_epoch, "label_error", error_of)
    call(pretrain.main, f"--run_dir={tmp_path / 'whole'}", *flags, "--split=validation")
    said = capsys.readouterr().out
    errors = [float(found) for found in re.findall(r"Step \d+: off by (\S+) on validation clips", said)]
    assert len(errors) == 12
    assert np.argmin(errors) == 3
    (mae,) = (row for row in results(tmp_path / "whole") if (row["protocol"], row["metric"]) == ("supervised", "mae"))
    assert mae["value"] == pytest.approx(min(errors), rel=1e-3)
    monkeypatch.setattr(pretrain.evaluate, "evaluate", lambda *_: None)
    with monkeypatch.context() as patch:
        patch.setattr(cli, "show_training", lambda *_: signal.raise_signal(signal.SIGINT))  # At step 20 of 24.
        with pytest.raises(SystemExit, match="130"):
            call(pretrain.main, f"--run_dir={tmp_path / 'stopped'}", *flags)
    call(pretrain.main, f"--run_dir={tmp_path / 'stopped'}", *flags)
    expected = final_weights(tmp_path / "whole")[1]
    for name, value in final_weights(tmp_path / "stopped")[1].items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


def test_the_best_epoch_of_several_workers_is_refused_first(call, tmp_path, monkeypatch):
    config = {"cluster": {"worker": ["localhost:1", "localhost:2"]}, "task": {"type": "worker", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    with pytest.raises(ValueError, match=r"--best_epoch does not go with several workers.*--strategy=mirrored\."):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", *LABELED, "--best_epoch")
    assert not (tmp_path / "run").exists()
