import math

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.training.best_epoch import BestEpoch, label_error
from simper_tf.training.checkpoints import Checkpoints

STEPS_PER_EPOCH, NUM_STEPS = 5, 17


def counting():
    """Returns a model whose one weight is the number of steps done."""
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    model.compile(keras.optimizers.SGD())
    return model


def weight(model):
    return float(model.get_weights()[0][0, 0])


@pytest.fixture
def train(tmp_path):
    """Returns a function that trains to a step from where a checkpoint ends, and returns what is said and the model.

    Errors are given by step; a checkpoint is saved after each step of `saved`.
    """

    def run(errors, end=NUM_STEPS, saved=()):
        said, model = [], counting()
        best = BestEpoch(model, lambda: errors[weight(model)], STEPS_PER_EPOCH, NUM_STEPS, said.append)
        kept = Checkpoints(tmp_path, model, best_epoch=best.state)
        for step in range(kept.restore() + 1, end + 1):
            model.set_weights([np.full((1, 1), step)])
            best.after_step(step)
            if step in saved:
                kept.step.assign(step)
                kept.save()
        return said, model

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
def test_a_run_ends_with_the_weights_of_its_best_epoch(train, errors, ends_with):
    assert weight(train(errors)[1]) == ends_with


def test_every_epoch_is_said_with_its_error_and_the_best_so_far(train):
    assert train({5: 3.0, 10: 1.25, 15: 2.0, 17: 1.5})[0][1:3] == [
        "Step 10: off by 1.25 on validation clips, at best by 1.25 after step 10.",
        "Step 15: off by 2 on validation clips, at best by 1.25 after step 10.",
    ]


@pytest.mark.parametrize("checkpoint", [9, 10, 13])
def test_a_kill_loses_no_best_epoch_wherever_the_checkpoint_was(train, checkpoint):
    errors = {5: 3.0, 10: 1.0, 15: 2.0, 17: 1.5}
    train(errors, end=14, saved=(checkpoint,))
    said, model = train(errors)
    assert weight(model) == 10
    assert len(said) == (3 if checkpoint == 9 else 2)


def test_the_error_is_the_mean_over_clips_in_the_unit_of_labels():
    class Sums:
        def predict_labels(self, clips):
            return tf.reduce_sum(tf.cast(clips, tf.float32), axis=(1, 2, 3, 4))

    # Sums of the clips are 4, 8 and 12.
    clips = np.ones((3, 4, 1, 1, 1), np.uint8) * np.arange(1, 4, dtype=np.uint8)[:, None, None, None, None]
    examples = tf.data.Dataset.from_tensor_slices({"clip": clips, "label": np.float32([4, 9, 10])})
    assert label_error(Sums(), examples)() == 1.0
