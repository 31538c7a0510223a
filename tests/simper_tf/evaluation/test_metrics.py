import numpy as np
import pytest
import scipy.stats

from simper_tf.evaluation import metrics

RNG = np.random.default_rng(29)
TRUE, PREDICTED = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0])


def test_mean_absolute_error_by_hand():
    assert metrics.mean_absolute_error(TRUE, PREDICTED) == pytest.approx((0.5 + 0 + 1) / 3)


def test_mean_absolute_percentage_error_by_hand():
    assert metrics.mean_absolute_percentage_error(TRUE, PREDICTED) == pytest.approx(100 * (0.5 / 1 + 0 + 1 / 4) / 3)
    assert metrics.mean_absolute_percentage_error(-TRUE, -PREDICTED) == pytest.approx(25)


def test_geometric_mean_floors_exact_hits_and_counts_them():
    assert metrics.geometric_mean_error(TRUE, PREDICTED, floor=0.1) == pytest.approx((0.5 * 0.1 * 1) ** (1 / 3))
    assert metrics.geometric_mean_error(TRUE, PREDICTED) == pytest.approx((0.5 * 1e-3 * 1) ** (1 / 3))
    assert metrics.count_floored(TRUE, PREDICTED) == 1
    assert metrics.count_floored(TRUE, PREDICTED, floor=0.6) == 2
    assert metrics.count_floored(TRUE, TRUE + 1e-3 + 1e-9) == 0
    assert metrics.count_floored(TRUE, TRUE + 0.5, floor=0.5) == 0  # Nothing is lifted.


def test_geometric_mean_equals_scipy_where_nothing_is_floored():
    true = RNG.uniform(size=50)
    predicted = true + RNG.uniform(0.1, 2, 50)
    assert metrics.geometric_mean_error(true, predicted) == pytest.approx(scipy.stats.gmean(np.abs(predicted - true)))


def test_pearson_equals_scipy_and_ignores_scale_and_offset():
    true = RNG.normal(size=30)
    predicted = 0.5 * true + RNG.normal(size=30)
    expected = scipy.stats.pearsonr(true, predicted).statistic
    assert metrics.pearson_correlation(true, predicted) == pytest.approx(expected)
    assert metrics.pearson_correlation(3 * true + 1, 0.1 * predicted - 4) == pytest.approx(expected)
    assert metrics.pearson_correlation(1e-4 * true, 1e-4 * predicted) == pytest.approx(expected)
    assert metrics.pearson_correlation(true, -2 * true) == pytest.approx(-1)


@pytest.mark.parametrize("constant", [0.0, 0.1, 3.3])
def test_pearson_is_0_of_equal_predictions_none_of_equal_labels(constant):
    series, flat = RNG.normal(size=10), np.full(10, constant)
    assert metrics.pearson_correlation(series, flat) == pytest.approx(0, abs=1e-9)
    for predicted in (series, flat):
        with pytest.raises(metrics.Undefined, match="true values that are all alike is undefined"):
            metrics.pearson_correlation(flat, predicted)


@pytest.mark.parametrize("name", metrics.METRICS)
@pytest.mark.parametrize(("true", "predicted"), [([1.0, 2.0], [1.0]), ([], []), ([[1.0, 2.0]], [1.0, 2.0])])
def test_no_predictions_or_another_number_are_refused(name, true, predicted):
    with pytest.raises(ValueError, match="as many predictions as true values, and at least one"):
        metrics.METRICS[name][0](true, predicted)


def test_a_percentage_of_zero_is_refused_with_the_zeros_counted():
    with pytest.raises(ValueError, match="true value of 0 is undefined; 2 of them"):
        metrics.mean_absolute_percentage_error([0.0, 1.0, 0.0], [1.0, 1.0, 1.0])


def test_a_fraction_error_is_a_hundredth_and_bears_zeros():
    assert metrics.mean_absolute_fraction_error(TRUE, PREDICTED) == pytest.approx((0.5 / 1 + 0 + 1 / 4) / 3)
    assert metrics.mean_absolute_fraction_error(-TRUE, -PREDICTED) == pytest.approx(0.25)
    assert metrics.mean_absolute_fraction_error([0.0, 2.0], [0.5, 2.0], floor=0.1) == pytest.approx(5 / 2)


def test_correlation_of_series_is_the_mean_over_them():
    true = RNG.normal(size=(5, 12)) + 100 * np.arange(5)[:, None]
    predicted = RNG.normal(size=(5, 12)) + 100 * np.arange(5)[:, None]
    expected = np.mean([scipy.stats.pearsonr(*pair).statistic for pair in zip(true, predicted, strict=True)])
    assert metrics.mean_series_correlation(true, predicted) == pytest.approx(expected)
    assert metrics.pearson_correlation(true, predicted) > 0.99 > abs(expected) + 0.3


@pytest.mark.parametrize("length", [7, 24, 100])
@pytest.mark.parametrize("constant", [0.0, 0.1, -3.3, 1e6 / 3])
def test_a_constant_series_counts_as_uncorrelated(constant, length):
    # The mean of as many 0.1 is another number than 0.1, by rounding.
    flat, rising = np.full(length, constant), np.arange(length) / 1e4
    true, predicted = np.stack([rising, flat, flat, rising]), np.stack([rising, flat, rising, flat])
    assert metrics.mean_series_correlation(true, predicted) == pytest.approx(1 / 4, abs=1e-9)
    assert metrics.mean_series_correlation(true, -predicted) == pytest.approx(-1 / 4, abs=1e-9)


def test_small_changes_far_from_zero_are_not_constant():
    swing = 300 + 1e-6 * np.sin(np.arange(24.0))[None]
    assert metrics.mean_series_correlation(swing, swing) == pytest.approx(1, abs=1e-6)


def test_the_pooled_correlation_of_series_sees_their_levels():
    true, predicted = np.array([[0.0, 1.0], [4.0, 5.0]]), np.array([[1.0, 0.0], [5.0, 4.0]])
    pooled, _ = metrics.SERIES_METRICS["pearson_pooled"]
    # Deviations of (-5, -3, 3, 5) / 2 and (-3, -5, 5, 3) / 2: products sum to 60 / 4, squares to 68 / 4.
    assert pooled(true, predicted) == pytest.approx(60 / 68)
    assert metrics.mean_series_correlation(true, predicted) == pytest.approx(-1)


@pytest.mark.parametrize("name", metrics.SERIES_METRICS)
def test_intervals_of_series_draw_whole_clips(name):
    metric, _ = metrics.SERIES_METRICS[name]
    true, predicted = RNG.uniform(1, 5, (2, 6, 9))
    low, high = metrics.bootstrap_interval(metric, true, predicted, num_resamples=100)
    assert low < metric(true, predicted) < high
    assert metrics.bootstrap_interval(metric, true, predicted, ["one"] * 6, num_resamples=100) == (low, high)


@pytest.mark.parametrize("groups", [None, RNG.integers(0, 7, 40), np.repeat(["a", "b"], 20)], ids=["clips", "7", "2"])
@pytest.mark.parametrize("name", ["mae", "mape", "gm", "pearson", "series mape", "series pearson"])
def test_an_interval_is_that_of_the_metric_of_each_resample(name, groups):
    is_series = name.startswith("series")
    metric, _ = (metrics.SERIES_METRICS if is_series else metrics.METRICS)[name.split()[-1]]
    true, predicted = RNG.uniform(1, 5, (2, 40, 9) if is_series else (2, 40))
    labels = np.arange(40) if groups is None else groups
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    rng, values = np.random.default_rng(3), []
    for _ in range(50):
        clips = np.concatenate([members[k] for k in rng.integers(len(members), size=len(members))])
        values.append(metric(true[clips], predicted[clips]))
    found = metrics.bootstrap_interval(metric, true, predicted, groups, num_resamples=50, seed=3)
    assert found == pytest.approx(np.percentile(values, [2.5, 97.5]), rel=1e-9)


def test_resamples_of_one_value_leave_the_interval_finite():
    true, predicted = np.repeat([60.1, 90.7], 10), RNG.uniform(60, 90, 20)
    low, high = metrics.bootstrap_interval(metrics.pearson_correlation, true, predicted, true)
    assert -1 <= low <= 0 <= high <= 1


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", metrics.METRICS)
def test_what_is_not_a_number_leaves_no_value_and_no_interval(name, wrong):
    metric, _ = metrics.METRICS[name]
    predicted = np.array([1.5, wrong, 3.0])
    with np.errstate(invalid="ignore"):
        assert not np.isfinite(metric(TRUE, predicted))
        assert not np.isfinite(metrics.bootstrap_interval(metric, TRUE, predicted)).all()


@pytest.mark.parametrize("name", metrics.SERIES_METRICS)
def test_a_series_that_is_not_a_number_leaves_no_value(name):
    metric, _ = metrics.SERIES_METRICS[name]
    assert np.isnan(metric(TRUE[None], np.array([[1.5, np.nan, 3.0]])))


def test_an_interval_leaves_out_25_of_1000_draws_at_either_end():
    counted = metrics.Metric(lambda true, predicted: np.zeros(len(true)), lambda means: np.arange(len(means)))
    low, high = metrics.bootstrap_interval(counted, TRUE, PREDICTED)
    assert (low, high) == pytest.approx((0.025 * 999, 0.975 * 999))


def test_clips_of_one_person_have_the_interval_over_clips():
    true, predicted = np.zeros(4), np.array([0.0, 0.1, 0.4, 0.6])
    alone = metrics.bootstrap_interval(metrics.mean_absolute_error, true, predicted, np.array(["a"] * 4))
    assert alone == metrics.bootstrap_interval(metrics.mean_absolute_error, true, predicted)
    assert alone[0] < 0.275 < alone[1]
