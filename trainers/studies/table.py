"""A table of the paper, or of ours, as data: which runs it needs, and what is read off them."""

import dataclasses
import pathlib

from trainers.grid import Run


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
        against: Pairs of titles of lines that are also compared seed by seed, as they share what a seed draws.
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    ranked: bool = True
    against: tuple[tuple[str, str], ...] = ()


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


def data_set_of(run: Run) -> str:
    """Returns the name of the data set of the paper that a run's flagfile is for, such as `ubfc`."""
    return pathlib.Path(run.flagfile).stem.removeprefix("supervised_")
