"""Runs on a part of their clips, from the command line."""

import numpy as np
import pytest
from finished import results

from simper_tf.training import subsets
from simper_tf.training.settings import Settings
from trainers import data, evaluate, pretrain

pytestmark = pytest.mark.slow


def read(data_dir, split="train", **fields):
    """Returns the clips that settings use, and the examples of a split as dictionaries."""
    settings = Settings(data_dir=str(data_dir), validation_clips=20, test_clips=20, **fields)
    with data.opened(settings) as clips:
        examples, count = clips.split(split, settings.limit(split))
        found = list(examples.as_numpy_iterator())
    assert len(found) == count == examples.cardinality()
    return clips, found


def test_clips_come_whole_in_the_order_of_the_split(call, data_dir):
    call(lambda: None, "--run_dir=x")
    _, everything = read(data_dir, train_clips=40)
    clips, found = read(data_dir, train_clips=40, data_fraction=0.5, label_fraction=0.25)
    names = [example["id"] for example in everything]
    numbers = [names.index(example["id"]) for example in found]
    assert numbers == sorted(numbers)
    assert len(numbers) == 20
    for number, example in zip(numbers, found, strict=True):
        for name, value in everything[number].items():
            np.testing.assert_array_equal(example[name], value, err_msg=name)
    np.testing.assert_array_equal(clips.column("label", "train"), [example["label"] for example in found])
    known = [example["id"] for example in clips.labeled().split("train")[0].as_numpy_iterator()]
    assert known == list(np.array([example["id"] for example in found])[clips.known_labels])
    assert len(known) == 5
    hidden = clips.hiding_labels()
    labels = [example["label"] for example in hidden.split("train")[0].as_numpy_iterator()]
    expected = np.where(clips.known_labels, [example["label"] for example in found], np.nan)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(hidden.column("label", "train"), expected)
    assert np.all(np.isfinite(hidden.column("label", "test", 3)))
    assert len(hidden.column("rate", "train")) == 20


def test_a_cut_clip_and_its_course_end_where_the_clip_ends(call, data_dir):
    call(lambda: None, "--run_dir=x")
    for split in ("train", "test"):
        _, everything = read(data_dir, split, train_clips=3)
        clips, found = read(data_dir, split, train_clips=3, clip_frames=30)
        assert clips.num_frames == 30
        for short, whole in zip(found, everything, strict=True):
            np.testing.assert_array_equal(short["clip"], whole["clip"][120:])
            np.testing.assert_array_equal(short["angle"], whole["angle"][120:])
            assert short["label"] == whole["label"]
    for _ in range(2):  # Read, and from what was kept beside the records.
        for split in ("train", "test"):
            of_clips = clips.column("angle", split)[: len(found)]
            assert of_clips.shape == (len(found), 30)
        np.testing.assert_array_equal(of_clips, [example["angle"] for example in found])


def test_known_labels_train_and_all_clips_are_encoded(call, tmp_path, monkeypatch):
    shown, predict = [], evaluate.protocols.predict
    monkeypatch.setattr(
        evaluate.protocols, "predict", lambda train, *others: shown.append(train) or predict(train, *others)
    )
    trained, batches = [], pretrain.pipeline.Batches
    monkeypatch.setattr(pretrain.pipeline, "Batches", lambda *given: trained.append(given[1]) or batches(*given))
    share = ["--train_clips=40", "--data_fraction=0.5", "--label_fraction=0.4", "--epochs=1"]
    for method, number in (("supervised", 8), ("contrast_phys_plus", 20)):
        call(pretrain.main, f"--run_dir={tmp_path / method}", f"--method={method}", *share)
        assert trained[-1] == number
        assert (len(shown[-1].labels), shown[-1].known.sum()) == (20, 8)
        assert {row["n"] for row in results(tmp_path / method)} == {6}


def test_hidden_labels_part_the_rows_and_leave_the_band(call, tmp_path, monkeypatch):
    made, assemble = [], pretrain.experiment.assemble
    monkeypatch.setattr(pretrain.experiment, "assemble", lambda *given: made.append(assemble(*given)) or made[-1])
    gap = ["--label_gap=2,4", "--test_clips=20", "--prior_weight=1"]
    call(pretrain.main, f"--run_dir={tmp_path / 'gap'}", *gap)
    with data.opened(Settings(data_dir=evaluate.options.flags.FLAGS.data_dir)) as clips:
        seen = subsets.seen(clips.column("label", "test", 20), Settings(label_gap=(2, 4)))
    numbers = {(row["metric"], row["n"]) for row in results(tmp_path / "gap")}
    assert numbers >= {("mae", 20), ("mae_seen", seen.sum()), ("mape_unseen", (~seen).sum())}
    assert 0 < seen.sum() < 20
    call(evaluate.main, f"--run_dir={tmp_path / 'gap'}", "--split=validation")
    of_validation = {row["metric"] for row in results(tmp_path / "gap") if row["split"] == "validation"}
    assert of_validation == {"mae", "mape", "gm", "pearson"}
    monkeypatch.setattr(pretrain.loop, "train", lambda *_, **__: False)  # Ended before its first step.
    with pytest.raises(SystemExit, match="130"):
        call(pretrain.main, f"--run_dir={tmp_path / 'whole'}", *gap[1:])
    assert made[0].model.options.prior_band == made[-1].model.options.prior_band


def test_a_gap_without_test_clips_is_refused_before_training(call, tmp_path):
    with pytest.raises(ValueError, match=r"`label_gap=2.0,2.001`: of 6 test clips 6 have a label"):
        call(pretrain.main, f"--run_dir={tmp_path / 'run'}", "--label_gap=2,2.001")
    assert not (tmp_path / "run").exists()


def test_short_clips_train_are_evaluated_drawn_and_exported(call, tmp_path):
    short = ["--clip_frames=60", "--label_gap=2,4", "--test_clips=20", "--artifacts"]
    call(pretrain.main, f"--run_dir={tmp_path}", *short)
    assert np.load(tmp_path / "features.npz")["series"].shape[1] == 60
    assert (tmp_path / "plots" / "features_over_angle.png").exists()
    assert (tmp_path / "saved_model" / "1" / "saved_model.pb").exists()
