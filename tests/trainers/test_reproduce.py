import dataclasses
import json
import re
import types

import pytest
from absl import flags
from made_up import row

from simper_tf.evaluation import tables
from trainers import reproduce
from trainers.grid import Grid, Run
from trainers.studies import STUDIES, excerpts
from trainers.studies.scales import SCALES, SETS
from trainers.studies.table import Block, Cell, Line, Study


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

    def train(self, runs, finished):
        for run in runs:
            if run not in config.fails:
                config.trained.append(run)
                finished(run)
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
    assert "4 of 4 runs are finished, 0 minutes of training for each seed; commit abc." in text
    begun = [line for line in text.splitlines() if "--encoder_from=runs/simclr_" in line]
    assert [("--method=moco" in line) for line in begun] == [True]
    found = json.loads((tmp_path / "out" / "mine.json").read_text())
    cell = found["blocks"][0]["lines"][0]["cells"][0]
    assert [value["value"] for value in cell["values"]] == [1.0, 2.0]
    assert cell["paper"] == 2.96
    assert set(found["runs"]) == {line["cells"][0]["run"] for line in found["blocks"][0]["lines"]}
    assert "| SimCLR |" in capsys.readouterr().out


def test_numbers_that_a_whole_table_lacks_are_said_with_what_to_do(small, capsys, monkeypatch):
    study = reproduce.STUDIES["mine"][0](None)
    (first,), (second,) = (line.cells for line in study.blocks[0].lines)
    lines = (Line("SimCLR", (first,)), Line("MoCo", (dataclasses.replace(second, protocol="probe"),)))
    other = dataclasses.replace(study, blocks=(Block("", ("FFT",), lines),))
    monkeypatch.setattr(reproduce, "STUDIES", {"mine": (lambda scale: other, ("rotating_digits",))})
    reproduce.main()
    out = capsys.readouterr().out
    assert "mine lacks 1 of 2 numbers, the first probe mae of moco_" in out
    assert f"Evaluate it again by python -m trainers.evaluate --run_dir={small.runs}/moco_" in out
    monkeypatch.setattr(reproduce, "STUDIES", {"mine": (lambda scale: study, ("rotating_digits",))})
    reproduce.main()
    assert "lacks" not in capsys.readouterr().out


def test_what_was_finished_before_a_run_failed_is_shown_and_the_command_fails(small, tmp_path):
    study = reproduce.STUDIES["mine"][0](None)
    small.fails = {study.runs()[1].seeded(1): "failed: no disk"}
    with pytest.raises(ValueError, match=r"1 of the runs failed, the first in .*moco.*_1: failed: no disk\. The same"):
        reproduce.main()
    text = (tmp_path / "runs" / "results" / "smoke" / "mine.md").read_text()
    assert not (tmp_path / "out").exists()  # Nothing takes the place of a whole table.
    assert "| MoCo | 4 [0.1, 0.15] |" in text
    assert "3 of 4 runs are finished" in text


def test_a_table_is_published_as_soon_as_it_is_whole(small, tmp_path, monkeypatch):
    study = reproduce.STUDIES["mine"][0](None)
    (block,) = study.blocks
    first = dataclasses.replace(study, name="first", blocks=(dataclasses.replace(block, lines=block.lines[:1]),))
    monkeypatch.setattr(reproduce, "STUDIES", {each.name: (lambda _, each=each: each, ()) for each in (study, first)})
    small.table, seen = ["mine", "first"], []

    def begun(self, run):
        seen.append(sorted(path.name for path in (tmp_path / "out").glob("*.md")))
        return rows_of(self, run)

    rows_of = Grid.rows_of
    monkeypatch.setattr(Grid, "rows_of", begun)
    reproduce.main()
    assert [] in seen
    assert ["first.md"] in seen  # Its runs are done before the last one of the other.
    assert seen[-1] == ["first.md", "mine.md"]


def test_tables_go_between_the_marks_of_a_document_and_its_words_stay(small, tmp_path):
    document = tmp_path / "README.md"
    marked = f"# Mine\n\n<!-- results: python -m trainers.reproduce --table=mine -->\n{tables.END}\n"
    document.write_text(marked + "Words.\n")
    small.documents = [str(document)]
    reproduce.main()
    assert "| SimCLR | **1.5" in document.read_text()
    assert document.read_text().endswith("Words.\n")


def test_an_excerpt_of_a_table_and_of_one_made_before_is_made_anew_with_either(small, tmp_path, monkeypatch):
    study = reproduce.STUDIES["mine"][0](None)
    other = dataclasses.replace(study, name="other")
    monkeypatch.setattr(reproduce, "STUDIES", {each.name: (lambda _, each=each: each, ()) for each in (study, other)})
    places = {name: {"table": name, "column": "FFT", "line": "MoCo"} for name in ("mine", "other")}
    monkeypatch.setattr(reproduce, "EXCERPTS", {"both": excerpts.Excerpt({"MoCo": places})})
    document = tmp_path / "findings.md"
    document.write_text(f"<!-- results: excerpt both -->\n{tables.END}\n")
    small.documents, small.table = [str(document)], ["other"]
    reproduce.main()
    assert "MoCo" not in document.read_text()
    small.table, small.seeds = ["mine"], ["0"]
    reproduce.main()
    assert "| MoCo | 4 | 4.5 |" in document.read_text()
    page = tmp_path / "out" / "other.json"
    page.write_text(page.read_text().replace('"scale": "smoke"', '"scale": "paper"'))
    small.seeds = ["0", "1"]
    reproduce.main()
    assert "| MoCo | 4 | 4.5 |" in document.read_text()  # Not of numbers of two scales.


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


def test_the_list_says_once_how_raw_files_are_got_and_nothing_of_data_that_need_none(tmp_path):
    scales = {name: scale.located(str(tmp_path), str(tmp_path / "raw")) for name, scale in SCALES.items()}
    raw = re.findall(r"^Raw files of (\w+): .*--dataset=(\w+) --manual_dir=raw/\2` checks them\.$",
                     reproduce.listed(scales), re.MULTILINE)  # fmt: skip
    assert dict(raw) == {SETS[name]: name for name in ("scamps", "ubfc", "pure", "countix", "lst")}
    assert len(raw) == 5
    (tmp_path / "raw" / "lst").mkdir(parents=True)
    assert "Raw files of LST" not in reproduce.listed(scales)


def test_a_table_has_the_seeds_that_its_scale_has_for_it(small, monkeypatch):
    more = dataclasses.replace(SCALES["small"], seeds=(0,), more_seeds={"mine": (0, 1, 2)})
    monkeypatch.setattr(reproduce, "SCALES", {"small": more})
    small.scale, small.seeds = "small", []
    reproduce.main()
    assert sorted(run.settings().seed for run in small.trained) == [0, 0, 1, 1, 2, 2]
    assert [SCALES["small"].seeds_of(name) for name in ("table10", "table8")] == [(0, 1, 2), (0,)]


def test_the_list_says_what_each_table_lacks(small, capsys):
    small.list = True
    reproduce.main()
    assert capsys.readouterr().out.splitlines() == [
        "Each is made by: python -m trainers.reproduce --table=NAME --scale=SCALE",
        "mine: My table",
        "  smoke: 2 runs on RotatingDigits (scikit-learn's digits); nothing is lacking",
        "  small: 2 runs on RotatingDigits (scikit-learn's digits); nothing is lacking",
        "  paper: 6 runs on RotatingDigits; nothing is lacking",
    ]  # fmt: skip
    assert not small.trained


def test_mnist_is_downloaded_for_the_tables_that_are_of_it_until_it_is_built(tmp_path):
    scale = SCALES["paper"].located(str(tmp_path), "raw")

    def got(table):
        return reproduce.downloads(STUDIES[table][0](scale).runs(), scale, "rotating_digits")

    assert [got(table) for table in ("table2", "table14", "strengths")] == ["MNIST (11 MB)", "MNIST (11 MB)", ""]
    (tmp_path / "rotating_digits" / "mnist").mkdir(parents=True)
    assert [got(table) for table in ("table2", "table14")] == ["", "MNIST (11 MB)"]


def test_data_that_are_built_or_whose_raw_files_are_there_lack_nothing(tmp_path):
    scale = SCALES["paper"].located(str(tmp_path / "data"), str(tmp_path / "raw"))
    assert "datasets/pure/README.md" in scale.lacks("pure")
    assert scale.lacks("rotating_digits") == ""
    (tmp_path / "raw" / "pure").mkdir(parents=True)
    assert scale.lacks("pure") == ""
    (tmp_path / "data" / "ubfc").mkdir(parents=True)
    assert scale.lacks("ubfc") == ""


@pytest.mark.parametrize("table", ["equal_seconds", "batches"])
def test_tables_of_seconds_and_batches_of_two_cores_are_not_of_the_scale_of_the_paper(table):
    for name, scale in SCALES.items():
        found = reproduce.lacks(table, scale.located("data", "raw"))
        assert found.startswith("anything to compare") == bool(found) == (name == "paper"), name


def test_miniatures_are_written_once_where_nobody_takes_them_for_the_real_thing(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(
        reproduce.standin, "write", lambda name, out, **given: (made.append(out), out.mkdir(parents=True))
    )
    # Those of a few videos are no substitute for those of many, nor the other way round.
    for name, folder in (("small", "data/miniatures"), ("smoke", "data/miniatures/few")):
        scale = SCALES[name].located(str(tmp_path / "data"), "raw")
        for _ in range(2):
            reproduce.write_miniatures(scale, ["table6", "table2", "table22"])
        assert made[-2:] == [tmp_path / folder / "raw" / "countix", tmp_path / folder / "raw" / "lst"]
        assert dict(scale.sets["countix"].pretrain.changes)["data_dir"] == str(tmp_path / folder)
    assert len(made) == 4


def test_settings_are_chosen_of_their_table_alone(small):
    small.choose = True
    with pytest.raises(
        ValueError, match=r"--choose chooses by one of the tables settings, finalists, finetune_settings\. Ask"
    ):
        reproduce.main()
    assert not small.trained


def test_finalists_are_not_chosen_from_before_they_are_known(small, monkeypatch):
    small.choose, small.table, small.scale = True, ["settings", "finalists"], "small"
    monkeypatch.setattr(reproduce, "STUDIES", dict.fromkeys(small.table, reproduce.STUDIES["mine"]))
    with pytest.raises(ValueError, match=r"Ask for --table=settings alone, and then for --table=finalists"):
        reproduce.main()
    assert not small.trained


def test_nothing_is_chosen_by_runs_of_two_steps(small, monkeypatch):
    small.choose, small.table = True, ["settings"]
    monkeypatch.setattr(reproduce, "STUDIES", {"settings": reproduce.STUDIES["mine"]})
    with pytest.raises(ValueError, match=r"--choose at --scale=smoke would choose by a few steps\. Name another scale"):
        reproduce.main()
    assert not small.trained
