"""Tables as data: which runs a table needs, and which of their rows its cells show."""

import dataclasses
import pathlib

from reproduce.grid import Run


@dataclasses.dataclass(frozen=True)
class Cell:
    """One number, of as many seeds as there are.

    Attributes:
        run: What is trained for it, without a seed.
        protocol, metric: Which of its rows.
        paper: The number of the paper, None where it has none.
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

    @property
    def kind(self) -> str:
        """`control`, `floor` or `ideal`, of what has learned nothing; empty for what has."""
        kind, colon, _ = self.title.partition(": ")
        return kind if colon and kind in ("control", "floor", "ideal") else ""


@dataclasses.dataclass(frozen=True)
class Block:
    """Lines that share columns and can be compared with one another.

    Attributes:
        title: Empty where a table has one block.
        columns: Titles of the columns, with units.
        lines: The lines.
        ranked: Whether the best of each column is marked.
        against: Pairs of titles of lines that are also compared seed by seed, as they share what a seed draws.
        paired: Pairs of titles of lines that are also compared clip by clip, see `paired`.
        seconds: Whether the seconds of training stand behind the numbers.
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    ranked: bool = True
    against: tuple[tuple[str, str], ...] = ()
    paired: tuple[tuple[str, str], ...] = ()
    seconds: bool = True

    def column(self, number: int) -> list[Cell | None]:
        """Returns the cells of a column, one a line."""
        return [line.cells[number] for line in self.lines]

    def pairs(self, title: str, other: str) -> list[tuple[Cell, Cell]]:
        """Returns the cells of two lines, column by column."""
        cells = {line.title: line.cells for line in self.lines}
        return list(zip(cells[title], cells[other], strict=True))


@dataclasses.dataclass(frozen=True)
class Study:
    """A table with its purpose.

    Attributes:
        name: As in `--table`, such as `table2`.
        title: In print.
        about: A paragraph that says what is tested and what the paper claims, without a number of ours.
        blocks: The numbers.
        settings: A paragraph about what the runs were given, which stands below the numbers; empty for none.
        seeds_are: What the seeds of a table are, in print.
        is_real: Whether it has recordings of people, of which the scale of the others says nothing.
    """

    name: str
    title: str
    about: str
    blocks: tuple[Block, ...]
    settings: str = ""
    seeds_are: str = "seeds"
    is_real: bool = False

    def cells(self) -> list[Cell]:
        """Returns all cells."""
        return [cell for block in self.blocks for line in block.lines for cell in line.cells if cell]

    def runs(self) -> list[Run]:
        """Returns the runs that it needs, without seeds, each once."""
        return list(dict.fromkeys(cell.run for cell in self.cells()))


def data_set_of(run: Run) -> str:
    """Returns the data set of the paper that a run's flagfile is for, such as `ubfc`."""
    return pathlib.Path(run.flagfile).stem.removeprefix("supervised_")
