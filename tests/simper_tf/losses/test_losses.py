import numpy as np
import oracles
import pytest
import tensorflow as tf
from oracles import softmax

from simper_tf.losses import info_nce, similarity, spectral

RNG = np.random.default_rng(11)
# The paper's choices, written again in plain NumPy: logits of two speeds at distance d, at temperature t.
FORMULAS = {
    "l1": lambda d, t: -d / t,
    "l2": lambda d, t: -(d**2) / t,
    "sqrt": lambda d, t: -np.sqrt(d) / t,
    "inverse": lambda d, t: 1 / (d + t),
}


def sorted_speeds(shape, speed_range=(0.5, 2.0)):
    return np.sort(RNG.uniform(*speed_range, size=shape), axis=-1).astype(np.float32)


def simper_loss(features, speeds, temperature=1.0):
    """Returns `(B,)` losses of `(B, 2, M, T)` features and `(B, M)` speeds."""
    labels = info_nce.label_distribution(speeds, speeds)
    scores = similarity.max_cross_correlation(features[:, 0], features[:, 1])
    return info_nce.generalized_info_nce(scores, labels, temperature)


def perfect_scores(labels, temperature):
    """Returns the scores in [0, 1] of lowest loss: log w + c, cut to [0, 1], with c the log of the softmax's sum."""
    weights = np.log(labels)
    constant = np.zeros([*labels.shape[:-1], 1])
    for _ in range(300):  # A contraction: the sum moves by the mass of what is not cut.
        scores = np.clip(temperature * (weights + constant), 0, 1)
        constant = np.log(np.sum(np.exp(scores / temperature), axis=-1, keepdims=True))
    return scores


@pytest.mark.parametrize("name", info_nce.LABEL_SIMILARITIES)
def test_labels_equal_the_explicit_loop(name):
    x, y = sorted_speeds((3, 4)), sorted_speeds((3, 5))
    labels = info_nce.label_distribution(x, y, temperature=0.2, label_similarity=name)
    for b, i in np.ndindex(3, 4):
        expected = softmax(np.array([FORMULAS[name](abs(x[b, i] - y[b, j]), 0.2) for j in range(5)], float))
        np.testing.assert_allclose(labels[b, i], expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("name", info_nce.LABEL_SIMILARITIES)
def test_labels_have_finite_gradients_at_equal_speeds(name):
    speeds = tf.constant([[0.8, 1.0, 1.0]])
    with tf.GradientTape() as tape:
        tape.watch(speeds)
        # Weighted: the plain sum of a softmax has no gradient that could be wrong.
        labels = info_nce.label_distribution(speeds, speeds, label_similarity=name) * tf.reshape(
            tf.range(9.0), (1, 3, 3)
        )
    gradient = tape.gradient(labels, speeds)
    assert np.all(np.isfinite(gradient))
    assert np.abs(gradient).max() > 1e-3


def test_speeds_of_half_precision_give_single_precision_labels():
    assert info_nce.label_distribution(tf.ones([2, 3], tf.float16), tf.ones([2, 3], tf.float16)).dtype == tf.float32


def test_temperature_zero_is_exactly_info_nce():
    speeds, scores = sorted_speeds((5, 8)), tf.constant(RNG.normal(size=(5, 8, 8)), tf.float32)
    loss = info_nce.generalized_info_nce(scores, info_nce.label_distribution(speeds, speeds, temperature=0), 0.1)
    plain = -tf.reduce_mean(tf.linalg.diag_part(tf.nn.log_softmax(scores / 0.1)), axis=-1)
    np.testing.assert_array_equal(loss, plain)
    near = info_nce.generalized_info_nce(scores, info_nce.label_distribution(speeds, speeds, temperature=1e-6), 0.1)
    np.testing.assert_allclose(near, plain, rtol=1e-5)


def test_temperature_zero_picks_the_nearest_speed_of_another_set():
    labels = info_nce.label_distribution([0.9, 1.6], [0.5, 1.0, 1.5, 2.0], temperature=0)
    np.testing.assert_array_equal(labels, [[0, 1, 0, 0], [0, 0, 1, 0]])


def test_loss_of_two_views_by_hand():
    scores, labels = tf.constant([[1.0, 0.0], [0.5, 0.5]]), tf.constant([[0.75, 0.25], [0.5, 0.5]])
    first = 0.75 * np.log(1 + np.exp(-2)) + 0.25 * np.log(1 + np.exp(2))
    loss = info_nce.generalized_info_nce(scores, labels, temperature=0.5)
    np.testing.assert_allclose(loss, (first + np.log(2)) / 2, rtol=1e-6)


def test_entropy_by_hand_and_zero_for_hard_labels():
    np.testing.assert_allclose(info_nce.label_entropy(tf.constant([[0.5, 0.5], [1.0, 0.0]])), np.log(2) / 2, rtol=1e-6)
    np.testing.assert_array_equal(info_nce.label_entropy(tf.eye(4)), 0)
    np.testing.assert_array_equal(info_nce.label_entropy([[1, 0], [0, 1]]), 0)
    np.testing.assert_allclose(info_nce.label_entropy(tf.fill([3, 10], 0.1)), np.log(10), rtol=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 0.1])
def test_loss_is_never_below_the_label_entropy_and_reaches_it(temperature):
    speeds = sorted_speeds((50, 6))
    labels = info_nce.label_distribution(speeds, speeds)
    floor = info_nce.label_entropy(labels)
    scores = tf.constant(RNG.uniform(size=(50, 6, 6)), tf.float32)
    assert np.all(info_nce.generalized_info_nce(scores, labels, temperature) >= floor)
    reached = info_nce.generalized_info_nce(temperature * tf.math.log(labels), labels, temperature)
    np.testing.assert_allclose(reached, floor, rtol=1e-4)


def test_constant_features_cost_the_logarithm_of_the_view_number():
    loss = simper_loss(tf.zeros([2, 2, 10, 16]), sorted_speeds((2, 10)))
    np.testing.assert_allclose(loss, np.log(10), rtol=1e-6)


def test_loss_and_gradient_of_a_batch_are_means_of_its_clips():
    features, speeds = tf.constant(RNG.normal(size=(4, 2, 5, 20)), tf.float32), sorted_speeds((4, 5))
    mixing = tf.Variable(RNG.normal(size=(20, 20)), dtype=tf.float32)

    def loss_and_gradient(clips):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(simper_loss(tf.gather(features, clips) @ mixing, tf.gather(speeds, clips), 0.1))
        return loss, tape.gradient(loss, mixing)

    batch = loss_and_gradient([0, 1, 2, 3])
    singles = [loss_and_gradient([k]) for k in range(4)]
    np.testing.assert_allclose(batch[0], np.mean([loss for loss, _ in singles]), rtol=1e-5)
    np.testing.assert_allclose(batch[1], np.mean([gradient for _, gradient in singles], axis=0), atol=1e-5)


# Measured over 500 draws before the package was written and printed to three digits (one of the perplexity). The
# standard error of a mean over 500 draws is 0.003, of the mass, and 0.03, of the perplexity: bounds of 4 of them.
@pytest.mark.parametrize(
    ("speed_range", "mass", "perplexity"), [((0.5, 2.0), 0.525, 3.3), ((0.5, 3.0), 0.650, 2.4)], ids=["2", "3"]
)
def test_default_labels_spread_over_a_few_views(speed_range, mass, perplexity):
    speeds = sorted_speeds((500, 10), speed_range)
    labels = info_nce.label_distribution(speeds, speeds)
    assert np.mean(tf.linalg.diag_part(labels)) == pytest.approx(mass, abs=0.012)
    assert np.exp(np.mean(info_nce.label_entropy(labels))) == pytest.approx(perplexity, abs=0.12)


@pytest.mark.parametrize(
    ("speed_range", "temperature", "lowest"),
    [((0.5, 2.0), 1.0, 1.786), ((0.5, 3.0), 1.0, 1.691), ((0.5, 2.0), 0.5, 1.45), ((0.5, 3.0), 0.5, 1.26)],
)
def test_scores_of_zero_to_one_bound_the_loss_from_below(speed_range, temperature, lowest):
    speeds = sorted_speeds((500, 10), speed_range)
    labels = info_nce.label_distribution(speeds, speeds)
    scores = perfect_scores(labels.numpy().astype(np.float64), temperature)
    loss = info_nce.generalized_info_nce(scores, labels, temperature)
    assert np.mean(loss) == pytest.approx(lowest, abs=0.02)
    for _ in range(20):  # The problem is convex: no step to other scores in [0, 1] may lower it.
        others = scores + 0.05 * (RNG.uniform(size=scores.shape) - scores)
        assert np.all(info_nce.generalized_info_nce(others, labels, temperature) > loss - 1e-5)


def series(frequency, num_frames=60):
    return np.sin(2 * np.pi * frequency * np.arange(num_frames) + 0.3).astype(np.float32)


BAND = (0.05, 0.12)  # Cycles per frame.


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.5])
@pytest.mark.parametrize(("num_frames", "rate", "band"), [(75, 30, (0.5, 4.5)), (60, 20, (0.6, 3.0))])
def test_a_sine_in_the_band_costs_0_and_an_octave_above_1(num_frames, rate, band, speed):
    low, high = band[0] / rate, band[1] / rate
    frequencies = speed * np.array([*np.linspace(low, high, 9), 2 * high])
    angles = 2 * np.pi * frequencies[:, None] * np.arange(num_frames) + np.linspace(0, 2 * np.pi, 8)[:, None, None]
    share = spectral.out_of_band_power(tf.constant(np.sin(angles)), tf.fill([8, 10], speed), (low, high))
    # 0.05 % lie outside of the main lobe. Of a few periods the mean is not 0, and taking it leaves as much at 0 Hz.
    np.testing.assert_allclose(share[:, :9], 0, atol=0.03)
    np.testing.assert_allclose(share[:, 9], 1, atol=0.01)


def test_channels_pool_their_power():
    inside, outside = series(0.08), series(0.25)
    views = tf.constant(np.stack([inside, outside], axis=-1)[None, None])
    np.testing.assert_allclose(spectral.out_of_band_power(views, tf.ones([1, 1]), BAND), [[1 / 2]], atol=0.01)
    single = spectral.out_of_band_power(views[..., :1], tf.ones([1, 1]), BAND)
    np.testing.assert_allclose(single, spectral.out_of_band_power(views[..., 0], tf.ones([1, 1]), BAND), atol=1e-6)


@pytest.mark.parametrize("num_frames", [20, 21, 60])
def test_out_of_band_power_equals_numpy(num_frames):
    views, speeds = RNG.normal(size=(2, 3, num_frames)), sorted_speeds((2, 3))
    share = spectral.out_of_band_power(tf.constant(views), tf.constant(speeds), BAND)
    for b, v in np.ndindex(2, 3):
        expected = oracles.out_of_band_power(views[b, v], speeds[b, v], BAND)
        np.testing.assert_allclose(share[b, v], expected, rtol=1e-4)


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_constant_features_have_no_power_and_a_finite_gradient(constant):
    features = tf.fill([2, 3, 20], constant)
    with tf.GradientTape() as tape:
        tape.watch(features)
        share = spectral.out_of_band_power(features, tf.ones([2, 3]), BAND)
    np.testing.assert_allclose(share, 0, atol=1e-6)
    assert np.all(np.isfinite(tape.gradient(share, features)))


def test_unevenness_of_few_bins_is_that_by_hand():
    power = tf.constant([[[9.0, 2, 2, 0, 0, 5]], [[0.0, 0, 1, 3, 0, 0]]])
    inside = tf.constant([[[False, True, True, False, False, False]], [[False, True, True, True, True, False]]])
    found, target = np.array([0.25, 0.375, 0.375, 0]), np.array([0.375, 0.375, 0.125, 0.125])
    expected = np.mean(np.cumsum(found - target) ** 2)
    assert float(spectral.unevenness(power, inside)) == pytest.approx(expected, rel=1e-5)


def test_sparsity_of_few_bins_is_that_by_hand():
    power = tf.constant([[9.0, 1, 4, 2, 3], [0.0, 0, 0, 0, 7]])
    inside = tf.constant([[False, True, True, True, True]] * 2)
    shares = spectral.sparsity(power, tf.range(5.0), inside, 2)
    np.testing.assert_allclose(shares, [3 / 10, 0], atol=1e-6)
    np.testing.assert_allclose(spectral.sparsity(power, tf.range(5.0), inside, 4), [6 / 10, 0], atol=1e-6)
    np.testing.assert_array_equal(spectral.sparsity(0 * power, tf.range(5.0), inside, 2), 0)
