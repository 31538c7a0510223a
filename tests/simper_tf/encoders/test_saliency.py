import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from made_clips import uniform
from scipy import stats

from simper_tf import SimPer
from simper_tf.encoders import auxiliary_losses, cnn3d, small, with_saliency_sampler
from simper_tf.encoders.saliency import SaliencySampler, entropy, motion, saliency_network, sample

RNG = np.random.default_rng(71)
clips = functools.partial(uniform, RNG)


def softmax_maps(*shape):
    return tf.reshape(tf.nn.softmax(tf.reshape(4 * clips(*shape), [*shape[:2], -1])), shape)


def peak(height, width, row, column):
    """Returns one map that is all in one point."""
    maps = np.zeros((1, 1, height, width), np.float32)
    maps[0, 0, row, column] = 1.0
    return tf.constant(maps)


@pytest.mark.parametrize(("height", "width"), [(36, 36), (8, 13), (5, 64)])
def test_a_flat_map_leaves_the_clip_as_it_is(height, width):
    x = clips(2, 3, height, width, 3)
    flat = tf.ones((2, 3, -(-height // 4), -(-width // 4)))
    np.testing.assert_allclose(SaliencySampler()(x, flat), x, atol=1e-4)


def test_points_are_the_gaussian_means_of_the_published_form():
    size = 5
    maps = softmax_maps(1, 1, size, size)
    rows, columns = SaliencySampler().points(maps, size, size)
    padded = np.pad(maps[0, 0], size, mode="edge")
    places = np.arange(-size, 2 * size)
    deviation = 13 / 32 * size / 2.354820045
    for i in range(size):
        for j in range(size):
            gaussian = [np.exp(-np.square(places - k) / 2 / deviation**2) * (abs(places - k) <= size) for k in (i, j)]
            weights = np.outer(*gaussian) * padded
            mean = [np.sum(weights * axis) / weights.sum() for axis in (places[:, None], places)]
            expected = np.clip(mean, 0, size - 1)
            np.testing.assert_allclose([rows[0, 0, i, j], columns[0, 0, i, j]], expected, atol=1e-3)


def test_sampling_between_pixels_is_linear():
    y, x = np.mgrid[:6, :7].astype(np.float32)
    plane = tf.constant((2 * y - 3 * x + 1)[None, None, ..., None])
    rows, columns = (tf.constant(RNG.uniform(0, size - 1, (1, 1, 6, 7)), tf.float32) for size in (6, 7))
    np.testing.assert_allclose(sample(plane, rows, columns)[..., 0], 2 * rows - 3 * columns + 1, atol=1e-4)


def test_sampling_at_the_rim_gives_the_rim():
    x = clips(1, 1, 4, 4, 2)
    corner = tf.fill((1, 1, 4, 4), 3.0)
    np.testing.assert_allclose(sample(x, corner, corner), tf.broadcast_to(x[:, :, 3:, 3:], x.shape), atol=1e-6)


def test_a_map_changes_the_frame_as_its_gradient_says():
    sampler, x = SaliencySampler(), clips(1, 1, 8, 8, 1)
    maps, weights = softmax_maps(1, 1, 4, 4), clips(1, 1, 8, 8, 1)
    step = 1e-3 * clips(1, 1, 4, 4)

    def value(maps):
        return tf.reduce_sum(weights * sampler(x, maps))

    with tf.GradientTape() as tape:
        tape.watch(maps)
        loss = value(maps)
    change = tf.reduce_sum(tape.gradient(loss, maps) * step)
    np.testing.assert_allclose(value(maps + step) - value(maps - step), 2 * change, rtol=0.1, atol=1e-4)


def test_the_network_has_the_parameters_of_the_published_one():
    network = saliency_network()
    assert sum(int(np.prod(weight.shape)) for weight in network.trainable_weights) == 157_504 + 65


@pytest.mark.parametrize(("size", "points"), [((36, 36), (9, 9)), ((64, 30), (16, 8))])
def test_maps_have_a_quarter_of_the_size_and_each_sums_to_one(size, points):
    maps = saliency_network()(clips(2, 3, *size, 3))
    assert maps.shape == (2, 3, *points)
    np.testing.assert_allclose(tf.reduce_sum(maps, axis=(2, 3)), 1.0, rtol=1e-5)
    assert np.min(maps) >= 0


@pytest.mark.slow
def test_the_sampler_learns_from_the_loss_of_the_encoder():
    model = with_saliency_sampler(cnn3d((16, 16, 3), norm="affine"), (16, 16, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(clips(1, 8, 16, 16, 3)))
    gradients = tape.gradient(loss, model.get_layer("saliency").trainable_variables)
    # All but the last bias, which a softmax does not see.
    assert all(np.abs(gradient).max() > 0 for gradient in gradients[:-1])


@pytest.mark.slow
def test_features_are_those_of_frames_sampled_by_the_maps():
    encoder, x = small((16, 12, 3)), clips(2, 8, 16, 12, 3)
    model = with_saliency_sampler(encoder, (16, 12, 3))
    assert model.name == "saliency_small"
    maps = model.get_layer("saliency")(x)
    np.testing.assert_allclose(model(x), encoder(SaliencySampler()(x, maps)), atol=1e-5)


def test_frames_too_small_are_refused_with_the_numbers():
    with pytest.raises(ValueError, match=r"at least 5 x 5 pixels\. Received: 4 x 9\. Build the data set with larger"):
        with_saliency_sampler(small((4, 9, 3)), (4, 9, 3))


def test_the_entropy_of_maps_is_that_of_scipy():
    maps = softmax_maps(2, 3, 4, 5)
    expected = stats.entropy(maps.numpy().reshape(6, 20), axis=1).mean() / 20  # By points.
    assert float(entropy(maps)) == pytest.approx(expected, rel=1e-5)
    assert float(entropy(peak(4, 5, 1, 2))) == 0
    assert float(entropy(tf.fill((1, 1, 4, 5), 0.05))) == pytest.approx(np.log(20) / 20, rel=1e-5)


def test_the_motion_of_maps_is_the_mean_square_of_their_changes():
    moved = tf.concat([peak(2, 2, 0, 0), peak(2, 2, 0, 0), peak(2, 2, 1, 1)], axis=1)
    assert float(motion(moved)) == 2 / 8  # Two of four points change by 1, in one of two changes.
    assert float(motion(moved[:, :1])) == 0


def views(x):
    return {"views": tf.stack(2 * [x, x[:, ::-1]], axis=1), "speeds": tf.constant([[1.0, 2.0, 1.0, 2.0]] * len(x))}


@pytest.mark.slow
def test_terms_of_maps_are_added_to_the_loss_and_learned_from():
    x, encoder, maps = clips(1, 8, 8, 8, 3), small((8, 8, 3), widths=(4,)), []
    losses = []
    for weights in ({}, {"saliency_entropy_weight": np.float32(50.0), "saliency_motion_weight": 30.0}):
        keras.utils.set_random_seed(3)
        sampled = with_saliency_sampler(encoder, (8, 8, 3), norm="affine", **weights)
        model = SimPer(keras.models.clone_model(sampled))  # By its config, which has the weights of the terms.
        model.encoder.set_weights(sampled.get_weights())
        losses.append(float(model.compute_logs(views(x), training=False)["loss"]))
        maps.append(model.encoder.get_layer("saliency")(tf.concat([x, x[:, ::-1]], 0)))
    expected = 50.0 * entropy(maps[1]) + 30.0 * motion(maps[1])
    assert losses[1] - losses[0] == pytest.approx(float(expected), rel=1e-4)
    model.compile(keras.optimizers.SGD(0.1))
    for _ in range(3):
        model.train_step(views(x))
    assert float(entropy(model.encoder.get_layer("saliency")(x))) < 0.99 * float(entropy(maps[1][:1]))


def test_terms_belong_to_the_innermost_block_that_asks():
    auxiliary_losses.add(tf.constant(1.0))
    with auxiliary_losses.collected() as outer:
        auxiliary_losses.add(tf.constant(2.0))
        with auxiliary_losses.collected() as inner:
            auxiliary_losses.add(tf.constant(3.0))
        auxiliary_losses.add(tf.constant(4.0))
    auxiliary_losses.add(tf.constant(5.0))
    assert [list(map(float, found)) for found in (outer, inner)] == [[2.0, 4.0], [3.0]]


@pytest.mark.parametrize("name", ["saliency_entropy_weight", "saliency_motion_weight"])
def test_negative_weights_of_terms_are_refused(name):
    with pytest.raises(ValueError, match=rf"{name}.*-1"):
        with_saliency_sampler(small((16, 16, 3)), (16, 16, 3), **{name: -1.0})
