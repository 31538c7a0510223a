"""Tables of spreadsheets, Parquet, Feather, JSON and pandas, turned into text with columns."""

import collections
import io
import pathlib
import tempfile

import numpy as np

from simper_tf.tables import limits
from simper_tf.tables.texts import blocks, delimited, json_texts
from simper_tf.tables.times import rates
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError, UnreadableError
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

ENDINGS = (*endings.SHEETS, ".json", ".jsonl")
_EXPECTED, _REMEDY = "a table with columns of numbers", "Save it as CSV."
_ROWS = 10_000  # That are handed over at once.
_MOST_CELLS = 2**24  # Of all sheets, empty ones too: a single cell far out states more.
_LONGEST_WORD = 100  # Letters of a cell, of which no number or date has as many.


def table_of(path: pathlib.Path, is_json: bool = False) -> delimited.Table:
    """Reads the table of a file with one of `ENDINGS`: of several sheets, that with most numbers.

    Args:
        path: The file.
        is_json: Whether it is JSON, whatever its ending.

    Raises:
        RawDataError: it is damaged, or holds no table of numbers.
    """
    frame, notes, settings = _frame(path, ".json" if is_json else path.suffix.lower())
    table = _of_text(path, frame)
    return table._replace(notes=[*notes, *table.notes], stated=table.stated or rates.stated(settings))


def of_data_frame(name: str, frame: "pd.DataFrame | pd.Series") -> delimited.Table:
    """Returns the table of a pandas object, whose index is a column if it counts no rows; False is 0 and True is 1.

    Raises:
        RawDataError: it holds no table of numbers.
    """
    frame = frame.to_frame("" if frame.name is None else frame.name) if isinstance(frame, pd.Series) else frame.copy()
    if not frame.size:
        raise RawDataError(name, "no table", _EXPECTED, "Give rows of numbers.")
    counts_rows = isinstance(frame.index, pd.RangeIndex)
    if not (counts_rows and frame.columns.dtype == int):  # Numbers are no names.
        frame.columns = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    if not counts_rows:
        are_times = isinstance(frame.index, pd.DatetimeIndex | pd.TimedeltaIndex)
        frame.insert(0, frame.index.name or ("time" if are_times else ""), frame.index, allow_duplicates=True)
    return _of_text(name, frame)


def _of_text(path, frame):
    """Returns a table as it is read from the text that pandas writes of it."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "table.csv"
        with text.open("wb") as file:
            has_names = not all(isinstance(name, int) for name in frame.columns)
            for first in range(0, len(frame), _ROWS):
                rows = frame.iloc[first : first + _ROWS].map(_plain)
                file.write(rows.to_csv(index=False, header=has_names and not first).encode(errors="replace"))
        try:
            return delimited.table_of(text)
        except RawDataError as error:
            raise error.of(path) from error


def _frame(path, ending):
    """Returns the table of a file, notes, and lines of what is set beside it."""
    notes, settings = [], []
    try:
        if ending in (".json", ".jsonl"):
            value, notes = json_texts.values_of(path.read_text(encoding="utf-8-sig"))
            frame, settings = _of_json(path, value), [*_settings(value)]
        elif ending in (".parquet", ".feather"):
            frame = _of_arrow(path, ending)
            frame = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
        else:
            frame, notes = _of_sheets(path)
    except ImportError as error:
        library = "python-calamine" if "calamine" in str(error) else "pyarrow"
        found = f"a file for which the package {library} is missing"
        raise RawDataError(path, found, f"{library} installed", f"Run pip install {library}.") from error
    except (RawDataError, MemoryError):
        raise
    except Exception as error:  # Of damaged files each library raises what its parser ran into.
        found = (str(error) or type(error).__name__).splitlines()[0][:200]
        # A text of other things is no damaged table.
        kind = RawDataError if ending in (".json", ".jsonl") else UnreadableError
        raise kind(path, f"what cannot be read ({found})", _EXPECTED, _REMEDY) from error
    if frame is None or not frame.size:
        raise RawDataError(path, "no table", _EXPECTED, _REMEDY)
    limits.refuse_long(path, frame.size)
    return frame, notes, settings


def _plain(cell):
    if isinstance(cell, bool | np.bool_):
        return int(cell)
    return cell[:_LONGEST_WORD] if isinstance(cell, str | bytes) else cell


def _of_arrow(path, ending):
    """Returns the table of a Parquet or Feather file: how much there is, and checksums, are looked at first."""
    import pyarrow
    from pyarrow import feather, parquet

    content = io.BytesIO(path.read_bytes())
    if ending == ".feather":
        return feather.read_table(content).to_pandas()
    about = parquet.read_metadata(content)
    limits.refuse_long(path, about.num_rows * about.num_columns)
    schema = about.schema.to_arrow_schema()
    # Words that repeat are held once, as in the file.
    words = [
        field.name for field in schema if pyarrow.types.is_string(field.type) or pyarrow.types.is_binary(field.type)
    ]
    file = parquet.ParquetFile(content, page_checksum_verification=True, read_dictionary=words)
    return file.read().to_pandas()


def _of_sheets(path):
    """Returns the sheet with most numbers, and a note if there are others."""
    import python_calamine

    # By name it opens none whose name is no UTF-8.
    book = python_calamine.load_workbook(io.BytesIO(path.read_bytes()))
    names = [sheet.name for sheet in book.sheets_metadata if sheet.typ == python_calamine.SheetTypeEnum.WorkSheet]
    sheets, cells = {}, 0
    for name in names:
        sheet = book.get_sheet_by_name(name)
        cells += sheet.height * sheet.width
        if cells > _MOST_CELLS:
            found = f"sheets of {cells:,} cells, the last of {sheet.height:,} x {sheet.width:,}"
            raise RawDataError(path, found, f"{_MOST_CELLS:,} or fewer", "Save as CSV what is filled of it.")
        sheets[name] = sheet.to_python()
    numbers = {name: sum(_is_number(cell) for row in rows for cell in row) for name, rows in sheets.items()}
    name = max(numbers, key=numbers.__getitem__)
    notes = [f"Of {len(sheets)} sheets {name!r} is read, with most numbers."] if len(sheets) > 1 else []
    return pd.DataFrame(sheets[name]), notes


def _is_number(cell):
    return isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell


def _of_json(path, value):
    """Returns the table with most cells in what JSON holds: columns of one length in an object, or rows; else None."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]
    found, value = [], _by_name(value)
    if isinstance(value, list) and value:
        if all(isinstance(row, dict) for row in value):
            found.append(blocks.side_by_side(_of_objects(path, value)))
        elif all(isinstance(row, list) for row in value) and len({len(row) for row in value}) == 1:
            found.append(pd.DataFrame(value))
        elif all(_is_number(row) for row in value):
            found.append(pd.DataFrame({"": value}))
    if isinstance(value, dict):
        value = _of_pandas(value)
        columns = {name: column for name, column in value.items() if _is_column(column)}
        lengths = [len(column) for column in columns.values()]
        length = max(lengths, key=lambda part: part * lengths.count(part), default=0)
        if length > 2:
            found.append(pd.DataFrame({name: column for name, column in columns.items() if len(column) == length}))
        found += [
            _of_json(path, part) for part in value.values() if isinstance(part, dict | list) and not _is_column(part)
        ]
    return max((part for part in found if part is not None), key=lambda part: part.size, default=None)


def _by_name(value):
    """Returns columns by name, of a list of objects that hold a name and a column each; others as they are."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return value
    for key in ("type", "name", "label", "channel"):
        names = [row.get(key) for row in value]
        columns = [next((cell for cell in row.values() if _is_column(cell)), None) for row in value]
        if len(names) > 1 and all(isinstance(name, str) for name in names) and len({*names}) == len(names):
            return {name: column for name, column in zip(names, columns, strict=True) if column} or value
    return value


def _of_pandas(value):
    """Returns columns as lists, of what pandas writes: cells by row in each, or `columns`, `index` and `data`."""
    if value.keys() == {"columns", "index", "data"} and all(isinstance(row, list) for row in value["data"]):
        return dict(zip(map(str, value["columns"]), map(list, zip(*value["data"], strict=True)), strict=False))
    cells = [*value.values()]
    keys = [{key for key, cell in part.items() if _is_column(cell)} for part in cells if isinstance(part, dict)]
    if 1 < len(keys) == len(cells) and len(keys[0]) == 1 and all(key == keys[0] for key in keys):
        return {name: part[next(iter(keys[0]))] for name, part in value.items()}
    are_columns = len(cells) > 1 and all(isinstance(part, dict) and part.keys() == cells[0].keys() for part in cells)
    if are_columns and not any(isinstance(cell, list | dict) for part in cells for cell in part.values()):
        return {name: [*part.values()] for name, part in value.items()}
    return value


def _settings(value):
    """Yields `name: value` of all that is no list, such as a rate beside its samples."""
    for name, part in _flat(value) if isinstance(value, dict) else ():
        if isinstance(part, str) or _is_number(part):
            yield f"{name}: {part}"


def _of_objects(path, rows):
    """Returns the table of objects, without what fewer than three of them name, which is no series."""
    flat, counts = [], collections.Counter()
    for row in rows:
        flat.append(dict(_flat(row)))
        counts.update(flat[-1].keys())
    names = [name for name, count in counts.items() if count > 2]
    if len(names) * len(flat) > _MOST_CELLS:
        found = f"{len(flat):,} objects of {len(names):,} names"
        raise RawDataError(path, found, f"{_MOST_CELLS:,} cells or fewer", "Save as CSV what is filled of it.")
    return pd.DataFrame({name: [row.get(name) for row in flat] for name in names})


def _flat(row, before=""):
    for name, value in row.items():
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]  # As services write what may be several.
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _is_column(value):
    return isinstance(value, list) and bool(value) and not any(isinstance(cell, list | dict) for cell in value)
