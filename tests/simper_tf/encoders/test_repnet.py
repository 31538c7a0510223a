import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import mixes_clips, repnet, small
from simper_tf.encoders.repnet import PerFrame
from simper_tf.encoders.repnet_heads import FramePosition, count_periods, repnet_counter, self_similarity

RNG = np.random.default_rng(67)


def clips(*shape):
    return tf.constant(RNG.uniform(size=shape), tf.float32)


def trainable(model):
    return sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)


@pytest.fixture(scope="module")
def counter():
    return repnet_counter(repnet())


@pytest.fixture(scope="module")
def affine():
    return repnet(3, "affine")


def test_parameters_are_the_published_ones(counter):
    assert trainable(counter) == 25_673_313
    assert counter.count_params() == 25_690_081
    assert trainable(counter.get_layer("repnet")) == 19_351_168


def test_another_norm_takes_the_place_of_every_batch_norm(affine):
    assert trainable(affine) == affine.count_params() == 19_351_168
    assert not mixes_clips(affine)


def test_groups_of_a_frame_are_normalised_by_themselves():
    encoder, x = repnet(3, "group"), clips(2, 8, 8, 8, 3)
    assert trainable(encoder) == encoder.count_params() == 19_351_168
    np.testing.assert_allclose(encoder(x, training=True)[:1], encoder(x[:1]), atol=1e-4)


def test_the_resnet_is_that_of_keras_up_to_its_fourth_stage(counter):
    resnet = counter.get_layer("repnet").get_layer(index=2).layer
    whole = keras.applications.ResNet50V2(include_top=False, weights=None, input_shape=(32, 32, 3))
    expected = keras.Model(whole.input, whole.get_layer("conv4_block3_out").output)
    assert resnet.count_params() == expected.count_params() == 5_209_600
    expected.set_weights(resnet.get_weights())
    x = 2 * clips(2, 32, 32, 3) - 1
    assert resnet(x).shape == (2, 2, 2, 1024)
    np.testing.assert_allclose(resnet(x), expected(x), atol=1e-4)


def test_features_are_the_largest_over_space_of_a_convolution_of_every_third_frame(affine):
    x = clips(1, 9, 16, 32, 3)
    frames = affine.get_layer(index=2).layer(2 * x[0] - 1)
    kernel, bias, scale, shift = affine.weights[-4:]
    shift.assign(RNG.normal(0, 0.1, size=shift.shape))
    padded = tf.pad(frames, [[3, 3], [0, 0], [0, 0], [0, 0]])
    taps = [tf.nn.conv2d(padded[3 * k : 3 * k + 9], kernel[k], 1, "SAME") for k in range(3)]
    expected = tf.nn.relu((sum(taps) + bias) * scale + shift)
    assert expected.shape == (9, 1, 2, 512)
    np.testing.assert_allclose(affine(x)[0], tf.reduce_max(expected, axis=(1, 2)), atol=1e-5)


def test_delaying_the_clip_delays_the_features_inside(affine):
    x = clips(1, 14, 8, 8, 3)
    features, delayed = affine(x[:, 2:]).numpy(), affine(x[:, :-2]).numpy()
    reach = 3  # One convolution, dilated three times.
    np.testing.assert_allclose(features[:, reach : -reach - 2], delayed[:, reach + 2 : -reach], atol=1e-5)
    assert np.ptp(features[:, reach : -reach - 2], axis=1).max() > 1e-3


def test_per_frame_applies_a_layer_to_each_frame():
    x, layer = clips(2, 5, 6, 7, 3), keras.layers.Conv2D(4, 3)
    features = PerFrame(layer)(x)
    assert features.shape == (2, 5, 4, 5, 4)
    for frame in range(5):
        np.testing.assert_allclose(features[:, frame], layer(x[:, frame]), atol=1e-5)


def test_self_similarity_is_a_softmax_of_squared_distances():
    x = 3 * clips(2, 6, 4).numpy()
    distances = np.square(x[:, :, None] - x[:, None]).sum(axis=-1)
    expected = np.exp(-distances / 13.544)
    np.testing.assert_allclose(self_similarity(x), expected / expected.sum(axis=-1, keepdims=True), atol=1e-6)


def test_frames_that_are_all_alike_are_equally_similar():
    np.testing.assert_allclose(self_similarity(tf.fill((1, 64, 512), 7.0)), 1 / 64, rtol=1e-4)


def test_the_counter_gives_logits_of_half_as_many_periods_as_frames(counter):
    outputs = counter(clips(1, 64, 8, 8, 3))
    assert set(outputs) == {"period", "periodicity"}
    assert outputs["period"].shape == (1, 64, 32)
    assert outputs["periodicity"].shape == (1, 64)
    assert all(np.all(np.isfinite(values)) for values in outputs.values())


def test_a_saved_counter_gives_the_same(tmp_path):
    counter, x = repnet_counter(small(), num_frames=10), clips(1, 10, 8, 8, 1)
    counter.save(tmp_path / "counter.keras")
    loaded = keras.models.load_model(tmp_path / "counter.keras")
    for name, values in counter(x).items():
        np.testing.assert_allclose(loaded(x)[name], values, atol=1e-6)


def test_each_frame_has_a_learned_number_of_its_own():
    position, x = FramePosition(), clips(2, 9, 4)
    added = (position(x) - x).numpy()
    np.testing.assert_allclose(added, np.broadcast_to(position.term, added.shape), atol=1e-6)
    assert 0 < np.abs(position.term).max() <= 0.04 + 1e-6  # Two standard deviations.


def test_one_feature_a_frame_is_refused_with_what_to_take_instead():
    with pytest.raises(ValueError, match=r"gives \(None, None\); take `repnet`, or `resnet3d18\(outputs=None\)`\."):
        repnet_counter(small(outputs=1))


def logits(periods, classes=32, confidence=20.0):
    """Returns logits that name a period in frames for each frame, and say that there is one."""
    periods = np.asarray(periods)
    return confidence * np.eye(classes, dtype=np.float32)[periods - 1], np.full(periods.shape, 20.0, np.float32)


@pytest.mark.parametrize("period", [3, 8, 32])
def test_a_steady_period_is_counted_as_often_as_it_fits(period):
    count, score = count_periods(*logits(np.full((1, 64), period)))
    np.testing.assert_allclose(count, 64 / period, rtol=1e-5)
    np.testing.assert_allclose(score, 1.0, atol=1e-4)


def test_a_period_that_changes_is_counted_frame_by_frame():
    count, _ = count_periods(*logits([[8] * 32 + [16] * 32]))
    np.testing.assert_allclose(count, 32 / 8 + 32 / 16, rtol=1e-5)


def test_frames_outside_of_periods_and_periods_below_three_frames_are_not_counted():
    period, periodicity = logits([[8] * 32 + [2] * 16 + [8] * 16])
    periodicity[:, 48:] = -20.0
    count, score = count_periods(period, periodicity)
    np.testing.assert_allclose(count, 32 / 8, rtol=1e-5)
    np.testing.assert_allclose(score, 0.5, atol=1e-3)


def test_a_clip_of_low_score_has_no_periods():
    period, periodicity = logits(np.full((2, 64), 8))
    periodicity[0, 10:] = -20.0
    periodicity[1, 20:] = -20.0
    count, score = count_periods(period, periodicity)
    np.testing.assert_allclose(score, [10 / 64, 20 / 64], atol=1e-3)
    np.testing.assert_allclose(count, [0.0, 20 / 8], rtol=1e-5)
