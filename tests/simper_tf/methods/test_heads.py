import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.methods import CVRL, MoCo, SimCLR, heads
from simper_tf.views.views import Views

RNG = np.random.default_rng(41)


def test_the_vector_of_a_clip_is_its_frames_one_after_another():
    features = tf.constant(RNG.normal(size=(3, 2, 5, 4)), tf.float32)
    head = heads.head(20, keras.layers.Dense(20, use_bias=False, kernel_initializer="identity"))
    np.testing.assert_allclose(heads.project(head, features), np.reshape(features, (3, 2, 20)), rtol=1e-6)
    series = features[..., 0]
    head = heads.head(5, keras.layers.Dense(5, use_bias=False, kernel_initializer="identity"))
    np.testing.assert_allclose(heads.project(head, series), series, rtol=1e-6)


def test_batch_norm_of_a_head_sees_all_views_together():
    features = tf.constant(RNG.normal(size=(6, 2, 5)), tf.float32)
    head = heads.head(5, heads.hidden(64))
    vectors = heads.project(head, features).numpy()
    raw = np.reshape(features, (12, 5)) @ head.layers[0].kernel.numpy()
    expected = np.maximum((raw - raw.mean(axis=0)) / np.sqrt(raw.var(axis=0) + 1e-5), 0)
    np.testing.assert_allclose(vectors, expected.reshape(6, 2, 64), atol=1e-4)


def test_variety_is_0_for_one_direction_and_1_where_they_cancel():
    assert float(heads.variety(tf.constant([[1.0, 1.0], [3.0, 3.0]]))) == pytest.approx(0, abs=1e-6)
    assert float(heads.variety(tf.constant([[1.0, 0.0], [-4.0, 0.0]]))) == pytest.approx(1)
    vectors = RNG.normal(size=(20, 5))
    mean = np.mean(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), axis=0)
    assert float(heads.variety(tf.constant(vectors, tf.float32))) == pytest.approx(1 - mean @ mean, rel=1e-4)


def test_features_of_another_length_than_the_head_are_refused():
    head = heads.head(32, keras.layers.Dense(4))
    with pytest.raises(ValueError, match=r"built for views of 32 numbers, frames times features. Received: 40"):
        heads.project(head, tf.zeros([3, 2, 20, 2]))


@pytest.mark.parametrize(("kind", "parameters"), [(SimCLR, 592_000), (MoCo, 328_320), (CVRL, 9_717_888)])
def test_heads_have_the_parameters_of_their_sources(kind, parameters):
    clips = keras.Input((None, 2, 2, 1))
    encoder = keras.Model(clips, keras.ops.mean(clips, axis=(2, 3, 4)))
    model = kind(encoder, Views(512, kind.times_for(10, (0.5, 2.0))))
    assert sum(np.prod(v.shape) for v in model.head.trainable_variables) == parameters
