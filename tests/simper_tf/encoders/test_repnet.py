import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform

from simper_tf.encoders import mixes_clips, repnet
from simper_tf.encoders.frames import PerFrame

pytestmark = pytest.mark.slow
RNG = np.random.default_rng(67)
clips = functools.partial(uniform, RNG)


@pytest.fixture(scope="module")
def affine():
    return repnet((None, None, 3), norm="affine")


def test_another_norm_takes_the_place_of_every_batch_norm(affine):
    assert not mixes_clips(affine)


def test_groups_of_a_frame_are_normalized_by_themselves():
    encoder, x = repnet((None, None, 3), norm="group"), clips(2, 8, 8, 8, 3)
    np.testing.assert_allclose(encoder(x, training=True)[:1], encoder(x[:1]), atol=1e-4)


def test_a_share_of_the_channels_is_left_and_none_is_refused():
    encoder = repnet((None, None, 3), width=1 / 8)
    assert encoder.output_shape == (None, None, 64)
    assert encoder.get_layer(index=2).layer.output_shape[-1] == 128
    assert encoder(clips(1, 8, 16, 16, 3)).shape == (1, 8, 64)
    with pytest.raises(ValueError, match=r"`width` must be at least 0\.0156.* Received: 0\.001"):
        repnet((None, None, 3), width=0.001)


def test_the_resnet_is_that_of_keras_up_to_its_fourth_stage():
    resnet = repnet((None, None, 3)).get_layer(index=2).layer
    whole = keras.applications.ResNet50V2(include_top=False, weights=None, input_shape=(32, 32, 3))
    expected = keras.Model(whole.input, whole.get_layer("conv4_block3_out").output)
    assert resnet.count_params() == expected.count_params() == 5_209_600
    expected.set_weights(resnet.get_weights())
    x = 2 * clips(2, 32, 32, 3) - 1
    assert resnet(x).shape == (2, 2, 2, 1024)
    np.testing.assert_allclose(resnet(x), expected(x), atol=1e-4)


def test_features_are_maxima_of_a_convolution_over_third_frames(affine):
    x = clips(1, 9, 16, 32, 3)
    frames = affine.get_layer(index=2).layer(2 * x[0] - 1)
    kernel, bias, scale, shift = affine.weights[-4:]
    shift.assign(RNG.normal(0, 0.1, size=shift.shape))
    padded = tf.pad(frames, [[3, 3], [0, 0], [0, 0], [0, 0]])
    taps = [tf.nn.conv2d(padded[3 * k : 3 * k + 9], kernel[k], 1, "SAME") for k in range(3)]
    expected = tf.nn.relu((sum(taps) + bias) * scale + shift)
    assert expected.shape == (9, 1, 2, 512)
    np.testing.assert_allclose(affine(x)[0], tf.reduce_max(expected, axis=(1, 2)), atol=1e-5)


def test_per_frame_applies_a_layer_to_each_frame():
    x, layer = clips(2, 5, 6, 7, 3), keras.layers.Conv2D(4, 3)
    features = PerFrame(layer)(x)
    assert features.shape == (2, 5, 4, 5, 4)
    for frame in range(5):
        np.testing.assert_allclose(features[:, frame], layer(x[:, frame]), atol=1e-5)
