"""A table of the paper, or of ours, as data: which runs it needs, what is read off them, and how it is printed."""

import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable

from simper_tf import tables
from simper_tf.rows import Row
from trainers.grid import Run

# Of these metrics more is better; of all others less.
RISING = {"pearson"}


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number, of as many seeds as there are.

    Attributes:
        run: What is trained for it, without a seed.
        protocol, metric: Which of its rows.
        paper: What the paper has there; None for nothing.
    """

    run: Run
    protocol: str
    metric: str
    paper: float | None = None


@dataclasses.dataclass(frozen=True)
class Line:
    """One line: its title, and a `Cell` or None for each column."""

    title: str
    cells: tuple[Cell | None, ...]


@dataclasses.dataclass(frozen=True)
class Block:
    """Lines with columns in common, which may be compared with one another.

    Attributes:
        title: Empty where a table has one block.
        columns: Their titles, with units.
        lines: Its lines.
        ranked: Whether the best of each column is marked: not where columns hold what nobody competes in.
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    ranked: bool = True


@dataclasses.dataclass(frozen=True)
class Study:
    """A table with what it is for.

    Attributes:
        name: As it is asked for, such as `table2`.
        title: In print.
        about: What it tests, and what the paper claims; a paragraph without a number of ours.
        blocks: Its numbers.
    """

    name: str
    title: str
    about: str
    blocks: tuple[Block, ...]

    def runs(self) -> list[Run]:
        """Returns the runs it needs, without seeds, each once."""
        cells = (cell for block in self.blocks for line in block.lines for cell in line.cells if cell)
        return list(dict.fromkeys(cell.run for cell in cells))


@dataclasses.dataclass(frozen=True)
class Found:
    """The rows of a cell.

    Attributes:
        rows: One a seed, of those that are finished.
        paper: See `Cell`.
    """

    rows: tuple[Row, ...]
    paper: float | None = None

    @property
    def mean(self) -> float | None:
        """The mean over seeds; None of no rows."""
        return statistics.fmean(row.value for row in self.rows) if self.rows else None

    @property
    def spread(self) -> float:
        """How far from the mean the truth may lie: the deviation over seeds, or half the interval of one."""
        if len(self.rows) > 1:
            return statistics.stdev(row.value for row in self.rows)
        return (self.rows[0].high - self.rows[0].low) / 2 if self.rows else 0.0


def read(block: Block, rows_of: Callable[[Run, int], Iterable[Row]], seeds: Iterable[int]) -> list[list[Found | None]]:
    """Returns the `Found` of every cell of a block, None where it has no cell.

    Args:
        block: Of a study.
        rows_of: Run and seed -> its rows, none if it is not finished.
        seeds: Seeds of every run.
    """
    seeds = list(seeds)

    def find(cell):
        wanted = (cell.protocol, cell.metric)
        found = (row for seed in seeds for row in rows_of(cell.run, seed) if (row.protocol, row.metric) == wanted)
        return Found(tuple(found), cell.paper)

    return [[cell and find(cell) for cell in line.cells] for line in block.lines]


def markdown(block: Block, found: list[list[Found | None]]) -> str:
    """Returns the Markdown table of a block, the best of each column in bold and the paper's numbers beside ours."""
    papers = [any(line[k] and line[k].paper is not None for line in found) for k in range(len(block.columns))]
    best = [{*leaders(block, found, k)} if block.ranked else set() for k in range(len(block.columns))]
    header = [""]
    for column, paper in zip(block.columns, papers, strict=True):
        header += [column, *(["paper"] if paper else [])]
    lines = []
    for number, (line, cells) in enumerate(zip(block.lines, found, strict=True)):
        words = [line.title]
        for k, cell in enumerate(cells):
            text = tables.cell(cell.rows) if cell else ""
            words.append(f"**{text}**" if text and number in best[k] else text)
            words += [_number(cell and cell.paper)] if papers[k] else []
        lines.append([*words, seconds_of(cells)])
    return tables.markdown_table([*header, "seconds"], lines)


def ranking(block: Block, found: list[list[Found | None]]) -> list[str]:
    """Returns a sentence for each column that says which line is first, and by how much.

    Lines whose means differ by no more than their spreads together are called level.
    """
    said = []
    for k, column in enumerate(block.columns):
        order = _order(block, found, k)
        if len(order) < 2:
            continue
        best = leaders(block, found, k)
        others = [number for number in order if number not in best]
        text = f"{column}: {' and '.join(block.lines[n].title for n in best)}{' level' if len(best) > 1 else ''}"
        if others:
            text += f", then {block.lines[others[0]].title} ({_times(found[best[0]][k], found[others[0]][k])})"
        said.append(f"{text}.")
    return said


def _times(first, second):
    low, high = sorted((abs(first.mean), abs(second.mean)))
    return f"a factor of {high / low:.2g}" if low else f"{second.mean:.2g} against 0"


def leaders(block: Block, found: list[list[Found | None]], k: int) -> list[int]:
    """Returns the numbers of the lines that nobody is ahead of in column `k`, the best first."""
    order = _order(block, found, k)
    if not order:
        return []
    first = found[order[0]][k]
    return [n for n in order if abs(found[n][k].mean - first.mean) <= found[n][k].spread + first.spread or n == order[0]]


def _order(block, found, k):
    """Returns the numbers of the lines that have a value in a column, the best first."""
    metric = {line.cells[k].metric for line in block.lines if line.cells[k]}
    rising = metric <= RISING
    known = [(cells[k].mean, n) for n, cells in enumerate(found) if cells[k] and cells[k].rows]
    known = [(value, n) for value, n in known if math.isfinite(value)]
    return [n for value, n in sorted(known, key=lambda each: -each[0] if rising else each[0])]


def seconds_of(cells: Iterable[Found | None]) -> str:
    """Returns the seconds of training of a line's runs, together where they are several, each counted once."""
    found = {(row.method, row.settings, row.config, row.seed): row.seconds for cell in cells if cell for row in cell.rows}
    seeds = {row.seed for cell in cells if cell for row in cell.rows}
    return f"{sum(found.values()) / len(seeds):.0f}" if seeds else ""


def _number(value):
    return "" if value is None else f"{value:g}"
