"""Masks of dropout on one replica and on several; a step on two devices is compared in `methods/two_devices.py`."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import unfit

from simper_tf.encoders import dropout, physnet_sinc, ts_can
from simper_tf.methods.repnet_head import repnet_head

SHAPE = (6, 5, 4, 4, 8)
BOTH = pytest.mark.parametrize("kind", [dropout.Dropout, dropout.SpatialDropout3D])


def on_replica(monkeypatch, number, index):
    monkeypatch.setattr(dropout, "replicas", lambda: (number, tf.constant(index)))


def dropped(layer, batch_size, dtype=tf.float32):
    """Returns what two steps of training leave of ones, one after another."""
    ones = tf.ones((batch_size, *SHAPE[1:]), dtype)
    return np.stack([tf.cast(layer(ones, training=True), tf.float32) for _ in range(2)])


@BOTH
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
def test_replicas_drop_what_one_device_drops_of_the_whole_batch(kind, dtype, monkeypatch):
    whole, parts = dropped(kind(0.25, seed=3, dtype=dtype), 6, dtype), []
    for index in range(3):
        on_replica(monkeypatch, 3, index)
        parts.append(dropped(kind(0.25, seed=3, dtype=dtype), 2, dtype))
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
    assert not np.array_equal(parts[0], parts[1])
    assert not np.array_equal(whole[0], whole[1])


def test_a_mask_within_a_draw_of_four_differs_on_every_replica(monkeypatch):
    masks = []
    for index in range(2):
        on_replica(monkeypatch, 2, index)
        masks.append(dropout.Dropout(0.5, seed=3)(tf.ones((1, 63)), training=True).numpy())
    assert 10 < np.sum(masks[0] != masks[1]) < 53


@BOTH
def test_alone_it_is_that_of_keras(kind):
    keras_own = getattr(keras.layers, kind.__name__)
    np.testing.assert_array_equal(dropped(kind(0.25, seed=3), 6), dropped(keras_own(0.25, seed=3), 6))


@BOTH
def test_dropout_survives_its_config_and_is_idle_in_inference(kind, monkeypatch):
    layer = kind.from_config(kind(0.25, seed=3).get_config())
    assert (type(layer), layer.rate, layer.seed) == (kind, 0.25, 3)
    on_replica(monkeypatch, 2, 1)
    ones = tf.ones(SHAPE)
    np.testing.assert_array_equal(layer(ones, training=False), ones)
    np.testing.assert_array_equal(kind(0.0)(ones, training=True), ones)


@BOTH
def test_masks_of_several_replicas_are_made_by_ops_of_gpus(kind, monkeypatch):
    on_replica(monkeypatch, 2, 1)
    layer = kind(0.25)
    step = tf.function(lambda x: layer(x, training=True), autograph=False)
    assert not unfit(step.get_concrete_function(tf.TensorSpec((None, *SHAPE[1:]))))


@pytest.mark.slow
def test_no_model_of_the_package_has_a_dropout_of_keras():
    for model in (ts_can((12, 12, 3), attention=True), physnet_sinc((12, 12, 3)), repnet_head(64, 2)):
        found = [layer for layer in model.layers if isinstance(layer, keras.layers.Dropout)]
        assert found
        assert {type(layer) for layer in found} <= {dropout.Dropout, dropout.SpatialDropout3D}
