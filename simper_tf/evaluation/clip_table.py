"""CSV table of clips: their labels beside what was read from them, to find those that are read wrongly."""

import csv
import io
from collections.abc import Mapping

import numpy as np

from simper_tf.evaluation.features import Features
from simper_tf.utils import files


def write(path, clips: Features, values: Mapping[str, np.ndarray], unit: str):
    """Writes a table of labels and of predictions by protocol; a full disk or a kill leaves an older one as it was.

    Its columns are `id`, `subject` where clips have any, `label (unit)` where any is known, and one of each protocol.
    Series of H values have H columns, numbered from 1. A value that is not known is empty.
    """
    columns = {"id": clips.ids}
    if clips.subjects is not None:
        columns["subject"] = clips.subjects
    labels = {} if np.isnan(clips.labels).all() else {"label": clips.labels}
    for name, numbers in {**labels, **values}.items():
        columns |= _columns(name, np.asarray(numbers), unit)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(zip(*columns.values(), strict=True))
    files.write_atomically(path, text.getvalue())


def _columns(name, numbers, unit):
    """Returns title -> printed values of a column, or of each of several."""
    if numbers.ndim == 1:
        return {f"{name} ({unit})": [_printed(number) for number in numbers]}
    return {
        f"{name} {k} ({unit})": [_printed(number) for number in column] for k, column in enumerate(numbers.T, start=1)
    }


def _printed(number):
    return "" if np.isnan(number) else f"{number:.7g}"
