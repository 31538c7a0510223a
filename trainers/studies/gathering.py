"""A study with what its runs have found: one dictionary, for JSON and for programs.

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
import statistics
from collections.abc import Callable, Iterable

from simper_tf.evaluation.rows import Row
from trainers.grid import Run
from trainers.studies import commands
from trainers.studies.scales import Scale
from trainers.studies.table import Cell, Study


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
    # The same run may be asked for with flags that say what it has anyway.
    folders = {(name_of(run.seeded(seed)), run.split): bool(known(run.seeded(seed))) for run in found for seed in seeds}
    return {
        "name": study.name, "title": study.title, "about": study.about, "scale": scale.name, "scale_about": scale.about,
        "seeds": seeds, "commits": sorted({row.commit for row in every}), "done": sum(folders.values()),
        "total": len(folders), "blocks": blocks,
        "runs": {
            names[run]: {"commands": commands.of_run(run, names, seeds[0], scale)} for run in found
        },
    }  # fmt: skip
