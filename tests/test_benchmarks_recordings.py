"""What the scores of readouts are made of is what the command that fits them prints."""

import importlib
import pathlib

import pytest

from simper_tf import tables
from simper_tf.readings import beats, scores
from simper_tf.readings.scores import Reading


def test_mistakes_that_count_more_make_scores_lower():
    recordings = pytest.importorskip("benchmarks.recordings")
    readings = [Reading("pixels", 1.0, 0.9, distance=k / 40, explained=0.5) for k in range(40)]
    right = [k < 16 or k % 4 == 0 for k in range(40)]
    plain = [float(value) for value in recordings.fitted(readings, right).split(", ")]
    strict = [float(value) for value in recordings.fitted(readings, right, mistake=5).split(", ")]
    assert plain[1] < 0
    assert strict[0] + 0.3 * strict[1] < plain[0] + 0.3 * plain[1]
    unread = Reading("pixels", float("nan"), 0.0)
    assert recordings.fitted([*readings, unread], [*right, True]) == recordings.fitted(readings, right)


@pytest.mark.slow
def test_the_weights_of_series_are_those_that_are_fitted():
    recordings = pytest.importorskip("benchmarks.recordings")
    known = {"SERIES": scores.SERIES, "beats.WEIGHTS": beats.WEIGHTS}
    for name, readings, right in recordings._series_readings():
        found = recordings.fitted(readings, right, mistake=recordings._MISTAKE)
        # Other processors round otherwise: a reading or two of thousands changes sides, and a weight by half a percent.
        assert [float(value) for value in found.split(", ")] == pytest.approx(known.pop(name), rel=0.02)
    assert not known


@pytest.mark.parametrize("name", ["recordings", "general", "adapted", "pulse_faces", "damaged"])
def test_the_page_has_a_table_of_each_command_that_writes_into_it(name):
    module = importlib.import_module(f"benchmarks.{name}")
    text = (pathlib.Path(__file__).parents[1] / "docs" / "recordings.md").read_text()
    assert tables.put_table(text, module.COMMAND, "| new |") != tables.put_table(text, module.COMMAND, "")
    _, between = text.split(f"<!-- results: {module.COMMAND} -->\n")
    assert between.partition(tables.END)[0].count("\n|") > 3
