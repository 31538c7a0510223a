"""At which multiple of a frequency features run."""

import numpy as np
import pytest

from simper_tf.reading import gram, multiples


@pytest.mark.parametrize("multiple", [1, 2, 3])
def test_periods_of_features_that_make_a_repetition_are_told_by_windows_in_noise_together(multiple):
    random, rate, frequency, band = np.random.default_rng(multiple), 24.0, 0.9, (0.4, 5.5)
    features, products = [], []
    for _ in range(24):
        angles = 2 * np.pi * (frequency * np.arange(144)[:, None] / rate + random.uniform())
        # A turn of a thing that is the same from no two sides, in noise of each of a thousand pixels.
        turn = np.concatenate([np.cos(k * angles) / k for k in (1, 2, 3)] + [np.sin(angles)], axis=1)
        frames = turn @ random.normal(size=(4, 1000)) + 8 * random.normal(size=(144, 1000))
        products.append(gram.products(frames))
        features.append(np.cos(multiple * angles))
    assert multiples.periods_of(np.stack(features), products, rate, band) == multiple
    alone = {multiples.periods_of(features[k][None], products[k : k + 1], rate, band) for k in range(24)}
    assert alone == {1, multiple}  # One window does not tell.


def test_where_frames_are_never_alike_features_are_read_as_they_are():
    features = np.sin(0.4 * np.arange(100))[None] * np.ones((5, 1))
    assert multiples.periods_of(features, [np.zeros((100, 100))] * 5, 24.0, (0.4, 5.5)) == 1
