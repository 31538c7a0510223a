"""Paired test of two lines: how many times as large the error of one is, over the same clips and seeds."""

import pathlib
from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduce.grid import Grid
from reproduce.studies.table import Cell
from simper_tf.evaluation.rows import Row
from simper_tf.training import run_folder

METRIC = "error_ratio"
_DRAWS = 2000


def row(grid: Grid, cell: Cell, other: Cell, seeds: Sequence[int]) -> Row | None:
    """Returns the row of a pair of cells: the error of the other by that of the first, with its 95 % interval.

    It is made from the clips of both runs where their folders are here. Else it is the one that was kept, if any.

    Args:
        grid: Of the runs.
        cell, other: Cells of one protocol and of mean absolute errors.
        seeds: Of the runs.
    """
    runs = [[one.run.seeded(seed) for seed in seeds] for one in (cell, other)]
    tables = [[grid.folder_of(run) / run_folder.OF_CLIPS[run.split] for run in line] for line in runs]
    name = "~".join(grid.folder_of(line[0]).name for line in runs)
    if all(path.exists() for line in tables for path in line):
        (first, *_) = grid.rows_of(runs[0][0])
        value, low, high, number = ratio(*tables, cell.protocol)
        made = Row(
            first.dataset, first.config, f"{first.method}~{dict(other.run.changes)['method']}", first.encoder,
            cell.protocol, METRIC, value, "", low, high, number, min(seeds), first.commit, 0.0, first.settings,
            cell.run.split,
        )  # fmt: skip
        grid.keep_rows(name, [*(old for old in grid.kept_rows(name) if old.protocol != cell.protocol), made])
    return next((kept for kept in grid.kept_rows(name) if kept.protocol == cell.protocol), None)


def ratio(
    own: Sequence[pathlib.Path], others: Sequence[pathlib.Path], protocol: str
) -> tuple[float, float, float, int]:
    """Returns the mean error of others by one's own, the ends of its 95 % interval, and the number of clips.

    Seeds and images are both drawn with replacement, the same for the two: clips of one image err alike.

    Args:
        own, others: Tables of clips, one a seed.
        protocol: Whose predictions are compared.
    """
    errors = np.stack([[_errors(path, protocol) for path in paths] for paths in (own, others)])
    _, image = np.unique(pd.read_csv(own[0])["subject"], return_inverse=True)
    sums = np.stack([np.bincount(image, row) for row in errors.reshape(-1, errors.shape[-1])])
    sums = sums.reshape(*errors.shape[:2], -1)
    rng = np.random.default_rng(0)
    seeds = _times(rng, errors.shape[1])
    drawn = np.einsum("ds,asi,di->ad", seeds, sums, _times(rng, sums.shape[-1]))
    low, high = np.percentile(drawn[1] / drawn[0], [2.5, 97.5])
    return float(errors[1].mean() / errors[0].mean()), float(low), float(high), errors.shape[-1]


def sentence(column: str, title: str, other: str, row: Row) -> str:
    """Returns in a sentence which of two lines is first in a column, or that they are level.

    Args:
        column: Its title.
        title, other: Of the two lines.
        row: Of the pair.
    """
    verdict = f"{title} first" if row.low > 1 else f"{other} first" if row.high < 1 else "level"
    return (
        f"{column}: {verdict}; the error of {other} is {row.value:.3g} [{row.low:.3g}, {row.high:.3g}] times as large."
    )


def _errors(path, protocol):
    clips = pd.read_csv(path)
    (label,) = (name for name in clips if name.startswith("label ("))
    (read,) = (name for name in clips if name.startswith(f"{protocol} ("))
    return np.abs(clips[read] - clips[label]).to_numpy()


def _times(rng, number):
    """Returns how often each of a number is drawn, `(_DRAWS, number)`."""
    return rng.multinomial(number, np.full(number, 1 / number), size=_DRAWS).astype(np.float64)
