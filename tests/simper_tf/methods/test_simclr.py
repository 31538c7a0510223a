import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.methods import SimCLR

RNG = np.random.default_rng(47)


def compiled(**arguments):
    keras.utils.set_random_seed(3)
    return SimCLR(
        small((None, None, 1), widths=(8,), outputs=2), SimCLR.views_for(10, 10, (0.5, 2.0)), outputs=16, **arguments
    )


def test_the_loss_is_nt_xent_of_the_projected_vectors():
    model, features = compiled(temperature=0.3), tf.constant(RNG.normal(size=(5, 2, 10, 2)), tf.float32)
    vectors = tf.reshape(model.head(tf.reshape(features, [10, 20]), training=True), [5, 2, 16])
    expected, found = oracles.nt_xent(*np.moveaxis(vectors, 1, 0), 0.3)
    logs = model.compute_logs(features, tf.ones([5, 2]))
    assert float(logs["loss"]) == pytest.approx(np.mean(expected), rel=1e-4)
    assert float(logs["accuracy"]) == pytest.approx(np.mean(found))


def test_views_that_agree_are_found_and_swapping_them_changes_nothing():
    model, features = compiled(), tf.constant(RNG.normal(size=(5, 2, 10, 2)), tf.float32)
    same = model.compute_logs(tf.repeat(features[:, :1], 2, axis=1), tf.ones([5, 2]))
    assert float(same["accuracy"]) == 1
    straight, swapped = [model.compute_logs(x, tf.ones([5, 2]))["loss"] for x in (features, features[:, ::-1])]
    assert float(straight) == pytest.approx(float(swapped), rel=1e-5)
    assert float(same["loss"]) < float(straight)


def test_collapsed_features_lose_the_logarithm_of_the_candidates():
    logs = compiled().compute_logs(tf.fill([4, 2, 10, 2], 0.7), tf.ones([4, 2]))
    assert float(logs["loss"]) == pytest.approx(np.log(7), rel=1e-3)
    assert float(logs["feature_deviation"]) == pytest.approx(0, abs=1e-6)


def test_no_output_has_an_offset():
    model = compiled()
    norms = [layer for layer in model.head.layers if isinstance(layer, keras.layers.BatchNormalization)]
    assert [len(layer.weights) for layer in norms] == [4, 4, 3]
    vectors = model.head(tf.constant(RNG.normal(size=(30, 20)), tf.float32), training=True)
    np.testing.assert_allclose(np.mean(vectors, axis=0), 0, atol=1e-5)


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_a_temperature_that_is_not_positive_is_refused(temperature):
    with pytest.raises(ValueError, match=f"`temperature` must be positive. Received: {temperature}"):
        compiled(temperature=temperature)
