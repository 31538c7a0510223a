"""Rows of the runs of a table, cell by cell."""

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence

from reproduce import clip_errors, paired
from reproduce.grid import Grid, Run
from reproduce.ranking import OF_CLIPS
from reproduce.studies.scales import Scale
from reproduce.studies.table import Cell, Line, Study
from simper_tf.evaluation.protocols import FLOORS, IDEAL
from simper_tf.evaluation.rows import Row

# Of a run that has learned something, between answers and labels; the others lie around 0.
LEAST_CORRELATION = 0.2
# From this share of its error on, an answer is not told from the mean of the training clips.
CONSTANT = 0.99
ERRORS = ("mae", "mape")


@dataclasses.dataclass(frozen=True)
class Results:
    """A table with what its runs have measured.

    Attributes:
        study: The table.
        scale: Of its runs.
        seeds: Of every run.
        rows: Run without a seed, also one that others begin with -> its rows of all seeds.
        names: The same runs -> their names: a run may be written in two ways.
        pairs: Two cells -> the row of their paired test; none until all seeds of both are finished.
    """

    study: Study
    scale: Scale
    seeds: Sequence[int]
    rows: Mapping[Run, list[Row]]
    names: Mapping[Run, str]
    pairs: Mapping[tuple[Cell, Cell], Row]

    def of(self, cell: Cell | None) -> list[Row]:
        """Returns the rows of a cell, one a seed; none of None."""
        key = cell and (cell.protocol, cell.metric)
        return [row for row in self.rows[cell.run] if (row.protocol, row.metric) == key] if cell else []

    def wanted(self, run: Run) -> int:
        """Returns how many seeds a run has: one where one stands for all."""
        return len({run.seeded(seed) for seed in self.seeds})

    def stalled(self, cell: Cell | None) -> set[int]:
        """Returns the seeds with which a cell is no better than one answer for all clips.

        Its answers are hardly correlated with the labels, or are off by what the mean of the training clips is off by.
        Floors and the ideal are of no run.
        """
        if cell is None or cell.protocol in (IDEAL, *FLOORS):
            return set()
        correlations, constants = (
            {row.seed: row.value for row in self.of(dataclasses.replace(cell, **other))}
            for other in ({"metric": "pearson"}, {"protocol": "training_mean"})
        )
        is_error = cell.metric in ERRORS and cell.protocol not in OF_CLIPS
        return {
            row.seed for row in self.of(cell)
            if not correlations.get(row.seed, 1.0) >= LEAST_CORRELATION
            or (is_error and row.value > CONSTANT * constants.get(row.seed, math.inf))
        }  # fmt: skip

    def sound(self, cell: Cell | None) -> list[Row]:
        """Returns the rows of a cell where no seed has stalled; others rank nothing."""
        return [] if self.stalled(cell) else self.of(cell)

    def count(self) -> tuple[int, int]:
        """Returns how many runs of the table are finished, and how many there are."""
        counts = {
            (self.names[run], run.split): (len({row.seed for row in self.rows[run]}), self.wanted(run))
            for run in self.study.runs()
        }
        done, wanted = zip(*counts.values(), strict=True)
        return sum(done), sum(wanted)

    def is_whole(self) -> bool:
        """Returns whether all runs are finished."""
        done, total = self.count()
        return done == total

    def commits(self) -> list[str]:
        """Returns the commits of the code that made the rows."""
        return sorted({row.commit for rows in self.rows.values() for row in rows})

    def seconds(self, cells: Iterable[Cell]) -> float:
        """Returns the seconds of training behind some cells, sources included and each run once: a mean over seeds."""
        spent = {}
        for run in (source for cell in cells for source in cell.run.with_sources()):
            by_seed = {row.seed: row.seconds for row in self.rows[run]}
            spent[self.names[run]] = statistics.fmean(by_seed.values()) if by_seed else 0.0
        return sum(spent.values())

    def seconds_of(self, line: Line) -> float | None:
        """Returns the seconds of training of a line; None where nothing is learned for it, or nothing is finished."""
        learned = [cell for cell in line.cells if self.of(cell) and cell.protocol not in OF_CLIPS]
        return self.seconds(learned) if learned else None

    def lacking(self) -> list[Cell]:
        """Returns the cells of finished runs without a number, as of readouts that are newer than their rows."""
        return [cell for cell in self.study.cells() if self.is_whole() and len(self.of(cell)) < self.wanted(cell.run)]


def gather(study: Study, scale: Scale, seeds: Sequence[int], grid: Grid) -> Results:
    """Returns what the runs of a table have measured so far."""
    runs = list(dict.fromkeys(source for run in study.runs() for source in run.with_sources()))
    seeded = {run: list(dict.fromkeys(run.seeded(seed) for seed in seeds)) for run in runs}
    rows = {run: [row for member in of_seeds for row in grid.rows_of(member)] for run, of_seeds in seeded.items()}
    behind_reader = {}
    for cell in study.cells():
        if clip_errors.is_behind_reader(cell.protocol):
            behind_reader.setdefault(cell.run, []).append(cell.protocol)
    for run, protocols in behind_reader.items():
        for member in seeded[run]:
            rows[run] += clip_errors.rows_behind_reader(grid, member, sorted(set(protocols)))
    names = {run: grid.folder_of(run.seeded(seeds[0])).name for run in runs}
    pairs = [cells for block in study.blocks for titles in block.paired for cells in block.pairs(*titles) if all(cells)]
    tested = {cells: paired.row(grid, *cells, seeds) for cells in pairs}
    if behind_reader or pairs:
        grid.save_rows()
    return Results(study, scale, seeds, rows, names, {cells: row for cells, row in tested.items() if row})
