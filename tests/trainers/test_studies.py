import dataclasses
import json
import math
import types

import pytest
from absl import flags
from made_up import row

from simper_tf import tables
from simper_tf.methods import METHODS
from trainers import reproduce
from trainers.grid import Grid, Run
from trainers.studies import STUDIES, choosing, published
from trainers.studies.features import PAPERS
from trainers.studies.page import gather, markdown, ranking, spread_of, table
from trainers.studies.scales import SCALES, SETS
from trainers.studies.table import Block, Cell, Line, Study

A, B, C = (Run("base.cfg").but(method=method) for method in ("simclr", "moco", "byol"))
LOCATED = {name: scale.located("data", "raw") for name, scale in SCALES.items()}


def block(*metrics, runs=(A, B, C), paper=None, ranked=True):
    """Returns a block of one line a run and one column a metric."""
    titles = {A: "SimCLR", B: "MoCo", C: "BYOL"}
    lines = tuple(Line(titles[run], tuple(Cell(run, "fft", metric, paper) for metric in metrics)) for run in runs)
    return Block("", tuple(metrics), lines, ranked)


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
    assert ranking(found) == []


def test_the_first_of_a_column_is_the_smallest_error_or_the_largest_correlation():
    for metric, said in (("mae", "SimCLR, then MoCo (a factor of 4)"), ("pearson", "BYOL, then MoCo (a factor of 2)")):
        one = block(metric)
        found = found_of(one, {A: [0.1], B: [0.4], C: [0.8]}, metric)
        assert ranking(found) == [f"{metric}: {said}."]


def test_lines_that_differ_by_no_more_than_their_spreads_are_level():
    one = block("mae")
    values = {A: [1.0, 1.2], B: [1.2, 1.3], C: [2.0, 2.1]}  # 1.1 and 1.25 with deviations of 0.14 and 0.07.
    found = found_of(one, values)
    assert ranking(found) == ["mae: SimCLR and MoCo level, then BYOL (a factor of 1.9)."]
    bold = [line.startswith("| SimCLR | **") or line.startswith("| MoCo | **") for line in table(found).splitlines()]
    assert bold == [False, False, True, True, False]
    found = found_of(one, {**values, B: [1.3, 1.5]})
    assert ranking(found)[0].startswith("mae: SimCLR, then MoCo")


def test_an_error_of_zero_is_first_and_its_lead_no_quotient():
    one = block("mae", runs=(A, B))
    assert ranking(found_of(one, {A: [0.0], B: [0.4]})) == ["mae: SimCLR, then MoCo (0.4 against 0)."]


def test_the_spread_of_one_seed_is_half_its_interval():
    assert spread_of({"values": [{"value": 0.12, "low": 0.1, "high": 0.15}]}) == pytest.approx(0.025)


def test_values_that_are_not_finite_are_shown_and_never_first():
    one = block("mae", runs=(A, B))
    found = found_of(one, {A: [float("nan")], B: [0.4]})
    assert table(found).splitlines()[2:] == ["| SimCLR | nan [0.1, 0.15] | 10 |", "| MoCo | **0.4 [0.1, 0.15]** | 10 |"]


def test_the_papers_numbers_are_found_by_table_line_and_column_and_their_leads_are_those_it_prints():
    assert published.value("table2", "simper", "fft mape") == 16.49
    assert published.value("table2", "simper", "fft gm") is None
    assert published.value("table2", "slf_rpm", "fft mae") is None
    # The paper's own row of gains, as far as it is the best of the others less SimPer's.
    leads = {
        "table2": [1.47, 32.60, 0.29, 9.90],
        "table5": [5.30, 6.06, 8.05, 8.40],
        "table14": [2.70, 110.44, 0.71, 53.25],
    }
    for name, expected in leads.items():
        lines = {who: line["values"] for who, line in published.tables()[name]["lines"].items()}
        ours = lines.pop("simper")
        gains = [min(values) - own for values, own in zip(zip(*lines.values(), strict=True), ours, strict=True)]
        assert gains == pytest.approx(expected)


def test_all_tables_of_the_paper_that_hold_results_are_studies():
    assert set(published.tables()) == {f"table{k}" for k in (*range(2, 11), *range(12, 23))}
    assert set(published.tables()) <= set(STUDIES)


@pytest.mark.parametrize("table", sorted(published.tables()))
def test_every_number_of_the_paper_stands_in_its_table_once(table):
    study = STUDIES[table][0](LOCATED["paper"])
    cells = [cell for each in study.blocks for line in each.lines for cell in line.cells if cell]
    found = sorted(cell.paper for cell in cells if cell.paper is not None)
    assert found == sorted(value for line in published.tables()[table]["lines"].values() for value in line["values"])


@pytest.mark.parametrize("scale", sorted(SCALES))
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_every_run_of_every_table_has_flags_that_fit_one_another(name, scale):
    study = STUDIES[name][0](LOCATED[scale])
    runs = [run.seeded(0) for run in study.runs()]
    assert study.name == name
    assert runs
    for run in runs:
        assert len({each.name() for each in run.with_sources()}) == len(run.with_sources())
        assert {each.settings().artifacts for each in run.with_sources()} <= {False, name == "quickstart"}
    for each in study.blocks:
        assert all(len(line.cells) == len(each.columns) for line in each.lines)


def test_fine_tuning_begins_with_the_method_of_its_line_on_the_same_clips():
    study = STUDIES["table12"][0](LOCATED["small"])
    line = {line.title: line for line in study.blocks[0].lines}["SimPer"]
    ran = [(cell.run.settings(), cell.run.source.settings()) for cell in line.cells[::2]]
    assert (
        [tuned.data_fraction for tuned, _ in ran]
        == [before.data_fraction for _, before in ran]
        == [1, 0.5, 0.2, 0.1, 0.05]
    )
    assert {(tuned.method, before.method) for tuned, before in ran} == {("supervised", "simper")}
    labels = {line.title: line for line in STUDIES["table13"][0](LOCATED["small"]).blocks[0].lines}["SimPer"]
    assert len({cell.run.source for cell in labels.cells}) == 1
    assert [cell.run.settings().label_fraction for cell in labels.cells[::2]] == [1, 0.5, 0.2, 0.1, 0.05]


@pytest.mark.parametrize("scale", sorted(SCALES))
def test_networks_made_for_a_task_are_those_of_the_paper_before_and_after_labels(scale):
    (block,) = STUDIES["table20"][0](LOCATED[scale]).blocks
    runs = [cell.run for line in block.lines for cell in line.cells]
    for each in [run for run in runs for run in run.with_sources()]:
        found = each.settings()
        counts = found.dataset.startswith("countix")
        assert found.encoder == ("repnet" if counts else "efficientphys")
        assert (found.options.get("head") == "repnet") == (counts and found.method == "supervised")
        assert ("width" in found.options) == (counts and scale != "paper")
    blocks = STUDIES["table21"][0](LOCATED[scale]).blocks
    for each, saliency in zip(blocks, (False, True), strict=True):
        found = [run.settings() for line in each.lines for cell in line.cells for run in cell.run.with_sources()]
        assert {one.saliency for one in found} == {saliency}


@pytest.mark.parametrize("name", list(STUDIES))
def test_no_view_of_any_study_is_faster_than_its_frames_can_show(name):
    for run in STUDIES[name][0](LOCATED["small"]).runs():
        found = run.settings()
        if "rotating_digits" in found.dataset:  # Of the others the rate is that of their recordings.
            fastest = 1 if found.method == "supervised" else found.speed_range[1]
            assert found.band[1] * fastest <= 30 / 2, run


def test_no_band_knows_of_the_frequencies_that_are_left_out():
    study = STUDIES["table10"][0](LOCATED["small"])
    whole = LOCATED["small"].sets["rotating_digits"].pretrain.settings().band
    assert {run.settings().band for run in study.runs()} == {whole}


def test_the_comparison_has_every_method_with_and_without_the_prior_and_controls():
    study = STUDIES["comparison"][0](LOCATED["small"])
    for each in (each for each in study.blocks if not each.title.startswith("At equal seconds")):
        titles = [line.title for line in each.lines]
        told = {METHODS[name].title for name in ("sinc", "contrast_phys", "frequency_contrast")}
        without = [kind.title for kind in METHODS.values() if not kind.needs_labels]
        assert {f"{title} (told the band)" if title in told else title for title in without} <= set(titles)
        assert {f"{title}, wide band" for title in told} <= set(titles)
        assert {f"{title} + prior" for title in without if title != METHODS["sinc"].title} <= set(titles)
        assert sum(title.startswith("control") for title in titles) >= 3
        assert sum(title.startswith("supervised") for title in titles) == 2
    assert all(name in METHODS for name in PAPERS)


def test_tables_of_features_have_what_reads_without_learning_where_its_clips_allow_it():
    made = {name: STUDIES[name][0](LOCATED["small"]).blocks[0] for name in ("table2", "table5", "table6", "table7")}
    controls = {
        name: {cell.protocol for line in each.lines for cell in line.cells if cell} for name, each in made.items()
    }
    skin = {"green", "chrom", "pos"}
    assert skin | {"pixels"} <= controls["table5"]
    for name in ("table2", "table6"):
        assert controls[name] & (skin | {"pixels"}) == {"pixels"}
    assert controls["table7"] == {"linear_probe"}


def test_choices_are_made_on_validation_clips_alone():
    for name in ("settings", "losses", "choices"):
        assert {run.split for run in STUDIES[name][0](LOCATED["small"]).runs()} == {"validation"}
    for name in published.tables():
        assert {run.split for run in STUDIES[name][0](LOCATED["small"]).runs()} == {"test"}


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


def test_nothing_is_chosen_of_a_table_of_which_runs_are_missing_or_that_is_not_asked_for(asked, small):
    study, found = asked
    page = found(simper=[(1, 1)] * 3, byol=[(1, 1)] * 3) | {"done": 5}
    with pytest.raises(ValueError, match=r"takes the whole table settings\. Found: 5 of 6 runs\."):
        choosing.choose(study, page)
    small.choose = True
    with pytest.raises(ValueError, match=r"--choose chooses by the table settings\. Ask for it"):
        reproduce.main()
    assert not small.trained


def test_the_comparison_takes_what_was_chosen_and_gives_the_four_best_the_time_of_simper(monkeypatch, tmp_path):
    names = [name for name, kind in METHODS.items() if not kind.needs_labels]
    made = {name: {"changes": {"learning_rate": "0.007"}, "place": k + 1} for k, name in enumerate(names)}
    for name in ("CHOSEN", "COSTS"):
        monkeypatch.setattr(choosing, name, tmp_path / name)
    choosing.write(made)
    choosing.write_costs(dict.fromkeys(names, 0.5))
    study = STUDIES["comparison"][0](LOCATED["small"])
    choosing.chosen.cache_clear()
    choosing.costs.cache_clear()
    last = study.blocks[-1]
    assert last.title.startswith("At equal seconds")
    steps = LOCATED["small"].sets["rotating_digits"].pretrain.settings().steps
    ran = [line.cells[0].run.settings() for line in last.lines]
    assert [(each.method, each.steps, each.learning_rate) for each in ran] == [(n, 2 * steps, 0.007) for n in names[:4]]
    first = {line.title: line.cells[0].run for line in study.blocks[0].lines}
    assert first[METHODS[names[0]].title].settings().learning_rate == 0.007
    assert "At equal seconds" not in STUDIES["comparison"][0](LOCATED["paper"]).blocks[-1].title


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Returns flags of `trainers.reproduce` with one made-up study; `trained` lists what was trained."""
    base = tmp_path / "base.cfg"
    base.write_text("--epochs=3\n--noartifacts\n")
    first, second = (Run(str(base)).but(method=method) for method in ("simclr", "moco"))
    lines = (
        Line("SimCLR", (Cell(first, "fft", "mae", 2.96),)),
        Line("MoCo", (Cell(second.begun_with(first), "fft", "mae"),)),
    )
    study = Study("mine", "My table", "What it is about.", (Block("", ("FFT",), lines),))
    monkeypatch.setattr(reproduce, "STUDIES", {"mine": (lambda scale: study, ("rotating_digits",))})
    config = types.SimpleNamespace(
        table=["mine"], scale="smoke", list=False, runs=str(tmp_path / "runs"), out=str(tmp_path / "out"), documents=[],
        seeds=["0", "1"], jobs=1, choose=False, data_dir="data", manual_dir="raw", rows=None, trained=[],
        fails={},
    )  # fmt: skip

    def train(self, runs):
        config.trained += [run for run in runs if run not in config.fails]
        return config.fails

    def rows_of(self, run):
        value = {"simclr": 1.0, "moco": 4.0}[run.settings().method] + run.settings().seed
        return (
            [row("fft", value=value, seed=run.settings().seed, method=run.settings().method)]
            if run in config.trained
            else []
        )

    monkeypatch.setattr(Grid, "train", train)
    monkeypatch.setattr(Grid, "rows_of", rows_of)
    monkeypatch.setattr(flags, "FLAGS", config)
    return config


def test_a_table_is_written_as_markdown_and_json_with_the_command_of_every_run(small, tmp_path, capsys):
    reproduce.main()
    text = (tmp_path / "out" / "mine.md").read_text()
    assert text.startswith("# My table\n\nWhat it is about.\n\nScale `smoke`.")
    assert "| SimCLR | **1.5 ± 0.71 (n=2)** | 2.96 | 1 |" in text
    assert "* FFT: SimCLR, then MoCo (a factor of 3)." in text
    assert "4 of 4 runs are finished; commit abc." in text
    begun = [line for line in text.splitlines() if "--encoder_from=runs/simclr_" in line]
    assert [("--method=moco" in line) for line in begun] == [True]
    found = json.loads((tmp_path / "out" / "mine.json").read_text())
    cell = found["blocks"][0]["lines"][0]["cells"][0]
    assert [value["value"] for value in cell["values"]] == [1.0, 2.0]
    assert cell["paper"] == 2.96
    assert set(found["runs"]) == {line["cells"][0]["run"] for line in found["blocks"][0]["lines"]}
    assert "| SimCLR |" in capsys.readouterr().out


def test_what_was_finished_before_a_run_failed_is_shown_and_the_command_fails(small, tmp_path):
    study = reproduce.STUDIES["mine"][0](None)
    small.fails = {study.runs()[1].seeded(1): "failed: no disk"}
    with pytest.raises(ValueError, match=r"1 of the runs failed, the first in .*moco.*_1: failed: no disk\. The same"):
        reproduce.main()
    text = (tmp_path / "runs" / "results" / "smoke" / "mine.md").read_text()
    assert not (tmp_path / "out").exists()  # Nothing takes the place of a whole table.
    assert "| MoCo | 4 [0.1, 0.15] |" in text
    assert "3 of 4 runs are finished" in text


def test_tables_go_between_the_marks_of_a_document_and_its_words_stay(small, tmp_path):
    document = tmp_path / "README.md"
    marked = tables.new_document("Mine", "python -m trainers.reproduce --table=mine")
    document.write_text(marked + "Words.\n")
    small.documents = [str(document)]
    reproduce.main()
    assert "| SimCLR | **1.5" in document.read_text()
    assert document.read_text().endswith("Words.\n")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"table": ["yours"]}, "--table=yours: there is no yours. There are: all, mine"),
        ({"table": []}, "--table=: there is no name"),
        ({"seeds": ["0", "0"]}, "--seeds takes different whole numbers, such as 0,1. Found: '0,0'"),
        ({"seeds": ["one"]}, "Found: 'one'"),
    ],
)
def test_wrong_names_and_seeds_are_refused_before_anything_is_trained_or_written(small, tmp_path, changes, message):
    vars(small).update(changes)
    with pytest.raises(ValueError, match=message):
        reproduce.main()
    assert not small.trained
    assert not (tmp_path / "out").exists()


def test_a_table_without_its_data_is_refused_by_name_and_left_out_of_all(small, monkeypatch, capsys):
    made = reproduce.STUDIES["mine"][0]
    monkeypatch.setattr(reproduce, "STUDIES", {"mine": (made, ("ubfc",)), "other": (made, ("rotating_digits",))})
    small.scale = "paper"
    with pytest.raises(
        ValueError, match=r"--table=mine --scale=paper lacks raw files in --manual_dir/ubfc: datasets/ubfc"
    ):
        reproduce.main()
    assert not small.trained
    small.table = ["all"]
    reproduce.main()
    assert "Left out: mine. It lacks raw files in --manual_dir/ubfc" in capsys.readouterr().out
    assert small.trained


def test_the_list_says_what_each_table_lacks(small, capsys):
    small.list = True
    reproduce.main()
    assert capsys.readouterr().out.splitlines() == [
        "mine: My table",
        "  smoke: 2 runs on RotatingDigits (scikit-learn's digits); nothing is lacking",
        "  small: 6 runs on RotatingDigits (scikit-learn's digits); nothing is lacking",
        "  paper: 6 runs on RotatingDigits; nothing is lacking",
    ]  # fmt: skip
    assert not small.trained


def test_data_that_are_built_or_whose_raw_files_are_there_lack_nothing(tmp_path):
    scale = SCALES["paper"].located(str(tmp_path / "data"), str(tmp_path / "raw"))
    assert "datasets/pure/README.md" in scale.lacks("pure")
    assert scale.lacks("rotating_digits") == ""
    (tmp_path / "raw" / "pure").mkdir(parents=True)
    assert scale.lacks("pure") == ""
    (tmp_path / "data" / "ubfc").mkdir(parents=True)
    assert scale.lacks("ubfc") == ""


def test_miniatures_are_written_once_where_nobody_takes_them_for_the_real_thing(tmp_path, monkeypatch):
    scale, made = SCALES["small"].located(str(tmp_path / "data"), "raw"), []
    monkeypatch.setattr(
        reproduce.standin, "write", lambda name, out, **given: (made.append(name), out.mkdir(parents=True))
    )
    for _ in range(2):
        reproduce.write_miniatures(scale, ["table6", "table2", "table22"])
    assert made == ["countix", "lst"]
    assert (tmp_path / "data" / "miniatures" / "raw" / "countix").is_dir()
    assert dict(scale.sets["countix"].pretrain.changes)["data_dir"] == f"{tmp_path}/data/miniatures"


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
    assert set(SETS) == set(SCALES["paper"].sets)
