"""The page of Markdown of a table."""

from reproduce import paired, ranking
from reproduce.results import Results
from reproduce.studies.table import Block
from simper_tf.evaluation import tables


def markdown(results: Results) -> str:
    """Returns the page of a table."""
    study = results.study
    parts = [f"# {study.title}", study.about, _how(results)]
    for block in study.blocks:
        parts += [f"## {block.title}"] * bool(block.title) + [table(block, results)]
        parts += _list("First in each column", _firsts(block, results) if _is_ranked(block, results) else [])
        for pair in block.against:
            parts += _list(f"{pair[0]} against {pair[1]}, seed by seed", _against(block, results, *pair))
        for pair in block.paired:
            parts += _list(f"{pair[0]} against {pair[1]}, clip by clip", _paired(block, results, *pair))
    return "\n\n".join(parts) + "\n"


def tables_alone(results: Results) -> str:
    """Returns the tables of a page alone, for a document that has words of its own."""
    return "\n\n".join(table(block, results) for block in results.study.blocks)


def table(block: Block, results: Results) -> str:
    """Returns a block in Markdown, the best of each column in bold and the paper's numbers beside ours."""
    header, columns = [], []
    for number, title in enumerate(block.columns):
        cells = block.column(number)
        lines = [results.of(cell) for cell in cells]
        best = ranking.first(lines) if _is_ranked(block, results) else []
        header.append(title)
        columns.append([_bold(_text(rows), line in best) for line, rows in enumerate(lines)])
        papers = [cell.paper if cell else None for cell in cells]
        if any(paper is not None for paper in papers):
            header.append("paper")
            columns.append(["" if paper is None else f"{paper:g}" for paper in papers])
    if len({runs for line in block.lines if (runs := _learned(line))}) > 1:  # Those of the same runs stand above.
        spent = [results.seconds_of(line) for line in block.lines]
        header.append("seconds")
        columns.append(["" if seconds is None else f"{seconds:.0f}" for seconds in spent])
    titles = [line.title for line in block.lines]
    return tables.markdown_table(["", *header], [list(line) for line in zip(titles, *columns, strict=True)])


def _is_ranked(block, results):
    """Returns whether a block has an order, and enough seeds to tell it."""
    return block.ranked and len(results.seeds) >= ranking.FEWEST


def _learned(line):
    """Returns the runs that learned something for a line."""
    return frozenset(cell.run for cell in line.cells if cell and cell.protocol not in ranking.UNLEARNED)


def _text(rows):
    """Returns rows in print, see `tables.cell`; of what has learned nothing those of one seed."""
    return tables.cell(rows[:1] if rows and rows[0].protocol in ranking.UNLEARNED else rows)


def _bold(text, is_first):
    return f"**{text}**" if text and is_first else text


def _list(title, sentences):
    return [f"{title}:\n\n" + "\n".join(f"* {sentence}" for sentence in sentences)] * bool(sentences)


def _firsts(block, results):
    titles = [line.title for line in block.lines]
    columns = ([results.of(cell) for cell in block.column(number)] for number in range(len(block.columns)))
    said = (ranking.sentence(column, titles, lines) for column, lines in zip(block.columns, columns, strict=True))
    return [sentence for sentence in said if sentence]


def _against(block, results, title, other):
    lines = {line.title: map(results.of, line.cells) for line in block.lines}
    columns = zip(block.columns, lines[title], lines[other], strict=True)
    return [said for column, rows, others in columns if (said := ranking.seed_by_seed(column, rows, others, other))]


def _paired(block, results, title, other):
    columns = zip(block.columns, block.pairs(title, other), strict=True)
    return [
        paired.sentence(column, title, other, results.pairs[cells])
        for column, cells in columns if cells in results.pairs
    ]  # fmt: skip


def _how(results):
    study, scale, seeds = results.study, results.scale, ",".join(map(str, results.seeds))
    splits = " and ".join(sorted({row.split for cell in study.cells() for row in results.of(cell)})) or "test"
    (done, total), minutes = results.count(), results.seconds(study.cells()) / 60
    order = (
        "Bold: no other line of the column is ahead by more than both spreads, or with each of three seeds."
        if len(results.seeds) >= ranking.FEWEST
        else f"An order takes {ranking.FEWEST} seeds, so lines are not ranked."
    )
    return (
        f"Scale `{scale.name}`. {scale.about} Numbers are of {splits} clips: the mean and standard deviation over "
        f"seeds, or of one seed with its 95 % interval. {order} Seconds: all training of a line from random weights "
        f"on, each run once, a mean over seeds, beside other runs. {done} of {total} runs are finished, {minutes:.0f} "
        f"minutes of training for each seed; commit {', '.join(results.commits()) or 'none yet'}. Made by `python -m "
        f"reproduce --table={study.name} --scale={scale.name} --seeds={seeds}`."
    )
