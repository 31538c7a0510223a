"""Columns of text files: separator, header, decimal sign and stated rate, as programs of any kind write them."""

import contextlib
import csv
import itertools
import pathlib
import re
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simper_tf.tables.series_files import REMEDY
from simper_tf.tables.texts import header_names, json_texts, labelled, layouts, line_protocol, text_lines
from simper_tf.tables.texts.layouts import cells_of, kind_of
from simper_tf.tables.times import decimals, rates
from simper_tf.utils import worker
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

_FIRST_ROWS = 8  # That are looked at.
# Numbers that stand in one line: how many there are at least, more than columns in few rows, and lines at most.
_LONG_ROW, _FEW_LINES, _ONE_ROW = 64, 4, "The numbers stand in one line: they are one channel."
_ROWS = "The numbers stand in {} lines: each is a channel."
# Lines of a table of any ending, and share of its cells that are numbers: prose with dates and sums has fewer.
_FEWEST_LINES, _MOSTLY = 8, 0.8
# Whether lines are written so, and what writes each as one of a plain table.
_WRITINGS = (
    (layouts.in_lists, layouts.without_lists),
    (layouts.in_fortran, layouts.without_fortran),
    (layouts.in_quotes, layouts.bare),
)
_RAGGED = re.compile(r".*Expected (\d+) fields in line (\d+), saw (\d+).*")  # As pandas says it.
_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)


class Table(NamedTuple):
    """A text of numbers.

    Attributes:
        names: Of the columns, "" where they have none.
        units: Of the columns by a row of their own, "" where there are none.
        columns: `(T,)` float64 each, NaN where a cell holds no number; strings where most hold none.
        stated: Rates of sampling in its header, those that differ.
        notes: Sentences on what was left out.
    """

    names: list[str]
    units: list[str]
    columns: list["np.ndarray | pd.Series"]
    stated: list[rates.Stated]
    notes: list[str]


def table_of(path: pathlib.Path, most: int | None = None) -> Table:
    """Reads a text of columns.

    Args:
        path: The file.
        most: Rows that are read; all by default.

    Raises:
        RawDataError: it holds no table of numbers, is too large, or its decimal sign cannot be told.
    """
    with _opened(path, most) as (text, encoding, head, left):
        table = _table_of(text, encoding, head, most)
    said = f"{left} line{'s' * (left != 1)} unlike the others {'are' if left != 1 else 'is'} left out."
    return table._replace(notes=[*table.notes, said]) if left and not most else table


def _table_of(path, encoding, head, most):
    try:
        lines = [line for _, line in head]
        if line_protocol.is_one(lines):
            columns, notes = line_protocol.columns(line for _, line in text_lines.numbered(path, encoding))
            return Table([*columns], [""] * len(columns), [*columns.values()], [], notes)
        if (table := _in_one_line(lines)) is not None:
            return table
        layout, before, first, stated = _laid_out(path, head)
        columns, notes, written = decimals.plain(path, encoding, layout, first, most), [], {}
        if columns is None:
            frame, notes = _frame(path, encoding, layout, first, most)
            columns, written = decimals.columns(path, frame)
    except (UnicodeError, csv.Error, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        words = (str(error) or type(error).__name__).splitlines()[0][:200]
        words = _RAGGED.sub(r"\3 cells in line \2, \1 in others", words)
        raise RawDataError(path, f"no table of numbers ({words})", "text with columns", REMEDY) from error
    if most is None and _begins_with_count(columns):
        columns = [column[1:] for column in columns]
    names, units = header_names.names_and_units(before, layout)
    units = [unit or written.get(k, "").lower() for k, unit in enumerate(units)]
    return Table(names, units, columns, stated, notes)


def blocks(path: pathlib.Path, columns: list[int], rows: int) -> Iterator[np.ndarray]:
    """Yields the numbers of some columns of a text, `(N, C)`, so many rows at once.

    Raises:
        ValueError: a cell holds none, a row has more cells than others, or a line of labels is unlike them.
        RawDataError: it is too large.
    """
    with _opened(path) as (text, encoding, head, left):
        if left:
            raise ValueError(f"{left} lines are unlike the others.")
        layout, _, first, _ = _laid_out(path, head)
        given = {**_given(encoding, layout, first), "na_filter": False, "usecols": columns, "dtype": np.float64}
        for frame in pd.read_csv(text, **given, chunksize=rows):
            worker.allow()
            yield frame[columns].to_numpy()


def are_tables(path: str) -> Iterator[tuple[bool, bytes]]:
    """Yields whether a text of any ending is a table; it runs in the worker, whose answers are pairs."""
    yield _is_table(pathlib.Path(path)), b""


def _is_table(path):
    """Returns whether most cells of the later lines are numbers, or a column is of dates and another one of numbers."""
    try:
        if json_texts.is_series(path):
            return True
        lines = tuple(line for _, line in text_lines.head(path, text_lines.measured(path, 1)))
        if line_protocol.is_one(lines):
            return True
        if (other := _rewritten(lines)) is not None:
            lines = tuple(filter(None, [other[0], *map(other[1], lines)]))
        layout = layouts.layout_of(path, lines)
    except (RawDataError, UnicodeError, csv.Error):
        return False
    later = lines[-(len(lines) + 1) // 2 :]
    kinds = [kind_of(cell) for line in later for cell in cells_of(line, layout.separator)]
    numbers = len(kinds) - kinds.count("x") - kinds.count("")
    is_one = numbers > _MOSTLY * (numbers + kinds.count("x")) or _are_dated(later)
    return is_one and len(lines) >= _FEWEST_LINES


def _are_dated(lines):
    """Returns whether lines are cut by marks into as many cells each, of which one is a date and another a number."""
    for separator in filter(None, layouts.SEPARATORS):
        rows = [[*map(kind_of, cells_of(line, separator))] for line in lines]
        if len({len(row) for row in rows}) == 1:
            columns = [{*column} for column in zip(*rows, strict=True)]
            if {"t"} in columns and {"n"} in columns:
                return True
    return False


def _in_one_line(lines):
    """Returns the table of one channel whose numbers stand in one line, below others; None for another text."""
    if len(lines) > _FEW_LINES:
        return None
    for separator in layouts.SEPARATORS:
        rows = [cells_of(line, separator) for line in lines]
        longs = [k for k, row in enumerate(rows) if len(row) >= _LONG_ROW]
        if len({len(rows[k]) for k in longs}) == 1 and all(
            kind_of(cell) in ("n", "") for k in longs for cell in rows[k]
        ):
            numbers = [pd.to_numeric(pd.Series(rows[k]), errors="coerce").to_numpy(np.float64) for k in longs]
            empty, stated = [""] * len(longs), rates.stated([line for k, line in enumerate(lines) if k not in longs])
            return Table(empty, empty, numbers, stated, [_ONE_ROW if len(longs) == 1 else _ROWS.format(len(longs))])
    return None


@contextlib.contextmanager
def _opened(path, most=None):
    """Yields a text, or one without quotes around lines or labels in each, its encoding, head, and what is left out."""
    encoding = text_lines.measured(path, most)
    head = text_lines.head(path, encoding)
    if (other := _rewritten([line for _, line in head])) is None:
        yield path, encoding, head, 0
        return
    names, plain = other
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "text.csv"
        with copy.open("w", encoding="utf-8") as file:
            file.write(f"{names}\n")
            lines = itertools.islice(text_lines.numbered(path, encoding), most and most + text_lines.HEAD_LINES)
            rows = itertools.dropwhile(lambda row: not row, (plain(line) for _, line in lines))
            # Left out are those without these labels, but for a header.
            left = sum(file.write(f"{row}\n") == 1 for row in rows)
        try:
            yield copy, "utf-8", text_lines.head(copy, "utf-8"), left
        except RawDataError as error:
            raise error.of(path) from error


def _rewritten(lines):
    """Returns a line above them, and what writes each as one of a plain table; None of lines that are such."""
    for are_so, plain in _WRITINGS:
        if are_so(lines):
            return "", plain
    return labelled.of_lines(lines)


def _laid_out(path, head):
    """Returns the layout of a text, the lines above its numbers, the number of the first of these, and stated rates."""
    layout = layouts.layout_of(path, tuple(line for _, line in head))
    before = [line for _, line in head[: layout.first]]
    rows = [cells_of(line, layout.separator) for _, line in head[layout.first : layout.first + _FIRST_ROWS]]
    if stated := _rate_rows(rows):
        return layout, before, head[layout.first + 2][0], stated
    decimal = "," if any(_COMMA.fullmatch(cell) for row in rows for cell in row) else "."
    return layout, before, head[layout.first][0], rates.stated(before, decimal)


def _rate_rows(rows):
    """Returns the rate that a second row of the same number states, below a row of start times; else nothing.

    So do the files of wristbands: each column has the second of its start in the first row, its rate in the second.
    """
    try:
        starts, below = ([float(cell) for cell in row] for row in rows[:2])
    except ValueError:
        return []
    # Seconds since 1970, from 1973 to 2286.
    is_start = len(set(starts)) == 1 and 1e8 < starts[0] < 1e10
    is_rate = is_start and len(set(below)) == 1 and 0 < below[0] <= 1e5
    return [rates.Stated(below[0], "the second row")] if is_rate else []


def _begins_with_count(columns):
    """Returns whether the first row says how many are below it, as Biopac writes."""
    firsts = {
        column[0] for column in columns if len(column) and not (isinstance(column, np.ndarray) and np.isnan(column[0]))
    }
    return firsts == {len(columns[0]) - 1} and len(columns[0]) > _FEWEST_LINES


def _given(encoding, layout, first):
    """Returns how pandas reads a text whose numbers begin in a line."""
    return {
        "header": None, "skiprows": first, "names": range(layout.width), "index_col": False,
        "encoding": encoding.removesuffix("-sig"),  # pandas skips that mark itself, and need not decode UTF-8 first.
        "encoding_errors": "strict" if encoding == "utf-16" else "replace", "low_memory": False, "comment": "#",
        "skipinitialspace": True, "na_values": [*layouts.NAN_WORDS, *(word.upper() for word in layouts.NAN_WORDS)],
        "sep": layout.separator or r"\s+",
    }  # fmt: skip


def _frame(path, encoding, layout, first, most):
    """Returns the cells as a table of pandas, and notes on rows that do not fit."""
    given = {**_given(encoding, layout, first), "nrows": most}
    try:
        return pd.read_csv(path, **given), []
    except pd.errors.ParserError as error:
        if "Expected" not in str(error):
            raise
        # A remark behind a row, which is no number, leaves the mark before it and an empty cell.
        frame = pd.read_csv(path, **{**given, "names": range(layout.width + 1)}, on_bad_lines="skip")
        frame = frame[frame[layout.width].isna()].drop(columns=layout.width).reset_index(drop=True)
        if most:
            return frame, []
        number = sum(
            at >= first and line.lstrip()[:1] != "#" for at, line in text_lines.numbered(path, encoding)
        ) - len(frame)
        if number * 100 > len(frame):
            raise
        which, are = ("rows", "are") if number > 1 else ("row", "is")
        return frame, [f"{number} {which} with more cells than the others {are} left out."] * bool(number)
