import numpy as np
import pytest
import scipy.stats
from made_up_features import perfect

from simper_tf.evaluation import metrics, rows, tasks
from simper_tf.evaluation.features import Features

RNG = np.random.default_rng(43)
RUN = {
    "dataset": "d",
    "config": "c",
    "method": "simper",
    "encoder": "small",
    "seed": 3,
    "commit": "abc",
    "seconds": 2.0,
}


def test_rows_of_series_have_the_metrics_of_series():
    labels = RNG.uniform(10, 30, (12, 7)).astype(np.float32)
    test = Features(labels, labels, np.ones(12), np.arange(12).astype(str))
    found_rows = rows.score({"linear_probe": labels + RNG.normal(size=labels.shape)}, test, tasks.Series("°C"), **RUN)
    pearsons = [("pearson", ""), ("pearson_pooled", "")]
    assert [(row.metric, row.unit) for row in found_rows] == [("mae", "°C"), ("mape", "fraction"), *pearsons]
    assert all(row.n == 12 and row.low < row.value < row.high for row in found_rows)


def test_rows_hold_a_number_with_its_unit_and_interval():
    test = perfect(RNG, RNG.uniform(0.5, 5, 30))
    predictions = {"fft": test.labels + 0.1 * RNG.normal(size=30), "1nn": test.labels + RNG.normal(size=30)}
    found_rows = rows.score(predictions, test, tasks.Frequency("Hz"), **RUN)
    found = {(row.protocol, row.metric): row for row in found_rows}
    assert found.keys() == {(p, m) for p in predictions for m in metrics.METRICS}
    assert len(found_rows) == 8
    for protocol, predicted in predictions.items():
        errors = np.abs(predicted - test.labels)
        expected = {
            "mae": (errors.mean(), "Hz"),
            "mape": (100 * np.mean(errors / test.labels), "%"),
            "gm": (scipy.stats.gmean(np.maximum(errors, 1e-3)), "Hz"),
            "pearson": (scipy.stats.pearsonr(test.labels, predicted).statistic, ""),
        }
        for name, (value, unit) in expected.items():
            row = found[protocol, name]
            assert row.value == pytest.approx(value, rel=1e-5)
            assert row.unit == unit
            assert row.low < row.value < row.high
            assert row.n == 30
            assert {field: getattr(row, field) for field in RUN} == RUN


def test_a_percentage_is_left_out_where_a_label_is_zero():
    labels = np.float32([0, 1, 2])
    test = Features(labels, labels, np.ones(3), np.arange(3).astype(str))
    found = rows.score({"1nn": labels + 1}, test, tasks.Scalar("mmHg"), **RUN)
    assert [row.metric for row in found] == ["mae", "gm", "pearson"]


def test_intervals_are_drawn_over_subjects_where_there_are_any():
    frequencies, subjects = RNG.uniform(1, 3, 40), np.repeat(["a", "b", "c", "d"], 10)
    predictions = {"fft": frequencies + np.repeat([0.0, 0.1, 0.3, 1.0], 10) + 0.001}
    clips = rows.score(predictions, perfect(RNG, frequencies), tasks.Frequency("Hz"), **RUN)[0]
    people = rows.score(predictions, perfect(RNG, frequencies, subjects=subjects), tasks.Frequency("Hz"), **RUN)[0]
    assert people.value == clips.value
    assert people.high - people.low > 2 * (clips.high - clips.low)


def test_a_run_that_leaves_a_field_open_is_refused():
    run = {name: value for name, value in RUN.items() if name != "commit"}
    with pytest.raises(TypeError, match="commit"):
        rows.score({"fft": np.ones(3)}, perfect(RNG, np.ones(3)), tasks.Frequency("Hz"), **run)


def test_errors_on_seen_and_unseen_labels_stand_apart():
    labels = np.float32([1, 2, 3, 4, 5])
    test = Features(labels, labels, np.ones(5), np.arange(5).astype(str), subjects=np.array(list("aabbc")))
    seen = np.array([True, False, False, True, True])
    found = rows.score_apart({"1nn": labels + np.float32([1, 2, 4, 1, 4])}, test, tasks.Frequency("Hz"), seen, **RUN)
    values = {row.metric: (row.value, row.unit, row.n) for row in found}
    assert values == {
        "mae_seen": (2.0, "Hz", 3),
        "mape_seen": (pytest.approx(100 * (1 + 1 / 4 + 4 / 5) / 3), "%", 3),
        "mae_unseen": (3.0, "Hz", 2),
        "mape_unseen": (pytest.approx(100 * (1 + 4 / 3) / 2), "%", 2),
    }
    (unseen,) = (row for row in found if row.metric == "mae_unseen")
    assert (unseen.low, unseen.high) == (2.0, 4.0)
