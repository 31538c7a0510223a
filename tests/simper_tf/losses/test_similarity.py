import functools

import numpy as np
import pytest
import tensorflow as tf

from simper_tf.losses import similarity

ALL = [similarity.max_cross_correlation, similarity.npsd_cosine, similarity.npsd_l2, similarity.cosine]
# As the package makes its graphs: AutoGraph takes longer than all else in the tests of a graph.
GRAPH = functools.partial(tf.function, autograph=False)
XLA = functools.partial(GRAPH, jit_compile=True)
RNG = np.random.default_rng(5)
EVEN, ODD = RNG.normal(size=(2, 3, 16)), RNG.normal(size=(2, 3, 17))


def sinusoid(frequency, num_frames=50, phase=0.0, rate=30.0):
    """Returns `(1, T)` of a sinusoid, frequency in Hz."""
    return np.sin(2 * np.pi * frequency * np.arange(num_frames) / rate + phase)[None]


def compare_gradients(function, other, x, y, weights, atol):
    def gradients(function):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            score = tf.reduce_sum(weights * function(x, y))
        return tape.gradient(score, [x, y])

    for found, expected in zip(gradients(function), gradients(other), strict=True):
        np.testing.assert_allclose(found, expected, atol=atol)


def standardized(x):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def unit_psd(x, kept=slice(1, None)):
    power = np.abs(np.fft.rfft(x))[..., kept] ** 2
    return power / np.linalg.norm(power, axis=-1, keepdims=True)


def test_series_that_meet_only_at_the_largest_lag():
    # (2, -1, -1)/3 and (-1, -1, 2)/3 overlap best in one frame, at a lag of two; a lag of minus two is another.
    first, last = tf.constant([[1.0, 0.0, 0.0]]), tf.constant([[0.0, 0.0, 1.0]])
    np.testing.assert_allclose(similarity.max_cross_correlation(first, last), [[2 * 2 / 6]], rtol=1e-6)
    np.testing.assert_allclose(similarity.max_cross_correlation(last, first), [[2 * 2 / 6]], rtol=1e-6)


def test_cosine_of_two_short_series():
    # Centred: (-1, 0, 1) and (-1, 1, 0), whose product is 1 and whose norms are sqrt 2.
    score = similarity.cosine(tf.constant([[1.0, 2.0, 3.0]]), tf.constant([[1.0, 3.0, 2.0]]))
    np.testing.assert_allclose(score, [[1 / 2]], rtol=1e-6)


@pytest.mark.parametrize("score", ALL)
def test_lists_of_numbers_are_series(score):
    np.testing.assert_array_equal(score([[1, 2, 3]], [[1, 3, 2]]), score(tf.constant([[1, 2, 3]]), [[1.0, 3.0, 2.0]]))


@pytest.mark.parametrize("x", [EVEN, ODD], ids=["even", "odd"])
def test_max_cross_correlation_equals_that_of_numpy(x):
    score = similarity.max_cross_correlation(tf.constant(x[0]), tf.constant(x[1]))
    a, b = standardized(x)
    expected = [[np.correlate(p, q, mode="full").max() for q in b] for p in a]
    np.testing.assert_allclose(score, expected, atol=1e-6)


@pytest.mark.parametrize("x", [EVEN, ODD], ids=["even", "odd"])
def test_npsd_equals_the_explicit_loop(x):
    score = similarity.npsd_cosine(tf.constant(x[0]), tf.constant(x[1]))
    expected = [[np.dot(unit_psd(p), unit_psd(q)) for q in x[1]] for p in x[0]]
    np.testing.assert_allclose(score, expected, atol=1e-6)


@pytest.mark.parametrize("x", [EVEN, ODD], ids=["even", "odd"])
def test_npsd_l2_is_minus_the_distance_of_unit_spectra(x):
    score = similarity.npsd_l2(tf.constant(x[0]), tf.constant(x[1]))
    expected = [[-np.linalg.norm(unit_psd(p) - unit_psd(q)) for q in x[1]] for p in x[0]]
    np.testing.assert_allclose(score, expected, atol=1e-6)


def test_npsd_l2_ranks_pairs_otherwise_than_the_cosine_averages():
    x, y = [tf.constant(RNG.normal(size=(2, 6, 16, 3)), tf.float32) for _ in range(2)]
    cosine, distance = [similarity.over_channels(f, x, y) for f in (similarity.npsd_cosine, similarity.npsd_l2)]
    assert np.abs(distance - (2 * cosine - 2)).min() > 1e-3


def test_equal_spectra_have_zero_distance_and_zero_gradient():
    x = tf.constant(EVEN[:1], tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = similarity.npsd_l2(x, x)
    np.testing.assert_array_equal(np.diagonal(score[0]), 0)
    assert np.isfinite(tape.gradient(score, x)).all()


@pytest.mark.parametrize("function", ALL)
def test_variables_are_compared_as_tensors_are(function):
    x, y = tf.constant(EVEN[0], tf.float32), tf.constant(EVEN[1], tf.float32)
    np.testing.assert_array_equal(function(tf.Variable(x), tf.Variable(y)), function(x, y))


def test_scores_stay_in_their_ranges():
    x, y = tf.constant(RNG.standard_cauchy(size=(40, 9))), tf.constant(RNG.normal(size=(40, 9)))
    for function, (low, high) in zip(ALL, ((0, 1), (0, 1), (-1.4143, 0), (-1, 1)), strict=True):
        score = function(x, y).numpy()
        assert score.min() >= low - 1e-5
        assert score.max() <= high + 1e-5


@pytest.mark.parametrize("function", ALL)
def test_scores_are_symmetric_and_ignore_scale_and_offset(function):
    x, y = tf.constant(EVEN[0]), tf.constant(EVEN[1])
    np.testing.assert_allclose(function(y, x), tf.transpose(function(x, y)), atol=1e-6)
    np.testing.assert_allclose(function(3.0 * x + 7.0, 0.01 * y - 2.0), function(x, y), atol=1e-5)
    np.testing.assert_allclose(function(1e-3 * x, 1e-3 * y), function(x, y), atol=1e-5)


def test_a_band_keeps_only_the_bins_inside_it_edges_included():
    time = np.arange(20) / 20
    x = tf.constant((np.sin(2 * np.pi * 2 * time) + np.sin(2 * np.pi * 5 * time))[None])
    y = tf.constant((np.sin(2 * np.pi * 5 * time) + np.sin(2 * np.pi * 8 * time))[None])
    np.testing.assert_allclose(similarity.npsd_cosine(x, y), [[1 / 2]], atol=1e-6)
    np.testing.assert_allclose(similarity.npsd_cosine(x, y, band=(4 / 20, 6 / 20)), [[1.0]], atol=1e-6)
    np.testing.assert_allclose(similarity.npsd_cosine(x, y, band=(2 / 20, 6 / 20)), [[1 / np.sqrt(2)]], atol=1e-6)
    np.testing.assert_allclose(similarity.npsd_cosine(x, y, band=(2 / 20, 2 / 20)), [[0.0]], atol=1e-6)
    np.testing.assert_allclose(similarity.npsd_l2(x, y, band=(4 / 20, 6 / 20)), [[0.0]], atol=1e-6)


@pytest.mark.parametrize("function", ALL)
def test_leading_axes_are_batches(function):
    x, y = RNG.normal(size=(2, 3, 4, 12)), RNG.normal(size=(2, 3, 5, 12))
    score = function(tf.constant(x), tf.constant(y))
    assert score.shape == (2, 3, 4, 5)
    for b, c in np.ndindex(2, 3):
        np.testing.assert_allclose(score[b, c], function(tf.constant(x[b, c]), tf.constant(y[b, c])), atol=5e-6)


@pytest.mark.parametrize("function", ALL)
def test_channels_are_compared_each_with_its_own_and_averaged(function):
    x, y = RNG.normal(size=(2, 3, 11, 4)), RNG.normal(size=(2, 5, 11, 4))
    score = similarity.over_channels(function, tf.constant(x), tf.constant(y))
    expected = np.zeros((2, 3, 5))
    for b in range(2):
        for d in range(4):
            expected[b] += function(tf.constant(x[b, ..., d]), tf.constant(y[b, ..., d])).numpy() / 4
    np.testing.assert_allclose(score, expected, atol=1e-6)


def test_features_without_channels_go_straight_to_the_similarity():
    x, y = tf.constant(EVEN), tf.constant(EVEN[:, ::-1])
    np.testing.assert_array_equal(
        similarity.over_channels(similarity.cosine, x, y), similarity.cosine(x, y), strict=True
    )


@pytest.mark.parametrize("num_frames", [20, 21])
def test_joint_correlations_add_up_channels_at_one_lag(num_frames):
    x, y = RNG.normal(size=(2, 3, num_frames, 4)), RNG.normal(size=(2, 5, num_frames, 4))
    score = similarity.joint_cross_correlation(tf.constant(x), tf.constant(y))
    a, b = [series - series.mean(axis=2, keepdims=True) for series in (x, y)]
    for k, m, n in np.ndindex(2, 3, 5):
        lags = sum(np.correlate(a[k, m, :, d], b[k, n, :, d], mode="full") for d in range(4))
        expected = lags.max() / (np.linalg.norm(a[k, m]) * np.linalg.norm(b[k, n]))
        np.testing.assert_allclose(score[k, m, n], expected, atol=1e-6)


def test_of_one_channel_the_joint_correlation_is_mxcorr():
    x, y = [tf.constant(RNG.normal(size=(2, 3, 30))) for _ in range(2)]
    joint = similarity.joint_cross_correlation(x[..., None], y[..., None])
    np.testing.assert_array_equal(joint, similarity.max_cross_correlation(x, y))


def test_a_silent_channel_halves_the_mean_and_not_the_joint():
    wave = sinusoid(1.5)[..., None] * [1.0, 0.0]
    np.testing.assert_allclose(similarity.joint_cross_correlation(wave, wave), [[1.0]], atol=1e-6)
    mean = similarity.over_channels(similarity.max_cross_correlation, *tf.constant([wave[None], wave[None]]))
    np.testing.assert_allclose(mean, [[[0.5]]], atol=1e-6)


def test_channels_that_agree_at_other_lags_are_jointly_unlike():
    x = np.stack([sinusoid(3, 60), sinusoid(3, 60)], axis=-1)
    y = np.stack([sinusoid(3, 60), sinusoid(3, 60, np.pi)], axis=-1)
    apart = similarity.joint_cross_correlation(x, y)
    assert similarity.over_channels(similarity.max_cross_correlation, *tf.constant([x[None], y[None]])) > 0.85
    assert apart < 0.2


def test_the_joint_gradient_is_that_of_all_lags_at_their_maximum():
    shapes = ((2, 3, 20, 4), (2, 5, 20, 4), (2, 3, 5))
    x, y, weights = [tf.constant(RNG.normal(size=shape), tf.float32) for shape in shapes]

    def by_every_lag(x, y):
        x, y = [series - tf.reduce_mean(series, axis=2, keepdims=True) for series in (x, y)]
        x, y = [series / tf.norm(series, axis=(2, 3), keepdims=True) for series in (x, y)]
        padded = tf.pad(y, [(0, 0), (0, 0), (19, 19), (0, 0)])
        lags = [tf.einsum("bmtd,bntd->bmn", x, padded[:, :, lag : lag + 20]) for lag in range(39)]
        return tf.reduce_max(lags, axis=0)

    compare_gradients(similarity.joint_cross_correlation, by_every_lag, x, y, weights, atol=1e-6)


@pytest.mark.parametrize("num_frames", [20, 21])
def test_the_gradient_of_mxcorr_is_that_of_the_best_lag(num_frames):
    x, y, weights = (
        tf.constant(RNG.normal(size=shape)) for shape in ((2, 3, num_frames), (2, 4, num_frames), (2, 3, 4))
    )
    x, y, weights = (tf.cast(values, tf.float32) for values in (x, y, weights))

    def plain(x, y):
        x, y = (v - tf.reduce_mean(v, axis=-1, keepdims=True) for v in (x, y))
        x, y = (v / tf.norm(v, axis=-1, keepdims=True) for v in (x, y))
        padded = tf.pad(y, [[0, 0], [0, 0], [num_frames - 1] * 2])
        windows = tf.stack([padded[..., k : k + num_frames] for k in range(2 * num_frames - 1)], axis=2)
        return tf.reduce_max(tf.einsum("bit,bjkt->bijk", x, windows), axis=-1)

    compare_gradients(similarity.max_cross_correlation, plain, x, y, weights, atol=1e-5)


@pytest.mark.parametrize("run", [GRAPH, pytest.param(XLA, marks=pytest.mark.slow)], ids=["graph", "xla"])
@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("num_frames", [pytest.param(8, marks=pytest.mark.slow), 9])
def test_constant_series_score_unrelated_with_finite_gradients(function, num_frames, run):
    features = RNG.normal(size=(4, 2, num_frames)).astype(np.float32)
    features[0], features[1], features[2, 1] = 0.7, 0.0, 0.3  # All constant, all zero, one row constant, none.
    features = tf.constant(features)

    def value_and_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            score = function(x, x)
            loss = tf.reduce_sum(tf.square(score - 0.5))
        return score, tape.gradient(loss, x)

    # Centring a constant c in float32 leaves up to c 2^-24 a frame, which is divided by the smallest norm, 1e-4.
    bound = 0.7 * 2**-24 * np.sqrt(num_frames) / 1e-4
    unrelated = -np.sqrt(2) if function is similarity.npsd_l2 else 0.0
    eager = value_and_gradient(features)
    for score, gradient in (eager, run(value_and_gradient)(features)):
        np.testing.assert_allclose(score[:2], unrelated, atol=bound)
        np.testing.assert_allclose(score[2, 0, 1], unrelated, atol=bound)
        np.testing.assert_allclose(score[3], eager[0][3], atol=1e-5)
        assert np.all(np.isfinite(gradient))
        # A constant row has no one gradient, as the maximum over lags is a tie there; the others must agree.
        np.testing.assert_allclose(gradient[3], eager[1][3], atol=1e-5)
        assert np.abs(gradient[3]).max() > 0


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_half_precision_series_are_compared_in_single_precision(function, dtype):
    x = tf.cast(EVEN, dtype)
    score = function(x, x)
    assert score.dtype == tf.float32
    np.testing.assert_array_equal(score, function(tf.cast(x, tf.float32), tf.cast(x, tf.float32)))


@pytest.mark.parametrize("function", ALL)
def test_series_of_different_or_unknown_length_are_refused(function):
    with pytest.raises(ValueError, match=r"same, known number of frames.*\(2, 8\) and \(2, 9\)"):
        function(tf.zeros([2, 8]), tf.zeros([2, 9]))
    with pytest.raises(ValueError, match="same, known number of frames"):
        tf.function(function).get_concrete_function(tf.TensorSpec([2, None]), tf.TensorSpec([2, None]))


@pytest.mark.parametrize("band", [(0.4, 0.2), (0.5, 4.0)])
def test_a_band_that_is_reversed_or_in_hertz_is_refused(band):
    with pytest.raises(ValueError, match=rf"`band` .*Received: \({band[0]}, {band[1]:g}\)"):
        similarity.npsd_cosine(tf.zeros([2, 10]), tf.zeros([2, 10]), band=band)


def test_a_band_without_a_bin_is_refused_with_the_spacing():
    with pytest.raises(ValueError, match=r"Spectra of 10 frames .* \[0.11, 0.19\] .* has 0 .* 0.1 apart"):
        similarity.npsd_cosine(tf.zeros([2, 10]), tf.zeros([2, 10]), band=(0.11, 0.19))
