"""Columns of text as numbers, with the decimal sign that they have in common."""

import itertools
import re

import numpy as np

from simper_tf.tables.times import dates, year_parts
from simper_tf.utils.errors import RawDataError
from simper_tf.utils.later import loaded_later

pd = loaded_later("pandas")

# What may follow the digits of a clock: the half of the day, and a zone.
ZONE = r"(?: ?[ap]\.?m\.?)?(?: ?(?:z|[a-z]{3,4}))?(?: ?[+-]\d\d:?(?:\d\d)?)?\]?"
DATE = re.compile(
    r"\[?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d\d){1,2})"
    rf"(?:[T _]+\d\d?(?:[:.-]\d\d?){{0,3}}(?:[.,]\d+)?)?{ZONE}|\[?{dates.IN_WORDS}|{dates.SPAN}",
    re.IGNORECASE,
)
# Thousands set off by spaces, of any width, or by apostrophes; by commas, or by points, of which a number has a decimal
# sign as well or two; and one whole number of a comma, or one with three decimals.
_SPACES = " \u00a0\u2009\u202f'\u2019"
_SPACED = rf"[+-]?\d{{1,3}}(?:([{_SPACES}])\d{{3}})(?:\1\d{{3}})*(?:[.,]\d*)?"
_COMMAS = r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:,\d{3}){2,})"
_POINTS = r"[+-]?\d{1,3}(?:(?:\.\d{3})+,\d*|(?:\.\d{3}){2,})"
_GROUPED = r"[+-]?[1-9]\d{0,2},\d{3}"
GROUPED = re.compile(rf"{_SPACED}|{_COMMAS}|{_POINTS}|{_GROUPED}")
# A number with its unit, such as 3.7 mV or 12%.
_MEASURED = rf"([+-]?[\d.,{_SPACES}]*\d[.,]?(?:[eE][+-]?\d+)?)\s*([a-zA-Zµμ°Ω%‰][a-zA-Zµμ°Ω%‰/*^²³]{{0,7}})"
MEASURED = re.compile(_MEASURED)
_SHORT = 2**22  # Bytes of a text that NumPy reads while pandas loads.
_SPARSE = 0.5  # Share of cells that must be numbers in a column of numbers.
_SIGNED = r"[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?"  # A number of some writing.
_ONE_UNIT = 0.9  # Share of cells with one unit: codes, such as 3A and 3B, have several.


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
    """Returns the columns as numbers where most cells are numbers, with the decimal sign that they have in common.

    Returns:
        Columns, and the units of those whose cells name one, by number.
    """
    parsed, words, units = dict.fromkeys(frame), {}, {}
    for k in frame:
        if pd.api.types.is_numeric_dtype(frame[k]):
            parsed[k] = frame[k].to_numpy(np.float64)
        else:
            words[k], units[k] = _measured(frame[k].astype("str").str.strip(" '\"").where(frame[k].notna()))
    has_point = any(_has_fractions(column) for column in parsed.values() if column is not None)
    parsed |= {k: _without_marks(column, has_point) for k, column in words.items()}
    numeric = _without_commas(path, {k: parsed[k] for k in words if _looks_numeric(parsed[k])}, has_point)
    for k, column in numeric.items():
        parsed[k] = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    return [*parsed.values()], units


def _measured(column):
    """Returns the numbers of a column of text and the unit that nearly all name; another column as it is, and ""."""
    filled = column.dropna()
    if not len(filled) or not MEASURED.fullmatch(filled.iloc[-1]) or year_parts.is_one(filled.iloc[-1].lower()):
        return column, ""
    parts = column.str.extract(f"^{_MEASURED}$")
    named = parts[1][column.notna()]
    unit = named.mode().iloc[0]
    return (parts[0], str(unit)) if (named == unit).mean() > _ONE_UNIT else (column, "")


def _without_marks(column, has_point):
    """Returns a column of text without the marks between thousands, where nothing leaves a doubt which these are.

    Where other columns have points as decimal signs, no comma is one.
    """
    for form, mark in (
        (_SPACED, f"[{_SPACES}]"),
        (f"{_COMMAS}|{_GROUPED}" if has_point else _COMMAS, ","),
        (_POINTS, r"\."),
    ):
        if not column.str.fullmatch(form, na=False).any():  # Most columns of text are none.
            continue
        if column.str.fullmatch(rf"[+-]?\d{{1,3}}(?:{mark}\d{{3}})*(?:[.,]\d*)?", na=True).all():
            return column.str.replace(rf"(?<=\d){mark}(?=\d{{3}})", "", regex=True)
    return column


def _has_fractions(column):
    """Returns whether a column has points as decimal signs, rather than in months such as 06.2015."""
    values = column[np.isfinite(column)]
    return bool((values != np.round(values)).any()) and dates.of_broken_months(values) is None


def _looks_numeric(column):
    """Returns whether most of the cells that hold something are numbers of some writing."""
    filled = column.dropna()
    if not len(filled):
        return True
    is_number = filled.str.fullmatch(_SIGNED)
    return (is_number & ~filled.str.fullmatch(DATE)).mean() > _SPARSE


def _without_commas(path, columns, has_point):
    """Returns columns of text with points as decimal signs; refuses a comma that may be a mark between thousands."""
    expected = "one decimal sign, a comma or a point, and no mark between thousands"
    remedy = "Write numbers without a mark between thousands."
    commas = {  # A sum or a remark at the end is no number.
        k: column.str.contains(",", regex=False, na=False) & column.str.fullmatch(_SIGNED, na=False)
        for k, column in columns.items()
    }
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
