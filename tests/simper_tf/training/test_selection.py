import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.training.best_epoch import BestEpoch, label_error

STEPS_PER_EPOCH, NUM_STEPS = 5, 17


@pytest.fixture
def model():
    """Returns a model whose one weight is the number of steps done."""
    made = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    made.set_weights([np.zeros((1, 1))])
    return made


def weight(model):
    return float(model.get_weights()[0][0, 0])


@pytest.fixture
def train(model, tmp_path):
    """Returns a function that trains from a step to a step with given errors by step, and returns what is said."""

    def run(errors, begin=0, end=NUM_STEPS):
        said = []
        best = BestEpoch(
            tmp_path / "best.npz", model, lambda: errors[weight(model)], begin, STEPS_PER_EPOCH, NUM_STEPS, said.append
        )
        for step in range(begin + 1, end + 1):
            model.set_weights([np.full((1, 1), step)])
            best.after_step(step)
        return said

    return run


@pytest.mark.parametrize(
    ("errors", "ends_with"),
    [
        ({5: 3.0, 10: 1.0, 15: 2.0, 17: 1.5}, 10),
        ({5: 3.0, 10: 2.0, 15: 2.0, 17: 2.0}, 10),  # Of equals the first.
        ({5: 3.0, 10: 2.0, 15: 1.0, 17: 0.5}, 17),  # The last step ends an epoch, however short.
        ({5: math.nan, 10: math.inf, 15: 2.0, 17: math.nan}, 15),
        (dict.fromkeys((5, 10, 15, 17), math.nan), 17),  # None is best: the last stay.
    ],
)
def test_after_the_last_step_a_model_has_the_weights_of_its_best_epoch(train, model, errors, ends_with):
    train(errors)
    assert weight(model) == ends_with


def test_every_epoch_is_said_with_its_error_and_the_best_so_far(train):
    assert train({5: 3.0, 10: 1.25, 15: 2.0, 17: 1.5})[1:3] == [
        "Step 10: off by 1.25 on validation clips, at best by 1.25 after step 10.",
        "Step 15: off by 2 on validation clips, at best by 1.25 after step 10.",
    ]


@pytest.mark.parametrize("checkpoint", [9, 10, 13])
def test_a_kill_loses_no_best_epoch_wherever_the_last_checkpoint_was(train, model, checkpoint):
    errors = {5: 3.0, 10: 1.0, 15: 2.0, 17: 1.5}
    train(errors, end=14)
    train(errors, begin=checkpoint)
    assert weight(model) == 10


def test_a_damaged_file_is_passed_over_with_a_warning_and_written_anew(train, model, tmp_path):
    errors = {5: 0.5, 10: 1.0, 15: 2.0, 17: 1.5}
    train(errors, end=9)
    path = tmp_path / "best.npz"
    path.write_bytes(path.read_bytes()[:-40])
    assert train(errors, begin=9)[0].startswith(f"{path} is damaged and passed over, with the best epoch so far: ")
    assert weight(model) == 10
    assert train(errors, begin=16)[0].startswith("Step 17")  # Nothing more to say of the file.


def test_weights_of_another_model_are_passed_over(train, tmp_path):
    np.savez(tmp_path / "best.npz", step=5, error=0.1, **{"0": np.zeros((2, 1))})
    assert "its weights have other shapes" in train({10: 3.0}, begin=5, end=10)[0]


def test_what_another_run_has_left_counts_for_none_that_begins(train, model):
    train(dict.fromkeys((5, 10), 0.1), end=12)
    train({5: 3.0, 10: 2.0, 15: 1.0, 17: 4.0})
    assert weight(model) == 15


def test_the_error_is_the_mean_over_clips_of_how_far_labels_are_predicted_off():
    class Sums:
        def predict_labels(self, clips):
            return tf.reduce_sum(tf.cast(clips, tf.float32), axis=(1, 2, 3, 4))

    # Sums of the clips are 4, 8 and 12.
    clips = np.ones((3, 4, 1, 1, 1), np.uint8) * np.arange(1, 4, dtype=np.uint8)[:, None, None, None, None]
    examples = tf.data.Dataset.from_tensor_slices({"clip": clips, "label": np.float32([4, 9, 10])})
    assert label_error(Sums(), examples)() == 1.0
