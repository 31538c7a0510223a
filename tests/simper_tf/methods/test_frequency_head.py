"""The head that reads a frequency: right before it learns, and beyond what it has learned from."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.methods import Supervised
from simper_tf.methods.spectral_heads import frequency_head
from simper_tf.views.times import WholeClip
from simper_tf.views.views import Views

RNG = np.random.default_rng(5)
FRAMES = 150


def waves(frequencies, multiple=1.0, channels=2):
    """Returns `(N, L D)` vectors of sines in cycles per frame, each channel with its own phase and size."""
    phases = RNG.uniform(0, 6, (len(frequencies), 1, channels))
    angles = 2 * np.pi * multiple * np.asarray(frequencies)[:, None, None] * np.arange(FRAMES)[:, None] + phases
    sines = np.sin(angles) * RNG.uniform(0.1, 10, channels) + RNG.uniform(-5, 5, channels)
    return sines.reshape(len(frequencies), -1).astype(np.float32)


def test_before_anything_is_learned_it_reads_the_strongest_line():
    frequencies = RNG.uniform(0.02, 0.4, 50)
    head = frequency_head(FRAMES, 2)
    np.testing.assert_allclose(head(waves(frequencies))[:, 0], frequencies, atol=0.002)
    sides = waves(frequencies) + 0.5 * waves(RNG.uniform(0.02, 0.4, 50))
    assert np.median(np.abs(head(sides)[:, 0] - frequencies)) < 0.002


@pytest.mark.slow
@pytest.mark.parametrize("multiple", [0.5, 2.0])
def test_what_some_frequencies_teach_holds_for_those_beyond(multiple):
    keras.utils.set_random_seed(0)
    head = frequency_head(FRAMES, 2)
    head.compile(keras.optimizers.Adam(3e-3), "mae", jit_compile=False)
    known = RNG.uniform(0.06, 0.12, 400)
    head.fit(waves(known, multiple), known, batch_size=20, epochs=10, verbose=0)
    beyond = np.concatenate([RNG.uniform(0.03, 0.06, 50), RNG.uniform(0.12, 0.2, 50)])
    assert np.abs(head(waves(beyond, multiple))[:, 0] - beyond).mean() < 0.003


def test_of_a_constant_feature_it_says_some_finite_number():
    assert np.isfinite(frequency_head(FRAMES, 1)(np.full((2, FRAMES), 3.0, np.float32))).all()


def test_the_method_answers_in_the_unit_of_the_labels():
    views = Views(FRAMES, WholeClip())
    model = Supervised(small((None, None, 1), outputs=1), views, head="frequency", cycles_per_label=1 / (60 * 25))
    frequencies = np.array([0.04, 0.05])
    found = model.labels_of(tf.constant(waves(frequencies, channels=1)))
    np.testing.assert_allclose(found, frequencies * 25 * 60, rtol=0.03)  # Beats per minute at 25 frames a second.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"outputs": 3}, "The head 'frequency' predicts one number a clip, but labels have 3"),
        ({"cycles_per_label": None}, "The head 'frequency' counts repetitions, which these labels do not tell"),
    ],
)
def test_labels_that_are_no_frequencies_of_one_rate_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Supervised(small((None, None, 1)), Views(FRAMES, WholeClip()), head="frequency", **given)
