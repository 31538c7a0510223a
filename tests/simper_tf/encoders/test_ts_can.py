import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform

from simper_tf.encoders.ts_can import TemporalShift, attention_mask, ts_can

RNG = np.random.default_rng(43)
clips = functools.partial(uniform, RNG)


def test_an_impulse_moves_back_in_the_first_third_on_in_the_next():
    impulse = np.zeros((1, 5, 1, 1, 7), np.float32)
    impulse[0, 2] = 1.0
    shifted = TemporalShift()(impulse).numpy()[0, :, 0, 0]
    assert [int(np.argmax(channel)) for channel in shifted.T] == [1, 1, 3, 3, 2, 2, 2]
    np.testing.assert_array_equal(shifted.sum(axis=0), 1.0)


def test_what_is_shifted_off_the_ends_is_lost_and_zeros_come_in():
    x = clips(2, 8, 3, 3, 3)
    shifted = TemporalShift()(x).numpy()
    np.testing.assert_array_equal(shifted[:, :-1, ..., 0], x[:, 1:, ..., 0])
    np.testing.assert_array_equal(shifted[:, 1:, ..., 1], x[:, :-1, ..., 1])
    np.testing.assert_array_equal(shifted[..., 2], x[..., 2])
    np.testing.assert_array_equal(shifted[:, -1, ..., 0], 0.0)
    np.testing.assert_array_equal(shifted[:, 0, ..., 1], 0.0)


@pytest.mark.parametrize("channels", [1, 2])
def test_fewer_than_three_channels_are_not_shifted(channels):
    x = clips(1, 8, 2, 2, channels)
    np.testing.assert_array_equal(TemporalShift()(x), x)


@pytest.mark.slow
def test_features_are_those_of_a_plain_chain_of_operations():
    encoder, x = ts_can((11, 12, 3), difference=False), clips(1, 8, 11, 12, 3)
    values, expected = iter(encoder.weights), x[0]
    for padding in ("SAME", "VALID", "SAME", "VALID"):
        third = expected.shape[-1] // 3
        zero = tf.zeros_like(expected[:1])
        later = tf.concat([expected[1:], zero], 0)[..., :third]
        earlier = tf.concat([zero, expected[:-1]], 0)[..., third : 2 * third]
        expected = tf.concat([later, earlier, expected[..., 2 * third :]], -1)
        kernel, bias = next(values), next(values)
        expected = tf.tanh(tf.nn.conv2d(expected, kernel, 1, padding) + bias)
        if padding == "VALID":
            expected = tf.nn.avg_pool2d(expected, 2, 2, "VALID")
    hidden, hidden_bias, last, last_bias = values
    expected = tf.tanh(tf.reshape(expected, [8, -1]) @ hidden + hidden_bias) @ last + last_bias
    np.testing.assert_allclose(encoder(x)[0], expected[:, 0], atol=1e-5)


def test_the_mask_of_attention_has_the_mean_of_a_half():
    masks = attention_mask(3 * clips(2, 1, 6, 5, 8)).numpy()
    assert masks.shape == (2, 1, 6, 5, 1)
    np.testing.assert_allclose(masks.mean(axis=(2, 3, 4)), 0.5, rtol=1e-5)


@pytest.mark.slow
def test_attention_alone_makes_the_color_of_a_still_part_matter():
    x = clips(1, 8, 10, 10, 3).numpy()
    other = x.copy()
    x[:, :, :5], other[:, :, :5] = 0.2, 0.8
    for attention in (False, True):
        encoder = ts_can((10, 10, 3), attention=attention)
        differs = np.abs(encoder(x) - encoder(other)).max() > 1e-4
        assert differs == attention


def test_dropout_acts_in_training_only():
    encoder, x = ts_can((10, 10, 3)), clips(1, 8, 10, 10, 3)
    np.testing.assert_array_equal(encoder(x), encoder(x))
    assert np.abs(encoder(x, training=True) - encoder(x, training=True)).max() > 1e-4
    assert [layer.rate for layer in encoder.layers if isinstance(layer, keras.layers.Dropout)] == [0.25, 0.25, 0.5]
