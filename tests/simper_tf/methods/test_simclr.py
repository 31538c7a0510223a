import functools

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf
from small_methods import built

from simper_tf.methods import SimCLR
from simper_tf.views.views import Views

RNG = np.random.default_rng(47)
VIEWS = Views(10, SimCLR.times_for(10, (0.5, 2.0)), SimCLR.appearance)
compiled = functools.partial(built, SimCLR, VIEWS, projection=16)


def test_the_loss_is_nt_xent_of_the_projected_vectors():
    model, features = compiled(temperature=0.3), tf.constant(RNG.normal(size=(5, 2, 10, 2)), tf.float32)
    vectors = tf.reshape(model.head(tf.reshape(features, [10, 20]), training=True), [5, 2, 16])
    expected, found = oracles.nt_xent(*np.moveaxis(vectors, 1, 0), 0.3)
    logs = model.logs_of(features, {})
    assert float(logs["loss"]) == pytest.approx(np.mean(expected), rel=1e-4)
    assert float(logs["accuracy"]) == pytest.approx(np.mean(found))


def test_no_output_has_an_offset():
    model = compiled()
    norms = [layer for layer in model.head.layers if isinstance(layer, keras.layers.BatchNormalization)]
    assert [len(layer.weights) for layer in norms] == [4, 4, 3]
    vectors = model.head(tf.constant(RNG.normal(size=(30, 20)), tf.float32), training=True)
    np.testing.assert_allclose(np.mean(vectors, axis=0), 0, atol=1e-5)
