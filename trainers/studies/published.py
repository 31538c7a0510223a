"""The numbers of the paper, each with its table and its line in `paper.tex`."""

import functools
import json
import pathlib

_FILE = pathlib.Path(__file__).with_name("published.json")


@functools.cache
def tables() -> dict:
    """Returns name of a table -> its `title`, `line` of the caption, `columns` and `lines` of `line` and `values`."""
    return json.loads(_FILE.read_text())


def value(table: str, line: str, column: str) -> float | None:
    """Returns a number of the paper, None where it has no such line or column.

    Args:
        table: Such as `table2`.
        line: Such as `simper`.
        column: Such as `fft mae`.

    Raises:
        KeyError: there is no such table.
    """
    found = tables()[table]
    if line not in found["lines"] or column not in found["columns"]:
        return None
    return found["lines"][line]["values"][found["columns"].index(column)]
