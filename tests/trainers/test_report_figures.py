import dataclasses

import made_up_runs
import numpy as np
import pytest
from made_up import row

pytest.importorskip("matplotlib")
from simper_tf.evaluation import side_by_side
from trainers.grid import Grid, Run
from trainers.reports import figures
from trainers.reports.kept import Kept
from trainers.studies import STUDIES
from trainers.studies.scales import SCALES

BY_NAME = {figure.name: figure for figure in figures.FIGURES}
SEEDS = (0, 1)


@pytest.fixture(scope="module")
def scale():
    return made_up_runs.scale()


@pytest.fixture
def grid(tmp_path):
    return Grid(tmp_path)


@pytest.fixture
def shown(monkeypatch):
    """Returns what was to be drawn of features, and is not: the name of the function, and its runs."""
    asked = []
    for name in ("embeddings", "grouped_embeddings", "series_over_reference"):
        monkeypatch.setattr(side_by_side, name, lambda runs, how=name, **_: asked.append((how, runs)) or "drawn")
    return asked


def draw(name, scale, grid, lacking=()):
    made_up_runs.finish(grid, STUDIES[BY_NAME[name].table][0](scale), SEEDS, lacking)
    kept = Kept(grid, SEEDS)
    return BY_NAME[name].draw(scale, kept), kept.lacking


@pytest.mark.parametrize(
    ("name", "how", "titles"),
    [
        ("figure1", "embeddings", ["SimCLR", "MoCo v2", "BYOL", "CVRL", "SimPer"]),
        ("figure4a", "embeddings", [f"{method}, {size} %" for size in (100, 50)
                                    for method in ("supervised", "SimCLR", "CVRL", "SimPer")]),
        ("figure5", "embeddings", [f"{method}, {part}" for method in ("supervised", "SimPer", "Gideon and Stent")
                                   for part in ("interpolation", "extrapolation")]),
        ("figure6", "grouped_embeddings", ["SimCLR", "SimPer"]),
        ("figure8", "series_over_reference", ["SimCLR", "CVRL", "SimPer"]),
    ],
)  # fmt: skip
def test_a_figure_shows_the_runs_of_the_paper_in_its_order(name, how, titles, scale, grid, shown):
    made, lacking = draw(name, scale, grid)
    assert made == "drawn"
    assert not lacking
    ((function, runs),) = shown
    assert function == how
    assert list(runs) == titles
    assert all(run["series"].shape[0] == made_up_runs.CLIPS for run in runs.values())


def test_the_runs_of_a_figure_are_those_of_its_table(scale, grid, shown):
    draw("figure4a", scale, grid)
    ((_, runs),) = shown
    lines = {line.title: line for line in STUDIES["table12_digits"][0](scale).blocks[0].lines}
    for title, run in (
        ("SimPer, 50 %", lines["SimPer"].cells[2].run.source),
        ("supervised, 100 %", lines["supervised"].cells[0].run),
    ):
        with np.load(grid.folder_of(run.seeded(0)) / "features.npz") as kept:
            np.testing.assert_array_equal(runs[title]["series"], kept["series"])
    assert lines["SimPer"].cells[2].run.source.settings().data_fraction == 0.5


def test_unseen_labels_are_those_that_the_flags_of_the_run_hide(scale, grid, shown):
    draw("figure5", scale, grid)
    ((_, runs),) = shown
    for title, run in runs.items():
        labels = run["labels"]
        gap, ends = (labels >= 2) & (labels <= 3.5), (labels < 1.5) | (labels > 4)
        np.testing.assert_array_equal(run["seen"], ~(gap if title.endswith("interpolation") else ends))


def test_the_digit_of_a_clip_is_the_last_of_its_number(scale, grid, shown):
    draw("figure6", scale, grid)
    ((_, runs),) = shown
    for run in runs.values():
        np.testing.assert_array_equal(run["groups"], [int(name.removeprefix("test-")) % 10 for name in run["ids"]])


def test_a_run_that_is_not_finished_is_said_and_not_drawn(scale, grid, shown):
    made, lacking = draw("figure1", scale, grid, lacking=("byol",))
    assert made
    assert shown[0][1]["BYOL"] is None
    assert len(lacking) == 1
    ((lack, command),) = lacking.items()
    assert "byol_rotating_digits-digits_" in lack
    assert lack.endswith(" holds no finished run")
    assert command == ""  # It is that of the table.


def test_nothing_is_drawn_of_no_run(scale, grid):
    for figure in figures.FIGURES:
        found = figures.drawn(figure, scale, grid, dict.fromkeys(STUDIES, SEEDS))
        assert found.png is None
        assert found.lacking


@pytest.mark.parametrize(("name", "parts"), [("figure4b", [50, 100]), ("errors_over_labels", [50, 100])])
def test_errors_are_the_rows_of_tables_with_intervals_over_seeds(name, parts, scale, grid):
    table = BY_NAME[name].table
    on_digits = STUDIES[f"{table}_digits"][0](scale)
    made_up_runs.finish(grid, on_digits, SEEDS)
    made, lacking = draw(name, scale, grid)
    assert not lacking
    for axes, block in zip(made.axes, (*on_digits.blocks, *STUDIES[table][0](scale).blocks), strict=True):
        assert axes.get_title() == block.title
        # Of controls the best alone: others would have the colors of methods.
        shown = [line for line in block.lines if not {cell.protocol for cell in line.cells} & {"pos", "green"}]
        for container, line in zip(axes.containers, shown, strict=True):
            cells = [cell for cell in line.cells if cell.metric == "mape"][::-1]
            seeds = SEEDS[:1] if line.title.startswith("control") else SEEDS  # A control is the same with every seed.
            rows = [[each.value for seed in seeds for each in grid.rows_of(cell.run.seeded(seed))
                     if (each.protocol, each.metric) == (cell.protocol, "mape")] for cell in cells]  # fmt: skip
            np.testing.assert_allclose(container[0].get_ydata(), np.mean(rows, axis=1))
            beside = container[0].get_xdata() / parts  # Curves of a panel stand a little beside one another.
            np.testing.assert_allclose(beside, beside[0])
            assert beside[0] == pytest.approx(1, abs=0.1)


def test_what_learns_nothing_has_the_interval_of_its_clips_over_whatever_seeds(scale, grid):
    made, _ = draw("figure4b", scale, grid)
    (axes,) = made.axes
    (block,) = STUDIES["table12"][0](scale).blocks
    number = next(k for k, line in enumerate(block.lines) if line.title.startswith("control"))
    cells = [cell for cell in block.lines[number].cells if cell.metric == "mape"][::-1]
    found = [each for cell in cells for each in grid.rows_of(cell.run.seeded(SEEDS[0]))
             if (each.protocol, each.metric) == (cell.protocol, "mape")]  # fmt: skip
    (_, _, (bars,)) = axes.containers[number]
    ends = [segment[:, 1] for segment in bars.get_segments()]
    np.testing.assert_allclose(ends, [(each.low, each.high) for each in found])


def test_a_figure_of_two_tables_has_the_seeds_of_each(scale, grid):
    figure = BY_NAME["figure4b"]
    made_up_runs.finish(grid, STUDIES["table12_digits"][0](scale), (0, 1))
    made_up_runs.finish(grid, STUDIES["table12"][0](scale), (0,))
    seeds = {"table12_digits": (0, 1), "table12": (0,)}
    assert not figures.drawn(figure, scale, grid, seeds).lacking
    lacking = figures.drawn(figure, scale, grid, dict.fromkeys(seeds, (0, 1))).lacking
    assert set(lacking.values()) == {"python -m trainers.reproduce --table=table12 --scale=smoke"}


def test_variants_of_a_method_in_a_table_are_no_panels_of_its_figure(tmp_path, shown):
    small = SCALES["small"].located("data", "raw")
    methods = {"figure1": ["SimCLR", "MoCo v2", "BYOL", "CVRL", "SimPer"], "figure6": ["SimCLR", "SimPer"]}
    for name, titles in methods.items():
        made_up_runs.finish(Grid(tmp_path), STUDIES[BY_NAME[name].table][0](small), (0,))
        BY_NAME[name].draw(small, Kept(Grid(tmp_path), (0,)))
        assert list(shown.pop()[1]) == titles


def test_an_interval_over_seeds_is_students_and_of_one_seed_that_of_its_clips():
    two = [row(value=1.0), row(value=3.0, seed=1)]
    # Standard error 1; the quantile of one degree of freedom is 12.7062.
    assert figures.interval(two) == pytest.approx((2, 2 - 12.7062, 2 + 12.7062), rel=1e-5)
    assert figures.interval(two[:1]) == (1.0, 0.1, 0.15)


def test_a_figure_is_a_picture(scale, grid):
    made_up_runs.finish(grid, STUDIES["table2"][0](scale), SEEDS)
    assert figures.drawn(BY_NAME["figure8"], scale, grid, dict.fromkeys(STUDIES, SEEDS)).png.startswith(b"\x89PNG")


@pytest.fixture
def run(tmp_path):
    """Returns a finished run of simple flags, and its grid."""
    flagfile = tmp_path / "base.cfg"
    flagfile.write_text("--method=simper\n")
    run, grid = Run(str(flagfile)), Grid(tmp_path / "runs")
    made_up_runs.leave(grid, run.seeded(0), [("fft", "mae")])
    return run, grid


def test_a_run_predicted_for_two_splits_is_drawn_with_the_clips_of_each(run):
    test, grid = run
    validation = dataclasses.replace(test, split="validation")
    made_up_runs.leave(grid, validation.seeded(0), [("fft", "mae")])
    folder = grid.folder_of(test.seeded(0))
    assert grid.folder_of(validation.seeded(0)) == folder
    with np.load(folder / "features_validation.npz") as file:
        np.savez(folder / "features_validation.npz", **{**file, "series": np.ones_like(file["series"])})
    kept = Kept(grid, (0,))
    assert (kept.features(validation)["series"] == 1).all()
    assert (kept.features(test)["series"] != 1).any()
    assert not kept.lacking


def test_features_of_another_split_are_not_taken_and_the_command_that_makes_them_is_told(run):
    run, grid = run
    kept = Kept(grid, (0,))
    folder = grid.folder_of(run.seeded(0))
    with np.load(folder / "features.npz") as file:
        np.savez(folder / "features.npz", **{**file, "split": "validation"})  # As earlier versions left it.
    assert kept.features(run) is None
    command = f"python -m trainers.evaluate --run_dir={folder} --split=test"
    assert kept.lacking == {f"{folder} holds no features of test clips": command}
    validation = dataclasses.replace(run, split="validation")
    assert kept.features(validation) is None
    assert f"{folder} holds no finished run" in kept.lacking
    made_up_runs.leave(grid, validation.seeded(0), [("fft", "mae")])
    (folder / "features_validation.npz").unlink()
    assert kept.features(validation) is not None


@pytest.mark.parametrize("damage", ["no archive", "half", "no series", "other number", "not finite"])
def test_damaged_features_are_refused_with_what_makes_them_anew(run, damage):
    run, grid = run
    path = grid.folder_of(run.seeded(0)) / "features.npz"
    with np.load(path) as file:
        arrays = dict(file)
    if damage == "no archive":
        path.write_text("hello")
    elif damage == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif damage == "no series":
        np.savez(path, **{name: values for name, values in arrays.items() if name != "series"})
    elif damage == "other number":
        np.savez(path, **{**arrays, "labels": arrays["labels"][1:]})
    else:
        np.savez(path, **{**arrays, "series": np.full_like(arrays["series"], np.nan)})
    with pytest.raises(
        ValueError, match=rf"{path} is damaged .* python -m trainers\.evaluate --run_dir={path.parent} --split=test$"
    ):
        Kept(grid, (0,)).features(run)
