import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import BYOL
from simper_tf.methods.byol import direction_distance, perceptron, rising_momentum
from simper_tf.views.views import Views

RNG = np.random.default_rng(59)
VIEWS = Views(10, BYOL.times_for(10, (0.5, 2.0)), BYOL.appearance)
SMALL = {"hidden": 16, "projection": 8}
compiled = functools.partial(built, BYOL, VIEWS, optimizer=keras.optimizers.SGD, learning_rate=0.1, **SMALL)


def clips(number=3):
    return tf.constant(RNG.integers(0, 256, size=(number, 14, 8, 8, 1)), tf.uint8)


def test_the_loss_is_the_distance_to_the_other_views_target():
    model = compiled()
    features, targets = [tf.constant(RNG.normal(size=shape), tf.float32) for shape in ((5, 2, 10, 2), (5, 2, 8))]
    predictions = model.predictor(model.head(tf.reshape(features, [10, 20]), training=True), training=True)
    predictions, expected = np.reshape(predictions, (5, 2, 8)), 0
    for b, v in np.ndindex(5, 2):
        prediction, target = predictions[b, v], targets[b, 1 - v].numpy()
        expected += 2 - 2 * prediction @ target / np.linalg.norm(prediction) / np.linalg.norm(target)
    loss = float(model.logs_of(features, {"targets": targets})["loss"])
    assert loss == pytest.approx(expected / 5, rel=1e-4)
    assert 0 <= loss <= 8


@pytest.mark.slow
def test_no_gradient_reaches_the_target_and_all_others_have_one():
    model = compiled()
    gradients, _ = model.compute_gradients(model.draw(clips()))
    learning = [*model.encoder.weights, *model.head.trainable_variables, *model.predictor.trainable_variables]
    assert {id(v) for v in model.trainable_variables} == {id(v) for v in learning}
    assert all(gradient is not None for gradient in gradients)
    assert not model.target_encoder.trainable_variables
    assert not model.target_head.trainable_variables


def test_momentum_rises_from_its_start_to_one_and_stays():
    found = [float(rising_momentum(tf.constant(k), 10, 0.9)) for k in (0, 5, 10, 20)]
    np.testing.assert_allclose(found, [0.9, 0.95, 1, 1], rtol=1e-6)
    steps = np.arange(11)
    expected = 1 - 0.04 * (1 + np.cos(np.pi * steps / 10)) / 2
    np.testing.assert_allclose([rising_momentum(tf.constant(k), 10, 0.96) for k in steps], expected, rtol=1e-6)


@pytest.mark.slow
def test_the_target_follows_with_the_momentum_of_the_step_before():
    model = compiled(momentum=0.6, num_steps=4)
    for k in range(4):
        online, target = [e.get_weights() for e in (model.encoder, model.target_encoder)]
        model.train_step(clips())
        momentum = 1 - 0.4 * (1 + np.cos(np.pi * (k - 1) / 4)) / 2
        for before, weights, after in zip(target, online, model.target_encoder.get_weights(), strict=True):
            np.testing.assert_allclose(after, momentum * before + (1 - momentum) * weights, rtol=1e-5, atol=1e-6)
    assert max(np.abs(a - b).max() for a, b in zip(online, target, strict=True)) > 1e-4


@pytest.mark.slow
def test_momentum_stays_constant_without_a_number_of_steps():
    model = compiled(momentum=0.8)
    for _ in range(2):
        assert float(model.train_step(clips())["momentum"]) == pytest.approx(0.8)


def test_collapsed_predictions_have_no_variety():
    # Of other constants some processors round the rows of a product differently, which batch norm magnifies.
    logs = compiled().logs_of(tf.zeros([4, 2, 10, 2]), {"targets": tf.ones([4, 2, 8])})
    assert float(logs["variety"]) == pytest.approx(0, abs=1e-5)


def test_no_steps_are_refused():
    with pytest.raises(ValueError, match=r"`num_steps` must be at least 1 and finite. Received: 0"):
        compiled(num_steps=0)


def test_the_last_layer_of_a_perceptron_has_no_bias():
    assert [v.name for v in perceptron(4, 8, 3).layers[-1].weights] == ["kernel"]


def test_projector_and_predictor_are_those_of_the_source():
    clips = keras.Input((None, 2, 2, 1))
    encoder = keras.Model(clips, keras.ops.mean(clips, axis=(2, 3, 4)))
    model = BYOL(encoder, Views(512, BYOL.times_for(10, (0.5, 2.0))))
    counts = [sum(np.prod(v.shape) for v in head.trainable_variables) for head in (model.head, model.predictor)]
    assert counts == [3_158_016, 2_109_440]


def test_direction_distance_of_zeros_has_a_finite_gradient():
    zeros = tf.zeros([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(zeros)
        found = direction_distance(zeros, tf.ones([2, 3]))
    assert np.all(np.isfinite(tape.gradient(found, zeros)))
