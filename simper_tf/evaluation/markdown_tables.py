"""Markdown tables of result rows."""

import collections

import numpy as np

END = "<!-- end of results -->"


def markdown_table(header, lines):
    """Returns a Markdown table of a header and lines of cells, all strings."""
    divider = ["---"] * len(header)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, divider, *lines))


def results_table(rows, titles=None):
    """Returns a Markdown table of `Row`s: one line a protocol, as they come, and one column a metric.

    A cell is the value with its 95 % interval, or mean and standard deviation over runs where there are several. Titles
    stand for the names of protocols.
    """
    titles = titles or {}
    cells, units = collections.defaultdict(list), {}
    for row in rows:
        cells[row.protocol, row.metric].append(row)
        units[row.metric] = row.unit
    names = dict.fromkeys(row.protocol for row in rows)
    header = ["protocol", *(f"{metric} ({unit})" if unit else metric for metric, unit in units.items())]
    lines = [[titles.get(name, name), *(cell(cells[name, metric]) for metric in units)] for name in names]
    return markdown_table(header, lines)


def cell(rows):
    """Returns rows of one metric as text: value and interval of one, mean and standard deviation of several."""
    if not rows:
        return ""
    if len(rows) == 1:
        return f"{rows[0].value:.4g} [{rows[0].low:.4g}, {rows[0].high:.4g}]"
    values = [row.value for row in rows]
    return f"{np.mean(values):.4g} ± {np.std(values, ddof=1):.2g} (n={len(values)})"


def short(value: float, decimals: int | None = None) -> str:
    """Returns a number with two significant digits, without an exponent from 0.00001 on.

    Where it has no digit in the `decimals` that it has at most, its first one is shown all the same.
    """
    if not np.isfinite(value) or value == 0:
        return f"{value:g}"
    size = int(f"{value:.1e}".partition("e")[2])  # As rounded: 9.96 is 10.
    if size < -5 and decimals is None:
        return f"{value:.1e}"
    first = int(f"{value:.0e}".partition("e")[2])
    places = 1 - size if decimals is None else min(1 - size, max(decimals, -first))
    return f"{round(value, places):.{max(places, 0)}f}"


def short_cell(rows, runs: int = 1):
    """Returns rows of one metric as `cell` does, in two significant digits; says if they are fewer than `runs`."""
    if not rows:
        return ""
    if len(rows) == 1:
        row = rows[0]
        return f"{short(row.value)} [{short(row.low)}, {short(row.high)}]"
    values = [row.value for row in rows]
    mean, deviation = float(np.mean(values)), float(np.std(values, ddof=1))
    places = 1 - int(f"{mean:.1e}".partition("e")[2]) if np.isfinite(mean) and mean else None
    deviation = 0.0 if deviation < 1e-9 * abs(mean) else deviation  # Of rounding alone.
    few = f" (n={len(values)})" if len(values) < runs else ""
    return f"{short(mean)} ± {short(deviation, places)}{few}"


def has_marks(text, command):
    """Returns whether a document has the first mark of `put_table` for a command."""
    return _begin(command) in text


def put_table(text, command, table, name="The document"):
    """Returns a document with the table that a command makes in place of the one between its marks.

    The marks are the comment `results: <command>` before it and `end of results` behind it. Without them a ValueError
    names the document.
    """
    before, begun, rest = text.partition(_begin(command))
    _, closed, after = rest.partition(END)
    if not begun or not closed:
        raise ValueError(
            f"{name} lacks the lines {_begin(command).strip()!r} and {END!r}, between which the table goes."
        )
    return f"{before}{_begin(command)}{table}\n{END}{after}"


def _begin(command):
    return f"<!-- results: {command} -->\n"
