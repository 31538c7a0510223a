"""Figures of tables, PNG files beside their pages: errors over the share of clips or labels, and features in 2-D."""

import pathlib

import numpy as np

from reproduce import ranking
from reproduce.grid import Grid
from reproduce.results import Results
from simper_tf.evaluation import plots
from simper_tf.training import run_folder
from trainers import run_plots

# Table -> the share on the axis of its errors, as in figure 4 (b) of the paper.
SHARES = {"table12": "training clips", "table13": "labels"}
# Tables whose methods stand side by side by their features, as in figures 1 and 6 of the paper.
FEATURES = ("table2", "table14")


def draw(results: Results, grid: Grid, folder: pathlib.Path):
    """Writes the figures of a table into a folder, as far as its runs are there.

    Args:
        results: The table.
        grid: Has the folders of its runs.
        folder: Gets `<table>_errors.png` or `<table>_features.png`.
    """
    name = results.study.name
    table = name.removesuffix("_digits")
    if table in SHARES and (curves := errors(results)):
        figure = plots.errors_over_share(curves, f"share of the {SHARES[table]} (%)")
        run_plots.save(figure, folder / f"{name}_errors.png")
    if table in FEATURES and (runs := features(results, grid)):
        run_plots.save(plots.embeddings(runs), folder / f"{name}_features.png")


def errors(results: Results) -> dict[str, np.ndarray]:
    """Returns title of a line -> `(K, 3)` of share in percent, error in percent and its spread, of finished cells."""
    (block,) = results.study.blocks
    curves = {}
    for line in block.lines:
        cells = zip(block.columns, map(results.of, line.cells), strict=True)
        points = [
            (float(column.split(" %")[0]), np.mean([row.value for row in rows]), ranking.spread(rows))
            for column, rows in cells if rows and rows[0].metric == "mape"
        ]  # fmt: skip
        curves |= {line.title: np.array(points)} if points else {}
    return curves


def features(results: Results, grid: Grid) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns title of a method -> features and labels of its test clips, of the first seed of runs that are there."""
    paths = {
        line.title: grid.folder_of(line.cells[0].run.seeded(results.seeds[0])) / run_folder.FEATURES["test"]
        for line in results.study.blocks[0].lines if line.cells[0]
    }  # fmt: skip
    runs = {}
    for title, path in paths.items():
        if path.exists():
            with np.load(path) as arrays:
                runs[title] = arrays["series"], arrays["labels"]
    return runs
