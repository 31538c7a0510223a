"""Excerpts of gathered tables that documents show, each made anew with the tables that it is of.

A cell of an excerpt is named by its place: the `table`, the titles of its `block` and `column`, and that of its `line`,
which need not say the number of steps.
"""

import dataclasses
import re
from collections.abc import Mapping

from simper_tf.evaluation import tables
from trainers.studies import ranking

Place = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Excerpt:
    """One table of a document.

    Attributes:
        cells: Title of a line -> title of a column -> the place of what stands there. A place without a `line` is that
            of the first of the column, which stands there with its title.
        corner: Title of the column of titles.
    """

    cells: Mapping[str, Mapping[str, Place]]
    corner: str = ""

    def tables(self) -> set[str]:
        """Returns the names of the tables that it is of."""
        return {place["table"] for line in self.cells.values() for place in line.values()}


def crossed(lines: Mapping[str, Place | str], columns: Mapping[str, Place | str], **common: str):
    """Returns cells whose places are put together of what all have in common, and of a column's and a line's part.

    Args:
        lines: Title -> part of a place, which counts most; a text is its `line`.
        columns: Title -> part of a place; a text is its `column`.
        **common: Part of all places.
    """
    named = {title: {"line": part} if isinstance(part, str) else part for title, part in lines.items()}
    parts = {title: {"column": part} if isinstance(part, str) else part for title, part in columns.items()}
    return {title: {name: {**common, **parts[name], **part} for name in parts} for title, part in named.items()}


def mark(name: str) -> str:
    """Returns what the mark of `tables.put_table` names for an excerpt."""
    return f"excerpt {name}"


def put(text: str, excerpts: Mapping[str, Excerpt], pages: Mapping[str, dict], name: str) -> str:
    """Returns a document with the excerpts that it has marks for, and whose tables are all given, made anew.

    Args:
        text: The document.
        excerpts: By their names.
        pages: Name of a table -> what `gathering.gather` returns.
        name: Of the document, for messages.

    Raises:
        ValueError: a mark is not closed, or an excerpt shows what no table has.
    """
    for each, excerpt in excerpts.items():
        if tables.has_marks(text, mark(each)) and excerpt.tables() <= set(pages):
            text = tables.put_table(text, mark(each), markdown(excerpt, pages), name=name)
    return text


def markdown(excerpt: Excerpt, pages: Mapping[str, dict]) -> str:
    """Returns the Markdown table of an excerpt: means over seeds. A line may lack some of them, but not all.

    Raises:
        ValueError: a table has no such block or column, or nothing for a line.
    """
    columns = list(dict.fromkeys(column for line in excerpt.cells.values() for column in line))
    printed = []
    for title, line in excerpt.cells.items():
        found = [_text(line[column], pages) if column in line else "" for column in columns]
        if not any(found):
            raise ValueError(f"An excerpt has nothing for its line {title!r}: found no {next(iter(line.values()))}.")
        printed.append([title, *found])
    return tables.markdown_table([excerpt.corner, *columns], printed)


def _text(place, pages):
    """Returns in print what stands at a place: a mean, empty for none, or the first of a column."""
    blocks = {block["title"]: block for block in pages[place["table"]]["blocks"]}
    block = blocks.get(place.get("block", ""))
    if block is None or place["column"] not in block["columns"]:
        raise ValueError(f"An excerpt shows what no table has: {place}. Expected a block of {list(blocks)}.")
    k = block["columns"].index(place["column"])
    cells = {re.sub(r", \d+ steps$", "", line["title"]): line["cells"][k] for line in block["lines"]}
    means = {title: ranking.mean_of(cell) for title, cell in cells.items() if cell and cell["values"]}
    if "line" in place:
        return f"{means[place['line']]:.4g}" if place["line"] in means else ""
    learned = {title: mean for title, mean in means.items() if cells[title]["protocol"] not in ranking.UNLEARNED}
    first = min(learned, key=learned.get)
    return f"{first}: {learned[first]:.4g}"
