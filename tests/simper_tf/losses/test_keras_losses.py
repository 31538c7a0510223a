"""Losses for `compile`: the same numbers as the methods, and what Keras asks of a loss."""

import re

import keras
import numpy as np
import pytest
import tensorflow as tf

import simper_tf

RNG = np.random.default_rng(0)
SPEEDS = np.float32(RNG.uniform(0.5, 2.0, (3, 8)))
FEATURES = np.float32(RNG.normal(size=(3, 8, 40, 2)))


@pytest.mark.parametrize("given", [{}, {"similarity": "npsd", "temperature": 0.5, "label_temperature": 0.3}])
def test_the_loss_is_that_of_the_method(given):
    method = simper_tf.SimPer(simper_tf.encoders.frame_mean((None, None, 3)), **given)
    expected, _ = method.loss_and_logs(FEATURES, {"speeds": SPEEDS})
    np.testing.assert_allclose(simper_tf.SimPerLoss(**given)(SPEEDS, FEATURES), expected, rtol=1e-6)


def test_the_spectral_loss_is_the_sum_of_its_terms():
    terms = simper_tf.spectral_terms(FEATURES, SPEEDS, (0.02, 0.2))
    loss = simper_tf.SpectralLoss((0.02, 0.2))(SPEEDS, FEATURES)
    np.testing.assert_allclose(loss, sum(map(float, terms.values())), rtol=1e-6)


@pytest.mark.parametrize("loss", [simper_tf.SimPerLoss("npsd", 0.5), simper_tf.SpectralLoss((0.02, 0.2))])
def test_a_loss_is_saved_with_its_settings(loss):
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(again) is type(loss)
    assert again(SPEEDS, FEATURES) == loss(SPEEDS, FEATURES)


@pytest.mark.slow
def test_a_plain_model_learns_by_compile_and_fit():
    series = keras.Input((8, 40, 2))
    model = keras.Model(series, keras.layers.Dense(1)(series))
    model.compile(keras.optimizers.Adam(0.05), simper_tf.SimPerLoss())
    losses = model.fit(FEATURES, SPEEDS, epochs=3, verbose=0).history["loss"]
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"similarity": "mx"}, "`similarity` must be one of .*Received: 'mx'"),
        ({"label_similarity": "l3"}, "`label_similarity` must be one of .*Received: 'l3'"),
        ({"temperature": 0}, "`temperature` must be above 0 and finite. Received: 0"),
        ({"label_temperature": -0.1}, "`label_temperature` must be at least 0 and finite. Received: -0.1"),
    ],
)
def test_settings_that_make_no_loss_are_refused_by_name(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        simper_tf.SimPerLoss(**given)


@pytest.mark.parametrize(
    ("speeds", "features"),
    [
        ((2, 6), (2, 4, 40)), ((2, 3), (2, 4, 40)), ((3, 4), (2, 4, 40)), ((1, 4), (2, 4, 40)), ((2, 4), (2, 4)),
        ((4,), (2, 4, 40)), ((2, 4), (2, 4, 40, 2, 1)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("loss", [simper_tf.SimPerLoss(), simper_tf.SpectralLoss((0.02, 0.2))])
def test_speeds_that_do_not_fit_the_views_are_refused(loss, speeds, features):
    with pytest.raises(ValueError, match=re.escape(f"Received: speeds {speeds} with features {features}.")):
        loss(np.ones(speeds, np.float32), np.ones(features, np.float32))


@pytest.mark.parametrize("views", [1, 2, 5])
def test_views_that_are_no_two_sets_are_refused_in_a_graph_too(views):
    speeds, features = np.ones((2, views), np.float32), np.ones((2, views, 40), np.float32)
    for call in (simper_tf.SimPerLoss(), tf.function(simper_tf.SimPerLoss())):
        with pytest.raises(ValueError, match=rf"two sets of as many views.*Received: features \(.*, {views}, 40\)\."):
            call(speeds, features)


def test_clips_may_be_of_a_number_that_a_graph_does_not_know():
    signature = tf.TensorSpec((None, 8)), tf.TensorSpec((None, 8, 40, 2))
    loss = simper_tf.SimPerLoss()
    np.testing.assert_allclose(tf.function(loss, signature)(SPEEDS, FEATURES), loss(SPEEDS, FEATURES), rtol=1e-5)
