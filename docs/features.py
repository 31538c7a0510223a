"""Figures 1, 5 and 6 of the paper on digits: features side by side, and frequencies that training never had.

python -m docs.features [features] [spurious] [unseen]

The runs are those of tables 2, 14 and 10, with the first seed. They are trained once, in runs/figures.
"""

import csv
import pathlib
import sys

import numpy as np
from matplotlib.figure import Figure

from reproduce.grid import Grid, Run
from reproduce.studies import STUDIES
from reproduce.studies.scales import SCALES
from simper_tf.evaluation import plots
from simper_tf.reading.drawing import COLORS
from simper_tf.training import run_folder

FOLDER = pathlib.Path(__file__).parent
# Figure -> the table that has its runs, and the lines that are shown.
SHOWN = {
    "features": ("table2", ("SimCLR", "CVRL", "SimPer")),
    "spurious": ("table14", ("SimCLR", "SimPer")),
    "unseen": ("table10", ("supervised, its own head", "SimPer, FFT, octave by the pixels, no label")),
}
# Frequencies in Hz that a half of table 10 leaves out of training, of 0.5 to 5 Hz.
UNSEEN = {"interpolation": [(2.0, 3.5)], "extrapolation": [(0.5, 1.5), (4.0, 5.0)]}


def runs(name: str) -> dict[str, list[tuple[Run, str]]]:
    """Returns title -> the run and the protocol of each cell of a figure's lines, with the first seed."""
    table, titles = SHOWN[name]
    block = STUDIES[table][0](SCALES["small"].located("data", "raw")).blocks[0]
    lines = {line.title: [cell for cell in line.cells if cell] for line in block.lines}
    return {title: [(cell.run.seeded(0), cell.protocol) for cell in lines[title]] for title in titles}


def side_by_side(grid: Grid, name: str) -> Figure:
    """Returns t-SNE embeddings of the features of test clips, a panel a method."""
    shown = {}
    for title, cells in runs(name).items():
        with np.load(grid.folder_of(cells[0][0]) / run_folder.FEATURES["test"]) as arrays:
            shown[title] = arrays["series"], arrays["labels"]
    return plots.embeddings(shown)


def unseen(grid: Grid, name: str) -> Figure:
    """Returns what is read over the true frequency; what training never had is shaded."""
    drawn = Figure(figsize=(8, 7.4), layout="constrained")
    panels = drawn.subplots(2, len(UNSEEN), sharex=True, sharey=True)
    for number, (row, (title, cells)) in enumerate(zip(panels, runs(name).items(), strict=True)):
        # Each half has a cell of what was seen and another of what was not, of the same run.
        for axes, (half, spans), (run, protocol) in zip(row, UNSEEN.items(), cells[::2], strict=True):
            true, read = of_clips(grid.folder_of(run) / run_folder.OF_CLIPS["test"], protocol)
            for low, high in spans:
                axes.axvspan(low, high, color="0.92", zorder=0)
            axes.plot([0.5, 5], [0.5, 5], color="0.7", linewidth=0.8)
            axes.plot(true, read, ".", color=COLORS[number], markersize=4)
            axes.set_title(f"{title}: {half}", loc="left", fontsize=9)
            axes.spines[["top", "right"]].set_visible(False)
    drawn.supxlabel("true frequency (Hz); shaded: no training clip", fontsize=9)
    drawn.supylabel("read (Hz)", fontsize=9)
    return drawn


def of_clips(path: pathlib.Path, protocol: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns the true frequencies in a table of clips, and those that a protocol reads, both in Hz."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return tuple(np.array([float(row[f"{name} (Hz)"]) for row in rows]) for name in ("label", protocol))


FIGURES = {"features": side_by_side, "spurious": side_by_side, "unseen": unseen}


def write(names):
    """Trains what figures show, where it is not there, and writes them beside the guides."""
    grid = Grid("runs/figures")
    for name in names or FIGURES:
        with grid.held():
            failed = grid.train(run for cells in runs(name).values() for run, _ in cells)
        if failed:
            raise ValueError(f"{len(failed)} runs failed: {failed}.")
        FIGURES[name](grid, name).savefig(FOLDER / f"{name}.png", dpi=100)


if __name__ == "__main__":
    write(sys.argv[1:])
