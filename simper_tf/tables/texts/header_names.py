"""Names and units of columns, from the lines above the first row of numbers of a text."""

import re

from simper_tf.tables.texts import layouts
from simper_tf.tables.texts.layouts import Layout, cells_of, kind_of
from simper_tf.tables.times import rates, time_units

_UNIT = re.compile(
    r"[nmuµμk]?(v|g|s|pa|t|n|ohm|volts?)|sec(ond)?s?|min|m/s(\^?2|²)?|(rad|deg|°)/s|dps|hz|bpm|%|a\.?u\.?|nu|cal|adu|raw"
    r"|counts?|unitless|no[ _]units|mmhg|°?c|lux|(hh:)?mm:ss.mmm|y{4}.m{2}.d{2}.*"
)
# Of a column, in a row below its name.
_TYPE = re.compile(r"null|double|float|real|int(eger)?|long|char|str(ing)?|date")
_SETTING = re.compile(r"[^:=]+[:=]\s*\S")  # Of a header, such as Gain: 6.
_TITLES = re.compile(r"(?:(?:channel|column|signal)s? ?)?(?:titles?|names?|labels?)=", re.IGNORECASE)


def names_and_units(before: list[str], layout: Layout) -> tuple[list[str], list[str]]:
    """Returns the names of the columns and their units, "" of each without one.

    Args:
        before: Lines above the numbers, in their order.
        layout: Of these.
    """
    if found := layouts.beside_settings(before, layout):
        return found
    empty, rows = [""] * layout.width, []
    for line in reversed(before):
        row = _cells(line, layout)
        if layouts.counts_columns(row) or _is_rule(line):
            continue
        if _ends_names(line, row, rows, layout):
            break
        if _TITLES.fullmatch(row[0]):
            return ["", *row[1:]], empty
        rows.append(row[: layout.width])
    units, rows = empty, [row for row in rows if not all(map(_TYPE.fullmatch, row))] or rows
    if len(rows) > 1 and _are_units(rows[0], rows[1]):
        units, rows = [_of_unit(cell) for cell in rows[0]], rows[1:]
        rows = rows[1:] if len(rows) > 1 and layout.width > 1 and len(set(rows[0])) == 1 else rows
    return (rows[0] if rows else empty), units


def _cells(line, layout):
    """Returns the cells of a line of a header, "" alone of an empty one."""
    row = cells_of(line.lstrip("#%/ "), layout.separator) or [""]
    if "|" in line and len(row) != layout.width > 1:  # Of a table whose numbers are set off by spaces.
        row = cells_of(line.strip("| "), "|")
    return row[:-1] if row[-1] == "" and len(row) == layout.width + 1 else row


def _is_rule(line):
    """Returns whether a line is a rule below names, as databases draw it, or says nothing."""
    return not line.strip("-=+:| \t,;#%")


def _ends_names(line, row, below, layout):
    """Returns whether a row is none of names, nor any above it.

    Args:
        line: As it stands.
        row: Its cells.
        below: Rows of names below it, the lowest first.
        layout: Of the numbers.
    """
    is_keyed = row[0].endswith("=")  # As LabChart has each line of a header.
    is_pair = [kind_of(cell) for cell in row if cell] == ["x", "n"] and not is_keyed
    if is_pair and below and not time_units.named(row[0], below[-1][0].lower())[0]:
        return True  # Above names, such as Sampling rate,30.
    if layout.width == 1 and (line.lstrip()[:1] in ("#", "%") or _SETTING.match(line)):
        return True
    # Rows may be shorter than a header that names more channels than were there.
    are_words = len(row) > layout.width > 1 and all(kind_of(cell) == "x" for cell in row)
    return len(row) != layout.width and not (are_words and time_units.named(row[0])[0])


def _of_unit(cell):
    return cell.lower().strip("[]()")


def _are_units(row, names):
    """Returns whether all cells of a row are units, or the one below the name of a time is that of a time."""
    row = [_of_unit(cell) for cell in row]
    are_known = any(row) and all(_UNIT.fullmatch(cell) for cell in row if cell)
    pairs = zip(row, names, strict=False)
    return are_known or any(cell in rates.SECONDS and time_units.named(name)[0] for cell, name in pairs)
