import math

import pytest

from simper_tf.methods import METHODS
from trainers.grid import Run
from trainers.studies import STUDIES, choosing
from trainers.studies.digits import is_told_the_band
from trainers.studies.scales import SCALES
from trainers.studies.table import Block, Cell, Line, Study

LOCATED = {name: scale.located("data", "raw") for name, scale in SCALES.items()}
ASKED = ("simper", "byol")


@pytest.fixture
def asked():
    """Returns a table of two methods with three lines each, and a function that makes its page of errors by line."""
    blocks = []
    for method in ASKED:
        base = Run("base.cfg").but(method=method)
        runs = {"as it is": base, "slow": base.but(learning_rate=0.001), "none": base.but(appearance="none")}
        lines = tuple(Line(title, (Cell(run, "fft", "mae"), Cell(run, "1nn", "mae"))) for title, run in runs.items())
        blocks.append(Block(method, ("FFT", "1-NN"), lines))
    study = Study("settings", "", "", tuple(blocks))

    def found(**errors):
        def values(pair):
            return {"cells": [{"values": [{"value": v}]} for v in pair]}

        made = [{"lines": [values(pair) for pair in errors[method]]} for method in ASKED]
        return {"name": "settings", "blocks": made, "done": 6, "total": 6}

    return study, found


def test_the_line_of_the_best_mean_rank_is_chosen_and_of_equals_the_default(asked):
    study, found = asked
    page = found(simper=[(0.3, 0.2), (0.1, 0.3), (0.2, 0.1)], byol=[(0.5, 0.1), (0.1, 0.5), (0.6, 0.6)])
    assert choosing.choose(study, page) == {
        "simper": {"changes": {"appearance": "none"}, "place": 1},
        "byol": {"changes": {}, "place": 2},
    }
    page = found(simper=[(0.3, 0.2), (math.nan, 0.3), (0.2, math.nan)], byol=[(0.1, 0.1), (0.1, 0.1), (0.1, 0.1)])
    places = {name: (each["changes"], each["place"]) for name, each in choosing.choose(study, page).items()}
    assert places == {"simper": ({}, 2), "byol": ({}, 1)}


def test_the_two_lines_of_the_best_mean_ranks_go_on_to_several_seeds_the_best_first(asked):
    study, found = asked
    page = found(simper=[(0.3, 0.3), (0.1, 0.2), (0.2, 0.1)], byol=[(0.1, 0.1), (math.nan, 0.3), (0.2, 0.2)])
    assert choosing.choose_finalists(study, page) == {
        "simper": [{"learning_rate": "0.001"}, {"appearance": "none"}],
        "byol": [{}, {"appearance": "none"}],
    }
    with pytest.raises(ValueError, match=r"Found: 5 of 6 runs\."):
        choosing.choose_finalists(study, page | {"done": 5})


def test_finalists_are_tried_beside_the_settings_of_the_scale_each_once(monkeypatch, tmp_path):
    monkeypatch.setattr(choosing, "FINALISTS", tmp_path / "finalists.json")
    names = [name for name, kind in METHODS.items() if not kind.needs_labels]
    choosing.write_finalists({name: [{"learning_rate": "0.01"}, {}] for name in names})
    study = STUDIES["finalists"][0](LOCATED["small"])
    assert [len(block.lines) for block in study.blocks] == [2] * len(names)
    assert {run.split for run in study.runs()} == {"validation"}
    rates = [line.cells[0].run.settings().learning_rate for line in study.blocks[0].lines]
    assert rates == [0.003, 0.01]


def test_the_rate_of_the_smallest_error_is_chosen_for_each_data_set_and_start_at_once_and_after_the_head():
    learned = Run("flags/small/ubfc.cfg").but(method="byol")
    fresh = Run("flags/small/ubfc.cfg").but(method="supervised")
    changes = {
        "at once, fast": {"learning_rate": 0.003},
        "at once": {"learning_rate": 0.001},
        "--freeze": {"freeze": True},
        "after, fast": {"learning_rate": 0.003, "keep_head": True},
        "after": {"learning_rate": 0.001, "keep_head": True},
    }
    lines = tuple(
        Line(title, (None if "freeze" in given else Cell(fresh.but(**given), "supervised", "mae"),
                     Cell(fresh.but(**given).begun_with(learned), "supervised", "mae")))
        for title, given in changes.items()
    )  # fmt: skip
    study = Study("finetune_settings", "", "", (Block("UBFC", ("supervised", "BYOL"), lines),))
    errors = [
        ((1.0,), (3.0, 6.0)),
        ((2.0,), (4.0, 4.0)),
        (None, (0.1, 0.1)),
        ((5.0,), (7.0, 1.0)),
        ((4.0,), (3.0, 6.0)),
    ]
    found = [{"cells": [pair and {"values": [{"value": v} for v in pair]} for pair in line]} for line in errors]
    page = {"name": study.name, "blocks": [{"lines": found}], "done": 9, "total": 9}
    assert choosing.choose_label_rates(study, page) == {
        "ubfc": {"supervised": {"at_once": 0.003, "after": 0.001}, "byol": {"at_once": 0.001, "after": 0.003}}
    }
    with pytest.raises(ValueError, match=r"Found: 8 of 9 runs\."):
        choosing.choose_label_rates(study, page | {"done": 8})


def test_rates_of_data_sets_that_were_not_asked_stay_as_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(choosing, "LABEL_RATES", tmp_path / "rates.json")
    (tmp_path / "rates.json").write_text('{"lst": {"byol": {"after": 0.001}}, "ubfc": {"byol": {"after": 0.001}}}')
    choosing.write_label_rates({"ubfc": {"simper": {"after": 0.003}}})
    assert choosing.label_rates() == {"lst": {"byol": {"after": 0.001}}, "ubfc": {"simper": {"after": 0.003}}}


def test_settings_find_finalists_and_these_what_the_comparison_takes(monkeypatch, tmp_path, asked):
    study, found = asked
    for name in ("CHOSEN", "FINALISTS"):
        monkeypatch.setattr(choosing, name, tmp_path / name)
    page = found(simper=[(3, 3), (1, 1), (2, 2)], byol=[(1, 1), (2, 2), (3, 3)])
    for table in ("settings", "finalists"):
        choose, write = choosing.TABLES[table]
        write(choose(study, page))
    assert choosing.finalists()["simper"] == [{"learning_rate": "0.001"}, {"appearance": "none"}]
    assert choosing.chosen()["simper"]["changes"] == {"learning_rate": "0.001"}


def test_nothing_is_chosen_of_a_table_of_which_runs_are_missing(asked):
    study, found = asked
    page = found(simper=[(1, 1)] * 3, byol=[(1, 1)] * 3) | {"done": 5}
    with pytest.raises(ValueError, match=r"takes the whole table settings\. Found: 5 of 6 runs\."):
        choosing.choose(study, page)


def test_the_comparison_takes_what_was_chosen_and_gives_the_best_the_time_of_simper(monkeypatch, tmp_path):
    names = [name for name, kind in METHODS.items() if not kind.needs_labels]
    made = {name: {"changes": {"learning_rate": "0.007"}, "place": k + 1} for k, name in enumerate(names)}
    for name in ("simper", "frequency_contrast"):  # Lines of either way are there whatever was chosen.
        made[name]["changes"]["interpolation"] = "steady"
    for name in ("CHOSEN", "COSTS"):
        monkeypatch.setattr(choosing, name, tmp_path / name)
    choosing.write(made)
    choosing.write_costs(dict.fromkeys(names, 0.5) | {choosing.WITH_MORE_CLIPS: 2.0})
    last = STUDIES["equal_seconds"][0](LOCATED["small"]).blocks[-1]
    steps = LOCATED["small"].sets["rotating_digits"].pretrain.settings().steps
    lines = [line for line in last.lines if "control" not in line.title]
    plain = [line for line in lines if "wide band" not in line.title and "steady" not in line.title]
    ran = [line.cells[0].run.settings() for line in plain]
    *best, more = [(each.method, each.steps, each.learning_rate) for each in ran]
    assert best == [(name, 2 * steps, 0.007) for name in (*names[:4], "sinc")]
    assert more == ("simper", steps // 2, 0.007)
    assert (ran[-1].num_views, ran[-1].batch_size, ran[-1].options["other_clips"]) == (3, 7, True)
    wide = {line.cells[0].run.settings().method for line in lines if "wide band" in line.title}
    assert wide == {each.method for each in ran if is_told_the_band(each.method)}
    for line in lines:
        assert line.cells[0].run.settings().interpolation == ("steady" if "steady" in line.title else "linear")
    steady = {line.cells[0].run.settings().method for line in lines if "steady" in line.title}
    assert steady == {each.method for each in ran} & {"simper", "frequency_contrast", "sinc", "slf_rpm"}
    first = {line.title: line.cells[0].run for line in STUDIES["comparison"][0](LOCATED["small"]).blocks[0].lines}
    assert first[METHODS[names[0]].title].settings().learning_rate == 0.007
    assert not STUDIES["equal_seconds"][0](LOCATED["paper"]).runs()  # Nobody has measured seconds there.
