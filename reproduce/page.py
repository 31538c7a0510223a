"""The page of Markdown of a table."""

import collections
import re

from reproduce import paired, ranking
from reproduce.results import LEAST_CORRELATION, Results
from reproduce.studies.table import Block
from simper_tf.evaluation import markdown_tables

STALLED = "†"
BOLD = (
    "Bold: nobody is ahead of the line, and it is ahead of every line that anybody is ahead of; none where more would "
    "be bold than are behind. Ahead: better with each seed than the other with any, by more than their 95 % intervals "
    "over clips explain."
)
_WIDE = 5  # Columns from which on it takes more than a look to see which line is first most often.
# The end of a column's title that says what is measured, and in which unit.
_METRIC = re.compile(r"(?:(.+): )?((?:MAE|MAPE|GM|Pearson|error)\b.*)")


def markdown(results: Results) -> str:
    """Returns the page of a table."""
    study = results.study
    parts = [f"# {study.title}", study.about, _legend(results)]
    for block in study.blocks:
        parts += [f"## {block.title}"] * bool(block.title) + [table(block, results)]
        parts += _untold(block, results)
        if _is_ranked(block, results):
            parts += _worth(block, results) + _most_often(block, results)
            parts += _list("First in each column", _firsts(block, results))
        for pair in block.against:
            parts += _list(f"{pair[0]} against {pair[1]}, seed by seed", _against(block, results, *pair))
        for pair in block.paired:
            parts += _list(f"{pair[0]} against {pair[1]}, clip by clip", _paired(block, results, *pair))
    parts += ["## Settings", *[study.settings] * bool(study.settings), _how(results)]
    return "\n\n".join(parts) + "\n"


def first_table(results: Results) -> str:
    """Returns the first table of a page alone, for a document that has words of its own."""
    return table(results.study.blocks[0], results)


def tables_alone(results: Results) -> str:
    """Returns the tables of a page alone."""
    return "\n\n".join(table(block, results) for block in results.study.blocks)


def table(block: Block, results: Results) -> str:
    """Returns a block in Markdown, the best of each column in bold and the paper's numbers beside ours.

    What columns have in common, their metric and its unit, stands once, above the titles of the lines. Of two metrics
    of the same things each has a table.
    """
    metrics = _metrics(block)
    return "\n\n".join(
        _columns(block, results, columns, metric, block.seconds and metric == [*metrics][-1])
        for metric, columns in metrics.items()
    )


def bold(block: Block, results: Results, number: int) -> list[int]:
    """Returns the numbers of the lines of a column that are in bold: proven, and behind none by a paired test."""
    behind = set()
    for own, other in block.paired:
        if pair := results.pairs.get(block.pairs(own, other)[number]):
            behind |= {other} if pair.low > 1 else {own} if pair.high < 1 else set()
    best = ranking.proven([results.sound(cell) for cell in block.column(number)])
    return [line for line in best if block.lines[line].title not in behind]


def _metrics(block):
    """Returns metric -> number and title without it of each of its columns; all as "" where they do not match."""
    parts, metrics = [_METRIC.fullmatch(title) for title in block.columns], {}
    for number, part in enumerate(parts):
        if part:
            metrics.setdefault(part[2], {})[number] = part[1]
    names = [list(columns.values()) for columns in metrics.values()]
    if all(parts) and all(of == names[0] and None not in of for of in names):
        return metrics
    return {"": dict(enumerate(block.columns))}


def _columns(block, results, titles, metric, has_seconds):
    """Returns some columns of a block, number -> title, as a table; the metric stands above the titles of its lines."""
    header, columns = [], []
    for number, title in titles.items():
        cells = block.column(number)
        best = bold(block, results, number) if _is_ranked(block, results) else []
        header.append(title)
        columns.append([_text(results, cell, line in best) for line, cell in enumerate(cells)])
        papers = [cell.paper if cell else None for cell in cells]
        if any(paper is not None for paper in papers):
            header.append("paper")
            columns.append(["" if paper is None else f"{paper:g}" for paper in papers])
    learned = {runs for line in block.lines if (runs := _learned(line))}
    if has_seconds and len(learned) > 1:  # Those of the same runs stand above.
        spent = [results.seconds_of(line) for line in block.lines]
        header.append("seconds")
        columns.append(["" if seconds is None else f"{seconds:.0f}" for seconds in spent])
    corner = metric[:1].upper() + metric[1:]
    lines = zip([line.title for line in block.lines], *columns, strict=True)
    return markdown_tables.markdown_table([corner, *header], map(list, lines))


def _is_ranked(block, results):
    """Returns whether a block has an order, and enough seeds to tell it."""
    return block.ranked and len(results.seeds) >= ranking.FEWEST


def _learned(line):
    """Returns the runs that learned something for a line."""
    return frozenset(cell.run for cell in line.cells if cell and cell.protocol not in ranking.OF_CLIPS)


def _text(results, cell, is_first):
    """Returns a cell in print; of what has learned nothing the rows of one seed, unless each has clips of its own."""
    rows, stalled = results.of(cell), results.stalled(cell)
    is_learned = bool(rows) and rows[0].protocol not in ranking.OF_CLIPS
    differ = is_learned or bool(cell and cell.run.configs)
    text = markdown_tables.short_cell(rows if differ else rows[:1], len(results.seeds))
    if stalled:
        text += f" {STALLED}" + f" {len(stalled)} of {len(rows)}" * (is_learned and len(stalled) < len(rows))
    return f"**{text}**" if text and is_first else text


def _list(title, sentences):
    return [f"{title}:\n\n" + "\n".join(f"* {sentence}" for sentence in sentences)] * bool(sentences)


def _titles(block):
    """Returns the titles of the columns in sentences: without their metric where all have the same."""
    metrics = _metrics(block)
    return list(next(iter(metrics.values())).values()) if len(metrics) == 1 else block.columns


def _firsts(block, results):
    titles = [line.title for line in block.lines]
    lines = ([results.sound(cell) for cell in block.column(number)] for number in range(len(block.columns)))
    said = (ranking.sentence(column, titles, of) for column, of in zip(_titles(block), lines, strict=True))
    return [sentence for sentence in said if sentence]


def _untold(block, results):
    """Returns a sentence on the columns that rank nothing, as all that learned is alike there: too easy or too hard."""
    if not block.ranked:
        return []
    columns = _learned_and_controls(block, results)
    titles = [title for title, learned, *_ in columns if ranking.tells_none_apart(learned)]
    words = "No line" if _is_ranked(block, results) else "By clips alone, no line"
    return [f"{words} that learned is ahead of another in {_where(titles, block, 'any')}."] * bool(titles)


def _worth(block, results):
    """Returns a sentence on the columns in which what learned is ahead of all that learned nothing."""
    columns = [column for column in _learned_and_controls(block, results) if column[3]]
    ahead = [title for title, learned, controls, _ in columns if ranking.leads(learned, controls)]
    where = _where(ahead, block, "every") if ahead else "no column"
    return [f"A line that learned is ahead of all controls in {where}."] * bool(columns)


def _learned_and_controls(block, results):
    """Returns of each column: title, rows of the lines that learned, rows of controls, whether there are controls."""
    columns = []
    for number, title in enumerate(block.columns):
        cells = {kind: [line.cells[number] for line in block.lines if line.kind == kind] for kind in ("", "control")}
        learned, controls = ([results.sound(cell) for cell in cells[kind]] for kind in ("", "control"))
        columns.append((title, learned, controls, any(map(results.of, cells["control"]))))
    return columns


def _where(titles, block, all_of):
    return f"{all_of} column" if len(titles) == len(block.columns) else "; ".join(titles)


def _most_often(block, results):
    """Returns a sentence on the lines that are first or level in most columns of a wide block."""
    if len(block.columns) < _WIDE:
        return []
    columns = (block.column(number) for number in range(len(block.columns)))
    counts = collections.Counter(
        line for cells in columns for line in ranking.proven([results.sound(cell) for cell in cells])
    )
    named = [f"{block.lines[line].title} in {count}" for line, count in counts.most_common() if count > 1]
    return [f"First, or level with the first, of {len(block.columns)} columns: {', '.join(named)}."] * bool(named)


def _against(block, results, title, other):
    lines = {line.title: line.cells for line in block.lines}
    sentences = []
    for column, *cells in zip(_titles(block), lines[title], lines[other], strict=True):
        stalled = set().union(*map(results.stalled, cells))  # With those seeds there is nothing to compare.
        rows, others = ([row for row in results.of(cell) if row.seed not in stalled] for cell in cells)
        said = ranking.seed_by_seed(column, rows, others, other)
        sentences += [said] * bool(said)
    return sentences


def _paired(block, results, title, other):
    columns = zip(_titles(block), block.pairs(title, other), strict=True)
    return [
        paired.sentence(column, title, other, results.pairs[cells])
        for column, cells in columns if cells in results.pairs and not any(map(results.stalled, cells))
    ]  # fmt: skip


def _legend(results):
    """Returns how to read the numbers of a page, in short."""
    study, number = results.study, len(results.seeds)
    splits = " and ".join(sorted({row.split for cell in study.cells() for row in results.of(cell)})) or "test"
    many = f"mean ± deviation of {number} {study.seeds_are}, " if number > 1 else ""
    said = [f"Of {splits} clips: {many}or one number with its 95 % interval." if many else
            f"Of {splits} clips, of one seed: a number with its 95 % interval."]  # fmt: skip
    if any(_is_ranked(block, results) for block in study.blocks):
        said.append(BOLD)
    elif any(block.ranked for block in study.blocks):
        said.append(f"An order takes {ranking.FEWEST} seeds, so lines are not ranked.")
    if any(results.stalled(cell) for cell in study.cells()):
        said.append(
            f"{STALLED} stalled: answers and labels correlate by less than {LEAST_CORRELATION}, or the error is that "
            "of one answer for all. Such a line ranks nothing."
        )
    return " ".join(said)


def _how(results):
    study, scale, seeds = results.study, results.scale, ",".join(map(str, results.seeds))
    (done, total), minutes = results.count(), results.seconds(study.cells()) / 60
    about = f"Scale `{scale.name}`. {scale.about} " * (not study.is_real)
    return (
        f"{about}Seconds: all training of a line from random weights on, each run once, a "
        f"mean over seeds, beside other runs. {done} of {total} runs are finished, {minutes:.0f} minutes of training "
        f"for each seed; commit {', '.join(results.commits()) or 'none yet'}. Made by `python -m reproduce "
        f"--table={study.name} --scale={scale.name} --seeds={seeds}`."
    )
