"""Records that hold a block of samples each, as devices send them: `{"Timestamp": 64, "Samples": [1, 2, 3]}`."""

import re

import numpy as np

from simper_tf.tables.times import date_texts, time_sizes, time_units
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

_START = re.compile(r"(^|_)(starts?|started|begins?|began|begun|beginning|onset|t_?0)(_|$)")  # Of a block.


def side_by_side(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Returns a table with a row for each sample; one whose records hold no blocks of numbers as it is.

    The time of a record is that of the first sample of its block. The others lie evenly before the next record.
    Records without a block, such as those of another sensor, are left out.

    Args:
        frame: A row for each record; lists in some of the cells.

    Example: of `Timestamp` 0, 64 and `Samples` of 16 each the times are 0, 4, 8, ...
    """
    frame = _of_vectors(frame)
    blocks = {name: _lengths(frame[name]) for name in frame}
    blocks = {name: lengths for name, lengths in blocks.items() if lengths is not None}
    if not blocks:
        return frame
    lengths = max(blocks.values(), key=np.sum)
    joined = {
        name: np.concatenate([cell for cell in frame[name] if isinstance(cell, list)])
        for name, own in blocks.items()
        if np.array_equal(own, lengths)
    }
    frame, lengths = frame[lengths > 0], lengths[lengths > 0]
    for name, values in _starts(frame.drop(columns=[*blocks]), lengths).items():
        steps = np.append(np.diff(values), values[-1] - values[-2]) / lengths
        places = np.concatenate([np.arange(length) for length in lengths])
        joined[name] = np.repeat(values, lengths) + places * np.repeat(steps, lengths)
    return pd.DataFrame(joined)


def _starts(frame, lengths):
    """Returns the times of records under names that say so: of times, else of a start, else the first clock."""
    lasts, columns = {name: str(name).rpartition(".")[2] for name in sorted(frame)}, {}
    for name in lasts if len(frame) > 1 else ():
        column = pd.to_numeric(frame[name], errors="coerce").to_numpy(np.float64)
        if np.isnan(column).all() and (texts := date_texts.of_text(frame[name].astype("str"))[0]) is not None:
            column = texts
        if np.isfinite(column).all() and not np.array_equal(np.diff(column), lengths[:-1]):  # A count of samples.
            columns[name] = column
    if times := {name: column for name, column in columns.items() if time_units.named(lasts[name])[0]}:
        return {name if time_units.named(name)[0] else f"time_{lasts[name]}": column for name, column in times.items()}
    columns = {name: column for name, column in columns.items() if (np.diff(column) >= 0).all()}
    clocks = [name for name, column in columns.items() if time_sizes.unit_since_1970(column)]
    begun = [
        name for name in (*clocks, *columns) if _START.search(re.sub("(?<=[a-z])(?=[A-Z])", "_", lasts[name]).lower())
    ]
    return {f"time_{lasts[name]}": columns[name] for name in [*begun, *clocks][:1] if np.ptp(columns[name]) > 0}


def _of_vectors(frame):
    """Returns a table with lists of numbers in place of lists of objects: of `{"x": 1, "y": 2}` there are two."""
    columns = {}
    for name in frame:
        cells = [*frame[name]]
        rows = [row for cell in cells if isinstance(cell, list) for row in cell]
        if rows and all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
            parts = {f"{name}.{key}": [[row[key] for row in cell or ()] for cell in cells] for key in rows[0]}
            columns.update(parts if all(cell is None or isinstance(cell, list) for cell in cells) else {})
        else:
            columns[name] = cells
    return pd.DataFrame(columns)


def _lengths(column):
    """Returns how many numbers each cell of a column holds; None where one holds something else."""
    cells = [[] if cell is None or cell != cell else cell for cell in column]  # None of another sensor.
    if not all(isinstance(cell, list) and all(isinstance(number, int | float) for number in cell) for cell in cells):
        return None
    lengths = np.array([*map(len, cells)])
    return lengths if lengths.sum() else None
