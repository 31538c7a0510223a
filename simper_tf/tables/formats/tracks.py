"""Tracks of watches and phones: `.fit`, and what is XML: `.gpx`, `.tcx` and the export of Apple Health."""

import array
import math
import pathlib
from collections.abc import Sequence
from xml.parsers import expat

import numpy as np

from simper_tf.tables import limits
from simper_tf.tables.formats import sampled
from simper_tf.tables.texts import delimited
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

# Of the outermost element: the one that is a sample.
_SAMPLES = {"gpx": "trkpt", "TrainingCenterDatabase": "Trackpoint", "HealthData": "Record"}
_HEALTH = "HealthData"
_PREFIXES = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKDataType"
_BLOCK = 2**20  # Bytes that are parsed at once.
_ROWS = 2**12  # After which the time and memory that are allowed are asked for again.
_NAMED = 8  # Kinds of records that a sentence lists.


def xml(path: pathlib.Path, columns: Sequence[str] = ()) -> delimited.Table:
    """Reads the points of `.gpx` and `.tcx` tracks, or one kind of the records of Apple Health.

    Args:
        path: The file.
        columns: The kind of records that is wanted, such as `HeartRate`; by default the one with most of them. Of a
            track all is read.

    Raises:
        RawDataError: it is damaged, of another kind, or holds nothing of the kind that is wanted.
    """
    elements = _Elements(path)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = elements.start, elements.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = elements.text, elements.refuse_entity
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                parser.Parse(block)
                limits.refuse_long(path, elements.number())
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise RawDataError(path, f"damaged XML ({error})", "a whole file", "Export or copy it again.") from error
    return elements.of_health(columns) if elements.root == _HEALTH else elements.of_track()


class _Elements:
    """What is told of the elements of a file, as they pass."""

    def __init__(self, path):
        self.root, self._path, self._open, self._words = "", path, [], []
        self._point, self._columns, self._rows = None, {}, 0
        self._times, self._values = {}, {}

    def number(self):
        """Returns how many values there are so far."""
        return self._rows * len(self._columns) + 2 * sum(map(len, self._values.values()))

    def start(self, name, attributes):
        name = name.rpartition(":")[2]
        if not self._open:
            if name not in _SAMPLES:
                found, expected = f"XML of <{name[:60]}>", f"<{'>, <'.join(_SAMPLES)}>"
                raise RawDataError(self._path, found, expected, "Save what it holds as CSV.")
            self.root = name
        self._open.append(name)
        self._words.clear()
        if name == _SAMPLES[self.root]:
            if self.root == _HEALTH:
                self._add_record(attributes)
            else:
                self._point = dict(attributes)

    def text(self, words):
        if self._point is not None:
            self._words.append(words)

    def end(self, _):
        name = self._open.pop()
        if self._point is not None:
            if name == _SAMPLES[self.root]:
                self._add_point()
            elif words := "".join(self._words).strip():
                self._point.setdefault(self._open[-1] if name == "Value" else name, words)
        self._words.clear()

    def refuse_entity(self, name, *_):
        raise RawDataError(self._path, f"a declaration of {name[:60]!r}", "elements alone", "Export it again.")

    def _add_point(self):
        for name, words in self._point.items():
            is_time = name.lower() == "time"
            if name not in self._columns:
                self._columns[name] = [None] * self._rows if is_time else array.array("d", [math.nan]) * self._rows
            self._columns[name].append(words if is_time else _number(words))
        self._rows, self._point = self._rows + 1, None
        for name, column in self._columns.items():
            if len(column) < self._rows:
                column.append(None if name.lower() == "time" else math.nan)

    def _add_record(self, given):
        value, kind = _number(given.get("value", "")), given.get("type", "")
        for prefix in _PREFIXES:
            kind = kind.removeprefix(prefix)
        if not math.isnan(value) and "startDate" in given:
            self._times.setdefault(kind, []).append(given["startDate"])
            self._values.setdefault(kind, array.array("d")).append(value)

    def of_track(self):
        columns = [pd.Series(values, dtype="str") if isinstance(values, list) else np.array(values)
                   for values in self._columns.values()]  # fmt: skip
        if not columns:
            raise RawDataError(self._path, f"no <{_SAMPLES[self.root]}>", "a track", "Export one with its points.")
        return delimited.Table([*self._columns], [""] * len(columns), columns, [], [])

    def of_health(self, wanted):
        kinds = sorted(self._values, key=lambda kind: -len(self._values[kind]))
        listed = ", ".join(f"{kind} ({len(self._values[kind]):,})" for kind in kinds[:_NAMED])
        if not kinds:
            raise RawDataError(self._path, "no record with a number", "records", "Export it again.")
        wanted = [kind for kind in wanted if kind != "time"]
        if len(wanted) > 1 or not {*wanted} <= {*kinds}:
            raise RawDataError(self._path, f"records of {' and '.join(wanted)} asked for", "one kind that is there",
                               f"There are: {listed}.")  # fmt: skip
        kind = wanted[0] if wanted else kinds[0]
        notes = [] if wanted or len(kinds) == 1 else [
            f"Of {len(kinds)} kinds of records {kind} is read, with most; `columns` names another: {listed}."
        ]  # fmt: skip
        times = pd.Series(self._times[kind], dtype="str")
        return delimited.Table(["time", kind], ["", ""], [times, np.array(self._values[kind])], [], notes)


def _number(words):
    try:
        return float(words)
    except ValueError:
        return math.nan


def fit(path: pathlib.Path, columns: Sequence[str] = ()) -> delimited.Table:
    """Reads the records of a `.fit` file: heart rate, cadence, place and whatever else the device has recorded.

    Raises:
        RawDataError: it is damaged, holds no records, or what reads it is not installed.
    """
    fitdecode = sampled.library(path, "fitdecode", "formats")
    fields, rows = {}, 0
    strict = {"check_crc": fitdecode.CrcCheck.RAISE}
    with sampled.reading(path, "a .fit file"), path.open("rb") as file, fitdecode.FitReader(file, **strict) as messages:
        for message in messages:
            if message.frame_type != fitdecode.FIT_FRAME_DATA or message.name != "record":
                continue
            for field in message.fields:
                value = field.value.timestamp() if field.name == "timestamp" and field.value else field.value
                if isinstance(value, int | float) and not field.name.startswith("unknown"):
                    column = fields.setdefault(field.name, array.array("d"))
                    column.extend([math.nan] * (rows - len(column)))  # Not all records have all.
                    if len(column) == rows:
                        column.append(value)
            rows += 1
            if rows % _ROWS == 0:
                limits.refuse_long(path, rows * len(fields))
        limits.refuse_long(path, rows * len(fields))
    if not fields:
        raise RawDataError(path, "no record", "what was measured over time", "Export the activity, no settings.")
    names = ["time (s)" if name == "timestamp" else name for name in fields]
    values = [np.append(np.array(column), np.full(rows - len(column), np.nan)) for column in fields.values()]
    return delimited.Table(names, [""] * len(names), values, [], [])
