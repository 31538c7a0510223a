"""Layers of single frames compute what those over time do whose kernel spans one."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from simper_tf.encoders.small import FrameConv2D, convolution

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("strides", "padding"), [((1, 2, 2), "same"), ((1, 1, 1), "valid"), ((1, 3, 2), "valid")])
def test_a_kernel_of_one_frame_computes_as_in_three_dimensions(strides, padding):
    clips = RNG.normal(size=(2, 5, 9, 8, 3)).astype(np.float32)
    layer = convolution(4, (1, 3, 3), strides, padding=padding, activation="relu")
    found = layer(clips)
    kernel, bias = layer.weights
    expected = tf.nn.conv3d(clips, kernel[None], [1, *strides, 1], padding.upper()) + bias
    np.testing.assert_allclose(found, tf.nn.relu(expected), atol=1e-5)
    assert layer.compute_output_shape((2, 5, 9, 8, 3)) == found.shape


@pytest.mark.parametrize(("kernel", "strides"), [((3, 3, 3), (1, 1, 1)), ((1, 3, 3), (2, 1, 1))])
def test_a_kernel_or_stride_over_frames_takes_three_dimensions(kernel, strides):
    assert type(convolution(4, kernel, strides)) is layers.Conv3D


def test_a_loaded_model_has_the_paths_and_values_of_the_saved(tmp_path):
    clips = keras.Input((None, None, None, 2))
    model = keras.Model(clips, convolution(3, (1, 3, 3))(clips))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert type(loaded.layers[-1]) is FrameConv2D
    assert [weight.path for weight in loaded.weights] == [weight.path for weight in model.weights]
    x = RNG.normal(size=(1, 4, 7, 6, 2)).astype(np.float32)
    np.testing.assert_array_equal(loaded(x), model(x))
