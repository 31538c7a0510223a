import dataclasses

import pytest
from made_up import row

from trainers.grid import Run
from trainers.studies import commands
from trainers.studies.gathering import gather
from trainers.studies.page import markdown, minutes_of, table
from trainers.studies.ranking import seed_by_seed, sentences, spread_of
from trainers.studies.scales import SCALES
from trainers.studies.table import Block, Cell, Line, Study

A, B, C = (Run("base.cfg").but(method=method) for method in ("simclr", "moco", "byol"))


def block(*metrics, runs=(A, B, C), paper=None):
    """Returns a block of one line a run and one column a metric."""
    titles = {A: "SimCLR", B: "MoCo", C: "BYOL"}
    lines = tuple(Line(titles[run], tuple(Cell(run, "fft", metric, paper) for metric in metrics)) for run in runs)
    return Block("", tuple(metrics), lines)


def found_of(block, values, metric="mae"):
    """Returns a block with what was found; `values` has a list of values, one a seed, by run."""

    def rows_of(run):
        seed = int(dict(run.changes)["seed"])
        made = [each for each, known in values.items() if each.seeded(seed) == run for _ in known[seed : seed + 1]]
        return [row("fft", metric, values[each][seed], seed=seed, seconds=10.0 + seed) for each in made]

    study, seeds = Study("mine", "Mine", "", (block,)), range(max(map(len, values.values())))
    return gather(study, SCALES["smoke"], seeds, rows_of, lambda run: dict(run.changes)["method"])["blocks"][0]


def test_a_line_has_mean_and_deviation_over_seeds_the_papers_number_and_its_seconds():
    one = block("mae", runs=(A, B), paper=2.96)
    found = found_of(one, {A: [1.0, 3.0], B: [5.0]})
    header, _, *lines = [line.strip("| ").split(" | ") for line in table(found).splitlines()]
    assert header == ["mae", "paper", "seconds"]
    assert lines == [
        ["SimCLR", "**2 ± 1.4 (n=2)**", "2.96", "10"],
        ["MoCo", "5 [0.1, 0.15]", "2.96", "10"],
    ]


def test_a_cell_that_is_not_there_or_not_finished_is_empty_and_competes_with_nobody():
    one = Block("", ("mae",), (Line("none", (None,)), Line("unfinished", (Cell(B, "fft", "mae"),)),
                               Line("SimCLR", (Cell(A, "fft", "mae"),))))  # fmt: skip
    found = found_of(one, {A: [1.0]})
    assert found["lines"][0]["cells"] == [None]
    assert found["lines"][1]["cells"][0]["values"] == []
    assert table(found).splitlines()[2:] == [
        "| none |  |  |", "| unfinished |  |  |", "| SimCLR | **1 [0.1, 0.15]** | 10 |",
    ]  # fmt: skip
    assert sentences(found) == []


def test_the_first_of_a_column_is_the_smallest_error_or_the_largest_correlation():
    for metric, said in (
        ("mae", "SimCLR, then MoCo (a factor of 4)"),
        ("pearson", "BYOL, then MoCo (0.8 against -0.4)"),
    ):
        one = block(metric)
        found = found_of(
            one, {A: [0.1 if metric == "mae" else -0.9], B: [0.4 if metric == "mae" else -0.4], C: [0.8]}, metric
        )
        assert sentences(found) == [f"{metric}: {said}."]


def test_lines_that_differ_by_no_more_than_their_spreads_are_level():
    one = block("mae")
    values = {A: [1.0, 1.2], B: [1.2, 1.3], C: [2.0, 2.1]}  # 1.1 and 1.25 with deviations of 0.14 and 0.07.
    found = found_of(one, values)
    assert sentences(found) == ["mae: SimCLR and MoCo level, then BYOL (a factor of 1.9)."]
    bold = [line.startswith("| SimCLR | **") or line.startswith("| MoCo | **") for line in table(found).splitlines()]
    assert bold == [False, False, True, True, False]
    found = found_of(one, {**values, B: [1.3, 1.5]})
    assert sentences(found)[0].startswith("mae: SimCLR, then MoCo")


def test_a_line_that_is_level_with_a_best_of_wide_spread_is_not_first_where_another_is_ahead_of_it():
    values = {A: [0.0, 4.0], B: [2.5, 2.5], C: [3.0, 3.0]}  # 2 +- 2.8; the others by themselves are far apart.
    assert sentences(found_of(block("mae"), values)) == ["mae: SimCLR and MoCo level, then BYOL (a factor of 1.5)."]


def test_a_line_that_fails_with_one_seed_of_three_is_behind_one_that_is_better_with_each():
    values = {A: [1.0, 1.2, 1.1], B: [1.3, 9.0, 1.4], C: [1.15, 9.0, 1.4]}  # The last two spread by four and more.
    assert sentences(found_of(block("mae"), values)) == ["mae: SimCLR and BYOL level, then MoCo (a factor of 3.5)."]
    falling = {key: [-each for each in found] for key, found in values.items()}
    said = sentences(found_of(block("pearson"), falling, "pearson"))
    assert said == ["pearson: SimCLR and BYOL level, then MoCo (-1.1 against -3.9)."]
    two = {key: found[:2] for key, found in values.items()}  # Of two seeds each it happens too often by chance.
    assert sentences(found_of(block("mae"), two))[0].startswith("mae: SimCLR and BYOL and MoCo level")


def test_seconds_are_of_each_run_once_however_many_cells_begin_with_it():
    begun = B.begun_with(A)
    cells = tuple(Cell(run, "fft", metric) for metric in ("mae", "mape") for run in (begun, begun.but(steps=7), A))
    found = found_of(Block("", tuple("abcdef"), (Line("all", cells),)), {A: [1.0, 1.0], begun: [1.0, 1.0]})
    assert table(found).splitlines()[2].endswith("| 21 |")  # Each 10 and 11 s, a mean of 10.5; one is not finished.


def test_what_has_learned_nothing_has_the_interval_of_its_clips_whatever_the_seeds():
    cell = {"protocol": "pixels", "values": [{"value": 0.2, "low": 0.1, "high": 0.5}] * 3}
    assert spread_of(cell) == pytest.approx(0.2)
    one = Block("", ("mae",), (Line("pixels", (Cell(A, "pixels", "mae"),)), Line("MoCo", (Cell(B, "fft", "mae"),))))
    rows = {"simclr": "pixels", "moco": "fft"}

    def rows_of(run):
        found = dict(run.changes)
        return [row(rows[found["method"]], "mae", 0.12, seed=int(found["seed"]))]

    found = gather(
        Study("mine", "", "", (one,)), SCALES["smoke"], (0, 1), rows_of, lambda run: dict(run.changes)["method"]
    )
    assert "| pixels | **0.12 [0.1, 0.15]** |" in table(found["blocks"][0])
    assert "| MoCo | **0.12 ± 0 (n=2)** |" in table(found["blocks"][0])


def test_the_commands_of_a_miniature_begin_with_its_raw_files():
    scale = SCALES["small"].located("elsewhere", "raw")
    run = scale.sets["countix"].finetune.begun_with(scale.sets["countix"].pretrain)
    raw, before, after = commands.of_run(run, {run: "b", run.source: "a"}, 1, scale)
    assert raw == (
        "python -m trainers.standin --dataset=countix --out=data/miniatures/raw/countix --subjects=60 --seconds=10"
    )
    for words in (before, after):
        assert "--data_dir=data/miniatures --manual_dir=data/miniatures/raw/countix" in words
        assert "--seed=1" in words
        assert "elsewhere" not in words
    assert "--run_dir=runs/a" in before
    assert "--encoder_from=runs/a" in after
    digits = scale.sets["rotating_digits"].pretrain
    (alone,) = commands.of_run(digits, {digits: "c"}, 0, scale)
    assert "data_dir" not in alone


def test_a_page_names_its_seeds_in_its_command():
    study = Study("mine", "", "", (block("mae"),))
    text = markdown(gather(study, SCALES["smoke"], [3, 4], lambda run: [], lambda run: dict(run.changes)["method"]))
    assert "`python -m trainers.reproduce --table=mine --scale=smoke --seeds=3,4`" in text


def test_where_nobody_competes_nobody_is_first():
    found = found_of(dataclasses.replace(block("mae"), ranked=False), {A: [0.1], B: [0.4], C: [0.8]})
    assert "**" not in table(found)


def test_an_error_of_zero_is_first_and_its_lead_no_quotient():
    one = block("mae", runs=(A, B))
    assert sentences(found_of(one, {A: [0.0], B: [0.4]})) == ["mae: SimCLR, then MoCo (0.4 against 0)."]


def test_the_spread_of_one_seed_is_half_its_interval():
    assert spread_of({"protocol": "fft", "values": [{"value": 0.12, "low": 0.1, "high": 0.15}]}) == pytest.approx(0.025)


def test_values_that_are_not_finite_are_shown_and_never_first():
    one = block("mae", runs=(A, B))
    found = found_of(one, {A: [float("nan")], B: [0.4]})
    assert table(found).splitlines()[2:] == ["| SimCLR | nan [0.1, 0.15] | 10 |", "| MoCo | **0.4 [0.1, 0.15]** | 10 |"]


def test_a_page_names_the_split_and_the_commits_of_its_rows():
    study = Study("mine", "My", "About.", (block("mae", runs=(A,)),))
    rows = {
        0: row(seed=0, split="validation"),
        1: dataclasses.replace(row(seed=1, split="validation"), commit="def-dirty"),
    }

    def rows_of(run):
        return [rows[int(dict(run.changes)["seed"])]]

    text = markdown(gather(study, SCALES["smoke"], [0, 1], rows_of, lambda run: "simclr_0"))
    assert "Numbers are of validation clips" in text
    assert "commit abc, def-dirty" in text


def test_lines_that_share_what_seeds_draw_are_compared_seed_by_seed():
    """Seeds differ by more than the two lines do, and still one is ahead in each."""
    one = dataclasses.replace(block("mae", runs=(A, B)), against=(("SimCLR", "MoCo"),))
    found = found_of(one, {A: [0.01, 1.0, 4.0], B: [2.5, 2.0, 3.6]})
    (said,) = seed_by_seed(found, "SimCLR", "MoCo")
    assert said == "mae: ahead in 2 of 3 seeds; the error of MoCo is 0.9 to 250 times as large."
    assert seed_by_seed(found_of(one, {A: [1.0], B: [2.0]}), "SimCLR", "MoCo") == []
    assert seed_by_seed(found_of(one, {A: [1.0, 2.0], B: [2.0]}), "SimCLR", "MoCo") == []


def test_the_page_has_the_comparison_of_seeds_below_its_table():
    one = dataclasses.replace(block("mae", runs=(A, B)), against=(("SimCLR", "MoCo"),))
    cells = found_of(one, {A: [1.0, 2.0], B: [2.0, 3.0]})
    made = {"title": "t", "about": "", "blocks": [cells], "runs": {}, "scale": "smoke", "scale_about": "",
            "seeds": [0, 1], "done": 4, "total": 4, "commits": [], "name": "mine"}  # fmt: skip
    made["runs"] = {method: {"commands": [f"train {method}"]} for method in ("simclr", "moco")}
    text = "SimCLR against MoCo, seed by seed:\n\n* mae: ahead in 2 of 2 seeds; the error of MoCo is 1.5 to 2 times"
    assert text in markdown(made)


def test_errors_of_zero_or_not_finite_are_compared_without_a_quotient():
    one = block("mae", runs=(A, B))
    said = seed_by_seed(found_of(one, {A: [0.0, 1.0], B: [2.0, 0.5]}), "SimCLR", "MoCo")
    assert said == ["mae: ahead in 1 of 2 seeds."]
    nan = float("nan")
    for own, theirs, number in (([nan, 1.0], [2.0, 0.5], 0), ([1.0, 1.0], [nan, 0.5], 1), ([nan, 1.0], [nan, 2.0], 1)):
        said = seed_by_seed(found_of(one, {A: own, B: theirs}), "SimCLR", "MoCo")
        assert said == [f"mae: ahead in {number} of 2 seeds."]


def test_commands_stand_once_below_the_line_that_first_needs_them():
    begun = Block("", ("mae",), (Line("begun", (Cell(B.begun_with(A), "fft", "mae"),)),))
    study = Study("mine", "", "", (block("mae", runs=(A,)), begun, block("mae", runs=(A,))))
    made = {"simclr": [row("fft", "mae", 0.1)], "moco": []}
    rows_of, name_of = lambda run: made[dict(run.changes)["method"]], lambda run: dict(run.changes)["method"]
    text = markdown(gather(study, SCALES["smoke"], [0], rows_of, name_of))
    first, second, third, fourth = text.split("```\n")[1].splitlines()
    assert (first, third) == ("# SimCLR", "# begun")
    assert "--run_dir=runs/simclr" in second
    assert "--run_dir=runs/moco --encoder_from=runs/simclr" in fourth


def test_a_run_that_is_written_in_two_ways_counts_once():
    twice = Line("again", (Cell(A.but(steps=7), "fft", "mae"),))
    study = Study("mine", "", "", (dataclasses.replace(block("mae"), lines=(*block("mae").lines, twice)),))
    made = gather(
        study, SCALES["smoke"], [0, 1], lambda run: [], lambda run: f"{dict(run.changes)['method']}_{run.changes[-1]}"
    )
    assert (made["done"], made["total"]) == (0, 6)


def test_the_minutes_of_a_table_count_each_run_once():
    cells = [{"seconds": {"begin": 300.0, "a": 60.0}}, None, {"seconds": {"begin": 300.0, "b": 240.0}}]
    assert minutes_of({"blocks": [{"lines": [{"cells": cells[:2]}, {"cells": cells[2:]}]}]}) == 10
