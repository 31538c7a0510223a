"""Methods learn, without labels, what they are for: to tell clips apart by vectors, or the frequency of clips."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.encoders import small
from simper_tf.methods import BYOL, CVRL, ContrastPhys, MoCo, SimCLR, SiNC
from simper_tf.signals import spectrum
from simper_tf.views.views import Views

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
    views = Views(16, kind.times_for(10, (0.5, 2.0), 0.0), dataclasses.replace(kind.appearance, **MILD))
    encoder = {"widths": (8, 8), "outputs": 4}
    return built(kind, views, 3e-3, encoder=encoder, seed=4, **{**METHODS[kind], **arguments})


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
        found.append(model.logs_of(model.encode_views(batch["views"], training=False), batch))
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
    rate, step = float(model.optimizer.learning_rate), tf.function(model.train_step, autograph=False)
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


def swinging(number):
    """Returns `(number, 80, 12, 12, 1)` uint8 clips of swinging bars in noise, and their cycles per frame."""
    rng = np.random.default_rng(43)
    rates, phases = rng.uniform(0.09, 0.16, (number, 1)), rng.uniform(size=(number, 1))
    places = 5.5 + 2.5 * np.sin(2 * np.pi * (rates * np.arange(80) + phases))
    rows = np.exp(-0.5 * np.square((np.arange(12) - places[..., None]) / 1.2))
    clips = rows[:, :, None, :, None] + 0.1 * rng.normal(size=(number, 80, 12, 12, 1))
    return np.uint8(255 * np.clip(clips, 0, 1)), rates[:, 0]


def share_found(model, clips, rates):
    """Returns the share of clips at whose frequency, to 0.005 cycles per frame, the features are strongest."""
    power = spectrum.channel_power(model.encode(clips)[..., None])
    _, position = spectrum.peak(power, tf.range(power.shape[-1]) > 16)  # From one cycle a clip on.
    return np.mean(np.abs(position / (16 * 80) - rates) < 0.005)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SiNC, ContrastPhys])
def test_a_band_below_an_octave_puts_features_at_the_frequency(kind):
    keras.utils.set_random_seed(1)
    clips, rates = swinging(96)
    views = Views(40, kind.times_for(2, (0.6, 1.4)), None)
    model = kind(small((None, None, 1), widths=(8, 16), outputs=1), views, band=(0.08, 0.17))
    model.compile(keras.optimizers.Adam(3e-3))
    before = share_found(model, clips[64:], rates[64:])
    model.fit(clips[:64], batch_size=8, epochs=15, verbose=0)
    # Four seeds have 0 before, nearly all clips at twice their frequency, and 1 after.
    assert before < 0.1
    assert share_found(model, clips[64:], rates[64:]) > 0.9
