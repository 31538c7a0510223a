import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from simper_tf.evaluation import forecasts
from simper_tf.evaluation.protocols import Features

RNG = np.random.default_rng(53)


def features(series, labels, ids=None):
    ids = np.array([f"{k:03d}" for k in range(len(series))]) if ids is None else ids
    return Features(series, labels, np.ones(len(series)), ids)


def linear(number, noise=0.0):
    """Returns features `(N, 10, 2)` of which labels `(N, 4)` are a linear map."""
    weights = np.random.default_rng(0).normal(size=(20, 4))
    series = RNG.normal(5, 3, size=(number, 10, 2))
    return features(series, 15 + series.reshape(number, 20) @ weights + noise * RNG.normal(size=(number, 4)))


@pytest.mark.parametrize("columns", [6, 40])
@pytest.mark.parametrize("penalty", [1e-3, 2.0])
def test_ridge_is_that_of_scikit_learn_with_more_or_fewer_columns_than_examples(columns, penalty):
    inputs, queries = RNG.normal(3, 2, size=(15, columns)), RNG.normal(3, 2, size=(5, columns))
    targets = RNG.normal(20, 5, size=(15, 4))
    reference = Ridge(penalty).fit(inputs, targets).predict(queries)
    np.testing.assert_allclose(forecasts.ridge(inputs, targets, queries, penalty), reference, rtol=1e-6)


def test_a_linear_map_is_recovered_and_its_noise_held_down_by_the_penalty():
    train, test = linear(80), linear(30)
    predicted, penalty = forecasts.linear_probe(train, test)
    np.testing.assert_allclose(predicted, test.labels, atol=0.05)
    assert penalty == forecasts.PENALTIES[0]
    assert forecasts.linear_probe(linear(80, noise=60), test)[1] > penalty


def test_a_probe_ignores_scale_and_offset_of_the_features_and_the_order_of_the_clips():
    train, test = linear(40), linear(10)
    predicted, _ = forecasts.linear_probe(train, test)
    scaled = [dataclasses.replace(part, series=1e-3 * part.series + 7) for part in (train, test)]
    np.testing.assert_allclose(forecasts.linear_probe(*scaled)[0], predicted, rtol=1e-6)
    order = RNG.permutation(40)
    shuffled = features(train.series[order], train.labels[order], train.ids[order])
    np.testing.assert_allclose(forecasts.linear_probe(shuffled, test)[0], predicted, rtol=1e-6)


def test_a_test_clip_is_predicted_alike_alone_and_among_others():
    train, test = linear(40), linear(10)
    alone = features(test.series[3:4], test.labels[3:4])
    np.testing.assert_allclose(
        forecasts.linear_probe(train, alone)[0][0], forecasts.linear_probe(train, test)[0][3], rtol=1e-9
    )


def test_features_that_are_constant_in_training_predict_the_mean():
    train, test = linear(9), linear(4)
    train = dataclasses.replace(train, series=np.full_like(train.series, 0.1))
    np.testing.assert_allclose(forecasts.linear_probe(train, test)[0], forecasts.training_mean(train, 4), rtol=1e-9)


def test_overlapping_windows_of_a_recording_do_not_pass_for_evidence():
    # Twelve recordings of six clips that are alike, with labels that have nothing to do with the features: left out one
    # by one, the clips would be predicted exactly by those of the same recording.
    series, labels = (np.repeat(RNG.normal(size=(12, size)), 6, axis=0) for size in (8, 4))
    ids = np.array([f"{k // 6:02d}/{k % 6}" for k in range(72)])
    order = RNG.permutation(72)
    train = features(series[order], 20 + labels[order], ids[order])
    assert forecasts.linear_probe(train, train)[1] == forecasts.PENALTIES[-1]


def test_a_single_training_clip_is_refused():
    with pytest.raises(ValueError, match=r"two training clips or more\. Received: 1"):
        forecasts.linear_probe(linear(1), linear(2))
    assert forecasts.linear_probe(linear(2), linear(3))[0].shape == (3, 4)


def test_the_last_day_is_repeated_hour_by_hour():
    past = RNG.normal(size=(2, 30))
    predicted = forecasts.persistence(past, 1 / 3600, 50)
    np.testing.assert_array_equal(predicted[:, :24], past[:, 6:])
    np.testing.assert_array_equal(predicted[:, 24:48], past[:, 6:])
    np.testing.assert_array_equal(predicted[:, 48:], past[:, 6:8])


def test_a_clip_shorter_than_a_day_persists_at_its_last_value():
    past = RNG.normal(size=(2, 23))
    np.testing.assert_array_equal(forecasts.persistence(past, 1 / 3600, 3), np.repeat(past[:, -1:], 3, axis=1))
