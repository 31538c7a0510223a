"""Methods that tell clips apart by vectors learn to do so, on views from which nothing is learned."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.methods import BYOL, CVRL, MoCo, SimCLR
from simper_tf.views import Views

METHODS = {
    SimCLR: {"temperature": 0.2, "projection": 16},
    MoCo: {"queue_size": 24, "momentum": 0.9, "temperature": 0.3, "projection": 16},
    BYOL: {"momentum": 0.9, "num_steps": 100, "hidden": 32, "projection": 16},
    CVRL: {"temperature": 0.2, "hidden": 32, "projection": 16},
}
# Changes mild enough to learn to see through in a few seconds.
MILD = {
    "crop_area": (0.9, 1.0),
    "blur_probability": 0.0,
    "solarize_probability": 0.0,
    "flip_probability": 0.0,
    "jitter_probability": 0.3,
}


def compiled(kind, **arguments):
    keras.utils.set_random_seed(3)
    views = Views(16, kind.times_for(10, (0.5, 2.0), 0.0), dataclasses.replace(kind.appearance, **MILD))
    model = kind(small((None, None, 1), widths=(8, 8), outputs=4), views, seed=4, **{**METHODS[kind], **arguments})
    model.compile(keras.optimizers.Adam(3e-3))
    return model


def bars(number):
    """Returns `(number, 24, 12, 12, 1)` uint8 clips of bars at rest, of different place, width and light."""
    rng = np.random.default_rng(41)
    places, widths = rng.uniform(2, 9, size=(number, 1)), rng.uniform(0.5, 3, size=(number, 1))
    rows = np.exp(-0.5 * np.square((np.arange(12) - places) / widths)) * rng.uniform(0.3, 1, size=(number, 1))
    return tf.constant(255 * np.broadcast_to(rows[:, None, None, :, None], (number, 24, 12, 12, 1)), tf.uint8)


# A copy that is too quick lets MoCo tell keys by their age, and its features forget the clips: 0.1 at momentum 0.5.
SLOW = {"momentum": 0.97, "temperature": 0.1}


def on_views(model, fresh):
    """Returns the mean logs of batches of views from which nothing is learned; norms take the statistics of each."""
    found = []
    for batch in fresh:
        batch = {**batch, **model.targets(batch, training=True)}
        loss, logs = model.loss_and_logs(model.encode_views(batch["views"], training=False), batch)
        found.append({"loss": loss, **logs})
    return {name: float(np.mean([logs[name] for logs in found])) for name in found[0]}


@pytest.mark.slow
# Bounds between what four seeds of weights and views have on fresh views before training and after so many steps.
@pytest.mark.parametrize(
    ("kind", "settings", "steps", "most", "least"),
    [
        # Loss 2.42 to 2.90, then 1.25 to 1.42; accuracy 0.43 to 0.51, then 0.70 to 0.75.
        (SimCLR, {}, 160, 1.9, 0.6),
        # Loss 3.55 to 4.25, then 2.28 to 3.01; accuracy overlaps.
        (MoCo, {**SLOW, "queue_size": 72}, 240, 3.3, None),
        # Loss 3.34 to 4.84, then 0.26 to 0.33.
        (BYOL, {}, 160, 1.5, None),
        # Loss 2.86 to 3.12, then 1.80 to 2.16; accuracy 0.31 to 0.33, then 0.44 to 0.54.
        (CVRL, {}, 160, 2.5, 0.385),
    ],
)
def test_training_tells_clips_apart_in_fresh_views(kind, settings, steps, most, least):
    model, clips = compiled(kind, **settings), bars(24)
    fresh = [model.views(clips, tf.constant([999, k])) for k in range(8)]
    rate, step = float(model.optimizer.learning_rate), tf.function(model.train_step)
    model.optimizer.learning_rate.assign(0.0)
    for _ in range(3):  # Fills the queue and teaches nothing.
        step(clips)
    before = on_views(model, fresh)
    model.optimizer.learning_rate.assign(rate)
    for _ in range(steps):
        step(clips)
    after = on_views(model, fresh)
    assert after["loss"] < most < before["loss"]
    if least:
        assert after["accuracy"] > least > before["accuracy"]
    if (
        kind is BYOL
    ):  # The loss alone would also fall if all clips became one direction, of variety 0; 0.59 to 0.74 were found.
        assert after["variety"] > 0.4
