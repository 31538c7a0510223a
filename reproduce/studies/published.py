"""The numbers of the paper, each with its table and its line in `paper.tex`."""

import functools
import json
import pathlib

_FILE = pathlib.Path(__file__).with_name("published.json")


@functools.cache
def tables() -> dict:
    """Returns name of a table -> its `title`, `line` of the caption, `columns` and `lines` of `line` and `values`."""
    return json.loads(_FILE.read_text())


def title(table: str) -> str:
    """Returns the title of a table."""
    return tables()[table]["title"]


def value(table: str, line: str, column: str) -> float | None:
    """Returns a number of the paper, None where it has no such line or column.

    Args:
        table: Such as `table2`.
        line: Such as `simper`.
        column: Such as `fft mae`.

    Raises:
        KeyError: there is no such table.
    """
    known = tables()[table]
    if line not in known["lines"] or column not in known["columns"]:
        return None
    return known["lines"][line]["values"][known["columns"].index(column)]
