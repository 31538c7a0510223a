import functools

import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform

from simper_tf.encoders import cnn3d, cnn3d_domainbed, resnet3d18

RNG = np.random.default_rng(59)
clips = functools.partial(uniform, RNG)


def randomize(encoder):
    """Gives norms weights that differ from their first ones."""
    for weight in encoder.weights:
        weight.assign(RNG.normal(0, 0.1, size=weight.shape))


@pytest.mark.slow
def test_cnn3d_is_convolution_norm_relu_pooling_twice_and_a_mean():
    encoder, x = cnn3d((None, None, 2), norm="affine"), clips(2, 9, 10, 12, 2)
    randomize(encoder)
    values = iter(encoder.weights)
    expected = x
    for pooled in (True, True, False):
        kernel, bias, scale, shift = (next(values) for _ in range(4))
        kernel = kernel if pooled else kernel[None]  # The last is one of single frames.
        expected = tf.nn.conv3d(expected, kernel, [1] * 5, "SAME") + bias
        expected = tf.nn.relu(expected * scale + shift)
        if pooled:
            expected = tf.nn.max_pool3d(expected, [1, 1, 2, 2, 1], [1, 1, 2, 2, 1], "VALID")
    assert expected.shape == (2, 9, 10 // 4, 12 // 4, 1)
    np.testing.assert_allclose(encoder(x), tf.reduce_mean(expected, axis=(2, 3, 4)), atol=1e-5)


def test_cnn3d_domainbed_is_convolution_relu_norm_four_times():
    encoder, x = cnn3d_domainbed((None, None, 2), norm="affine"), clips(2, 9, 10, 12, 2)
    randomize(encoder)
    values = iter(encoder.weights)
    expected = x
    for stride in (1, 2, 1, 1):
        kernel, bias, scale, shift = (next(values) for _ in range(4))
        expected = tf.pad(expected, [[0, 0], [2, 2], [1, 1], [1, 1], [0, 0]])
        expected = tf.nn.relu(tf.nn.conv3d(expected, kernel, [1, 1, stride, stride, 1], "VALID") + bias)
        expected = expected * scale + shift
    assert expected.shape == (2, 9, 5, 6, 128)
    kernel, bias = values
    expected = (tf.reduce_mean(expected, axis=(2, 3)) @ kernel + bias)[..., 0]
    np.testing.assert_allclose(encoder(x), expected, atol=1e-5)


def test_features_of_cnn3d_are_not_negative():
    assert cnn3d((None, None, 1), norm="affine")(clips(2, 12, 8, 8, 1)).numpy().min() >= 0


@pytest.mark.slow
@pytest.mark.parametrize("make", [cnn3d_domainbed, resnet3d18])
def test_gradients_of_padding_are_optimized_in_silence(make, capfd):
    encoder, x = make((8, 8, 1), norm="affine"), clips(1, 8, 8, 8, 1)

    @tf.function(input_signature=[tf.TensorSpec([None, None, 8, 8, 1])])
    def gradients(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(encoder(x, training=True) ** 2)
        return tape.gradient(loss, encoder.trainable_variables)

    assert np.isfinite(gradients(x)[0]).all()
    assert "remapper failed" not in capfd.readouterr().err
