"""A study with what its runs have found: one dictionary, for JSON and for programs, and its page of Markdown.

    {"name", "title", "about", "scale", "scale_about", "seeds", "commits", "done", "total",
     "blocks": [{"title", "columns", "ranked", "lines": [{"title", "cells": [
         {"run", "protocol", "metric", "unit", "paper",
          "values": [{"seed", "value", "low", "high", "n", "seconds", "split"}]}]}]}],
     "runs": {name of the folder of the first seed: {"commands": [those that make it]}}}

A cell may be null, and has a value for each seed that is finished.
"""

import functools
import math
import shlex
import statistics
import types
from collections.abc import Callable, Iterable

from simper_tf import tables
from simper_tf.rows import Row
from trainers.grid import Run
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

    def seconds_of_all(run, row):
        """Returns the seconds of a run's training, with those of what it begins with."""
        before = [known(source.seeded(row.seed))[:1] for source in run.with_sources()[:-1]]
        return row.seconds + sum(each.seconds for rows in before for each in rows)

    names = {each: name_of(each.seeded(seeds[0])) for run in study.runs() for each in run.with_sources()}

    def cell(asked: Cell | None):
        if asked is None:
            return None
        rows = [row for row in found[asked.run] if (row.protocol, row.metric) == (asked.protocol, asked.metric)]
        fields = ("seed", "value", "low", "high", "n", "split")
        return {
            "run": names[asked.run], "protocol": asked.protocol, "metric": asked.metric,
            "unit": rows[0].unit if rows else "", "paper": asked.paper,
            "values": [
                {field: getattr(row, field) for field in fields} | {"seconds": seconds_of_all(asked.run, row)}
                for row in rows
            ],
        }  # fmt: skip

    blocks = [
        {
            "title": block.title, "columns": list(block.columns), "ranked": block.ranked,
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
            names[run]: {"commands": [_command(each, names, seeds[0]) for each in run.with_sources()]} for run in found
        },
    }  # fmt: skip


def markdown(page: dict) -> str:
    """Returns the page of Markdown of what `gather` returns."""
    parts = [f"# {page['title']}", page["about"], _how(page)]
    for block in page["blocks"]:
        parts += [f"## {block['title']}"] * bool(block["title"]) + [table(block)]
        said = ranking(block) if block["ranked"] else []
        parts += ["First in each column:\n\n" + "\n".join(f"* {each}" for each in said)] * bool(said)
    commands = dict.fromkeys(command for run in page["runs"].values() for command in run["commands"])
    return "\n\n".join([*parts, "## Runs", "Those of the first seed, each by a command:", _code(commands)]) + "\n"


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
    cells = {number: block["lines"][number]["cells"][k] for number in ordered}

    def is_level(cell, best):
        return abs(mean_of(cell) - mean_of(best)) <= spread_of(cell) + spread_of(best)

    return [number for number in ordered if is_level(cells[number], cells[ordered[0]])]


def mean_of(cell: dict) -> float:
    """Returns the mean of a cell over seeds, NaN of none."""
    return statistics.fmean(each["value"] for each in cell["values"]) if cell["values"] else math.nan


def spread_of(cell: dict) -> float:
    """Returns how far from its mean the truth may lie: the deviation over seeds, or half the interval of one."""
    values = cell["values"]
    if len(values) > 1:
        return statistics.stdev(each["value"] for each in values)
    return (values[0]["high"] - values[0]["low"]) / 2


def text_of(cell: dict | None) -> str:
    """Returns a cell in print, see `tables.cell`."""
    return tables.cell([types.SimpleNamespace(**each) for each in cell["values"]]) if cell else ""


def paper_of(cell: dict | None) -> str:
    """Returns the paper's number in print."""
    return f"{cell['paper']:g}" if cell and cell["paper"] is not None else ""


def seconds_of(line: dict) -> str:
    """Returns the seconds of training of a line's runs in print, a mean over seeds; of several runs their sum.

    What has learned nothing has none, whichever run it is read with.
    """
    learned = [cell for cell in line["cells"] if cell and cell["protocol"] not in UNLEARNED]
    runs = {(cell["run"], each["seed"]): each["seconds"] for cell in learned for each in cell["values"]}
    return f"{sum(runs.values()) / len({seed for _, seed in runs}):.0f}" if runs else ""


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
        f"training of a line, from random weights on, beside other runs. {page['done']} of {page['total']} runs are "
        f"finished; commit {', '.join(page['commits']) or 'none yet'}. Made by `python -m trainers.reproduce "
        f"--table={page['name']} --scale={page['scale']}`."
    )


def _code(lines):
    return "```\n" + "\n".join(lines) + "\n```"


def _command(run, names, seed):
    begun = {"encoder_from": f"runs/{names[run.source]}"} if run.source else {}
    # Where the data lie is another matter on every machine.
    words = run.but(seed=seed, data_dir=None, manual_dir=None).arguments(run_dir=f"runs/{names[run]}", **begun)
    return shlex.join(["python", "-m", "trainers.pretrain", *words])
