"""Paired test of two lines: how many times as large the error of one is, over the same clips and seeds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduce import clip_errors
from reproduce.grid import Grid
from reproduce.studies.table import Cell
from simper_tf.evaluation.rows import Row

METRIC = "error_ratio"
_DRAWS = 2000  # The ends of an interval, its 2.5 % to each side, are then told by 50 draws.


def row(grid: Grid, cell: Cell, other: Cell, seeds: Sequence[int]) -> Row | None:
    """Returns the row of a pair of cells: the error of the other by that of the first, with its 95 % interval.

    It is made from the clips of both runs where their folders are here. Else it is the one that was kept, if any.

    Args:
        grid: Of the runs.
        cell, other: Cells of mean absolute errors.
        seeds: Of the runs.
    """
    lines = [[(setting.run.seeded(seed), setting.protocol) for seed in seeds] for setting in (cell, other)]
    own, others = ([clip_errors.of_run(grid, *each) for each in line] for line in lines)
    protocols = list(dict.fromkeys((cell.protocol, other.protocol)))
    protocol, name = "~".join(protocols), "~".join(grid.folder_of(line[0][0]).name for line in lines)
    if not any(clips is None for clips in (*own, *others)):
        first, second = (grid.rows_of(line[0][0])[0] for line in lines)
        value, low, high, number = ratio(own, others)
        made = Row(
            first.dataset, first.config, f"{first.method}~{second.method}", first.encoder, protocol, METRIC, value, "",
            low, high, number, min(seeds), first.commit, 0.0, first.settings, cell.run.split,
        )  # fmt: skip
        grid.keep_rows(name, [*(old for old in grid.kept_rows(name) if old.protocol != protocol), made])
    return next((kept for kept in grid.kept_rows(name) if kept.protocol == protocol), None)


def ratio(own: Sequence[pd.DataFrame], others: Sequence[pd.DataFrame]) -> tuple[float, float, float, int]:
    """Returns the mean error of others by one's own, the ends of its 95 % interval, and the number of different clips.

    Seeds and subjects, such as people or images, are both drawn with replacement, the same for the two: clips of one
    subject err alike. Seeds may have clips of different subjects.

    Args:
        own, others: Clips of `clip_errors`, one table a seed; those of a seed are the same.
    """
    errors = [
        pd.DataFrame({"own": _errors(mine), "other": _errors(theirs).reindex(mine.index), "subject": mine["subject"]})
        for mine, theirs in zip(own, others, strict=True)
    ]
    by_seed = pd.concat(dict(enumerate(errors)), names=["seed"]).groupby(["seed", "subject"])[["own", "other"]]
    sums, subjects = by_seed.sum(min_count=1), pd.concat(errors)["subject"].unique()
    grids = [sums[name].unstack(fill_value=0.0).reindex(columns=subjects).to_numpy() for name in ("own", "other")]
    rng = np.random.default_rng(0)
    seeds, people = _times(rng, len(errors)), _times(rng, len(subjects))
    drawn = [np.einsum("ds,si,di->d", seeds, grid, people) for grid in grids]
    some = drawn[0] > 0  # A draw may have nobody whom the seeds drawn have tested.
    low, high = np.percentile(drawn[1][some] / drawn[0][some], [2.5, 97.5])
    number = len(set().union(*(table.index for table in errors)))
    return float(sums["other"].sum() / sums["own"].sum()), float(low), float(high), number


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


def _errors(clips):
    return (clips["read"] - clips["label"]).abs()


def _times(rng, number):
    """Returns how often each of a number is drawn, `(_DRAWS, number)`."""
    return rng.multinomial(number, np.full(number, 1 / number), size=_DRAWS).astype(np.float64)
