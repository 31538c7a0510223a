"""How lines of a text are cut into cells: the mark between them, what each holds, and where numbers begin."""

import csv
import functools
import itertools
import operator
import re
from typing import NamedTuple

from simper_tf.tables.series_files import REMEDY
from simper_tf.tables.times import decimals, time_units, year_parts
from simper_tf.utils.errors import RawDataError

LONGEST_LINE = 2**20  # Letters: a thousand channels take a sixtieth of them.
_EXPECTED = "rows of numbers, as many in each"
NAN_WORDS = ("", "-", "--", "?", ".", ":", "undefined", "--undefined--", "missing", "nan", "na", "n/a", "#n/a", "null",
             "none", "inf", "-inf", "+inf", *("*" * k for k in range(1, 6)))  # fmt: skip
_SAMPLE = 200  # Lines from which the layout is learned: the last half, which no header reaches.
SEPARATORS = (",", ";", "\t", "|", None)  # None: spaces and tabs.
_TOLD = ("n", "t", "u")  # Kinds of cells that are measured, see `kind_of`.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*|,\d+)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
_CLOCK = re.compile(rf"\[?(\d+:)?\d\d?:\d\d([.,:]\d+)?{decimals.ZONE}", re.IGNORECASE)

_LISTED = re.compile(r"(^|[,;\t])\s*\[\s*(-?\d+\.?\d*)\s*\](?=\s*(?:[,;\t]|$))")
_OF_FORTRAN = re.compile(r"(?<=[\d.])[dD](?=[+-]\d{2,3}(?!\d))")
_IN_QUOTES = re.compile(r'\s*"((?:[^"]|"")*)"[\s,;]*')  # Empty cells of a spreadsheet may follow.


class Layout(NamedTuple):
    """How a text is cut into cells: the mark between them, None for spaces, how many there are, where they begin."""

    separator: str | None
    width: int
    first: int  # Index in the head of the first row of numbers.


def cells_of(line: str, separator: str | None) -> list[str]:
    """Returns the cells of a line, without quotes and spaces around them."""
    if separator is None:
        cells = re.split("[ \t]+", line.strip(" \t"))  # Narrower spaces set off thousands.
        return [cell.strip("'\"") for cell in cells]
    csv.field_size_limit(LONGEST_LINE)  # Cut at a wrong mark a long line is one cell.
    row = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    return [cell.strip().strip("'\"").strip() for cell in row]


def kind_of(cell: str) -> str:
    """Returns n for a number, u for one with a unit, t for a date or a time of day, "" for nothing, x for words."""
    if cell.lower() in NAN_WORDS:
        return ""
    if decimals.DATE.fullmatch(cell) or _CLOCK.fullmatch(cell):
        return "t"
    if _NUMBER.fullmatch(cell) or decimals.GROUPED.fullmatch(cell):
        return "n"
    if year_parts.is_one(cell.lower()):
        return "t"
    return "u" if decimals.MEASURED.fullmatch(cell) else "x"


def bare(line: str) -> str:
    """Returns a line without the quotes that stand around it as a whole; those inside it are doubled there."""
    match = _IN_QUOTES.fullmatch(line)
    return match[1].replace('""', '"') if match else line


def in_lists(lines: list[str]) -> bool:
    """Returns whether each line has a list of one number for a cell, such as [72], as watches write them."""
    sample = lines[-(len(lines) + 1) // 2 :]
    return bool(sample) and all(map(_LISTED.search, sample))


def without_lists(line: str) -> str:
    """Returns a line with numbers in place of lists of one.

    Example: `without_lists("10:00,[60],[72.5]")` is `10:00,60,72.5`.
    """
    return _LISTED.sub(r"\1\2", line)


def in_fortran(lines: list[str]) -> bool:
    """Returns whether each line has an exponent as Fortran writes those of double precision, such as 1.5D-02."""
    sample = lines[-(len(lines) + 1) // 2 :]
    return bool(sample) and all(map(_OF_FORTRAN.search, sample))


def without_fortran(line: str) -> str:
    """Returns a line with the exponents of all other programs.

    Example: `without_fortran("0.1D+01 2.5D-02")` is `0.1E+01 2.5E-02`.
    """
    return _OF_FORTRAN.sub("E", line)


def in_quotes(lines: list[str]) -> bool:
    """Returns whether lines stand in quotes as a whole and hold several cells each, as some spreadsheets write them.

    What is a number as it stands, such as "1,2", is one cell with a decimal comma, unless names above it say that the
    first cell is a time.
    """
    sample = lines[-(len(lines) + 1) // 2 :]
    if not sample or not all(map(_IN_QUOTES.fullmatch, sample)):
        return False
    words = sum(kind_of(bare(line)) == "x" for line in sample)
    name, mark, _ = lines[0].strip(' "').partition(",")
    return 2 * words > len(sample) or ("" != mark in sample[0] and time_units.named(name)[0])


class _Cut(NamedTuple):
    """Rows cut at a mark: how many cells most have, and the kinds of cells of these, see `kind_of`."""

    separator: str | None
    width: int
    kinds: list[list[str]]


@functools.lru_cache(maxsize=16)  # The same lines are asked for: is this a table, its first rows, all of it.
def layout_of(path, lines: tuple[str, ...]) -> Layout:
    """Returns how lines are cut into cells, and where numbers begin; raises RawDataError if no cell holds a number."""
    sample = lines[-(len(lines) + 1) // 2 :][-_SAMPLE:]
    scored = [(score, cut) for score, cut in map(functools.partial(_cut, sample), SEPARATORS) if score]
    if not scored:
        row = f"no numbers, row 1: {lines[0][:60]}" if lines else "no rows"
        raise RawDataError(path, row, _EXPECTED, REMEDY)
    cut = max(scored, key=operator.itemgetter(0))[1]
    if cut.width == 2 and cut.separator == "," and _is_one_column(lines, sample):
        cut = _Cut(";", 1, [["n"]])
    columns = [*zip(*cut.kinds, strict=True)]
    # What the cells of each column mostly are; None where most of them are words.
    usual = [
        max(_TOLD, key=column.count) if 2 * sum(map(column.count, _TOLD)) > len(column) - column.count("") else None
        for column in columns
    ]
    is_row = functools.cache(lambda k: k < len(lines) and _is_row(cells_of(lines[k], cut.separator), usual))
    rows = filter(is_row, range(len(lines)))
    if (lone := next(rows, None)) is None:
        raise RawDataError(path, "no row of numbers", _EXPECTED, REMEDY)
    # Two numbers of a header may look like a row: behind such comes none.
    first = next((k for k in itertools.chain([lone], rows) if is_row(k + 1) or is_row(k + 2)), lone)
    return Layout(cut.separator, cut.width, first)


def _cut(sample, separator):
    """Returns how well a mark cuts lines, 0 where no cell holds a number, and the `_Cut`."""
    rows = [cells_of(line, separator) for line in sample]
    counts = [len(row) for row in rows]
    width = max(set(counts), key=counts.count, default=0)
    kinds = [[kind_of(cell) for cell in row] for row in rows if len(row) == width]
    cells = [kind for row in kinds for kind in row]
    if "n" not in cells and "u" not in cells:
        return 0.0, None
    numbers = sum(map(cells.count, _TOLD))
    # Of equals the one of more columns; spaces inside cells that a mark separates set off thousands.
    columns = min(width, 1000) if separator else 1.5
    share = numbers / (numbers + cells.count("x")) * len(kinds) / len(rows)
    return share + 1e-6 * columns, _Cut(separator, width, kinds)


def _is_row(cells, usual):
    """Returns whether cells are a row of numbers: of the usual kind of their columns, or empty, and not all empty.

    A mark may stand behind a few numbers, as behind what is provisional. Behind all of them it is a unit: of names.
    """
    if len(cells) != len(usual) or counts_columns(cells):
        return False
    pairs = [(kind_of(cell), kind) for cell, kind in zip(cells, usual, strict=True) if kind]
    are_like = all(found in ("", kind) or {found, kind} == {"n", "u"} for found, kind in pairs)
    return are_like and any(found == kind for found, kind in pairs)


def beside_settings(before: list[str], layout: Layout) -> tuple[list[str], list[str]] | None:
    """Returns names and units of columns in a header whose further cells are settings; None of another header.

    So oscilloscopes write: `CH1,CH2,Start,Increment` above `Volt,Volt,-6.0e-02,1.0e-04`.
    """
    if len(before) < 2:
        return None
    names, units = (cells_of(line.rstrip(f" {layout.separator or ''}"), layout.separator) for line in before[-2:])
    kinds = [kind_of(cell) for cell in units]
    number = kinds.index("n") if "n" in kinds else 0
    is_one = 0 < number <= layout.width < len(names) == len(units) and set(kinds[number:]) == {"n"}
    if not (is_one and all(kind_of(name) == "x" for name in names)):
        return None
    empty = [""] * (layout.width - number)
    return [*names[:number], *empty], [*(unit.lower() for unit in units[:number]), *empty]


def counts_columns(row: list[str]) -> bool:
    """Returns whether a row only counts the columns, as pandas writes where they have no names: `,0,1`."""
    return len(row) > 1 and row[0] == "" and row[1:] == [str(k) for k in range(len(row) - 1)]


def _is_one_column(lines, sample):
    """Returns whether lines such as `0,05` are one number with a decimal comma, rather than two columns."""
    rows = [line.split(",") for line in sample]
    if not all(len(row) == 2 and row[1].strip().isdecimal() for row in rows):
        return False
    words = (line for line in lines if kind_of(line.split(",")[0].strip().strip('"')) == "x")
    heads = [line for line in words if not line.startswith("#")]
    has_zeros = any(len(row[1].strip()) > 1 and row[1].startswith("0") for row in rows)
    return "," not in heads[-1] if heads else has_zeros
