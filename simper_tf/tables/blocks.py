"""Records that hold a block of samples each, as devices send them: `{"Timestamp": 64, "Samples": [1, 2, 3]}`."""

import numpy as np

from simper_tf.tables import time_units
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")


def side_by_side(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Returns a table with a row for each sample; one whose records hold no blocks of numbers as it is.

    The time of a record is that of the first sample of its block. The others lie evenly before the next record.

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
    joined = {name: np.concatenate([*frame[name]]) for name, own in blocks.items() if np.array_equal(own, lengths)}
    for name in frame.columns.difference([*blocks]):
        values = pd.to_numeric(frame[name], errors="coerce").to_numpy(np.float64)
        if time_units.named(str(name).rpartition(".")[2])[0] and len(values) > 1 and np.isfinite(values).all():
            steps = np.append(np.diff(values), values[-1] - values[-2]) / np.maximum(lengths, 1)
            places = np.concatenate([np.arange(length) for length in lengths])
            joined[name] = np.repeat(values, lengths) + places * np.repeat(steps, lengths)
    return pd.DataFrame(joined)


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
    if not all(isinstance(cell, list) and all(isinstance(number, int | float) for number in cell) for cell in column):
        return None
    lengths = column.map(len).to_numpy(np.int64)
    return lengths if lengths.sum() else None
