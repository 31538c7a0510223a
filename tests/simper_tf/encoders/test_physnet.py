import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform

from simper_tf.encoders import physnet, physnet_sinc
from simper_tf.encoders.physnet import QuarterMeans, standardize

RNG = np.random.default_rng(53)
clips = functools.partial(uniform, RNG)


@pytest.fixture(scope="module")
def encoders():
    """Returns both forms, with weights far from their symmetric start."""
    made = {make.__name__: make((None, None, 3), norm="affine") for make in (physnet, physnet_sinc)}
    for encoder in made.values():
        for weight in encoder.weights:
            if len(weight.shape) == 1:
                weight.assign(weight + 0.1 * RNG.normal(size=weight.shape))
    return made


def halve(x, axis):
    """Returns means of two neighbors, of an odd last one alone."""
    pairs = np.split(x, np.arange(2, x.shape[axis], 2), axis)
    return np.concatenate([pair.mean(axis=axis, keepdims=True) for pair in pairs], axis)


def block(x, values, activation, padding="SAME"):
    """Applies convolution, scale, shift and activation, taking their weights in turn."""
    kernel, bias, scale, shift = [next(values) for _ in range(4)]
    kernel = kernel if len(kernel.shape) == 5 else kernel[None]  # One of single frames.
    return activation((tf.nn.conv3d(x, kernel, [1] * 5, padding) + bias) * scale + shift).numpy()


@pytest.mark.slow
@pytest.mark.parametrize("num_frames", [8, 9, 10, 11])
def test_physnet_is_a_plain_chain_of_operations_at_any_length(encoders, num_frames):
    encoder, x = encoders["physnet"], clips(1, num_frames, 11, 6, 3).numpy()
    values = iter(encoder.weights)
    x = (x - x.mean(axis=(1, 2, 3))) / x.std(axis=(1, 2, 3))
    expected = block(x, values, tf.nn.elu)
    for halved in ((2, 3), (1, 2, 3), (1, 2, 3), (2, 3)):
        for axis in halved:
            expected = halve(expected, axis)
        expected = block(block(expected, values, tf.nn.elu), values, tf.nn.elu)
    for _ in range(2):
        expected = block(np.repeat(expected, 2, axis=1), values, tf.nn.elu)
    weights, bias = values
    assert expected.shape[2:4] == (1, 1)  # All four quarters are the same pixel.
    expected = expected[:, :num_frames, 0, 0] @ weights.numpy() + bias
    found = encoder(0.5 + 0.1 * x)  # Another shift and scale of the same.
    np.testing.assert_allclose(found, np.repeat(expected, 5, axis=2), atol=1e-4)


@pytest.mark.slow
def test_physnet_sinc_is_a_plain_chain_of_operations(encoders):
    encoder, x = encoders["physnet_sinc"], clips(1, 8, 9, 5, 3)
    values, expected = iter(encoder.weights), x.numpy()
    for count in range(9):
        rim = [2 if count else 0, *([1, 1] if count else [2, 2])]
        padded = np.pad(expected, [(0, 0), *((side, side) for side in rim), (0, 0)], mode="edge")
        expected = block(padded, values, tf.nn.relu, "VALID")
        if count in (0, 2, 4, 6):
            expected = tf.nn.max_pool3d(expected, [1, 1, 2, 2, 1], [1, 1, 2, 2, 1], "SAME").numpy()
    weights, bias = values
    expected = expected.mean(axis=(2, 3)) @ weights.numpy() + bias
    np.testing.assert_allclose(encoder(x), expected[:, :, 0], atol=1e-4)


def test_quarters_are_averaged_and_share_a_middle_row_or_column():
    x = clips(2, 3, 5, 4, 2).numpy()
    halves = (slice(0, 3), slice(2, 5)), (slice(0, 2), slice(2, 4))
    expected = [x[:, :, rows, columns].mean(axis=(2, 3)) for rows in halves[0] for columns in halves[1]]
    np.testing.assert_allclose(QuarterMeans()(x), np.stack(expected, axis=2), atol=1e-6)
    pixel = clips(1, 3, 1, 1, 2)
    np.testing.assert_allclose(QuarterMeans()(pixel), np.repeat(pixel[:, :, 0], 4, axis=2), atol=1e-6)


@pytest.mark.slow
def test_four_series_are_of_quarters_and_the_fifth_is_their_mean(encoders):
    quarters = next(layer for layer in encoders["physnet"].layers if isinstance(layer, QuarterMeans))
    head, x = keras.Model(quarters.input, encoders["physnet"].output), clips(1, 3, 8, 8, 64).numpy()
    series = head(x).numpy()
    np.testing.assert_allclose(series[..., 4], series[..., :4].mean(axis=-1), atol=1e-5)
    x[:, :, 4:, :4] += 1  # Below, at the left.
    change = head(x).numpy() - series
    np.testing.assert_array_equal(change[..., [0, 1, 3]], 0)
    np.testing.assert_allclose(change[..., 2], tf.reduce_sum(encoders["physnet"].weights[-2]), atol=1e-4)


def test_clips_are_standardized_alone_and_constant_ones_are_zero():
    x = tf.concat([clips(1, 8, 4, 4, 3), 0.3 * clips(1, 8, 4, 4, 3) + 0.5, tf.fill((1, 8, 4, 4, 3), 0.7)], 0)
    found = standardize(x).numpy()
    np.testing.assert_allclose(found[:2].mean(axis=(1, 2, 3)), 0, atol=1e-5)
    np.testing.assert_allclose(found[:2].std(axis=(1, 2, 3)), 1, atol=1e-4)
    np.testing.assert_allclose(found[2], 0, atol=1e-3)


def test_a_still_clip_has_constant_features_up_to_its_ends(encoders):
    still = tf.repeat(clips(1, 1, 16, 16, 3), 20, axis=1)
    assert np.ptp(encoders["physnet_sinc"](still)) < 1e-4
    assert np.ptp(encoders["physnet"](still)) > 1e-3  # Padded with zeros, as published.


@pytest.mark.slow
def test_whole_channels_are_dropped_in_training_only():
    encoder, x = physnet_sinc((8, 8, 3)), clips(1, 8, 8, 8, 3)
    dropouts = [layer for layer in encoder.layers if isinstance(layer, keras.layers.SpatialDropout3D)]
    assert [layer.rate for layer in dropouts] == [0.5] * 4
    np.testing.assert_array_equal(encoder(x), encoder(x))
    assert np.abs(encoder(x, training=True) - encoder(x, training=True)).max() > 1e-4


@pytest.mark.parametrize(("make", "number"), [(physnet, 11), (physnet_sinc, 9)])
def test_batch_norm_has_the_settings_of_pytorch(make, number):
    norms = [layer for layer in make((8, 8, 3)).layers if isinstance(layer, keras.layers.BatchNormalization)]
    assert len(norms) == number
    assert {(norm.momentum, norm.epsilon) for norm in norms} == {(0.9, 1e-5)}
