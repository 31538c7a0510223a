"""The newest whole checkpoint on disk is continued from, whatever the text file beside it says."""

import pathlib
import re

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import physnet_sinc, ts_can
from simper_tf.methods import SimPer
from simper_tf.training import loop
from simper_tf.training.checkpoints import Checkpoints, checkpoint_steps, remove_left_overs
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views


def made(folder, bias=False):
    """Returns the checkpoints of a model of one weight, and the weight."""
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=bias)])
    model.compile(keras.optimizers.Adam())
    return Checkpoints(folder, model), model.trainable_variables[0]


def save(checkpoints, weight, step):
    checkpoints.step.assign(step)
    weight.assign([[float(step)]])
    checkpoints.save()


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with the checkpoints of steps 20 and 30; that of step 10 has gone."""
    checkpoints, weight = made(tmp_path / "checkpoints")
    for step in (10, 20, 30):
        save(checkpoints, weight, step)
    return tmp_path / "checkpoints"


def restored(folder):
    """Returns the step that is continued from, the weight, and what was said."""
    checkpoints, weight = made(folder)
    said = []
    step = checkpoints.restore(said.append)
    return step, float(weight.numpy()[0, 0]), said


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("step-*")}


def test_the_last_two_are_kept_and_tensorflow_finds_the_last(folder):
    assert {path.name for path in folder.iterdir()} == {
        "checkpoint", "step-20.index", "step-30.index", "step-20.data-00000-of-00001", "step-30.data-00000-of-00001",
    }  # fmt: skip
    assert tf.train.latest_checkpoint(folder) == str(folder / "step-30")
    assert tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths == [
        str(folder / name) for name in ("step-20", "step-30")
    ]
    assert restored(folder) == (30, 30.0, [])


def first_line(text):
    return text.splitlines(keepends=True)[0]


@pytest.mark.parametrize(
    ("damage", "listed"),
    [
        (first_line, "step-20"),
        (lambda text: text[: len(text) // 4], "step-20, step-30"),
        (lambda text: "", "step-20, step-30"),
        (lambda text: "\0" * len(text), "step-20, step-30"),
        (lambda text: None, "step-20, step-30"),
        (lambda text: text.replace("30", "20"), "step-30"),
    ],
)
def test_a_damaged_text_file_does_not_restart_training(folder, damage, listed):
    path = folder / "checkpoint"
    text = damage(path.read_text())
    path.unlink() if text is None else path.write_text(text)
    assert restored(folder) == (30, 30.0, [f"{path} does not list {listed}: read all the same."])


def test_names_outside_the_folder_are_neither_read_nor_deleted(folder, tmp_path):
    checkpoints, weight = made(tmp_path / "other")
    save(checkpoints, weight, 90)
    outside = "../other/step-90"
    absolute = tmp_path / "other" / "step-90"
    names = f'all_model_checkpoint_paths: "{outside}"\nall_model_checkpoint_paths: "{absolute}"\n'
    (folder / "checkpoint").write_text(f'model_checkpoint_path: "{outside}"\n{names}')
    checkpoints, weight = made(folder)
    assert checkpoints.restore(lambda _: None) == 30
    for step in (31, 32, 33):
        save(checkpoints, weight, step)
    assert restored(tmp_path / "other") == (90, 90.0, [])


@pytest.mark.slow
@pytest.mark.parametrize("part", ["index", "data-00000-of-00001"])
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.97])
def test_a_damaged_checkpoint_is_skipped_and_a_whole_one_stays(folder, part, kept):
    path = folder / f"step-30.{part}"
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    whole = {name: data for name, data in contents(folder).items() if "step-20" in name}
    checkpoints, weight = made(folder)
    said = []
    assert checkpoints.restore(said.append) == 20
    assert re.match(rf"Checkpoint {folder}/step-30 is damaged and passed over: ", said[0])
    save(checkpoints, weight, 25)
    assert whole.items() <= contents(folder).items()
    assert restored(folder)[0] == 25


def test_where_none_is_whole_nothing_is_started_anew(folder):
    for path in folder.glob("step-30.*"):
        path.write_bytes(b"")
    for path in folder.glob("step-20.*"):
        path.unlink()
    with pytest.raises(ValueError, match=f"No checkpoint in {folder} is whole. Train anew with `overwrite`"):
        restored(folder)
    for path in folder.glob("step-30.*"):
        path.unlink()
    with pytest.raises(ValueError, match="is whole"):  # The text file lists them.
        restored(folder)


def test_checkpoints_of_another_version_are_left_to_it(folder):
    before, said = contents(folder), []
    checkpoints, _ = made(folder, bias=True)
    with pytest.raises(ValueError, match=f"No checkpoint in {folder} is of this version: go on with the one that"):
        checkpoints.restore(said.append)
    assert len(said) == 2
    assert all("is of another version" in line for line in said)
    assert contents(folder) == before


def test_a_step_that_was_restored_or_saved_is_not_written_again(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    checkpoints, _ = made(folder)
    checkpoints.restore()
    checkpoints.save()
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_a_kill_before_the_index_leaves_the_checkpoint_before(folder, monkeypatch):
    checkpoints, weight = made(folder)
    checkpoints.restore()
    replace = pathlib.Path.replace

    def killed(path, target):
        if path.suffix == ".index":
            raise KeyboardInterrupt
        return replace(path, target)

    monkeypatch.setattr(pathlib.Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        save(checkpoints, weight, 40)
    assert checkpoint_steps(folder) == [20, 30]
    assert restored(folder) == (30, 30.0, [])


def test_left_overs_go_and_checkpoints_stay(folder):
    before = contents(folder)
    (folder / "step-40_temp").mkdir()
    (folder / "step-40_temp" / "part-00000-of-00001.index").touch()
    (folder / "unfinished").mkdir()
    (folder / "step-40.data-00000-of-00001").touch()
    (folder / "step-notes.txt").write_text("mine")
    remove_left_overs(folder)
    assert contents(folder) == {**before, "step-notes.txt": b"mine"}
    remove_left_overs(folder / "none")


def test_a_report_that_fails_loses_no_training(tmp_path):
    class Counting(keras.Model):
        def train_step(self, batch):
            return {}

        def get_metrics_result(self):
            return {"loss": 0.5}

    model = Counting()
    model.compile(keras.optimizers.SGD())
    model.build((1, 1))
    checkpoints = Checkpoints(tmp_path, model)
    batches = tf.data.Dataset.from_tensors(tf.zeros((1, 1))).repeat()

    def report(_):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        loop.train(model, batches, checkpoints, 100, report, report_every=7)
    assert checkpoint_steps(tmp_path) == [7]


@pytest.mark.slow
@pytest.mark.parametrize("encoder", [ts_can, physnet_sinc])
def test_dropout_goes_on_where_it_was(encoder, tmp_path):
    def started():
        keras.utils.set_random_seed(1)
        model = SimPer(encoder((12, 12, 1)), Views(10, SpeedSets(2, (0.5, 2.0))))
        model.compile(keras.optimizers.Adam(1e-3))
        return model, Checkpoints(tmp_path / "checkpoints", model), tf.function(model.train_step, autograph=False)

    clips = tf.constant(np.random.default_rng(0).integers(0, 255, (2, 20, 12, 12, 1), np.uint8))
    model, checkpoints, step = started()
    for _ in range(3):
        step(clips)
    checkpoints.step.assign(3)
    checkpoints.save()
    other, begun, resumed = started()
    assert begun.restore() == 3
    for each in (step, resumed):
        each(clips)
    for variable, again in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(again, variable)
