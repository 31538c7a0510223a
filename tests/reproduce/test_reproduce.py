"""`reproduce`: what is trained, published, refused and listed."""

import dataclasses
import types

import numpy as np
import pytest
from absl import flags
from made_up import row

from datasets.ubfc import standin as ubfc_standin
from datasets.ubfc import ubfc_dataset_builder
from reproduce import __main__ as reproduce
from reproduce import table_figures
from reproduce.grid import Grid, Run
from reproduce.studies.scales import SCALES
from reproduce.studies.table import Block, Cell, Line, Study
from simper_tf.data import building, tfds_builders
from simper_tf.evaluation import markdown_tables


@pytest.fixture
def study(tmp_path):
    """Returns a table of two runs, of which the second begins with the first."""
    base = tmp_path / "base.cfg"
    base.write_text("--epochs=3\n--noartifacts\n")
    first, second = (Run(str(base)).but(method=method) for method in ("simclr", "moco"))
    lines = (
        Line("SimCLR", (Cell(first, "fft", "mae", 2.96),)),
        Line("MoCo", (Cell(second.begun_with(first), "fft", "mae"),)),
    )
    return Study("mine", "My table", "What it is about.", (Block("", ("FFT",), lines),))


@pytest.fixture
def use(monkeypatch):
    """Returns a function that puts some studies in place of all."""

    def put(*studies, data=("rotating_digits",)):
        made = {each.name: ((lambda _, each=each: each), data) for each in studies}
        monkeypatch.setattr(reproduce, "STUDIES", made)

    return put


@pytest.fixture
def config(tmp_path, monkeypatch, study, use):
    """Returns flags of `reproduce` with one made-up study; `trained` lists what was trained."""
    use(study)
    config = types.SimpleNamespace(
        table=["mine"], scale="smoke", list=False, runs=str(tmp_path / "runs"), out=str(tmp_path / "out"), documents=[],
        seeds=["0", "1"], jobs=1, data_dir=str(tmp_path / "data"), manual_dir=str(tmp_path / "raw"), rows=None,
        trained=[], fails={},
    )  # fmt: skip

    def train(self, runs, finished):
        for run in runs:
            if run not in config.fails:
                config.trained.append(run)
                finished(run)
        return config.fails

    def rows_of(self, run):
        given = dict(run.changes)
        value = {"simclr": 1.0, "moco": 4.0}[given["method"]] + int(given["seed"])
        return [row("fft", value=value, seed=int(given["seed"]))] if run in config.trained else []

    monkeypatch.setattr(Grid, "train", train)
    monkeypatch.setattr(Grid, "rows_of", rows_of)
    monkeypatch.setattr(flags, "FLAGS", config)
    return config


def test_a_table_is_written_as_a_page_and_printed(config, tmp_path, capsys):
    reproduce.main()
    text = (tmp_path / "out" / "mine.md").read_text()
    assert text == (tmp_path / "runs" / "results" / "smoke" / "mine.md").read_text()
    assert text.startswith("# My table\n\nWhat it is about.\n\nOf test clips: mean ± deviation of 2 seeds")
    assert "\n\n## Settings\n\nScale `smoke`." in text
    assert "| SimCLR | 1.5 ± 0.7 | 2.96 | 1 |" in text
    assert "An order takes 3 seeds, so lines are not ranked." in text
    assert "4 of 4 runs are finished, 0 minutes of training for each seed; commit abc." in text
    assert "My table\n\n|  | FFT | paper | seconds |" in capsys.readouterr().out


def test_numbers_that_a_whole_table_lacks_are_said(config, study, use, capsys):
    (block,) = study.blocks
    (second,) = block.lines[1].cells
    lines = (block.lines[0], Line("MoCo", (dataclasses.replace(second, protocol="probe"),)))
    use(dataclasses.replace(study, blocks=(dataclasses.replace(block, lines=lines),)))
    reproduce.main()
    out = capsys.readouterr().out
    assert "mine lacks 1 of 2 numbers, the first probe mae of moco_" in out
    assert f"Run python -m trainers.evaluate --run_dir={config.runs}/moco_" in out
    use(study)
    reproduce.main()
    assert "lacks" not in capsys.readouterr().out


def test_what_was_finished_before_a_failure_is_shown(config, study, tmp_path):
    config.fails = {study.runs()[1].seeded(1): "failed: no disk"}
    with pytest.raises(ValueError, match=r"1 of the runs failed, the first in .*moco.*_1: failed: no disk\. The same"):
        reproduce.main()
    text = (tmp_path / "runs" / "results" / "smoke" / "mine.md").read_text()
    assert not (tmp_path / "out").exists()  # Nothing takes the place of a whole table.
    assert "| MoCo | 4.0 [0.10, 0.15] |" in text
    assert "3 of 4 runs are finished" in text


def test_a_table_is_published_as_soon_as_it_is_whole(config, study, use, tmp_path, monkeypatch):
    (block,) = study.blocks
    short = dataclasses.replace(study, name="first", blocks=(dataclasses.replace(block, lines=block.lines[:1]),))
    use(study, short)
    config.table, seen = ["mine", "first"], []
    rows_of = Grid.rows_of

    def noted(self, run):
        seen.append(sorted(path.name for path in (tmp_path / "out").glob("*.md")))
        return rows_of(self, run)

    monkeypatch.setattr(Grid, "rows_of", noted)
    reproduce.main()
    assert [] in seen
    assert ["first.md"] in seen  # Its runs are done before the last one of the other.
    assert seen[-1] == ["first.md", "mine.md"]


def test_a_table_goes_between_the_marks_of_a_document(config, tmp_path):
    document = tmp_path / "README.md"
    marked = f"# Mine\n\n<!-- results: python -m reproduce --table=mine -->\n{markdown_tables.END}\n"
    document.write_text(marked + "Words.\n")
    config.documents = [str(document)]
    reproduce.main()
    assert "| SimCLR | 1.5" in document.read_text()
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
def test_wrong_names_and_seeds_are_refused_before_training(config, tmp_path, changes, message):
    vars(config).update(changes)
    with pytest.raises(ValueError, match=message):
        reproduce.main()
    assert not config.trained
    assert not (tmp_path / "out").exists()


def test_a_table_without_data_is_refused_or_left_out_of_all(config, study, monkeypatch, capsys):
    made = {name: (lambda _: study, (data,)) for name, data in (("mine", "ubfc"), ("other", "rotating_digits"))}
    monkeypatch.setattr(reproduce, "STUDIES", made)
    config.scale = "paper"
    with pytest.raises(ValueError, match=r"--table=mine --scale=paper lacks raw files in --manual_dir/ubfc: datasets/"):
        reproduce.main()
    assert not config.trained
    config.table = ["all"]
    reproduce.main()
    assert "Left out: mine. It lacks raw files in --manual_dir/ubfc" in capsys.readouterr().out
    assert config.trained


def test_a_table_with_all_its_rows_needs_no_data(config, study, monkeypatch, tmp_path):
    monkeypatch.setattr(reproduce, "STUDIES", {"mine": (lambda _: study, ("ubfc",))})
    config.scale = "paper"
    monkeypatch.setattr(Grid, "rows_of", lambda self, run: [row("fft", seed=int(dict(run.changes)["seed"]))])
    reproduce.main()
    assert (tmp_path / "out" / "mine.md").exists()


def test_a_table_has_the_seeds_of_its_scale(config, monkeypatch):
    more = dataclasses.replace(SCALES["small"], seeds=(0,), more_seeds={"mine": (0, 1, 2)})
    monkeypatch.setattr(reproduce, "SCALES", {"small": more})
    config.scale, config.seeds = "small", []
    reproduce.main()
    assert sorted(dict(run.changes)["seed"] for run in config.trained) == list("001122")
    assert [SCALES["small"].seeds_of(name) for name in ("table10", "table8")] == [(0, 1, 2), (0,)]


def test_the_list_says_what_each_table_needs(config, capsys):
    config.list = True
    reproduce.main()
    assert capsys.readouterr().out.splitlines() == [
        "Each is made by: python -m reproduce --table=NAME --scale=SCALE",
        "mine: My table",
        "  smoke: 2 runs on RotatingDigits (scikit-learn's digits); nothing is lacking",
        "  small: 2 runs on RotatingDigits (scikit-learn's digits); nothing is lacking",
        "  paper: 6 runs on RotatingDigits; nothing is lacking; downloads MNIST (11 MB)",
    ]  # fmt: skip
    assert not config.trained


def test_the_list_says_how_long_tables_have_trained(config, capsys, tmp_path):
    config.rows = str(tmp_path / "rows.jsonl")
    reproduce.main()
    config.list = True
    capsys.readouterr()
    reproduce.main()
    *_, header, _, line, total = capsys.readouterr().out.splitlines()
    assert header == "| Hours of training, scale smoke | seeds | all of its runs | those of no table above |"
    assert (line, total) == ("| mine | 2 | 0.00 | 0.00 |", "| all |  |  | 0.00 |")


def test_data_that_are_built_or_have_raw_files_lack_nothing(tmp_path):
    scale = SCALES["paper"].located(str(tmp_path / "data"), str(tmp_path / "raw"))
    assert "datasets/pure/README.md" in scale.lacks("pure")
    assert scale.lacks("rotating_digits") == ""
    (tmp_path / "raw" / "pure").mkdir(parents=True)
    assert scale.lacks("pure") == ""


@pytest.mark.slow
def test_a_stand_in_never_passes_for_the_data_of_the_paper(tmp_path, monkeypatch):
    raw = tmp_path / "raw" / "ubfc"
    ubfc_standin.write(raw, **ubfc_standin.SMALLEST[0])
    (raw / tfds_builders.STANDIN).write_text('{"seed": 0}')
    scale = SCALES["paper"].located(str(tmp_path / "data"), str(tmp_path / "raw"))
    assert scale.lacks("ubfc") == f"the data itself: {raw} holds a stand-in"
    small = ubfc_dataset_builder.Builder.builder_config_cls(name="paper", **ubfc_standin.SMALLEST[1])
    monkeypatch.setitem(ubfc_dataset_builder.Builder.builder_configs, "paper", small)
    said, place = [], tmp_path / "data" / "ubfc" / "paper" / "2.0.0"
    building.load(ubfc_dataset_builder.Builder, "paper", tmp_path / "data", str(raw), said.append)
    assert said[-1] == f"ubfc/paper/2.0.0 in {place} is built of a stand-in: its numbers are not of the data."
    assert scale.lacks("ubfc") == f"the data itself: {place} is built of a stand-in; delete that folder"
    (raw / tfds_builders.STANDIN).unlink()  # As if the real files had come since.
    assert scale.lacks("ubfc") == f"the data itself: {place} is built of a stand-in; delete that folder"


def test_miniatures_are_written_once_apart_from_the_real_data(tmp_path, monkeypatch):
    written = []
    data = {"table6": ("countix",), "table2": ("rotating_digits",), "table22": ("rotating_digits", "countix", "lst")}
    monkeypatch.setattr(reproduce, "STUDIES", {name: (None, sets) for name, sets in data.items()})
    monkeypatch.setattr(
        reproduce.standin, "write", lambda name, out, **given: (written.append(out), out.mkdir(parents=True))
    )
    # Those of a few videos are no substitute for those of many, nor the other way round.
    for name, folder in (("small", "data/miniatures"), ("smoke", "data/miniatures/few")):
        scale = SCALES[name].located(str(tmp_path / "data"), "raw")
        for _ in range(2):
            reproduce.write_miniatures(scale, list(data))
        assert written[-2:] == [tmp_path / folder / "raw" / "countix", tmp_path / folder / "raw" / "lst"]
        assert dict(scale.sets["countix"].pretrain.changes)["data_dir"] == str(tmp_path / folder)
    assert len(written) == 4


def test_errors_are_drawn_over_the_share_in_the_columns(study, monkeypatch, tmp_path):
    runs = study.runs()[:1]
    cells = tuple(Cell(runs[0].but(steps=k), "supervised", metric) for k in range(2) for metric in ("mae", "mape"))
    columns = ("100 %: MAE (Hz)", "100 %: MAPE (%)", "5 %: MAE (Hz)", "5 %: MAPE (%)")
    table = dataclasses.replace(study, name="table13_digits", blocks=(Block("", columns, (Line("SimPer", cells),)),))

    class Rows:
        def rows_of(self, run):
            given = {name: int(value) for name, value in run.changes if name in ("steps", "seed")}
            value = 10.0 * given["steps"] + given["seed"]
            return [row("supervised", "mape", value, seed=given["seed"]), row("supervised", "mae", 99.0)]

        folder_of = Grid(tmp_path).folder_of

    results = reproduce.gather(table, SCALES["smoke"], (0, 2), Rows())
    (points,) = table_figures.errors(results).values()
    assert points.tolist() == [[100, 1, 2**0.5], [5, 11, 2**0.5]]
    table_figures.draw(results, Rows(), tmp_path)
    assert (tmp_path / "table13_digits_errors.png").stat().st_size > 1000


def test_features_of_runs_that_are_there_are_drawn(study, tmp_path):
    table, grid = dataclasses.replace(study, name="table2"), Grid(tmp_path)
    series = np.random.default_rng(0).normal(size=(12, 30, 1)).astype(np.float32)
    folder = grid.folder_of(study.runs()[0].seeded(3))
    folder.mkdir()
    np.savez(folder / "features.npz", series=series, labels=np.arange(12.0))
    results = reproduce.gather(table, SCALES["smoke"], (3,), grid)
    drawn = table_figures.features(results, grid)
    assert list(drawn) == ["SimCLR"]
    np.testing.assert_array_equal(drawn["SimCLR"][0], series)
    table_figures.draw(results, grid, tmp_path)
    assert (tmp_path / "table2_features.png").stat().st_size > 1000
