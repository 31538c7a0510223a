"""A gathered table in print: its page of Markdown, and the parts of it that other pages show; see `gathering`."""

import types

from simper_tf.evaluation import tables
from trainers.studies import commands, ranking


def markdown(page: dict) -> str:
    """Returns the page of Markdown of what `gathering.gather` returns."""
    parts = [f"# {page['title']}", page["about"], _how(page)]
    for block in page["blocks"]:
        parts += [f"## {block['title']}"] * bool(block["title"]) + [table(block)]
        said = ranking.sentences(block) if block["ranked"] else []
        parts += ["First in each column:\n\n" + "\n".join(f"* {each}" for each in said)] * bool(said)
        parts += [
            f"{first} against {second}, seed by seed:\n\n" + "\n".join(f"* {each}" for each in compared)
            for first, second in block["against"]
            if (compared := ranking.seed_by_seed(block, first, second))
        ]
    about = "Those of the first seed, each by a command, below the line that first needs it:"
    return "\n\n".join([*parts, "## Runs", about, _code(_commands(page))]) + "\n"


def tables_alone(page: dict) -> str:
    """Returns the tables of a page alone, for a document that has words of its own."""
    return "\n\n".join(table(block) for block in page["blocks"])


def table(block: dict) -> str:
    """Returns the Markdown table of a block, the best of each column in bold and the paper's numbers beside ours."""
    lines, columns = block["lines"], block["columns"]
    papers = [
        any(line["cells"][k] and line["cells"][k]["paper"] is not None for line in lines) for k in range(len(columns))
    ]
    best = [ranking.first(block, k) if block["ranked"] else [] for k in range(len(columns))]
    header = [""]
    for column, paper in zip(columns, papers, strict=True):
        header += [column, *(["paper"] if paper else [])]
    printed = []
    for number, line in enumerate(lines):
        words = [line["title"]]
        for k, cell in enumerate(line["cells"]):
            text = text_of(cell)
            words.append(f"**{text}**" if text and number in best[k] else text)
            words += [paper_of(cell)] if papers[k] else []
        printed.append([*words, seconds_of(line)])
    return tables.markdown_table([*header, "seconds"], printed)


def text_of(cell: dict | None) -> str:
    """Returns a cell in print, see `tables.cell`; of what has learned nothing that of one seed."""
    if not cell:
        return ""
    values = cell["values"][:1] if cell["protocol"] in ranking.UNLEARNED else cell["values"]
    return tables.cell([types.SimpleNamespace(**each) for each in values])


def paper_of(cell: dict | None) -> str:
    """Returns the paper's number in print."""
    return f"{cell['paper']:g}" if cell and cell["paper"] is not None else ""


def seconds_of(line: dict) -> str:
    """Returns the seconds of training of a line in print: the sum over its runs and what these begin with, each once.

    What has learned nothing has none, whichever run it is read with.
    """
    learned = [cell for cell in line["cells"] if cell and cell["values"] and cell["protocol"] not in ranking.UNLEARNED]
    return f"{_seconds(learned):.0f}" if learned else ""


def minutes_of(page: dict) -> float:
    """Returns the minutes of training that a table took, for one seed, each run once."""
    cells = (cell for block in page["blocks"] for line in block["lines"] for cell in line["cells"] if cell)
    return _seconds(cells) / 60


def _seconds(cells):
    """Returns the seconds of cells, each run once."""
    return sum({name: spent for cell in cells for name, spent in cell["seconds"].items()}.values())


def _how(page):
    cells = (cell for block in page["blocks"] for line in block["lines"] for cell in line["cells"] if cell)
    splits = " and ".join(sorted({each["split"] for cell in cells for each in cell["values"]})) or "test"
    return (
        f"Scale `{page['scale']}`. {page['scale_about']} Numbers are of {splits} clips: the mean and standard "
        f"deviation over seeds {', '.join(map(str, page['seeds']))}, or of one seed with its 95 % interval. In bold "
        "is what no other line of the column is ahead of by more than both spreads, or with each of three seeds. "
        "Seconds are those of all training of a line, from random weights on and each run once, a mean over seeds, "
        "beside other runs. "
        f"{page['done']} of {page['total']} runs are finished, {minutes_of(page):.0f} minutes of training for each "
        f"seed; commit {', '.join(page['commits']) or 'none yet'}. Made by `{commands.of_table(page)}`."
    )


def _commands(page):
    """Returns the commands of all runs, each below a comment with the title of the line that needs it first."""
    made, known = [], set()
    for block in page["blocks"]:
        for line in block["lines"]:
            names = dict.fromkeys(cell["run"] for cell in line["cells"] if cell)
            new = [each for name in names for each in page["runs"][name]["commands"] if each not in known]
            new = list(dict.fromkeys(new))
            known.update(new)
            title = ": ".join(filter(None, (block["title"], line["title"])))
            made += [f"# {title}", *new] if new else []
    return made


def _code(lines):
    return "```\n" + "\n".join(lines) + "\n```"
