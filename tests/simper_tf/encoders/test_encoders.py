import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders import cnn3d, small
from simper_tf.encoders.norms import NORMS, Affine, normalization

RNG = np.random.default_rng(31)


def clips(*shape):
    return tf.constant(RNG.uniform(size=shape), tf.float32)


@pytest.fixture(scope="module")
def encoders():
    """Returns one small encoder of each kind, with weights that differ from the first ones of norms."""
    built = {f"cnn3d {norm}": cnn3d(norm=norm) for norm in NORMS}
    built |= {"small of 4 outputs": small(), "small": small(outputs=1)}
    built |= {"small of one frame": small(kernel_frames=1, outputs=1)}
    return built


KINDS = ["cnn3d batch", "cnn3d group", "cnn3d affine", "small", "small of one frame", "small of 4 outputs"]


def count(weights):
    return sum(int(np.prod(weight.shape)) for weight in weights)


@pytest.mark.parametrize(("channels", "trainable", "total"), [(1, 372_227, 372_613), (3, 377_987, 378_373)])
def test_cnn3d_has_the_parameters_of_the_published_one(channels, trainable, total):
    encoder = cnn3d(channels)
    kernel = 5 * 3 * 3
    convolutions = (kernel * channels * 64 + 64) + (kernel * 64 * 128 + 128) + (128 + 1)
    assert convolutions + 2 * (64 + 128 + 1) == trainable
    assert count(encoder.trainable_weights) == trainable
    assert encoder.count_params() == total == trainable + 2 * (64 + 128 + 1)


@pytest.mark.parametrize("norm", ["group", "affine"])
def test_other_norms_have_as_many_trainable_parameters_and_no_statistics(norm):
    encoder = cnn3d(1, norm)
    assert count(encoder.trainable_weights) == encoder.count_params() == 372_227


def test_cnn3d_is_convolution_norm_relu_and_pooling_twice_and_a_mean_over_space():
    encoder, x = cnn3d(2, norm="affine"), clips(2, 9, 10, 12, 2)
    for weight in encoder.weights:
        weight.assign(RNG.normal(0, 0.1, size=weight.shape))
    values = iter(encoder.weights)
    expected = x
    for pooled in (True, True, False):
        kernel, bias, scale, shift = (next(values) for _ in range(4))
        expected = tf.nn.conv3d(expected, kernel, [1] * 5, "SAME") + bias
        expected = tf.nn.relu(expected * scale + shift)
        if pooled:
            expected = tf.nn.max_pool3d(expected, [1, 1, 2, 2, 1], [1, 1, 2, 2, 1], "VALID")
    assert expected.shape == (2, 9, 10 // 4, 12 // 4, 1)
    np.testing.assert_allclose(encoder(x), tf.reduce_mean(expected, axis=(2, 3, 4)), atol=1e-5)


@pytest.mark.parametrize(("channels", "kernel_frames", "outputs"), [(1, 1, 1), (3, 3, 4)])
def test_small_has_the_parameters_of_its_layers(channels, kernel_frames, outputs):
    convolutions = (9 * channels * 16 + 16) + (9 * 16 * 32 + 32) + (9 * 32 * 32 + 32)
    expected = convolutions + (kernel_frames * 32 * 64 + 64) + (64 * outputs + outputs)
    assert small(channels, kernel_frames, outputs=outputs).count_params() == expected


@pytest.mark.parametrize("num_frames", [8, 9, 16, 21])
@pytest.mark.parametrize("kind", KINDS)
def test_features_are_as_long_as_the_clip(encoders, kind, num_frames):
    features = encoders[kind](clips(2, num_frames, 8, 12, 1))
    assert features.shape == ((2, num_frames, 4) if "4" in kind else (2, num_frames))
    assert features.dtype == tf.float32
    assert np.all(np.isfinite(features))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "group" not in kind])
@pytest.mark.parametrize("delay", [1, 3])
def test_delaying_the_clip_delays_the_features_inside(encoders, kind, delay):
    # Not `group`: its statistics are taken over the whole clip, frames at the ends included.
    x = clips(1, 24, 8, 8, 1)
    features, delayed = encoders[kind](x[:, delay:]), encoders[kind](x[:, :-delay])
    reach = 4  # Two convolutions of 5 frames see 4 to either side; beyond lie zeros.
    np.testing.assert_allclose(
        features[:, reach : -reach - delay], delayed[:, reach + delay : -reach], atol=1e-5, rtol=1e-4
    )


def test_small_of_one_frame_is_blind_to_the_order_of_frames(encoders):
    x, order = clips(2, 12, 8, 8, 1), RNG.permutation(12)
    one_frame, over_time = encoders["small of one frame"], encoders["small"]
    np.testing.assert_allclose(one_frame(tf.gather(x, order, axis=1)), one_frame(x).numpy()[:, order], atol=1e-6)
    assert np.abs(over_time(tf.gather(x, order, axis=1)) - over_time(x).numpy()[:, order]).max() > 1e-4


def test_small_gives_a_still_clip_constant_features_up_to_its_ends(encoders):
    still = tf.repeat(clips(2, 1, 8, 8, 1), 9, axis=1)
    features = encoders["small"](still).numpy()
    np.testing.assert_allclose(features, np.repeat(features[:, 4:5], 9, axis=1), atol=1e-6)


def test_small_refuses_an_even_number_of_frames():
    with pytest.raises(ValueError, match=r"`kernel_frames` must be odd. Received: 4."):
        small(kernel_frames=4)


@pytest.mark.parametrize("kind", KINDS)
def test_only_batch_norm_in_training_lets_clips_influence_one_another(encoders, kind):
    x = clips(2, 8, 8, 8, 1)
    for training in (False, True):
        together = encoders[kind](x, training=training)[:1]
        alone = encoders[kind](x[:1], training=training)
        mixes = np.abs(together - alone).max() > 1e-4
        assert mixes == (training and kind == "cnn3d batch")


def test_features_of_cnn3d_are_not_negative_and_change_with_the_frames(encoders):
    features = encoders["cnn3d affine"](clips(2, 12, 8, 8, 1)).numpy()
    assert features.min() >= 0
    assert np.ptp(features, axis=1).min() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_encoder_gives_the_same_features(encoders, kind, tmp_path):
    x = clips(2, 9, 8, 8, 1)
    encoders[kind].save(tmp_path / "encoder.keras")
    loaded = keras.models.load_model(tmp_path / "encoder.keras")
    np.testing.assert_allclose(loaded(x), encoders[kind](x), atol=1e-6)


@pytest.mark.parametrize("kind", [lambda: cnn3d(norm="group"), lambda: cnn3d(norm="affine"), small])
def test_encoders_run_and_learn_in_mixed_bfloat16(kind):
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        encoder = kind()
    finally:
        keras.mixed_precision.set_dtype_policy(before)
    with tf.GradientTape() as tape:
        features = encoder(clips(1, 8, 8, 8, 1), training=True)
        loss = tf.reduce_sum(tf.square(tf.cast(features, tf.float32) - 1.0))
    assert features.dtype == tf.bfloat16
    gradients = tape.gradient(loss, encoder.trainable_variables)
    assert all(np.all(np.isfinite(gradient)) and gradient.dtype == tf.float32 for gradient in gradients)


def test_affine_is_batch_norm_with_its_first_statistics():
    x = clips(2, 4, 3, 3, 6)
    affine, batch = Affine(), keras.layers.BatchNormalization(epsilon=0.0)
    affine.build(x.shape)
    batch.build(x.shape)
    for mine, other in ((affine.scale, batch.gamma), (affine.shift, batch.beta)):
        other.assign(RNG.normal(size=6))
        mine.assign(other)
    np.testing.assert_allclose(affine(x), batch(x, training=False), atol=1e-6)


def test_group_norm_standardises_each_clip_and_group_of_channels():
    x = 5 + 3 * clips(2, 4, 3, 3, 16)
    normal = normalization("group")(x).numpy().reshape(2, -1, 8, 2)
    np.testing.assert_allclose(normal.mean(axis=(1, 3)), 0, atol=1e-4)
    np.testing.assert_allclose(normal.std(axis=(1, 3)), 1, atol=1e-3)


def test_an_unknown_norm_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"`norm` must be one of \('batch', 'group', 'affine'\). Received: 'layer'"):
        cnn3d(norm="layer")
