import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders.difference import FrameDifference
from simper_tf.methods import SimPer

RNG = np.random.default_rng(41)


def clips(*shape):
    return RNG.uniform(0.1, 1.0, size=shape).astype(np.float32)


@pytest.mark.parametrize("relative", [True, False])
def test_a_difference_is_that_of_the_formula(relative):
    x = clips(2, 9, 4, 5, 3)
    expected = np.diff(x, axis=1)
    if relative:
        expected /= x[:, 1:] + x[:, :-1] + 1 / 255
    expected /= expected.std(axis=(1, 2, 3, 4), keepdims=True)
    expected = np.concatenate([expected, np.zeros_like(expected[:, :1])], axis=1)
    np.testing.assert_allclose(FrameDifference(relative)(x), expected, atol=1e-4)


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_a_still_clip_has_no_difference_and_a_finite_gradient(relative, value):
    x = tf.fill((1, 8, 4, 4, 3), value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        difference = FrameDifference(relative)(x)
        loss = tf.reduce_sum(tf.square(difference - 1.0))
    np.testing.assert_array_equal(difference, 0.0)
    assert np.all(np.isfinite(tape.gradient(loss, x)))


def test_a_faint_pulse_survives_half_precision_and_a_method():
    pulse = 0.5 + 1e-3 * np.sin(np.arange(16) / 2)
    x = np.tile(pulse[None, :, None, None, None], (1, 1, 2, 2, 1)).astype(np.float32)
    half = FrameDifference(dtype="mixed_bfloat16")
    assert half(x).dtype == tf.float32
    clips = keras.Input((None, 2, 2, 1))
    method = SimPer(keras.Model(clips, half(clips)[:, :, 0, 0, 0]), dtype="mixed_bfloat16")
    for found in (half(x)[..., 0, 0, 0], method.encode(x)):
        assert np.corrcoef(found[0, :-1], np.diff(pulse))[0, 1] > 0.999
