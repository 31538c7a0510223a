import numpy as np
import pytest
import tensorflow as tf
from sklearn.neighbors import KNeighborsRegressor

from simper_tf.evaluation import neighbors
from simper_tf.losses import similarity

RNG = np.random.default_rng(61)


def sinusoids(frequencies, max_phase=np.pi):
    """Returns `(N, 150)` float32 sinusoids at 30 frames per second; phases are random up to the largest."""
    phases = RNG.uniform(-max_phase, max_phase, (len(frequencies), 1))
    return np.sin(2 * np.pi * frequencies[:, None] * np.arange(150) / 30 + phases).astype(np.float32)


def waves(number, num_frames, channels, noise):
    """Returns `(N, T, D)` float32: an octave of harmonics a channel at a frequency a clip, with noise."""
    angles = 2 * np.pi * RNG.uniform(0.02, 0.15, (number, 1, 1)) * np.arange(num_frames)[:, None]
    angles = angles + RNG.uniform(0, 2 * np.pi, (number, 1, 1))
    series = np.sin(angles + np.arange(channels)) + 0.4 * np.sin(2 * angles + np.arange(channels) ** 2)
    return (series + noise * RNG.normal(size=series.shape)).astype(np.float32)


def best_of_all_pairs(train, queries):
    """Returns the first of the training clips with the best `max_cross_correlation`, all of which are computed."""
    train, queries = tf.constant(train[None]), tf.constant(queries[None])
    return np.argmax(similarity.over_channels(similarity.max_cross_correlation, queries, train)[0], axis=1)


def z_scored(series):
    return (series - series.mean(axis=1, keepdims=True)) / series.std(axis=1, keepdims=True)


def test_cosine_neighbors_are_those_of_scikit_learn_on_z_scores():
    train, test = RNG.normal(2, 3, size=(70, 30)), RNG.normal(-1, 0.2, size=(120, 30))
    labels = RNG.uniform(size=70)
    reference = KNeighborsRegressor(1).fit(z_scored(train), labels).predict(z_scored(test))
    np.testing.assert_array_equal(neighbors.nearest_neighbor(train, labels, test, "cosine"), reference)


def test_mxcorr_neighbors_are_those_of_the_explicit_loop():
    train, test, labels = RNG.normal(size=(12, 21)), RNG.normal(size=(55, 21)), np.arange(12.0)
    x, y = [z_scored(s) / np.sqrt(21) for s in (test, train)]
    scores = [[np.correlate(a, b, mode="full").max() for b in y] for a in x]
    predicted = neighbors.nearest_neighbor(train, labels, test, "mxcorr")
    np.testing.assert_array_equal(predicted, labels[np.argmax(scores, axis=1)])


def test_npsd_neighbors_are_those_of_the_explicit_loop():
    train, test, labels = RNG.normal(size=(12, 20)), RNG.normal(size=(7, 20)), np.arange(12.0)
    x, y = [np.abs(np.fft.rfft(s))[:, 1:] ** 2 for s in (test, train)]
    scores = (x / np.linalg.norm(x, axis=1, keepdims=True)) @ (y / np.linalg.norm(y, axis=1, keepdims=True)).T
    np.testing.assert_array_equal(neighbors.nearest_neighbor(train, labels, test, "npsd"), np.argmax(scores, axis=1))


def test_sinusoids_are_nearest_by_cross_correlation_at_any_phase():
    train, test = RNG.uniform(0.5, 5, 1000), RNG.uniform(0.5, 5, 400)
    # Phases as those of the digits: over all of the circle the Euclidean distance has even less to go by.
    features, queries = sinusoids(train, np.pi / 2), sinusoids(test, np.pi / 2)
    errors = {
        distance: np.abs(neighbors.nearest_neighbor(features, train, queries, distance) - test).mean()
        for distance in ("cosine", "mxcorr")
    }
    # The numbers of docs/choices.md; 400 clips leave them some 10 % uncertain.
    assert errors["cosine"] == pytest.approx(0.013, abs=0.003)
    assert errors["mxcorr"] == pytest.approx(0.007, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize("num_frames", [30, 31, 150])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("noise", [0.0, 0.3, 100.0])
def test_skipping_pairs_by_their_bound_changes_no_neighbor(num_frames, channels, noise):
    train, queries = waves(90, num_frames, channels, noise), waves(70, num_frames, channels, noise)
    predicted = neighbors.nearest_neighbor(train, np.arange(90), queries)
    np.testing.assert_array_equal(predicted, best_of_all_pairs(train, queries))


def test_the_bound_is_the_correlation_where_phases_agree():
    series = np.moveaxis(waves(40, 60, 3, 0.5), 2, 1)
    _, amplitudes = neighbors._spectra(series)
    bounds = amplitudes @ amplitudes.T
    np.testing.assert_allclose(np.diag(bounds), 1, atol=1e-5)
    scores = similarity.max_cross_correlation(np.moveaxis(series, 1, 0), np.moveaxis(series, 1, 0))
    assert np.all(bounds >= np.mean(scores, axis=0) - 1e-6)


def test_few_pairs_of_periodic_features_are_correlated(monkeypatch):
    transform, lines = neighbors.scipy.fft.irfft, []

    def counted(products, *args, **kwargs):
        lines.append(products.shape[0])
        return transform(products, *args, **kwargs)

    monkeypatch.setattr(neighbors.scipy.fft, "irfft", counted)
    neighbors.nearest_neighbor(waves(400, 150, 2, 0.1), np.arange(400), waves(50, 150, 2, 0.1))
    assert 50 * neighbors.FIRST <= sum(lines) < 0.1 * 400 * 50
    lines.clear()
    neighbors.nearest_neighbor(RNG.normal(size=(100, 40)), np.arange(100), RNG.normal(size=(20, 40)))
    assert sum(lines) > 0.9 * 100 * 20


def test_no_more_is_transformed_at_once_than_a_block(monkeypatch):
    transform, sizes = neighbors.scipy.fft.irfft, []

    def measured(products, *args, **kwargs):
        sizes.append(products.size)
        return transform(products, *args, **kwargs)

    monkeypatch.setattr(neighbors.scipy.fft, "irfft", measured)
    monkeypatch.setattr(neighbors, "BLOCK", 1000)
    neighbors.nearest_neighbor(RNG.normal(size=(60, 40)), np.arange(60), RNG.normal(size=(20, 40)))
    assert max(sizes) == 1000 // 41 * 41  # A spectrum of 40 frames, padded to 80, has 41 numbers.


@pytest.mark.parametrize("distance", similarity.SIMILARITIES)
def test_many_small_chunks_give_the_neighbors_of_one(distance, monkeypatch):
    train, queries = waves(30, 40, 2, 0.2), waves(50, 40, 2, 0.2)
    whole = neighbors.nearest_neighbor(train, np.arange(30), queries, distance)
    monkeypatch.setattr(neighbors, "PAIRS", 100)
    monkeypatch.setattr(neighbors, "BLOCK", 200)
    np.testing.assert_array_equal(neighbors.nearest_neighbor(train, np.arange(30), queries, distance), whole)


@pytest.mark.parametrize("distance", similarity.SIMILARITIES)
def test_of_equal_training_clips_the_first_counts(distance):
    train = np.tile(waves(6, 50, 2, 0.2), (5, 1, 1))
    predicted = neighbors.nearest_neighbor(train, np.arange(30), train, distance)
    np.testing.assert_array_equal(predicted, np.arange(30) % 6)


@pytest.mark.parametrize("distance", similarity.SIMILARITIES)
def test_to_a_constant_query_all_are_equally_near(distance):
    train = np.concatenate([np.full((3, 50), 2.0), waves(9, 50, 1, 0.0)[..., 0]])
    queries = np.concatenate([np.zeros((1, 50)), np.full((1, 50), -1.0), waves(5, 50, 1, 0.0)[..., 0]])
    predicted = neighbors.nearest_neighbor(train, np.arange(12), queries, distance)
    np.testing.assert_array_equal(predicted[:2], 0)
    assert np.all(predicted[2:] >= 3)
    constant = np.ones((4, 50))
    np.testing.assert_array_equal(neighbors.nearest_neighbor(constant, np.arange(4), constant, distance), 0)


@pytest.mark.parametrize("distance", similarity.SIMILARITIES)
def test_one_training_clip_is_nearest_to_all(distance):
    train, queries = waves(1, 20, 2, 0.1), waves(3, 20, 2, 0.1)
    np.testing.assert_array_equal(neighbors.nearest_neighbor(train, [7.0], queries, distance), [7.0] * 3)
    assert neighbors.nearest_neighbor(train, [7.0], queries[:0], distance).shape == (0,)


def broken(series, index, value):
    series = series.copy()
    series[index] = value
    return series


FINE = np.random.default_rng(0).normal(size=(4, 20))


@pytest.mark.parametrize("distance", similarity.SIMILARITIES)
@pytest.mark.parametrize(
    ("train", "labels", "queries", "message"),
    [
        (FINE, range(3), FINE, r"needs one label.*Received 4 `train_features` and `train_labels` of shape \(3,\)"),
        (FINE, 1.0, FINE, r"needs one label.*`train_labels` of shape \(\)"),
        (FINE[:0], [], FINE, r"there must be at least one. Received 0 `train_features`"),
        (FINE, range(4), FINE[:, :19], r"same frames and channels. .* \(4, 20\) and `features` of shape \(4, 19\)"),
        (FINE[..., None].repeat(2, 2), range(4), FINE, r"same frames and channels. .* \(4, 20, 2\) .* \(4, 20\)"),
        (FINE[0], range(20), FINE, r"`train_features` must be \(clips, frames\) or .* Received: \(20,\)"),
        (FINE, range(4), FINE[None, None], r"`features` must be \(clips, frames\) or .* Received: \(1, 1, 4, 20\)"),
        (FINE[:, :0], range(4), FINE[:, :0], r"`train_features` must be .* Received: \(4, 0\)"),
        (broken(FINE, (2, 5), np.nan), range(4), FINE, "`train_features` must be finite. Clip 2 holds NaN or infinite"),
        (FINE, range(4), broken(FINE, (3, 0), np.inf), "`features` must be finite. Clip 3 holds NaN or infinite"),
    ],
)
def test_features_and_labels_that_do_not_fit_are_refused(train, labels, queries, message, distance):
    with pytest.raises(ValueError, match=message):
        neighbors.nearest_neighbor(train, labels, queries, distance)


def test_an_unknown_distance_is_refused():
    with pytest.raises(
        ValueError, match=r"`distance` must be one of \[.cosine., .mxcorr., .npsd., .npsd_l2.\]. Received: 'l1'"
    ):
        neighbors.nearest_neighbor(FINE, range(4), FINE, "l1")
