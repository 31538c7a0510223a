"""The rule by which a general encoder is shipped, and that its measurement runs."""

import re
import sys

import numpy as np
import pytest

from benchmarks import general, general_encoder
from benchmarks.general import Measured
from simper_tf.synthetic import MOVING


def found(own, other, count=40):
    """Returns windows of 1 Hz that `general` and `pixels` read so far off."""
    errors = np.random.default_rng(0).uniform(0.9, 1.1, count)
    return [Measured(1.0, str(k), {"general": 1 + own * e, "pixels": 1 + other * e}) for k, e in enumerate(errors)]


def test_it_is_better_only_where_the_error_is_smaller_beyond_doubt_and_no_fewer_windows_are_right():
    assert general.is_better(found(0.01, 0.02))
    assert not general.is_better(found(0.02, 0.01))
    assert not general.is_better(found(0.01, 0.01))
    few_large = found(0.06, 0.01)[:4] + found(0.0001, 0.04)[4:]
    assert not general.is_better(few_large)


def test_it_is_shipped_only_where_it_is_better_on_both_and_small():
    better, worse = found(0.01, 0.02), found(0.02, 0.01)
    told = [
        general.report({"kinds not trained on": one, "photographs": other}, 10, size)
        for one, other, size in ((better, better, 10**6), (better, worse, 10), (better, better, 10**6 + 1))
    ]
    assert [text.endswith("it is shipped.") for text in told] == [True, False, False]
    assert "better on kinds not trained on:" in told[1]
    assert re.search(r"\| photographs \| general \| 0\.0(199|20\d) \[0\.01", told[1])


def test_no_answer_is_off_by_all_of_the_truth():
    measured = [Measured(2.0, "a", {"pixels": float("nan")}), Measured(2.0, "a", {"pixels": 1.5})]
    assert general.errors(measured, "pixels").tolist() == [2.0, 0.5]


def test_kinds_that_are_measured_are_not_learned_from_and_weights_fit():
    assert set(general.HELD_OUT) | set(general_encoder.LEARNED) == set(MOVING)
    assert not set(general.HELD_OUT) & set(general_encoder.LEARNED)
    assert general.size_of(general_encoder.build()) < general.MOST_BYTES


def test_a_report_says_which_kinds_of_photographs_it_was_trained_on_and_what_was_changed():
    told = general.report({"kinds not trained on": found(1, 2), "photographs": found(1, 2)}, 10, 10, " Run with `x`.")
    assert "on turn, two-part, occlusion, of which occlusion is a swing behind a bar; of the movements of the" in told
    assert "photographs it was not trained on turn, two-part, but on the others." in told
    assert "that are read. Run with `x`.\n" in told


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Returns a folder, and the encoder after two steps there."""
    folder = tmp_path_factory.mktemp("trained")
    return folder, general_encoder.trained(2, 0, folder)


def weights_of(encoder):
    return np.concatenate([each.ravel() for each in encoder.get_weights()])


def fail(seed, done):
    raise AssertionError("there is nothing left to learn")


@pytest.mark.slow
def test_training_that_has_ended_is_not_done_again(trained, monkeypatch):
    folder, whole = trained
    monkeypatch.setattr(general_encoder, "_batches", fail)
    assert np.array_equal(weights_of(general_encoder.trained(2, 0, folder)), weights_of(whole))


@pytest.mark.slow
def test_training_that_was_interrupted_ends_as_one_that_was_not(trained, tmp_path, monkeypatch):
    batches = general_encoder._batches

    def one_alone(seed, done):
        yield next(iter(batches(seed, done)))
        raise KeyboardInterrupt

    monkeypatch.setattr(general_encoder, "_EVERY", 1)
    monkeypatch.setattr(general_encoder, "_batches", one_alone)
    with pytest.raises(KeyboardInterrupt):
        general_encoder.trained(2, 0, tmp_path)
    monkeypatch.setattr(general_encoder, "_batches", lambda seed, done: (batches if done == 1 else fail)(seed, done))
    resumed = general_encoder.trained(2, 0, tmp_path)
    assert weights_of(resumed) == pytest.approx(weights_of(trained[1]), abs=1e-5)


@pytest.mark.slow
def test_training_of_another_length_is_another_training(trained):
    folder, whole = trained
    assert np.abs(weights_of(general_encoder.trained(1, 0, folder)) - weights_of(whole)).max() > 1e-4


@pytest.mark.slow
def test_an_encoder_reads_clips(trained):
    reader = general.Reader(trained[1])
    measured = [reader(*each) for each in general.generated(2)]
    assert all(0.3 < each.truth < 3.1 for each in measured)
    assert set(measured[0].found) >= {"pixels", "selfdistance", "general", "best by score"}


def test_photographs_that_are_missing_are_told_before_the_training(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "skimage", None)
    monkeypatch.setattr(general_encoder, "trained", fail)
    monkeypatch.setattr(sys, "argv", ["general"])
    with pytest.raises(SystemExit, match="2"):
        general.main()
    assert "pip install scikit-image" in capsys.readouterr().err
