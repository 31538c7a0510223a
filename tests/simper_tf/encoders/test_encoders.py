"""Contract of every encoder."""

import inspect
import re
import typing

import keras
import numpy as np
import pytest
import tensorflow as tf
from every_encoder import FRAME, KINDS, LEARNING, clips, each
from gpu_kernels import recorded, without_kernel

from simper_tf.encoders import ENCODERS, mixes_clips
from simper_tf.encoders.norms import NORMS, BatchNorm
from simper_tf.utils.options import Options, declared

RNG = np.random.default_rng(31)
ANY = (None, None, 3)
DIMENSIONS = {
    "cells": (360,),
    "linear": (16,),
    "physnet": (5,),
    "repnet": (512,),
    "small": (4,),
    "small1d": (4,),
    "small1d_by": (12,),
    "saliency": (4,),
}
WITH_BATCH_NORM = {
    "cnn3d",
    "cnn3d_domainbed batch",
    "efficientphys",
    "physnet",
    "physnet_sinc",
    "repnet",
    "resnet3d18",
    "saliency batch",
}
# Encoder, frame, options -> trainable parameters, and all, as published.
PARAMETERS = [
    ("cells", (28, 28, 3), {}, 0, 0),
    ("cnn3d", (None, None, 1), {}, 372_227, 372_613),
    ("cnn3d", (28, 28, 3), {}, 377_987, 378_373),
    ("cnn3d", (None, None, 1), {"norm": "group"}, 372_227, 372_227),
    ("cnn3d", (None, None, 1), {"norm": "affine"}, 372_227, 372_227),
    ("cnn3d_domainbed", (None, None, 1), {}, 1_847_553, 1_847_553),
    ("cnn3d_domainbed", (None, None, 3), {"norm": "affine"}, 1_853_313, 1_853_313),
    ("cnn3d_domainbed", (None, None, 3), {"norm": "batch"}, 1_853_313, 1_853_313 + 2 * (64 + 3 * 128)),
    ("efficientphys", (36, 36, 3), {}, 467_337, 467_343),
    ("efficientphys", (72, 72, 3), {"norm": "group"}, 2_163_081, 2_163_081),
    ("efficientphys", (96, 96, 3), {"norm": "affine"}, 4_030_857, 4_030_857),
    ("frame_mean", (None, None, 3), {}, 0, 0),
    ("linear", (28, 28, 1), {}, 12_544, 12_544),
    ("physnet", (None, None, 3), {}, 858_497, 858_497 + 2 * (32 + 10 * 64)),
    ("physnet", (128, 128, 3), {"norm": "group"}, 858_497, 858_497),
    ("physnet", (128, 128, 3), {"norm": "affine"}, 858_497, 858_497),
    ("physnet_sinc", (None, None, 3), {}, 1_386_497, 1_386_497 + 2 * (32 + 8 * 64)),
    ("physnet_sinc", (64, 64, 3), {"norm": "group"}, 1_386_497, 1_386_497),
    ("physnet_sinc", (64, 64, 3), {"norm": "affine"}, 1_386_497, 1_386_497),
    ("repnet", ANY, {}, 19_351_168, 19_367_936),
    ("repnet", ANY, {"norm": "affine"}, 19_351_168, 19_351_168),
    ("repnet", ANY, {"width": 0.25}, 1_215_904, 1_220_096),
    ("repnet", ANY, {"norm": "group"}, 19_351_168, 19_351_168),
    ("resnet3d18", (None, None, 3), {}, 33_166_272 + 513, 33_175_872 + 513),
    ("resnet3d18", (64, 64, 3), {"outputs": 0}, 33_166_272, 33_175_872),
    ("resnet3d18", (None, None, 1), {"outputs": 0, "norm": "group"}, 33_147_456, 33_147_456),
    ("resnet3d18", (None, None, 1), {"outputs": 4, "norm": "affine"}, 33_147_456 + 4 * 513, 33_147_456 + 4 * 513),
    ("small", (None, None, 1), {}, 20_516, 20_516),
    ("small1d", (1, 1, 1), {}, 18_948, 18_948),
    ("small1d", (1, 1, 3), {"per_channel": True}, 18_948, 18_948),
    ("ts_can", (36, 36, 3), {}, 467_233, 467_233),
    ("ts_can", (72, 72, 3), {"difference": False}, 2_162_977, 2_162_977),
    ("ts_can", (128, 128, 3), {}, 7_438_625, 7_438_625),
    ("ts_can", (36, 36, 3), {"attention": True}, 532_899, 532_899),
    ("ts_can", (96, 96, 3), {"attention": True}, 4_096_419, 4_096_419),
    ("ts_can", (128, 128, 3), {"attention": True}, 7_504_291, 7_504_291),
]


def options(make):
    """Returns the options of an encoder with their defaults."""
    _, *rest = inspect.signature(make).parameters.values()
    return {parameter.name: parameter.default for parameter in rest}


OPTIONS = [(name, option) for name, make in ENCODERS.items() for option in options(make)]


@pytest.fixture(scope="module")
def encoders():
    """Returns a function that builds each encoder once."""
    built = {}

    def encoder(kind):
        if kind not in built:
            built[kind] = KINDS[kind]()
        return built[kind]

    return encoder


@pytest.fixture(scope="module")
def build():
    """Returns a function that builds an encoder; one of RepNet's many layers only once of a frame and options."""
    built = {}

    def of(name, frame_shape, **chosen):
        if name != "repnet":
            return ENCODERS[name](frame_shape, **chosen)
        key = (frame_shape, *chosen.items())
        if key not in built:
            built[key] = ENCODERS[name](frame_shape, **chosen)
        return built[key]

    return of


@pytest.mark.parametrize("name", each(ENCODERS))
def test_an_encoder_is_a_function_of_the_frame_and_of_options(name):
    frame, *rest = inspect.signature(ENCODERS[name]).parameters.values()
    assert frame.name == "frame_shape"
    assert frame.default is frame.empty
    assert typing.get_type_hints(ENCODERS[name])["return"] is keras.Model
    assert [option.name for option in rest] == [
        field.name for field in declared(getattr(ENCODERS[name], "Options", Options))
    ]
    for option in rest:
        assert option.kind is option.KEYWORD_ONLY
        assert type(option.default) is (typing.get_origin(option.annotation) or option.annotation)
        (said,) = re.findall(rf"^    {option.name}: (.*(?:\n     +.*)*)", ENCODERS[name].__doc__, re.MULTILINE)
        assert re.match(r"[A-Z].*\. Default: ", " ".join(said.split()))


@pytest.mark.parametrize("name", each(ENCODERS))
def test_an_encoder_is_named_by_its_function(encoders, name):
    assert ENCODERS[name].__name__ == encoders(name).name == name


@pytest.mark.slow
@pytest.mark.parametrize(("name", "frame_shape", "chosen", "trainable", "total"), each(PARAMETERS))
def test_an_encoder_has_the_published_number_of_parameters(name, frame_shape, chosen, trainable, total):
    with keras.StatelessScope(initialize_variables=False):  # Their values, millions, are not what is counted.
        encoder = ENCODERS[name](frame_shape, **chosen)
    assert sum(int(np.prod(weight.shape)) for weight in encoder.trainable_weights) == trainable
    assert encoder.count_params() == total
    assert encoder.input_shape == (None, None, *frame_shape)


def test_every_encoder_has_its_published_number_of_parameters():
    assert {name for name, *_ in PARAMETERS} == set(ENCODERS)


def another(value):
    """Returns a value that an option may have in place of its default."""
    if isinstance(value, str):
        return next(norm for norm in NORMS if norm != value)
    if isinstance(value, tuple):
        return value[:-1]
    if isinstance(value, float):
        return value / 4
    return not value if isinstance(value, bool) else value + 2


@pytest.mark.parametrize(("name", "option"), each(OPTIONS))
def test_every_option_changes_what_an_encoder_is_made_of(encoders, build, name, option):
    usual, frame = (build(name, ANY), ANY) if name == "repnet" else (encoders(name), FRAME)
    changed = build(name, frame, **{option: another(options(ENCODERS[name])[option])})
    made_of = [
        [(type(layer), [weight.shape for weight in layer.weights]) for layer in model.layers]
        for model in (usual, changed)
    ]
    assert made_of[0] != made_of[1]


@pytest.mark.parametrize("name", each(name for name, option in OPTIONS if option == "norm"))
def test_an_unknown_norm_is_refused_with_the_choices(name):
    with pytest.raises(ValueError, match=r"`norm` must be one of batch, group, affine\. Received: 'layer'"):
        ENCODERS[name](FRAME, norm="layer")


@pytest.mark.parametrize("name", each(ENCODERS))
@pytest.mark.parametrize("frame_shape", [3, (8, 3), (8, 8, None), (0, 8, 3), (8.5, 8, 3), "rgb"])
def test_a_frame_without_height_width_channels_is_refused(name, frame_shape):
    with pytest.raises(ValueError, match=r"`frame_shape` must be the \(height, width, channels\) .* \(36, 36, 3\)"):
        ENCODERS[name](frame_shape)


@pytest.mark.parametrize("name", each(ENCODERS))
def test_a_frame_of_any_size_is_taken_or_refused_with_advice(encoders, build, name):
    if name in ("cells", "efficientphys", "linear", "ts_can"):
        with pytest.raises(ValueError, match=r"depend on the size of the frames.*\(None, 10, 3\)\. Give height and"):
            ENCODERS[name]((None, 10, 3))
        return
    free, x = build(name, ANY), clips(RNG, 1, 8)
    free.set_weights(encoders(name).get_weights())
    np.testing.assert_allclose(free(x), encoders(name)(x), atol=1e-5)
    assert free(x[:, :, :9, 1:]).shape[:2] == (1, 8)


@pytest.mark.parametrize("name", each(ENCODERS))
@pytest.mark.parametrize("size", [(1, 1), (3, 36), (36, 8)])
def test_smallest_frames_give_finite_features_or_are_refused(build, name, size):
    smallest = {"efficientphys": 10, "ts_can": 10, "cnn3d": 4}.get(name, 1)
    if min(size) < smallest:
        with pytest.raises(
            ValueError, match=rf"at least {smallest} x {smallest} pixels\. Received: {size[0]} x {size[1]}\. Build"
        ):
            ENCODERS[name]((*size, 3))
        return
    encoder = build(name, ANY if name == "repnet" and size != (1, 1) else (*size, 3))
    features = encoder(tf.constant(RNG.uniform(size=(1, 8, *size, 3)), tf.float32))
    assert np.all(np.isfinite(features))


@pytest.mark.parametrize("kind", each(KINDS))
def test_features_are_as_long_as_the_clip(encoders, kind):
    for num_frames in (8, 9, 13):
        features = encoders(kind)(clips(RNG, 2, num_frames))
        assert features.shape == (2, num_frames, *DIMENSIONS.get(kind.split()[0], ()))
        assert features.dtype == tf.float32
        assert np.all(np.isfinite(features))


@pytest.mark.parametrize("kind", each(KINDS))
def test_features_change_with_the_frames_and_differ_among_clips(encoders, kind):
    features = encoders(kind)(clips(RNG, 2, 9)).numpy()
    assert np.ptp(features, axis=1).max() > 1e-4
    assert np.abs(features[0] - features[1]).max() > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("kind", each(KINDS))
def test_a_graph_with_free_batch_and_length_gives_the_same(encoders, kind):
    graph = tf.function(encoders(kind), input_signature=[tf.TensorSpec((None, None, *FRAME))])
    assert graph.get_concrete_function().structured_outputs.shape[2:] == DIMENSIONS.get(kind.split()[0], ())
    for shape in ((1, 8), (3, 11)):
        x = clips(RNG, *shape)
        np.testing.assert_allclose(graph(x), encoders(kind)(x), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", each(KINDS))
def test_constant_clips_have_finite_features_and_gradients(encoders, kind):
    encoder, values = encoders(kind), tf.reshape([0.0, 0.5, 1.0], (3, 1, 1, 1, 1))
    with tf.GradientTape() as tape:
        features = encoder(tf.tile(values, (1, 8, *FRAME)))
        loss = tf.reduce_sum(tf.square(features - 1.0))
    gradients = tape.gradient(loss, encoder.trainable_variables)
    assert all(np.all(np.isfinite(values)) for values in [features, *gradients])


@pytest.mark.parametrize("kind", each(KINDS))
def test_only_batch_norm_in_training_mixes_clips(encoders, kind):
    encoder, x = encoders(kind), clips(RNG, 2, 8)
    for training in (False, True):
        with tf.GradientTape() as tape:
            tape.watch(x)
            first = tf.reduce_sum(tf.square(encoder(x, training=training)[0]))
        influence = np.abs(tape.gradient(first, x)).max(axis=(1, 2, 3, 4))
        assert influence[0] > 0
        assert (influence[1] > 0) == (training and kind in WITH_BATCH_NORM)
    assert mixes_clips(encoder) == (kind in WITH_BATCH_NORM)


@pytest.mark.parametrize("kind", each(LEARNING))
def test_batch_statistics_are_those_of_all_replicas(encoders, kind):
    inside = encoders(kind)._flatten_layers()
    norms = [layer for layer in inside if isinstance(layer, keras.layers.BatchNormalization)]
    assert bool(norms) == (kind in WITH_BATCH_NORM)
    assert [norm.name for norm in norms if not isinstance(norm, BatchNorm)] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", each(KINDS))
def test_a_saved_encoder_gives_the_same_features(encoders, kind, tmp_path):
    x = clips(RNG, 2, 9)
    encoders(kind).save(tmp_path / "encoder.keras")
    loaded = keras.models.load_model(tmp_path / "encoder.keras")
    np.testing.assert_allclose(loaded(x), encoders(kind)(x), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", each(LEARNING))
def test_every_op_of_encoders_and_gradients_has_a_gpu_kernel(encoders, kind):
    encoder, x = encoders(kind), clips(RNG, 2, 8)
    with recorded() as seen:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(encoder(x, training=True)))
        tape.gradient(loss, encoder.trainable_variables)
    assert len(seen) > (8 if kind == "linear" else 10)  # A product of matrices takes few.
    assert not without_kernel(seen)
