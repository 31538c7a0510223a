"""Half precision of every encoder, and its refusals."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from every_encoder import FRAME, KINDS, LEARNING, clips, each

from simper_tf.encoders.precision import SHORTEST_HALF, check_length, space_mean
from simper_tf.methods import SimPer

RNG = np.random.default_rng(31)


@pytest.fixture(scope="module")
def in_precision():
    """Returns a function that builds each encoder once in a precision."""
    built = {}

    def of(kind, precision):
        if (kind, precision) not in built:
            before = keras.mixed_precision.dtype_policy()
            keras.mixed_precision.set_dtype_policy(precision)
            try:
                built[kind, precision] = KINDS[kind]()
            finally:
                keras.mixed_precision.set_dtype_policy(before)
        return built[kind, precision]

    return of


@pytest.fixture
def in_bfloat16(in_precision):
    return functools.partial(in_precision, precision="mixed_bfloat16")


def gradient_of(encoder, x):
    """Returns features and the gradient of a fixed sum of them, without dropout, all parameters in one."""
    for layer in encoder._flatten_layers():
        if hasattr(layer, "rate"):
            layer.rate = 0.0
    with tf.GradientTape() as tape:
        features = encoder(x, training=True)
        loss = tf.reduce_mean(features * tf.random.stateless_normal(features.shape, (0, 0)))
    gradients = tape.gradient(loss, encoder.trainable_variables)
    assert {values.dtype for values in [features, *gradients]} == {tf.float32}
    return features, np.concatenate([np.ravel(gradient) for gradient in gradients])


# Norms over a batch and over groups, on top of what is the same in others.
VARIANTS = {"cnn3d_domainbed batch", "efficientphys group", "saliency group", "small1d_by channel"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", each(sorted({*LEARNING} - VARIANTS)))
def test_shortest_mixed_bfloat16_views_have_float32_gradients(in_precision, kind):
    half, full = (in_precision(kind, precision) for precision in ("mixed_bfloat16", "float32"))
    full.set_weights(half.get_weights())
    x = clips(RNG, 2, SHORTEST_HALF)
    features, gradient = gradient_of(half, x)
    _, expected = gradient_of(full, x)
    assert np.all(np.isfinite(features))
    # 50 layers of RepNet, each with the statistics of a batch, leave 0.71; all others have 0.94 and more.
    assert np.dot(gradient, expected) / np.linalg.norm(gradient) / np.linalg.norm(expected) > 0.6


def test_views_too_short_for_half_precision_are_refused():
    check_length("float32", 1)
    check_length("mixed_bfloat16", 9)
    with pytest.raises(
        ValueError, match=r"as short as 8 frames: it needs at least 9.*`precision=float32`, or from longer clips"
    ):
        check_length("mixed_bfloat16", 8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", each(["ts_can", "efficientphys", "physnet"]))
def test_a_faint_pulse_reaches_a_mixed_bfloat16_encoder(in_bfloat16, kind):
    encoder, beat = in_bfloat16(kind), np.sin(2 * np.pi * np.arange(40) / 10)
    x = np.float32(0.7 * (1 + 0.001 * beat))[None, :, None, None, None] * np.ones(FRAME, np.float32)
    found = SimPer(encoder, dtype="mixed_bfloat16").encode(x).numpy()
    assert np.ptp(found, axis=1).max() > 1e-3
    np.testing.assert_allclose(found, encoder(x), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", each(sorted({*LEARNING} - {"linear"})))  # It adds nothing to its sums.
def test_a_hundredth_on_a_level_of_1_survives_mixed_bfloat16(in_precision, in_bfloat16, kind):
    encoder, swing = in_bfloat16(kind), 1 + 0.01 * np.sin(2 * np.pi * np.arange(24) / 8)
    x = np.float32(RNG.uniform(0.3, 0.9, size=FRAME) * swing[:, None, None, None])[None]
    level = encoder.trainable_variables[-1]  # What is added to the features, before a ReLU that then changes nothing.
    method, series, before = SimPer(encoder, dtype="mixed_bfloat16"), [], level.numpy()
    for height in (4.0, 8.0):
        level.assign(tf.fill(level.shape, height))
        series.append(method.encode(x).numpy() - height)
    assert np.ptp(series[0], axis=1).max() > 1e-4
    np.testing.assert_allclose(series[0], series[1], atol=1e-5)  # bfloat16 has steps of 0.03 above 4 and 0.06 above 8.
    level.assign(before)
    assert encoder.count_params() == in_precision(kind, "float32").count_params()


@pytest.mark.parametrize("kind", each(KINDS))
def test_whatever_has_no_more_space_is_float32_in_mixed_bfloat16(in_bfloat16, kind):
    behind_space = [layer.output for layer in in_bfloat16(kind).operations if layer.output.ndim < 4]
    assert behind_space
    assert {tensor.dtype for tensor in behind_space} == {"float32"}


def test_the_mean_over_space_of_half_precision_is_exact():
    # Of 256 pixels at 1, `count` are one step of bfloat16 higher: a swing of 0.0078, in steps of 0.00003.
    count = np.round(128 + 127 * np.sin(np.arange(20)))
    pixels = 1 + 2.0**-7 * (np.arange(256) < count[:, None])
    x = tf.cast(np.reshape(pixels, (1, 20, 16, 16, 1)), tf.bfloat16)
    np.testing.assert_allclose(space_mean(x)[0, :, 0], 1 + count / 2**15, rtol=1e-6)
    assert space_mean(x, keepdims=True).shape == (1, 20, 1, 1, 1)
