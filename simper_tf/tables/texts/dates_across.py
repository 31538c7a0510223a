"""Tables whose columns are dates, one row a sensor or a country: turned, so that each row is a channel."""

import re

import numpy as np

from simper_tf.tables.texts.delimited import Table
from simper_tf.tables.texts.layouts import kind_of
from simper_tf.tables.times import time_units
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

_FEWEST = 8  # Columns of dates: fewer may be visits, and are not enough to repeat.
_YEAR = re.compile(r"(1[5-9]|2[01])\d\d")
_MARKED = r"^\s*([-+]?\d+(?:\.\d+)?)(?:\s*[a-z]{1,3})?\s*$"


def turned(table: Table) -> Table:
    """Returns a table with dates across as one with dates down; another one as it is.

    Dates are most of its columns. One of the others names the rows, and none is a time.

    Example: columns `sensor, 2024-01-01, 2024-01-02, ...` and rows `A` and `B` become columns `date, A, B`.
    """
    names, columns = table.names, table.columns
    if not any(names) and (years := _years_in_first_row(columns)):
        names, columns = years, [column[1:] for column in columns]
    across = [k for k, name in enumerate(names) if _is_date(name)]
    others = [k for k in range(len(names)) if k not in across]
    # As statistical offices write it, what is left of a backslash names the rows, and what is right of it the columns.
    is_timed = any(time_units.named(names[k].partition("\\")[0])[0] for k in others)
    numbers = sum(isinstance(columns[k], np.ndarray) for k in across)
    if numbers < _FEWEST or numbers <= len(others) or 2 * numbers < len(across) or is_timed:
        return table
    labels = _labels(columns, names, others)
    if labels is None:
        return table
    dates = [names[k] for k in across]
    are_years = all(map(_YEAR.fullmatch, dates))
    first = np.array(dates, np.float64) if are_years else pd.Series(dates, dtype="str")
    rows = np.stack([_numbers(columns[k]) for k in across], axis=1)
    note = f"Its columns are {len(dates)} dates: each row is a channel."
    return Table(
        ["year" if are_years else "date", *labels], [""] * (len(rows) + 1), [first, *rows], table.stated,
        [*table.notes, note],
    )  # fmt: skip


def _numbers(column):
    """Returns the numbers of a column, also of cells with a mark behind, such as 12.3 p of what is provisional."""
    if isinstance(column, np.ndarray):
        return column
    return pd.to_numeric(column.str.extract(_MARKED)[0], errors="coerce").to_numpy(np.float64)


def _is_date(name):
    return bool(_YEAR.fullmatch(name)) or (kind_of(name) == "t" and any(map(str.isdigit, name)))


def _years_in_first_row(columns):
    """Returns the names of columns whose first row holds years, which look like other numbers; None of another."""
    firsts = [column[0] if isinstance(column, np.ndarray) and len(column) else np.nan for column in columns]
    found = [year for year in firsts if np.isfinite(year)]
    if len(found) < _FEWEST or any(np.diff(found) != 1) or not _YEAR.fullmatch(f"{found[0]:g}"):
        return None
    return [f"{year:g}" if np.isfinite(year) else "" for year in firsts]


def _labels(columns, names, others):
    """Returns the names of the rows, of all columns of words or else the first of numbers that has a name."""
    words = [columns[k] for k in others if not isinstance(columns[k], np.ndarray)]
    if words:
        return [" ".join(str(cell) for cell in row if not pd.isna(cell)) for row in zip(*words, strict=True)]
    numbers = next((columns[k] for k in others if names[k]), None)
    return None if numbers is None else [f"{number:g}" for number in numbers]
