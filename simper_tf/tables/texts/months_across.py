"""Tables of a row a year and a column a month: unrolled to one series of months."""

import re

import numpy as np

from simper_tf.tables.series_files import left_out
from simper_tf.tables.texts.delimited import Table
from simper_tf.tables.times import dates, year_parts

_NUMBER = re.compile("0?[1-9]|1[0-2]")
_ALL = np.arange(1, 13)
_FEWEST = 3  # Rows of which it can be told that they are years.
_NOTES = "Its rows are years and its columns months: they are one series."
_PLACES = "The first column is taken for years, the twelve others for their months: they are one series."


def unrolled(table: Table) -> Table:
    """Returns a table of years by months as one of a row a month; another one as it is.

    All twelve months are there, by their names or numbers, beside years that come once each. Years may begin with any
    month. Columns without any names are months where there are twelve beside years without a hole.

    Example: `Year, Jan, ..., Dec, Mean` in 20 rows become `year`, `month` and a column of 240 numbers.
    """
    names, columns, note = table.names, table.columns, _NOTES
    if not any(names):
        names, columns, note = _named_by_places(columns)
    across = [k for k, name in enumerate(names) if _month(name)]
    months = np.array([_month(names[k]) for k in across])
    if sorted(months) != [*_ALL] or not any(isinstance(columns[k], np.ndarray) for k in across):
        return table
    others = [k for k in range(len(names)) if k not in across]
    first = next((k for k in others if _are_years(columns[k])), None)
    if first is None:
        return table
    rows = np.argsort(columns[first], kind="stable")[: np.isfinite(columns[first]).sum()]
    if (months == (months[0] - 1 + np.arange(12)) % 12 + 1).all():
        months = months[0] + np.arange(12)  # Such as the year of waters, from October on.
    order = np.argsort(months)
    moments = (12 * columns[first][rows, None] + months[order] - 1).ravel()
    values = np.stack([_numbers(columns[across[k]]) for k in order], axis=1)[rows].ravel()
    return Table(
        ["year", "month", ""], [""] * 3, [moments // 12, moments % 12 + 1, values], table.stated,
        [*table.notes, note, *left_out(names, [k for k in others if k != first], "is no month")],
    )  # fmt: skip


def _month(name):
    """Returns the month that a name or a number stands for, from 1; 0 for another one."""
    name = name.strip(" .\"'").lower()
    if _NUMBER.fullmatch(name):
        return int(name)
    return dates.MONTHS.index(name[:3]) + 1 if year_parts.MONTH.fullmatch(name) else 0


def _are_years(column):
    """Returns whether a column holds whole years, each once, in rows that are filled."""
    if not isinstance(column, np.ndarray) or np.isfinite(column).sum() < _FEWEST:
        return False
    years = column[np.isfinite(column)]
    is_fine = dates.is_whole(years) and dates.is_between(years, dates.FIRST_YEAR, dates.LAST_YEAR)
    return is_fine and len(np.unique(years)) == len(years)


def _named_by_places(columns):
    """Returns names and columns of years and twelve others that have no names, and a note; no names of others."""
    if len(columns) != 1 + len(_ALL) or not all(isinstance(column, np.ndarray) for column in columns):
        return [], columns, ""
    if np.array_equal([column[0] for column in columns[1:]], _ALL) and np.isnan(columns[0][0]):
        columns = [column[1:] for column in columns]  # Numbers of months, which look like others.
    are_consecutive = _are_years(columns[0]) and len(np.unique(np.diff(columns[0]))) == 1
    is_even = are_consecutive and abs(columns[0][1] - columns[0][0]) == 1
    return (["year", *map(str, _ALL)], columns, _PLACES) if is_even else ([], columns, "")


def _numbers(column):
    """Returns the numbers of a column, NaN throughout where it holds text."""
    return column if isinstance(column, np.ndarray) else np.full(len(column), np.nan)
