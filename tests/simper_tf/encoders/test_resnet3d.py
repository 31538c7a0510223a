import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform

from simper_tf.encoders.resnet3d import basic_block, convolution_norm, resnet3d18

RNG = np.random.default_rng(47)
clips = functools.partial(uniform, RNG)


@pytest.fixture(scope="module")
def affine():
    return resnet3d18((None, None, 1), norm="affine")


@pytest.mark.slow
def test_batch_norm_has_the_settings_of_pytorch():
    encoder = resnet3d18((None, None, 3))
    norms = [layer for layer in encoder.layers if isinstance(layer, keras.layers.BatchNormalization)]
    assert len(norms) == 20
    assert {(norm.momentum, norm.epsilon) for norm in norms} == {(0.9, 1e-5)}


@pytest.mark.slow
@pytest.mark.parametrize(("outputs", "dimensions"), [(1, ()), (4, (4,)), (0, (512,))])
def test_outputs_choose_the_head(outputs, dimensions):
    assert resnet3d18((None, None, 1), norm="affine", outputs=outputs).output_shape == (None, None, *dimensions)


@pytest.mark.slow
def test_space_is_halved_four_times_and_time_never(affine):
    activations = [layer.output for layer in affine.layers if isinstance(layer, keras.layers.ReLU)]
    assert [x.shape[-1] for x in activations] == [64] * 5 + [128] * 4 + [256] * 4 + [512] * 4
    assert keras.Model(affine.input, activations[-1])(clips(1, 9, 33, 20, 1)).shape == (1, 9, 3, 2, 512)


@pytest.mark.parametrize(("kernel", "stride"), [((3, 7, 7), 2), ((3, 3, 3), 2), ((3, 3, 3), 1), ((1, 1, 1), 2)])
def test_convolutions_are_padded_alike_on_both_sides(kernel, stride):
    x, inputs = clips(1, 5, 8, 9, 2), keras.Input((None, None, None, 2))
    layer = keras.Model(inputs, convolution_norm(inputs, 3, kernel, stride, "affine"))
    rim = [[0, 0], *([size // 2] * 2 for size in kernel), [0, 0]]
    weights = tf.reshape(layer.weights[0], (*kernel, 2, 3))
    expected = tf.nn.conv3d(tf.pad(x, rim), weights, [1, 1, stride, stride, 1], "VALID")
    np.testing.assert_allclose(layer(x), expected, atol=1e-5)


@pytest.mark.parametrize(("filters", "stride", "weights"), [(4, 1, 6), (4, 2, 9), (6, 1, 9)])
def test_a_block_projects_its_input_only_where_shapes_differ(filters, stride, weights):
    inputs = keras.Input((None, None, None, 4))
    assert len(keras.Model(inputs, basic_block(inputs, filters, (1, 3, 3), stride, "affine")).weights) == weights


def test_a_block_is_convolutions_and_norms_added_to_its_input():
    x, inputs = clips(1, 5, 6, 6, 4), keras.Input((None, None, None, 4))
    block = keras.Model(inputs, basic_block(inputs, 4, (3, 3, 3), 1, "affine"))
    for weight in block.weights:
        weight.assign(RNG.normal(0, 0.3, size=weight.shape))
    kernel, scale, shift, second, second_scale, second_shift = block.weights
    expected = tf.nn.relu(tf.nn.conv3d(x, kernel, [1] * 5, "SAME") * scale + shift)
    expected = tf.nn.conv3d(expected, second, [1] * 5, "SAME") * second_scale + second_shift
    np.testing.assert_allclose(block(x), tf.nn.relu(x + expected), atol=1e-5)
