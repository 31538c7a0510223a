"""Tables of spreadsheets, Parquet, Feather and JSON, turned into text with columns by a process of bounded memory."""

import io
import json
import pathlib
import tempfile
from collections.abc import Iterator

import pandas as pd

from simper_tf.tables import blocks, delimited
from simper_tf.utils import endings, worker
from simper_tf.utils.errors import RawDataError

ENDINGS = (*endings.SHEETS, ".json", ".jsonl")
_EXPECTED, _REMEDY = "a table with columns of numbers", "Save it as CSV."
_ROWS = 10_000  # That are handed over at once.
_MOST_CELLS = 2**24  # Of a sheet, empty ones too: a single cell far out states more.


def read(path: pathlib.Path) -> delimited.Table:
    """Reads the table of a file with one of `ENDINGS`: of several sheets, that with most numbers.

    Raises:
        RawDataError: it is damaged, or holds no table of numbers.
    """
    notes = []
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "table.csv"
        with text.open("wb") as file:
            for facts, rows in worker.answers(f"{__name__}:as_text", path):
                notes = facts["notes"]
                file.write(rows)
        try:
            table = delimited.read(text)
        except RawDataError as error:
            raise RawDataError(path, error.found, error.expected, error.action) from error
    return table._replace(notes=[*notes, *table.notes])


def as_text(path: str) -> Iterator[tuple[dict, bytes]]:
    """Yields notes, and rows of a table as CSV; runs in the worker.

    Raises:
        RawDataError: no table can be read.
    """
    ending, notes = pathlib.Path(path).suffix.lower(), []
    try:
        if ending in (".json", ".jsonl"):
            content = pathlib.Path(path).read_text(encoding="utf-8-sig")
            lines = [json.loads(line) for line in content.splitlines() if line.strip()] if ending == ".jsonl" else None
            frame = _of_json(lines or json.loads(content))
        elif ending in (".parquet", ".feather"):
            content = io.BytesIO(pathlib.Path(path).read_bytes())
            frame = (pd.read_parquet if ending == ".parquet" else pd.read_feather)(content)
            frame = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
        else:
            frame, notes = _of_sheets(path)
    except ImportError as error:
        library = "python-calamine" if "calamine" in str(error) else "pyarrow"
        found = f"a file for which the package {library} is missing"
        raise RawDataError(path, found, f"{library} installed", f"Run pip install {library}.") from error
    except RawDataError:
        raise
    except Exception as error:  # Of damaged files each library raises what its parser ran into.
        found = (str(error) or type(error).__name__).splitlines()[0][:200]
        raise RawDataError(path, f"what cannot be read ({found})", _EXPECTED, _REMEDY) from error
    if frame is None or not frame.size:
        raise RawDataError(path, "no table", _EXPECTED, _REMEDY)
    delimited.refuse_long(path, frame.size)
    has_names = not all(isinstance(name, int) for name in frame.columns)
    for first in range(0, len(frame), _ROWS):
        rows = frame.iloc[first : first + _ROWS].to_csv(index=False, header=has_names and not first)
        yield {"notes": notes}, rows.encode()


def _of_sheets(path):
    """Returns the sheet with most numbers, and a note if there are others."""
    import python_calamine

    # By name it opens none whose name is no UTF-8.
    book = python_calamine.load_workbook(io.BytesIO(pathlib.Path(path).read_bytes()))
    names = [one.name for one in book.sheets_metadata if one.typ == python_calamine.SheetTypeEnum.WorkSheet]
    sheets = {}
    for name in names:
        sheet = book.get_sheet_by_name(name)
        if sheet.height * sheet.width > _MOST_CELLS:
            found = f"a sheet of {sheet.height:,} x {sheet.width:,} cells"
            raise RawDataError(path, found, f"{_MOST_CELLS:,} or fewer", "Save as CSV what is filled of it.")
        sheets[name] = sheet.to_python()
    numbers = {name: sum(_is_number(cell) for row in rows for cell in row) for name, rows in sheets.items()}
    name = max(numbers, key=numbers.__getitem__)
    notes = [f"Of {len(sheets)} sheets {name!r} is read, with most numbers."] if len(sheets) > 1 else []
    return pd.DataFrame(sheets[name]), notes


def _is_number(cell):
    return isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell


def _of_json(value):
    """Returns the table with most cells in what JSON holds: columns of one length in an object, or rows; else None."""
    found = []
    if isinstance(value, list) and value:
        if all(isinstance(row, dict) for row in value):
            found.append(blocks.side_by_side(pd.json_normalize(value)))
        elif all(isinstance(row, list) for row in value) and len({len(row) for row in value}) == 1:
            found.append(pd.DataFrame(value))
        elif all(_is_number(row) for row in value):
            found.append(pd.DataFrame({"": value}))
    if isinstance(value, dict):
        columns = {name: column for name, column in value.items() if _is_column(column)}
        lengths = [len(column) for column in columns.values()]
        length = max(lengths, key=lambda one: one * lengths.count(one), default=0)
        if length > 2:
            found.append(pd.DataFrame({name: column for name, column in columns.items() if len(column) == length}))
        found += [_of_json(part) for part in value.values() if isinstance(part, dict | list) and not _is_column(part)]
    return max((one for one in found if one is not None), key=lambda one: one.size, default=None)


def _is_column(value):
    return isinstance(value, list) and bool(value) and not any(isinstance(cell, list | dict) for cell in value)
