import json

import numpy as np
import pytest

from simper_tf.evaluation import metrics, tasks
from simper_tf.evaluation.tasks import Frequency, Scalar, Series


@pytest.mark.parametrize(("unit", "expected"), [("Hz", 1.5), ("bpm", 90.0), ("count", 12.0)])
def test_a_frequency_in_hertz_beats_and_repetitions(unit, expected):
    assert 1.5 * Frequency(unit).per_hertz(8.0) == expected


def test_each_clip_may_have_its_own_duration():
    np.testing.assert_array_equal(2.0 * Frequency("count").per_hertz(np.array([6.0, 10.0])), [12.0, 20.0])


@pytest.mark.parametrize("unit", ["°C", "hz", ""])
def test_another_unit_is_refused_with_the_known_frequency_units(unit):
    with pytest.raises(ValueError, match=r"one of the units \['Hz', 'bpm', 'count'\]\. Received"):
        Frequency(unit)


@pytest.mark.parametrize(
    "task",
    [Frequency("bpm", 36.0, 198.0, (0.6, 3.3)), Frequency("count"), Scalar("mmHg", 20.0, 300.0), Series("°C", -60, 80)],
)
def test_a_task_survives_its_metadata_written_as_json(task):
    assert tasks.from_metadata(json.loads(json.dumps(task.to_metadata()))) == task


@pytest.mark.parametrize("found", [None, 7, [], {}, {"kind": "color", "unit": "Hz"}, {"unit": "Hz"}])
def test_metadata_of_no_task_are_refused_with_the_known_kinds(found):
    with pytest.raises(ValueError, match=r"one of \['frequency', 'scalar', 'series'\], and its unit\. Received"):
        tasks.from_metadata(found)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "scalar", "unit": 7}, "must be a name. Received: 7"),
        ({"kind": "scalar"}, "cannot be made of"),
        ({"kind": "scalar", "unit": "m", "color": 1}, "cannot be made of"),
        ({"kind": "scalar", "unit": "m", "lowest": 3, "highest": 3}, "two rising numbers. Received: 3 and 3"),
        ({"kind": "frequency", "unit": "Hz", "band": [5, 1]}, r"0 <= low < high. Received: \(5.0, 1.0\)"),
    ],
)
def test_an_impossible_task_is_refused_with_its_values(fields, message):
    with pytest.raises(ValueError, match=message):
        tasks.from_metadata(fields)


def test_labels_lie_within_given_limits_or_those_of_frames():
    assert Frequency("Hz").limits(150, 30.0) == (0.0, 15.0)
    assert Frequency("count").limits(200, 20.0) == (0.0, 100.0)
    assert Frequency("bpm", 36.0, 198.0).limits(180, 30.0) == (36.0, 198.0)
    assert Frequency("bpm").limits(180, 30.0) == (0.0, 900.0)
    assert Scalar("mmHg").limits(180, 30.0) == (-np.inf, np.inf)
    assert Series("°C", -60.0, 80.0).limits(100, 1 / 3600) == (-60.0, 80.0)


def test_a_kind_of_label_brings_its_metrics_and_answer():
    assert set(Frequency("Hz").metrics) == {"mae", "mape", "gm", "pearson"}
    assert Series("°C").metrics is metrics.SERIES_METRICS
    assert [Frequency(unit).answer for unit in ("Hz", "bpm", "count")] == ["frequency_hz", "heart_rate_bpm", "count"]
    assert (Scalar("mmHg").answer, Series("m").answer) == ("value", "values")
    assert Series("°C").answer == "temperature_celsius"


def test_a_new_unit_of_frequency_is_one_entry(monkeypatch):
    unit = tasks.FrequencyUnit(lambda seconds: 3600.0, "cycles_per_hour")
    monkeypatch.setitem(tasks.FREQUENCY_UNITS, "per_hour", unit)
    task = tasks.from_metadata({"kind": "frequency", "unit": "per_hour"})
    assert (task.per_hertz(10.0), task.answer, task.limits(100, 1.0)) == (3600.0, "cycles_per_hour", (0.0, 1800.0))
