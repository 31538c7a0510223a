"""Commas inside of the numbers of a table: decimal signs in much of the world, elsewhere marks between thousands."""

import re

from simper_tf.recordings.errors import RawDataError

# What may be a whole number whose thousands are set off, or one of three decimals.
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_NUMBERS = re.compile(r"(?:[-+.,\d\se]|nan|inf)*", re.IGNORECASE)
_EXPECTED = "one decimal sign, a comma or a point, and no mark between thousands"
_REMEDY = "Write numbers without a mark between thousands."


class Commas:
    """Refuses tables in which a comma need not be the decimal sign; rows come one at a time.

    It is none where a number has a point too, or two commas. Where all numbers with a comma could be whole, such as
    1,024, and others in their column have none, such as 998, nobody can tell.

    Args:
        path: Of the table.
    """

    def __init__(self, path):
        self._path = path
        self._has_point = self._has_comma = self._is_decimal = False
        self._whole, self._grouped = {}, {}  # Number of a column -> a cell of it, without and with a comma.

    def note(self, number: int, row: list[str]):
        """Takes a row of numbers into account.

        Args:
            number: Of the row, as it is told.
            row: Its cells; no matter where one of them is a word.

        Raises:
            RawDataError: the table has commas and points, or the row a number with two commas.
        """
        text = " ".join(row)
        if not _NUMBERS.fullmatch(text):
            return
        self._has_point, self._has_comma = self._has_point or "." in text, self._has_comma or "," in text
        if self._has_comma and (self._has_point or any(cell.count(",") > 1 for cell in row)):
            found = f"commas and points in numbers, or two commas in one, in row {number} at the latest: {text[:60]}"
            raise RawDataError(self._path, found, _EXPECTED, _REMEDY)
        if self._is_decimal or self._has_point:
            return
        for column, cell in enumerate(map(str.strip, row)):
            if _GROUPED.fullmatch(cell):
                self._grouped[column] = cell
            elif "," in cell:
                self._is_decimal = True
            elif cell.lstrip("+-").isdecimal():
                self._whole[column] = cell

    def check(self):
        """Refuses, after the last row, what cannot be told.

        Raises:
            RawDataError: it is so.
        """
        unclear = sorted(set(self._grouped) & set(self._whole))
        if unclear and not self._is_decimal:
            first = unclear[0]
            found = f"{self._whole[first]} and {self._grouped[first]} in column {first + 1}, whose comma may be either"
            raise RawDataError(self._path, found, _EXPECTED, _REMEDY)
