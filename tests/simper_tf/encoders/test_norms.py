import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform

from simper_tf.encoders.norms import Affine, mixes_clips, normalization

RNG = np.random.default_rng(37)
clips = functools.partial(uniform, RNG)


def test_affine_is_batch_norm_with_its_first_statistics():
    x = clips(2, 4, 3, 3, 6)
    affine, batch = Affine(), keras.layers.BatchNormalization(epsilon=0.0)
    affine.build(x.shape)
    batch.build(x.shape)
    for mine, other in ((affine.scale, batch.gamma), (affine.shift, batch.beta)):
        other.assign(RNG.normal(size=6))
        mine.assign(other)
    np.testing.assert_allclose(affine(x), batch(x, training=False), atol=1e-6)


def test_batch_norm_is_that_of_keras_but_exact_for_large_values():
    x = tf.constant(RNG.normal(1000, 1, size=(64, 6)), tf.float32)
    exact = (x - np.mean(x, axis=0)) / np.sqrt(np.var(np.float64(x), axis=0) + 1e-3)
    mine, keras_own = normalization("batch"), keras.layers.BatchNormalization(synchronized=True)
    np.testing.assert_allclose(mine(x, training=True), exact, atol=1e-3)
    assert np.abs(keras_own(x, training=True) - exact).max() > 0.01
    plain, other = keras.layers.BatchNormalization(), normalization("batch")
    small = clips(5, 4, 3, 3, 6)
    np.testing.assert_allclose(other(small, training=True), plain(small, training=True), atol=1e-5)
    np.testing.assert_allclose(other.moving_variance, plain.moving_variance, rtol=1e-5)


@pytest.mark.parametrize("shape", [(3, 4, 5, 2, 6), (7, 4, 5, 6)])
def test_batch_norm_of_clips_is_plain_keras_with_its_gradients(shape):
    x, pull, found = clips(*shape), clips(*shape), []
    for layer in (normalization("batch"), keras.layers.BatchNormalization()):
        layer.build(shape)
        layer.gamma.assign(np.linspace(0.5, 2, 6))
        for _ in range(2):
            with tf.GradientTape() as tape:
                tape.watch(x)
                normal = layer(x, training=True)
                value = tf.reduce_sum(normal * pull)
        gradients = tape.gradient(value, [x, layer.gamma.value, layer.beta.value])
        found.append([normal, layer.moving_mean, layer.moving_variance, *gradients])
    for mine, other, precision in zip(*found, (1e-5, 1e-5, 1e-5, 1e-4, 1e-4, 1e-4), strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=precision * np.abs(other).max())


def test_batch_norm_is_exact_for_large_values_and_one_clip():
    x = tf.constant(RNG.normal(1000, 1, size=(3, 4, 3, 3, 6)), tf.float32)
    axes = (0, 1, 2, 3)
    exact = (x - np.mean(np.float64(x), axis=axes)) / np.sqrt(np.var(np.float64(x), axis=axes) + 1e-3)
    np.testing.assert_allclose(normalization("batch")(x, training=True), exact, atol=1e-3)
    alone = normalization("batch")
    np.testing.assert_array_equal(alone(x[:1, :1, :1, :1], training=True), np.zeros((1, 1, 1, 1, 6)))
    np.testing.assert_allclose(alone.moving_variance, 0.99)


def test_batch_norm_counts_more_values_than_32_bits_can_number(monkeypatch):
    layer, counted = normalization("batch"), []
    monkeypatch.setattr(layer, "_move", lambda mean, variance, count: counted.append(count))
    # A graph of 1,280 views of 75 frames, of which nothing but the count is run.
    tf.function(layer).get_concrete_function(tf.TensorSpec((1280, 75, 28, 28, 64)), training=True)
    with tf.compat.v1.Session(graph=counted[-1].graph) as session:
        assert session.run(counted[-1]) == pytest.approx(1280 * 75 * 28 * 28)


@pytest.mark.parametrize("frozen", [True, False])
def test_frozen_batch_norm_uses_its_averages_and_keeps_them(frozen):
    layer, x = normalization("batch", epsilon=0.0), clips(2, 4, 3, 3, 6)
    layer.trainable = not frozen
    layer.build(x.shape)
    layer.moving_mean.assign(np.full(6, 0.5))
    np.testing.assert_allclose(layer(x, training=frozen), x - 0.5, atol=1e-6)
    np.testing.assert_array_equal(layer.moving_mean, np.full(6, 0.5, np.float32))


def test_group_norm_standardizes_each_clip_and_group_of_channels():
    x = 5 + 3 * clips(2, 4, 3, 3, 16)
    normal = normalization("group")(x).numpy().reshape(2, -1, 8, 2)
    np.testing.assert_allclose(normal.mean(axis=(1, 3)), 0, atol=1e-4)
    np.testing.assert_allclose(normal.std(axis=(1, 3)), 1, atol=1e-3)


def test_an_unknown_norm_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"`norm` must be one of \('batch', 'group', 'affine'\)\. Received: 'layer'"):
        normalization("layer")


@pytest.mark.parametrize(("norm", "mixes"), [("batch", True), ("group", False), ("affine", False)])
def test_a_norm_is_found_however_deep_it_lies(norm, mixes):
    inner = keras.Sequential([keras.Input((None, None, 2)), keras.layers.Dense(8), normalization(norm)])
    frames = keras.Input((None, 4, 4, 2))
    outer = keras.Model(frames, keras.layers.TimeDistributed(inner)(frames))
    assert mixes_clips(outer) == mixes_clips(normalization(norm)) == mixes


def test_a_frozen_batch_norm_does_not_mix_clips():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), normalization("batch")])
    assert mixes_clips(model)
    model.trainable = False
    assert not mixes_clips(model)
