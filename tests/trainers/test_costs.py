"""What a step of a method costs beside one of another."""

import json

import pytest

from benchmarks import costs
from simper_tf.training.settings import Settings
from trainers.studies import choosing


@pytest.mark.slow
def test_a_step_of_eight_times_the_clips_takes_longer_and_each_trains(call, data_dir):
    call(lambda: None, "--run_dir=x")
    some = {"data_dir": str(data_dir), "encoder": "small", "train_clips": 24, "validation_clips": 4, "test_clips": 4}
    kinds = {"one": Settings(batch_size=1, **some), "eight": Settings(batch_size=8, **some)}
    found = costs.measured(kinds, repeats=3)
    assert list(found) == ["one", "eight"]
    assert 0 < 2 * found["one"] < found["eight"]


def test_a_method_makes_as_many_steps_as_the_time_of_simper_allows(monkeypatch, tmp_path):
    monkeypatch.setattr(choosing, "COSTS", tmp_path / "costs.json")
    choosing.write_costs({"simper": 1.0, "byol": 0.25, "moco": 1000.0})
    assert json.loads((tmp_path / "costs.json").read_text())["byol"] == 0.25
    found = [choosing.steps_in_the_time_of(300, name) for name in ("simper", "byol", "moco", "unknown")]
    assert found == [300, 1200, 1, 300]


def test_what_was_chosen_has_a_cost_measured_side_by_side():
    assert set(choosing.costs()) == {*choosing.chosen(), choosing.WITH_MORE_CLIPS}
    assert choosing.costs()["simper"] == 1
