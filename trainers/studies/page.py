"""A study with what its runs have found: one dictionary, for JSON and for programs, and its page of Markdown.

    {"name", "title", "about", "scale", "scale_about", "seeds", "commits", "done", "total",
     "blocks": [{"title", "columns", "ranked", "against": [[title, title]], "lines": [{"title", "cells": [
         {"run", "protocol", "metric", "unit", "paper",
          "seconds": {name of a run: those of its own training, a mean over seeds},
          "values": [{"seed", "value", "low", "high", "n", "split"}]}]}]}],
     "runs": {name of the folder of the first seed: {"commands": [those that make it]}}}

A cell may be null, and has a value for each seed that is finished. Its seconds are of its run and of what that begins
with, each by itself, as several cells may begin with the same.
"""

import functools
import math
import statistics
import types
from collections.abc import Callable, Iterable

from simper_tf import tables
from simper_tf.rows import Row
from trainers.grid import Run
from trainers.studies import commands
from trainers.studies.scales import Scale
from trainers.studies.table import Cell, Study

# Of these metrics more is better; of all others less.
RISING = {"pearson"}
# Protocols that read clips, and no features.
UNLEARNED = {"pixels", "green", "chrom", "pos", "persistence", "training_mean"}


def gather(
    study: Study, scale: Scale, seeds: Iterable[int], rows_of: Callable[[Run], Iterable[Row]], name_of: Callable
) -> dict:
    """Returns what the runs of a study have found, see the module.

    Args:
        study: What is asked for.
        scale: At which scale its runs are.
        seeds: Of every run.
        rows_of: Run with a seed -> its rows, none if it is not finished.
        name_of: Run with a seed -> the name of its folder.
    """
    seeds = list(seeds)
    # Rows of a source are asked for by every run that begins with it, and reading them is slow.
    known = functools.cache(lambda run: tuple(rows_of(run)))
    found = {run: [row for seed in seeds for row in known(run.seeded(seed))] for run in study.runs()}

    def seconds_of_each(run):
        """Returns the seconds of a run's own training, and of what it begins with, of those that are finished."""
        made = {each: [known(each.seeded(seed))[:1] for seed in seeds] for each in run.with_sources()}
        spent = {each: [row.seconds for rows in found for row in rows] for each, found in made.items()}
        return {names[each]: statistics.fmean(values) for each, values in spent.items() if values}

    names = {each: name_of(each.seeded(seeds[0])) for run in study.runs() for each in run.with_sources()}

    def cell(asked: Cell | None):
        if asked is None:
            return None
        rows = [row for row in found[asked.run] if (row.protocol, row.metric) == (asked.protocol, asked.metric)]
        fields = ("seed", "value", "low", "high", "n", "split")
        return {
            "run": names[asked.run], "protocol": asked.protocol, "metric": asked.metric,
            "unit": rows[0].unit if rows else "", "paper": asked.paper, "seconds": seconds_of_each(asked.run),
            "values": [{field: getattr(row, field) for field in fields} for row in rows],
        }  # fmt: skip

    blocks = [
        {
            "title": block.title, "columns": list(block.columns), "ranked": block.ranked,
            "against": [list(pair) for pair in block.against],
            "lines": [{"title": line.title, "cells": [cell(each) for each in line.cells]} for line in block.lines],
        }
        for block in study.blocks
    ]  # fmt: skip
    every = [row for run in found for seed in seeds for each in run.with_sources() for row in known(each.seeded(seed))]
    done = sum(len({row.seed for row in rows}) for rows in found.values())
    return {
        "name": study.name, "title": study.title, "about": study.about, "scale": scale.name, "scale_about": scale.about,
        "seeds": seeds, "commits": sorted({row.commit for row in every}), "done": done,
        "total": len(found) * len(seeds), "blocks": blocks,
        "runs": {
            names[run]: {"commands": commands.of_run(run, names, seeds[0], scale)} for run in found
        },
    }  # fmt: skip


def markdown(page: dict) -> str:
    """Returns the page of Markdown of what `gather` returns."""
    parts = [f"# {page['title']}", page["about"], _how(page)]
    for block in page["blocks"]:
        parts += [f"## {block['title']}"] * bool(block["title"]) + [table(block)]
        said = ranking(block) if block["ranked"] else []
        parts += ["First in each column:\n\n" + "\n".join(f"* {each}" for each in said)] * bool(said)
        parts += [
            f"{first} against {second}, seed by seed:\n\n" + "\n".join(f"* {each}" for each in compared)
            for first, second in block["against"]
            if (compared := seed_by_seed(block, first, second))
        ]
    each = dict.fromkeys(command for run in page["runs"].values() for command in run["commands"])
    return "\n\n".join([*parts, "## Runs", "Those of the first seed, each by a command:", _code(each)]) + "\n"


def tables_alone(page: dict) -> str:
    """Returns the tables of a page alone, for a document that has words of its own."""
    return "\n\n".join(table(block) for block in page["blocks"])


def table(block: dict) -> str:
    """Returns the Markdown table of a block, the best of each column in bold and the paper's numbers beside ours."""
    lines, columns = block["lines"], block["columns"]
    papers = [
        any(line["cells"][k] and line["cells"][k]["paper"] is not None for line in lines) for k in range(len(columns))
    ]
    best = [first(block, k) if block["ranked"] else [] for k in range(len(columns))]
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


def ranking(block: dict) -> list[str]:
    """Returns a sentence for each column that says which line is first, and by how much; see `first`."""
    said = []
    for k, column in enumerate(block["columns"]):
        ordered, best = _ordered(block, k), first(block, k)
        if len(ordered) < 2:
            continue
        titles = [block["lines"][number]["title"] for number in best]
        text = f"{column}: {' and '.join(titles)}{' level' if len(titles) > 1 else ''}"
        behind = [number for number in ordered if number not in best]
        if behind:
            lead = _lead(*(mean_of(block["lines"][number]["cells"][k]) for number in (best[0], behind[0])))
            text += f", then {block['lines'][behind[0]]['title']} ({lead})"
        said.append(f"{text}.")
    return said


def first(block: dict, k: int) -> list[int]:
    """Returns the numbers of the lines that nobody is ahead of in column k, the best first.

    Ahead of a line is one whose mean over seeds is better by more than the spreads of both together.
    """
    ordered = _ordered(block, k)
    cells = [block["lines"][number]["cells"][k] for number in ordered]

    def is_ahead(better, cell):
        return abs(mean_of(cell) - mean_of(better)) > spread_of(cell) + spread_of(better)

    # Not of the best alone: where that spreads wide, a line that is level with it may be behind another.
    return [
        number for place, number in enumerate(ordered)
        if not any(is_ahead(better, cells[place]) for better in cells[:place])
    ]  # fmt: skip


def seed_by_seed(block: dict, title: str, other: str) -> list[str]:
    """Returns a sentence for each column of several seeds that says in how many of them a line is ahead of another.

    Seeds differ in what they draw, such as which clips have labels, and both lines have the same draw: how far they lie
    apart in one seed says more than how far seeds lie apart.

    Args:
        block: Of a page.
        title, other: Of the two lines, whose cells are errors.
    """
    lines = {line["title"]: line["cells"] for line in block["lines"]}
    said = []
    for column, cell, second in zip(block["columns"], lines[title], lines[other], strict=True):
        values, others = ({each["seed"]: each["value"] for each in (one or {"values": []})["values"]}
                          for one in (cell, second))  # fmt: skip
        both = [(values[seed], others[seed]) for seed in values if seed in others]
        if len(both) < 2:
            continue
        times = sorted(theirs / own for own, theirs in both)
        ahead = sum(each > 1 for each in times)
        low, high = (f"{each:.2g}" if each < 100 else f"{each:.0f}" for each in (times[0], times[-1]))
        said.append(
            f"{column}: ahead in {ahead} of {len(both)} seeds; the error of {other} is {low} to {high} times as large."
        )
    return said


def mean_of(cell: dict) -> float:
    """Returns the mean of a cell over seeds, NaN of none."""
    return statistics.fmean(each["value"] for each in cell["values"]) if cell["values"] else math.nan


def spread_of(cell: dict) -> float:
    """Returns how far from its mean the truth may lie: the deviation over seeds, or half the interval of one.

    What has learned nothing is the same with every seed, which says nothing of how sure it is.
    """
    values = cell["values"]
    if len(values) > 1 and cell["protocol"] not in UNLEARNED:
        return statistics.stdev(each["value"] for each in values)
    return (values[0]["high"] - values[0]["low"]) / 2


def text_of(cell: dict | None) -> str:
    """Returns a cell in print, see `tables.cell`; of what has learned nothing that of one seed."""
    if not cell:
        return ""
    values = cell["values"][:1] if cell["protocol"] in UNLEARNED else cell["values"]
    return tables.cell([types.SimpleNamespace(**each) for each in values])


def paper_of(cell: dict | None) -> str:
    """Returns the paper's number in print."""
    return f"{cell['paper']:g}" if cell and cell["paper"] is not None else ""


def seconds_of(line: dict) -> str:
    """Returns the seconds of training of a line in print: the sum over its runs and what these begin with, each once.

    What has learned nothing has none, whichever run it is read with.
    """
    learned = [cell for cell in line["cells"] if cell and cell["values"] and cell["protocol"] not in UNLEARNED]
    seconds = {name: spent for cell in learned for name, spent in cell["seconds"].items()}
    return f"{sum(seconds.values()):.0f}" if seconds else ""


def minutes_of(page: dict) -> float:
    """Returns the minutes of training that a table took, for one seed, each run once."""
    cells = (cell for block in page["blocks"] for line in block["lines"] for cell in line["cells"] if cell)
    seconds = {name: spent for cell in cells for name, spent in cell["seconds"].items()}
    return sum(seconds.values()) / 60


def _lead(best, other):
    low, high = sorted((abs(best), abs(other)))
    return f"a factor of {high / low:.2g}" if low else f"{other:.2g} against 0"


def _ordered(block, k):
    """Returns the numbers of the lines that have a finite value in a column, the best first."""
    known = [(mean_of(line["cells"][k]), number, line["cells"][k]["metric"])
             for number, line in enumerate(block["lines"]) if line["cells"][k]]  # fmt: skip
    known = [(-mean if metric in RISING else mean, number) for mean, number, metric in known if math.isfinite(mean)]
    return [number for _, number in sorted(known)]


def _how(page):
    cells = (cell for block in page["blocks"] for line in block["lines"] for cell in line["cells"] if cell)
    splits = " and ".join(sorted({each["split"] for cell in cells for each in cell["values"]})) or "test"
    return (
        f"Scale `{page['scale']}`. {page['scale_about']} Numbers are of {splits} clips: the mean and standard "
        f"deviation over seeds {', '.join(map(str, page['seeds']))}, or of one seed with its 95 % interval. In bold "
        "is what no other line of the column is ahead of by more than both spreads. Seconds are those of all "
        "training of a line, from random weights on and each run once, a mean over seeds, beside other runs. "
        f"{page['done']} of {page['total']} runs are finished, {minutes_of(page):.0f} minutes of training for each "
        f"seed; commit {', '.join(page['commits']) or 'none yet'}. Made by `{commands.of_table(page)}`."
    )


def _code(lines):
    return "```\n" + "\n".join(lines) + "\n```"
