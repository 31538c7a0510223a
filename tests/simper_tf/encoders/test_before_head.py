"""Features before the head of an encoder."""

import keras
import numpy as np
import pytest
from every_encoder import KINDS, clips, each
from keras import layers

from simper_tf.encoders import small, with_saliency_sampler
from simper_tf.encoders.before_head import FEATURES, mark, with_features
from simper_tf.methods import SimPer

# What is narrower has no wider layer: a mean has one number, weighted sums are 16, samples of `small1d` have 32.
NARROW = {"frame_mean": 1, "linear": 16, "small1d": 32, "small1d_by": 32}


@pytest.mark.parametrize("kind", each(KINDS))
def test_every_encoder_has_wide_features_beside_its_outputs(kind):
    encoder, frames = KINDS[kind](), clips(np.random.default_rng(0), 2, 9)
    features, outputs = with_features(encoder)(frames, training=False)
    np.testing.assert_allclose(outputs, encoder(frames, training=False), rtol=1e-5, atol=1e-6)
    assert features.shape[:2] == frames.shape[:2]
    assert features.shape[2] >= NARROW.get(kind.split(" ")[0], 64)


def test_the_outputs_of_small_are_a_linear_map_of_its_features():
    encoder = small((8, 8, 1))
    frames = np.random.default_rng(0).random((2, 9, 8, 8, 1), np.float32)
    features, outputs = (part.numpy() for part in with_features(encoder)(frames))
    weights, bias = encoder.layers[-1].get_weights()
    np.testing.assert_allclose(features @ weights + bias, outputs, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(SimPer(encoder).encode(frames, before_head=True), features)


def test_features_of_several_places_are_their_mean():
    inputs = keras.Input((None, 2, 1, 3))
    encoder = keras.Model(inputs, keras.ops.max(mark(inputs), axis=(2, 3, 4)))
    features, _ = with_features(encoder)(np.float32([[[[[1, 2, 3]], [[3, 0, 5]]]]]))
    np.testing.assert_array_equal(features, [[[2, 1, 4]]])


@pytest.mark.slow
def test_a_saliency_sampler_has_the_features_of_its_encoder():
    frames = np.random.default_rng(0).random((1, 9, 8, 8, 1), np.float32)
    encoder = with_saliency_sampler(small((8, 8, 1)), (8, 8, 1))
    features, outputs = with_features(encoder)(frames)
    assert features.shape == (1, 9, 64)
    np.testing.assert_allclose(outputs, encoder(frames), rtol=1e-5, atol=1e-6)


def test_a_saved_encoder_still_names_its_features(tmp_path):
    small((8, 8, 1)).save(tmp_path / "encoder.keras")
    assert with_features(keras.models.load_model(tmp_path / "encoder.keras")).outputs[0].shape[-1] == 64


@pytest.mark.parametrize(
    "encoder",
    [keras.Sequential([keras.Input((None, 2, 2, 1)), layers.Reshape((-1, 4))]), lambda clips: clips[..., 0, 0, 0]],
)
def test_an_encoder_that_names_no_features_is_refused(encoder):
    with pytest.raises(ValueError, match=f'does not say which features come before its head.*name="{FEATURES}"'):
        with_features(encoder)
