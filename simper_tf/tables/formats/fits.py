"""Tables of FITS files, such as light curves of stars."""

import pathlib
import re
import warnings
from collections.abc import Sequence

import numpy as np

from simper_tf.tables import limits
from simper_tf.tables.formats import sampled
from simper_tf.tables.texts import delimited
from simper_tf.tables.times import time_units
from simper_tf.utils.errors import RawDataError

# Names of what is measured of a star, and of what is none of it but errors, background and what was taken off.
_LIGHT = re.compile(r"flux|mag|rate|counts?|intensity|brightness", re.IGNORECASE)
_BESIDE = re.compile(r"(^|_)(e|err|errors?|sigma|unc|bkg|bg|back|background)(_|$)|err$", re.IGNORECASE)
_PIPELINE = "SAP_FLUX"  # Of Kepler and TESS, whose times are days.
_MOST_LISTED = 8  # Names that fit into one sentence.
_BLOCK = 2880  # Bytes of which a file is made.


def table_of(path: pathlib.Path, columns: Sequence[str] = ()) -> delimited.Table:
    """Reads the largest table of a FITS file.

    Args:
        path: The file.
        columns: Names of those that are wanted; by default brightness alone, where columns are named so.

    Raises:
        RawDataError: it is damaged, holds pictures alone, or what reads it is not installed.
    """
    fits = sampled.library(path, "astropy.io.fits", "formats")
    with path.open("rb") as file:
        if not file.read(10).startswith(b"SIMPLE  ="):
            raise RawDataError(path, "no FITS header", "SIMPLE = T at its start", "Fetch or save it again.")
    if size := path.stat().st_size % _BLOCK:
        found = f"{size} bytes beyond whole blocks of {_BLOCK}"
        raise RawDataError(path, found, "a whole file", "Fetch or copy it again.")
    with sampled.reading(path, "a FITS file"), warnings.catch_warnings():
        warnings.filterwarnings("error", ".*(?:truncated|verification failed|end-of-file).*")
        with fits.open(path, memmap=False, checksum=True) as file:
            return _of_file(path, file, columns)


def _of_file(path, file, wanted):
    tables = [unit for unit in file if unit.header.get("XTENSION", "").strip() in ("BINTABLE", "TABLE")]
    tables = [unit for unit in tables if not unit.header.get("ZIMAGE")]
    if not tables:
        action = "Save brightness over time as a table: astropy.table.Table(...).write('curve.fits')."
        raise RawDataError(path, "pictures alone", "a table with a column of times", action)
    table = max(tables, key=lambda unit: unit.header["NAXIS2"] * len(unit.columns))
    limits.refuse_long(path, table.header["NAXIS2"] * len(table.columns))
    columns = {column.name: numbers for column in table.columns if (numbers := _numbers(table, column)) is not None}
    units = {column.name: _unit(column.unit or "", table.header.get("TIMEUNIT", "")) for column in table.columns}
    times = [name for name in columns if time_units.named(name)[0]]
    notes = [f"Of {len(tables)} tables {table.name or 'the largest'} is read."] if len(tables) > 1 else []
    if times and not units[times[0]] and any(name.endswith(_PIPELINE) for name in columns):
        units[times[0]] = "d"
        notes.append(f"{times[0]} has no unit: beside {_PIPELINE} it is taken for days.")
    light = [name for name in columns if _LIGHT.search(name) and not _BESIDE.search(name) and name not in times]
    if light and not wanted:
        left = [name for name in columns if name not in {*light, *times}]
        more = ", ..." * (len(left) > _MOST_LISTED)
        notes += [f"Left out, unless `columns` names them: {', '.join(left[:_MOST_LISTED])}{more}."] if left else []
        columns = {name: columns[name] for name in (*times, *light)}
    return delimited.Table([*columns], [units[name] for name in columns], [*columns.values()], [], notes)


def _numbers(table, column):
    """Returns the numbers of a column, None of one that holds something else, or several in a row."""
    values = np.asarray(table.data[column.name])
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        return None
    numbers = values.astype(np.float64)
    return np.where(values == column.null, np.nan, numbers) if isinstance(column.null, int) else numbers


def _unit(own, of_header):
    """Returns the last word of a unit, such as `days` of `BJD - 2457000, days`."""
    return (re.findall(r"[a-z]+", (own or of_header).lower()) or [""])[-1]
