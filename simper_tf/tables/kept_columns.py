"""Columns of a table that are signals: those that hold text, count, or hold numbers in few rows are left out."""

import re

import numpy as np

from simper_tf.tables import time_columns
from simper_tf.tables.series_files import MOST_NOTES, REMEDY, left_out
from simper_tf.tables.times import cycles
from simper_tf.utils.errors import RawDataError

# Numbers that stand for a missing one where they are farther from all others than these are from one another.
FILLERS = (-99.9, -99.99, -999.0, -999.9, -999.99, -9999.0, -9999.9, -99999.0, 999.9, 999.99, 9999.0, 9999.9, 99999.0)
# Share of the most numbers of a column that another one, and the rows of all, must have: else holes are the rule.
_SPARSE = 0.5
# Columns of electrodes, as OpenBCI and BrainFlow name them, and what else such files hold beside all kinds of sensors.
_ELECTRODES = re.compile(r"e[xemc]g[ _]channel[ _]?\d+")
_OF_PACKETS = re.compile(r"other|marker|package|sample[ _]index|timestamp")


def signals(path, table, used) -> tuple[dict[int, np.ndarray], list[str]]:
    """Returns the columns of a table that are signals, by their number, and notes on the others.

    Args:
        path: Of the file.
        table: A `delimited.Table`, or one of another kind of file.
        used: Columns that hold the times.

    Raises:
        RawDataError: there is no column of numbers beside the times.
    """
    columns = {k: column for k, column in enumerate(table.columns) if k not in used}
    notes: list[str] = []

    def leave(which, why):
        notes.extend(left_out(table.names, which, why))
        for k in which:
            del columns[k]

    leave(_of_packets({k: table.names[k] for k in columns}), "is of packets, not of a sensor,")
    words = [k for k, column in columns.items() if not isinstance(column, np.ndarray)]
    leave(words, "holds text")
    empty = [k for k, column in columns.items() if not np.isfinite(column).any()]
    leave(empty, "holds no number")
    counting = [k for k, column in columns.items() if time_columns.counts(column)]
    if len(counting) < len(columns) or words:
        leave(counting, "rises evenly, as numbers of rows do,")
    cyclic = [k for k, column in columns.items() if cycles.counts_again(column, not (k or table.names[k]))]
    if any(np.nanmin(column) < np.nanmax(column) for k, column in columns.items() if k not in cyclic):
        leave(cyclic, "counts again and again, as hours of days do,")
    if not columns:
        found = "a column of times alone" if used and not words and not empty else "0 samples that are numbers"
        if words and len(filled := table.columns[words[0]].dropna()):
            found += f", and text such as {filled.iloc[-1][:40]!r}"
        raise RawDataError(path, found, "a column of values beside it", REMEDY)
    notes += _without_fillers(columns, table.names)
    dense = _dense(columns)
    for k in [k for k in columns if k not in dense][:MOST_NOTES]:
        share = f"{np.isfinite(columns[k]).sum()} of {len(columns[k])} rows"
        notes += left_out(table.names, [k], f"has numbers in {share}")
    return {k: columns[k] for k in dense}, notes


def _of_packets(names):
    """Returns the columns beside electrodes that hold raw bytes, marks or counts of packets, by their names."""
    names = {k: name.strip().lower() for k, name in names.items()}
    has_electrodes = any(map(_ELECTRODES.fullmatch, names.values()))
    return [k for k, name in names.items() if has_electrodes and _OF_PACKETS.match(name)]


def _without_fillers(columns, names):
    """Puts NaN in place of numbers that stand for none, and returns notes on the first columns with some."""
    notes = []
    for k, column in columns.items():
        if (filler := _filler(column)) is not None:
            is_one = column == filler
            columns[k] = np.where(is_one, np.nan, column)
            cells = f"{is_one.sum()} cells of {filler:g}"
            notes.append(f"In column {names[k] or k + 1!r} {cells} stand for missing numbers.")
    return notes[:MOST_NOTES]


def _filler(column):
    """Returns the number that stands for none in a column, far from all others, such as -999; None without one."""
    finite = column[np.isfinite(column)]
    for filler in FILLERS:
        others = finite[finite != filler]
        if len(others) < len(finite) and len(others) > 2:
            away = max(others.min() - filler, filler - others.max())
            if away > np.ptp(others) and away > 0:
                return filler
    return None


def _dense(columns):
    """Returns the columns that leave at least half of the rows which the fullest of them has."""
    finite = np.stack([np.isfinite(column) for column in columns.values()], axis=1)
    counts = finite.sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    left = np.logical_and.accumulate(finite[:, order], axis=1).sum(axis=0)
    size = int(np.searchsorted(-left, -_SPARSE * counts.max(), side="right"))
    keys = list(columns)
    return [keys[k] for k in sorted(order[: max(size, 1)])]
