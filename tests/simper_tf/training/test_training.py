"""When the training loop reports, saves and stops, by a clock that a test sets."""

import math
import types

import keras
import pytest
import tensorflow as tf

from simper_tf.training import loop
from simper_tf.training.checkpoints import Checkpoints

SECONDS_A_STEP = 10.0


class Counting(keras.Model):
    """A model whose loss is a given number, and that learns nothing."""

    def __init__(self, loss=0.5):
        super().__init__()
        self.given = loss

    def get_metrics_result(self):
        return {"loss": self.given}


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Returns a function that trains with steps of 10 seconds and returns steps reported, steps saved, and the end."""
    clock, reported, saved = [0.0], [], []
    monkeypatch.setattr(loop, "time", types.SimpleNamespace(monotonic=lambda: clock[0]))

    def step(_):
        clock[0] += SECONDS_A_STEP

    monkeypatch.setattr(loop, "step_function", lambda model: step)

    def run(num_steps, loss=0.5, **options):
        model = Counting(loss)
        model.compile(keras.optimizers.SGD())
        model.build((1, 1))
        checkpoints = Checkpoints(tmp_path, model)
        monkeypatch.setattr(checkpoints, "save", lambda: saved.append(int(checkpoints.step)))

        def report(progress):
            reported.append(progress.step)

        batches = tf.data.Dataset.from_tensors(tf.zeros((1, 1))).repeat()
        done = loop.train(model, batches, checkpoints, num_steps, report, **options)
        return reported, saved, done

    run.saved = saved
    return run


def test_a_checkpoint_is_saved_by_the_clock_also_between_reports(train):
    # The time that the first step takes is not counted.
    assert train(18, save_seconds=25) == ([4, 7, 10, 13, 16, 18], [4, 7, 10, 13, 16, 18], True)


@pytest.mark.parametrize("seconds", [10_000, math.inf])
def test_without_a_due_checkpoint_reports_come_by_steps(train, seconds):
    assert train(45, save_seconds=seconds) == ([20, 40, 45], [45], True)


def test_no_time_between_checkpoints_is_one_after_every_step(train):
    assert train(4, save_seconds=0) == ([2, 3, 4], [2, 3, 4, 4], True)


def test_a_stop_ends_the_loop_after_its_step_with_a_checkpoint(train):
    answers = iter([False] * 7)
    reported, saved, done = train(100, report_every=5, save_seconds=10_000, stop=lambda: next(answers, True))
    assert (reported, saved, done) == ([5], [7], False)


def test_what_is_called_after_a_step_comes_before_its_checkpoint(train):
    seen = []
    train(18, save_seconds=25, after_step=lambda step: seen.append((step, list(train.saved))))
    assert [step for step, _ in seen] == list(range(1, 19))
    assert all(step not in saved for step, saved in seen)


def test_after_a_loss_that_is_no_number_nothing_is_saved(train):
    with pytest.raises(FloatingPointError, match=r"became nan at step 3\. Train anew with a lower .* `overwrite`"):
        train(9, loss=math.nan, save_seconds=15)
    assert train.saved == []
