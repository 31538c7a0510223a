import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from simper_tf.evaluation import protocols
from simper_tf.evaluation.features import Features
from simper_tf.evaluation.tasks import Scalar, Series

RNG = np.random.default_rng(53)
TASK = Series("°C")


def features(inner, labels, **more):
    """Returns features before a head, beside outputs that say nothing of the labels."""
    ids = np.array([f"{k:03d}" for k in range(len(inner))])
    return Features(np.eye(len(inner), 7), labels, np.full(len(inner), 1 / 3600), ids, before_head=inner, **more)


def linear(number, noise=0.0):
    """Returns features `(N, 10, 2)` of which labels `(N, 4)` are a linear map."""
    weights = np.random.default_rng(0).normal(size=(20, 4))
    series = RNG.normal(5, 3, size=(number, 10, 2))
    return features(series, 15 + series.reshape(number, 20) @ weights + noise * RNG.normal(size=(number, 4)))


def probe(train, validation, test):
    found = protocols.linear_probe(train, validation, test, TASK)
    return found.values, found.found["penalty"]


def test_a_linear_map_is_recovered_and_its_noise_held_down():
    train, validation, test = linear(80), linear(30), linear(30)
    predicted, penalty = probe(train, validation, test)
    np.testing.assert_allclose(predicted, test.labels, atol=0.05)
    assert penalty == 1e-4
    assert probe(linear(80, noise=60), validation, test)[1] > penalty


def test_the_probe_is_ridge_regression_of_scaled_features():
    train, validation, test = linear(15), linear(9), linear(5)
    predicted, penalty = probe(train, validation, test)
    flat = [part.before_head.reshape(len(part.before_head), 20) for part in (train, test)]
    scaled = [(x - flat[0].mean(axis=0)) / flat[0].std(axis=0) / np.sqrt(20) for x in flat]
    reference = Ridge(penalty).fit(scaled[0], train.labels).predict(scaled[1])
    np.testing.assert_allclose(predicted, reference, rtol=1e-6)


def test_the_penalty_is_never_chosen_on_clips_predicted():
    train, validation, test = linear(20, noise=30), linear(30), linear(30)
    _, penalty = probe(train, validation, test)
    assert probe(train, validation, dataclasses.replace(test, labels=0 * test.labels))[1] == penalty
    unlearnable = dataclasses.replace(validation, labels=np.repeat(train.labels.mean(axis=0)[None], 30, axis=0))
    assert probe(train, unlearnable, test)[1] == 1e3 > penalty


def test_features_that_are_constant_in_training_predict_the_mean():
    train, validation, test = linear(9), linear(5), linear(4)
    train = dataclasses.replace(train, before_head=np.full_like(train.before_head, 0.1))
    expected = protocols.training_mean(train, validation, test, TASK).values
    np.testing.assert_allclose(probe(train, validation, test)[0], expected, rtol=1e-9)


def test_labels_of_one_number_a_clip_are_probed_too():
    train, validation, test = [dataclasses.replace(part, labels=part.labels[:, 0]) for part in map(linear, (60, 9, 7))]
    predicted = protocols.linear_probe(train, validation, test, Scalar("mmHg")).values
    assert predicted.shape == (7,)
    np.testing.assert_allclose(predicted, test.labels, atol=0.05)


def persist(past, horizon):
    test = features(np.zeros((2, 3)), np.zeros((2, horizon)), levels=past)
    return protocols.persistence(test, test, test, TASK).values


def test_the_last_day_is_repeated_hour_by_hour():
    past = RNG.normal(size=(2, 30))
    predicted = persist(past, 50)
    np.testing.assert_array_equal(predicted[:, :24], past[:, 6:])
    np.testing.assert_array_equal(predicted[:, 24:48], past[:, 6:])
    np.testing.assert_array_equal(predicted[:, 48:], past[:, 6:8])


def test_a_clip_shorter_than_a_day_persists_at_its_last_value():
    past = RNG.normal(size=(2, 23))
    np.testing.assert_array_equal(persist(past, 3), np.repeat(past[:, -1:], 3, axis=1))


@pytest.mark.parametrize(
    ("task", "names"),
    [
        (TASK, {"linear_probe", "persistence", "training_mean"}),
        (Scalar("mmHg"), {"1nn", "1nn_npsd", "1nn_euclidean", "probe", "linear_probe", "training_mean"}),
    ],
)
def test_a_task_is_predicted_by_the_protocols_that_suit_it(task, names):
    shape = (12, 4) if task is TASK else (12,)
    parts = [features(RNG.normal(size=(12, 30)), RNG.normal(size=shape), levels=RNG.normal(size=(12, 30)))] * 3
    found = protocols.predict(*parts, task)
    assert found.keys() == names
    assert all(each.values.shape == shape for each in found.values())
    parts[2] = dataclasses.replace(parts[2], predicted=parts[2].labels)
    found = protocols.predict(*parts, task)
    assert found.keys() == names | {"supervised"}
    flat = dataclasses.replace(parts[2], predicted=parts[2].labels.ravel())  # As a head of one number gives them.
    assert protocols.predict(*parts[:2], flat, task)["supervised"].values.shape == shape
    np.testing.assert_array_equal(found["supervised"].values, parts[2].labels)
