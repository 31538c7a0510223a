"""Columns of text as numbers, with the decimal sign that they have in common."""

import itertools
import re

import numpy as np

from simper_tf.tables import dates
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

DATE = re.compile(
    r"\[?(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d\d){1,2})([T _][^,;|]*([.,]\d+)?[^,;|]*)?"
    rf"|\[?{dates.IN_WORDS}"
)
# A whole number whose thousands are set off, or one of three decimals.
_GROUPED = r"[+-]?[1-9]\d{0,2},\d{3}"
_SHORT = 2**22  # Bytes of a text that NumPy reads while pandas loads.
_SPARSE = 0.5  # Share of cells that must be numbers in a column of numbers.


def plain(path, encoding, layout, first, most):
    """Returns the columns of a short text of plain numbers alone, without pandas; None of another one."""
    if path.stat().st_size > _SHORT:
        return None
    try:
        with path.open(encoding=encoding) as file:
            rows = itertools.islice(file, first, None)
            numbers = np.loadtxt(rows, delimiter=layout.separator, comments=None, ndmin=2, max_rows=most)
    except ValueError:  # Such as a row with another number of cells, a date, or bytes that are no letters.
        return None
    return [*numbers.T.copy()] if numbers.shape[1] == layout.width and np.isfinite(numbers).all() else None


def columns(path, frame):
    """Returns the columns as numbers where most cells are numbers, with the decimal sign that they have in common."""
    words = {k: frame[k].astype("str").str.strip(" '\"") for k in frame if not pd.api.types.is_numeric_dtype(frame[k])}
    words = {k: column.where(frame[k].notna()) for k, column in words.items()}
    numeric = {k: column for k, column in words.items() if _looks_numeric(column)}
    has_point = any(
        pd.api.types.is_float_dtype(frame[k]) and k not in words and _has_fractions(frame[k]) for k in frame
    )
    numeric = _without_commas(path, numeric, has_point)
    parsed = []
    for k in frame:
        if k in numeric:
            parsed.append(pd.to_numeric(numeric[k], errors="coerce").to_numpy(np.float64, na_value=np.nan))
        elif k in words:
            parsed.append(words[k])
        else:
            parsed.append(frame[k].to_numpy(np.float64))
    return parsed


def _has_fractions(column):
    values = column.to_numpy(np.float64)
    values = values[np.isfinite(values)]
    return bool((values != np.round(values)).any())


def _looks_numeric(column):
    """Returns whether most of the cells that hold something are numbers of some writing."""
    filled = column.dropna()
    if not len(filled):
        return True
    is_number = filled.str.fullmatch(r"[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?")
    return (is_number & ~filled.str.fullmatch(DATE)).mean() > _SPARSE


def _without_commas(path, columns, has_point):
    """Returns columns of text with points as decimal signs; refuses a comma that may be a mark between thousands."""
    expected = "one decimal sign, a comma or a point, and no mark between thousands"
    remedy = "Write numbers without a mark between thousands."
    commas = {k: column.str.contains(",", regex=False, na=False) for k, column in columns.items()}
    if not any(mask.any() for mask in commas.values()):
        return columns
    unclear = []
    for k, column in columns.items():
        written = column[commas[k]]
        bad = written[written.str.contains(r"\.|,.*,", regex=True)]
        points = column[~commas[k] & column.str.contains(r"\d\.\d", regex=True, na=False)]
        if len(bad) or len(points) or (has_point and len(written)):
            row = bad.iloc[0] if len(bad) else written.iloc[0] if len(written) else points.iloc[0]
            found = f"commas and points in numbers, or two commas in one: {row[:60]}"
            raise RawDataError(path, found, expected, remedy)
        whole = column[~commas[k] & column.str.fullmatch(r"[+-]?\d+", na=False)]
        if len(written) and len(whole) and written.str.fullmatch(_GROUPED).all():
            unclear.append((whole.iloc[0], written.iloc[0], k))
    is_decimal = any((~columns[k][mask].str.fullmatch(_GROUPED)).any() for k, mask in commas.items())
    if unclear and not is_decimal:
        whole, written, k = unclear[0]
        raise RawDataError(
            path,
            f"{whole} and {written} in column {k + 1}, whose comma may be a decimal sign or a mark between thousands",
            expected,
            remedy,
        )
    return {k: column.str.replace(",", ".", regex=False) for k, column in columns.items()}
