"""Agreement with what the authors took from tensorflow-addons."""

import numpy as np
import tensorflow as tf
import tensorflow_addons as tfa

from datasets.rotating_digits import digits
from simper_tf.evaluation import metrics
from simper_tf.views import augment

RNG = np.random.default_rng(0)


def test_rotate_equals_that_of_addons():
    images = RNG.uniform(size=(9, 28, 28, 1)).astype(np.float32)
    angles = np.linspace(-np.pi / 2, np.pi / 2, 9).astype(np.float32)
    expected = tfa.image.rotate(images, angles, interpolation="bilinear")
    np.testing.assert_allclose(digits.rotate(images, angles), expected, atol=1e-5)


def test_blur_equals_that_of_addons_away_from_the_border():
    sigma, images = 1.3, RNG.uniform(size=(2, 28, 28, 3)).astype(np.float32)
    # Theirs cuts the kernel at 13 pixels; beyond, 1e-6 of its weight is left.
    expected = tfa.image.gaussian_filter2d(images, filter_shape=13, sigma=sigma)
    matrix = augment.blur_matrix(tf.constant([sigma, sigma]), 28)
    blurred = augment.mix_columns(augment.mix_rows(images[:, None], matrix), matrix, tf.eye(3, batch_shape=[2]))[:, 0]
    np.testing.assert_allclose(blurred[:, 7:-7, 7:-7], expected[:, 7:-7, 7:-7], atol=1e-4)


def test_geometric_mean_error_equals_that_of_addons():
    true, predicted = RNG.uniform(0.5, 5, size=(2, 100)).astype(np.float32)
    theirs = tfa.metrics.GeometricMean()
    theirs.update_state(np.abs(true - predicted))
    np.testing.assert_allclose(metrics.geometric_mean_error(true, predicted, floor=1e-12), theirs.result(), rtol=1e-5)
