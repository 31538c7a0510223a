"""Every method from the command line."""

import pathlib
import signal

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from few_digits import Digits
from finished import final_weights, results

from simper_tf.evaluation.protocols import FLOORS, IDEAL
from simper_tf.methods import METHODS as REGISTERED
from trainers import cli, evaluate, export, history, pretrain

pytestmark = pytest.mark.slow

METHODS = sorted(set(REGISTERED) - {"simper"})  # SimPer is what `test_pretrain.py` is about.
QUICK = ("--train_clips=4", "--test_clips=2", "--labeled_clips=2", "--epochs=1")
# Features and exports are of the encoder, the same for all: one method stands for those without a head of their own.
EXPORTED = ("moco", "supervised")


@pytest.mark.parametrize("method", EXPORTED)
def test_a_method_is_evaluated_and_exported_like_any_other(call, tmp_path, method):
    call(pretrain.main, f"--run_dir={tmp_path}", f"--method={method}", *QUICK, "--artifacts")
    rows = results(tmp_path)
    assert {(row["method"], row["encoder"], row["n"]) for row in rows} == {(method, "small", 2)}
    protocols = {"fft", "fft_fundamental", "fft_paper", "fft_calibrated", "fft_resolved", "pixels", "probe"}
    protocols |= {"1nn", "1nn_npsd", "1nn_euclidean", "patterns", "pixel_patterns", "harmonic_sum", "spectra_1nn"}
    protocols |= {"1nn_5", "1nn_10", "1nn_50"}
    assert {row["protocol"] for row in rows} == protocols | ({"supervised"} if method == "supervised" else set())
    assert (tmp_path / "saved_model" / "1" / "saved_model.pb").exists()
    assert_history(tmp_path)


def test_pixels_are_read_and_served_without_a_network(call, tmp_path, data_dir):
    flagfile = pathlib.Path(__file__).parents[2] / "flags" / "patterns.cfg"
    given = [line for line in flagfile.read_text().split() if line.startswith(("--encoder", "--epochs", "--readout"))]
    call(pretrain.main, f"--run_dir={tmp_path}", "--train_clips=4", "--test_clips=3", *given, "--artifacts")
    names = {row["protocol"] for row in results(tmp_path)} - {*FLOORS, IDEAL}
    assert names == {"patterns", "harmonic_sum", "pixels", "spectra_1nn"}  # Neighbors would take minutes.
    assert_served(tmp_path, data_dir)


def test_features_learned_jointly_are_read_by_patterns_served(call, plain, tmp_path, data_dir):
    flagfile = pathlib.Path(__file__).parents[2] / "flags" / "noise.cfg"
    others = ("--run_dir", "--dataset", "--batch_size", "--steps")
    lines = flagfile.read_text().splitlines()
    given = [line for line in lines if line.startswith("--") and not line.startswith(others)]
    few = ["--steps=2", "--batch_size=2", "--train_clips=4", "--test_clips=3"]
    call(pretrain.main, f"--run_dir={tmp_path}", *given, *few, "--artifacts")
    (record,) = history.records_of(tmp_path / "logs" / "history.jsonl")
    assert record["step"] == 2
    assert_served(tmp_path, data_dir)
    head = tmp_path / "heads" / "patterns.npz"
    with np.load(head) as kept:
        np.savez(head, **{name: values for name, values in kept.items() if name != "sure"})
    with pytest.raises(ValueError, match=r"patterns\.npz is missing or damaged \(it lacks 'sure'\).*Evaluate first"):
        plain(export.main, f"--run_dir={tmp_path}")
    assert [path.name for path in (tmp_path / "saved_model").iterdir()] == ["1"]


def assert_served(folder, data_dir):
    read = pd.read_csv(folder / "clips.csv", index_col="id")["patterns (Hz)"]
    served = tf.saved_model.load(folder / "saved_model" / "1").signatures["answer"]
    clips = Digits(data_dir=data_dir, config="digits").as_dataset(split="test")
    for example in clips.take(3).as_numpy_iterator():
        answer = served(frames=tf.constant(example["clip"][None]), rate=tf.constant([example["rate"]]))
        assert float(answer["frequency_hz"][0]) == pytest.approx(read[example["id"].decode()], abs=1e-4)


def assert_history(folder):
    (record,) = history.records_of(folder / "logs" / "history.jsonl")
    assert record["step"] == 1
    assert {"loss", "feature_deviation"} <= set(record)


@pytest.mark.usefixtures("training_alone")
@pytest.mark.parametrize("method", sorted(set(METHODS) - set(EXPORTED)))
def test_a_method_trains_like_any_other_and_keeps_its_history(call, tmp_path, method):
    # A graph takes longer than a step; `test_contract.py` makes one of each method.
    call(pretrain.main, f"--run_dir={tmp_path}", f"--method={method}", *QUICK, "--run_eagerly")
    assert_history(tmp_path)


def test_no_epochs_leave_an_untrained_encoder_and_rows_say_so(call, tmp_path):
    call(pretrain.main, f"--run_dir={tmp_path}", *QUICK, "--epochs=0", "--method=moco")
    rows = results(tmp_path)
    assert {(row["method"], row["seconds"]) for row in rows} == {("untrained", 0.0)}
    (tmp_path / "results.jsonl").unlink()
    call(evaluate.main, f"--run_dir={tmp_path}", *QUICK, "--epochs=0")
    for old, new in zip(rows, results(tmp_path), strict=True):
        assert (new["protocol"], new["method"]) == (old["protocol"], "untrained")
        assert new["value"] == pytest.approx(old["value"], rel=1e-4)


@pytest.mark.usefixtures("training_alone")
def test_a_stopped_run_of_moco_continues_bit_for_bit(call, tmp_path, monkeypatch):
    flags_of_both = ["--method=moco", "--epochs=8"]
    call(pretrain.main, f"--run_dir={tmp_path / 'whole'}", *flags_of_both)
    stopping = [f"--run_dir={tmp_path / 'stopped'}", *flags_of_both]
    with monkeypatch.context() as patch:
        patch.setattr(cli, "show_training", lambda *_: signal.raise_signal(signal.SIGINT))  # At step 20 of 24.
        with pytest.raises(SystemExit, match="130"):
            call(pretrain.main, *stopping)
    call(pretrain.main, *stopping)
    expected, found = [final_weights(tmp_path / name)[1] for name in ("whole", "stopped")]
    assert any("target_encoder" in name for name in expected)
    assert any("queue" in name for name in expected)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method=simclr", "--batch_size=1"], r"at least 2 in a batch\. Received: 1\. Raise `batch_size`"),
        (
            ["--micro_batch=2", "--method=byol"],
            "`micro_batch=2` means nothing with `method=byol`, .*with `method=simper`. Leave it out, or take back",
        ),
        (
            ["--micro_batch=2", "--encoder=cnn3d", "--norm=batch"],
            "`micro_batch` = 2 would change the gradient: the batch norm of .* 'cnn3d'.*Use norm 'group' or 'affine'",
        ),
        (
            ["--method=slf_rpm", "--speed_range=0.5,4.5"],
            r"At speed 4 a clip of 5.5 Hz runs at 22 Hz, .*30 / 2 = 15 Hz.*at most 2.73",
        ),
        (["--freeze"], "`freeze=True` means nothing with `method=simper`, .*something with `method=supervised`"),
        (
            ["--method=supervised", "--train_clips=1", "--batch_size=1"],
            "one label, so .* nothing to learn",
        ),
        (
            ["--method=frequency_contrast", "--band=1,1.1"],
            r"Spectra of 37 frames .* band \[0.03333, 0.055\] cycles per frame, .*Widen the band or lengthen the views",
        ),
    ],
)
def test_flags_of_another_method_are_refused_before_training(call, tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", *arguments)
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("undrawn")
def test_a_method_with_labels_is_exported_with_its_own_head(call, tmp_path):
    # `test_served_heads.py` asks that of RepNet too.
    own = ["--method=supervised", "--head=spectrum", "--freeze", "--artifacts"]
    call(pretrain.main, f"--run_dir={tmp_path}", *own, *QUICK)
    signature = tf.saved_model.load(tmp_path / "saved_model" / "1").signatures["serving_default"]
    clips = np.random.default_rng(0).integers(0, 256, (2, 150, 28, 28, 1), np.uint8)
    answer = signature(frames=clips)
    assert {name: value.shape for name, value in answer.items()} == {"frequency_hz": (2,), "features": (2, 150, 4)}
    predicted = [row["value"] for row in results(tmp_path) if (row["protocol"], row["metric"]) == ("supervised", "mae")]
    assert len(predicted) == 1
