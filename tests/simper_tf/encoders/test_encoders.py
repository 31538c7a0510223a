"""What holds for every encoder."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import unfit

from simper_tf.encoders import ENCODERS, mixes_clips, small, with_saliency_sampler
from simper_tf.encoders.norms import BatchNorm
from simper_tf.encoders.precision import space_mean

RNG = np.random.default_rng(31)
FRAME = (12, 10, 3)
KINDS = {name: lambda factory=factory: factory(frame_shape=FRAME, norm="batch") for name, factory in ENCODERS.items()}
KINDS |= {
    "cnn3d group": lambda: ENCODERS["cnn3d"](FRAME, "group"),
    "efficientphys group": lambda: ENCODERS["efficientphys"](FRAME, "group"),
    "saliency batch": lambda: with_saliency_sampler(small(3), FRAME),
    "saliency group": lambda: with_saliency_sampler(small(3), FRAME, "group"),
}
DIMENSIONS = {"repnet": (512,), "small": (4,), "saliency": (4,)}
WITHOUT_BATCH_NORM = {"small", "ts_can", "ts_can_attention"} | {kind for kind in KINDS if kind.endswith("group")}


def clips(*shape):
    return tf.constant(RNG.uniform(size=(*shape, *FRAME)), tf.float32)


@pytest.fixture(scope="module")
def encoders():
    """Returns a function that builds each encoder once."""
    built = {}

    def encoder(kind):
        if kind not in built:
            built[kind] = KINDS[kind]()
        return built[kind]

    return encoder


@pytest.mark.parametrize("kind", KINDS)
def test_features_are_as_long_as_the_clip(encoders, kind):
    for num_frames in (8, 9, 13):
        features = encoders(kind)(clips(2, num_frames))
        assert features.shape == (2, num_frames, *DIMENSIONS.get(kind.split()[0], ()))
        assert features.dtype == tf.float32
        assert np.all(np.isfinite(features))


@pytest.mark.parametrize("kind", KINDS)
def test_features_change_with_the_frames_and_differ_among_clips(encoders, kind):
    features = encoders(kind)(clips(2, 9)).numpy()
    assert np.ptp(features, axis=1).max() > 1e-4
    assert np.abs(features[0] - features[1]).max() > 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_with_free_batch_and_length_gives_the_same(encoders, kind):
    graph = tf.function(encoders(kind), input_signature=[tf.TensorSpec((None, None, *FRAME))])
    assert graph.get_concrete_function().structured_outputs.shape[2:] == DIMENSIONS.get(kind.split()[0], ())
    for shape in ((1, 8), (3, 11)):
        x = clips(*shape)
        np.testing.assert_allclose(graph(x), encoders(kind)(x), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_clips_have_finite_features_and_gradients(encoders, kind):
    encoder, values = encoders(kind), tf.reshape([0.0, 0.5, 1.0], (3, 1, 1, 1, 1))
    with tf.GradientTape() as tape:
        features = encoder(tf.tile(values, (1, 8, *FRAME)))
        loss = tf.reduce_sum(tf.square(features - 1.0))
    gradients = tape.gradient(loss, encoder.trainable_variables)
    assert all(np.all(np.isfinite(values)) for values in [features, *gradients])


@pytest.mark.parametrize("kind", KINDS)
def test_only_batch_norm_in_training_lets_clips_influence_one_another(encoders, kind):
    encoder, x = encoders(kind), clips(2, 8)
    for training in (False, True):
        with tf.GradientTape() as tape:
            tape.watch(x)
            first = tf.reduce_sum(tf.square(encoder(x, training=training)[0]))
        influence = np.abs(tape.gradient(first, x)).max(axis=(1, 2, 3, 4))
        assert influence[0] > 0
        assert (influence[1] > 0) == (training and kind not in WITHOUT_BATCH_NORM)
    assert mixes_clips(encoder) == (kind not in WITHOUT_BATCH_NORM)


@pytest.mark.parametrize("kind", KINDS)
def test_batch_statistics_are_those_of_all_replicas(encoders, kind):
    inside = encoders(kind)._flatten_layers()
    norms = [layer for layer in inside if isinstance(layer, keras.layers.BatchNormalization)]
    assert bool(norms) == (kind not in WITHOUT_BATCH_NORM)
    assert [norm.name for norm in norms if not isinstance(norm, BatchNorm)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_encoder_gives_the_same_features(encoders, kind, tmp_path):
    x = clips(2, 9)
    encoders(kind).save(tmp_path / "encoder.keras")
    loaded = keras.models.load_model(tmp_path / "encoder.keras")
    np.testing.assert_allclose(loaded(x), encoders(kind)(x), atol=1e-6)


def in_bfloat16(kind):
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        return KINDS[kind]()
    finally:
        keras.mixed_precision.set_dtype_policy(before)


@pytest.mark.parametrize("kind", KINDS)
def test_encoders_run_and_learn_in_mixed_bfloat16(kind):
    encoder = in_bfloat16(kind)
    with tf.GradientTape() as tape:
        features = encoder(clips(1, 8), training=True)
        loss = tf.reduce_sum(tf.square(features - 1.0))
    assert features.dtype == tf.float32
    assert np.all(np.isfinite(features))
    gradients = tape.gradient(loss, encoder.trainable_variables)
    assert all(np.all(np.isfinite(gradient)) and gradient.dtype == tf.float32 for gradient in gradients)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hundredth_on_a_level_of_one_survives_in_mixed_bfloat16(encoders, kind):
    encoder, swing = in_bfloat16(kind), 1 + 0.01 * np.sin(2 * np.pi * np.arange(24) / 8)
    x = np.float32(RNG.uniform(0.3, 0.9, size=FRAME) * swing[:, None, None, None])[None]
    level = encoder.trainable_variables[-1]  # What is added to the features, before a ReLU that then changes nothing.
    series = []
    for height in (4.0, 8.0):
        level.assign(tf.fill(level.shape, height))
        series.append(encoder(x).numpy() - height)
    assert np.ptp(series[0], axis=1).max() > 1e-4
    np.testing.assert_allclose(series[0], series[1], atol=1e-5)  # bfloat16 has steps of 0.03 above 4 and 0.06 above 8.
    assert encoder.count_params() == encoders(kind).count_params()


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_has_no_more_space_is_float32_in_mixed_bfloat16(kind):
    behind_space = [layer.output for layer in in_bfloat16(kind).operations if layer.output.ndim < 4]
    assert behind_space
    assert {tensor.dtype for tensor in behind_space} == {"float32"}


def test_the_mean_over_space_of_half_precision_is_exact():
    # Of 256 pixels at 1, `count` are one step of bfloat16 higher: a swing of 0.0078, in steps of 0.00003.
    count = np.round(128 + 127 * np.sin(np.arange(20)))
    pixels = 1 + 2.0**-7 * (np.arange(256) < count[:, None])
    x = tf.cast(np.reshape(pixels, (1, 20, 16, 16, 1)), tf.bfloat16)
    np.testing.assert_allclose(space_mean(x)[0, :, 0], 1 + count / 2**15, rtol=1e-6)
    assert space_mean(x, keepdims=True).shape == (1, 20, 1, 1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_op_of_an_encoder_and_of_its_gradient_has_a_gpu_kernel(encoders, kind):
    encoder = encoders(kind)

    @tf.function(input_signature=[tf.TensorSpec((None, None, *FRAME))])
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(encoder(x, training=True)))
        return tape.gradient(loss, encoder.trainable_variables)

    assert not unfit(step.get_concrete_function())
