"""A study with its rows -> a page of Markdown, and the same as JSON."""

import dataclasses
import shlex
from collections.abc import Callable, Iterable

from simper_tf.rows import Row
from trainers.grid import Run
from trainers.studies.scales import Scale
from trainers.studies.table import Found, Study, markdown, ranking, read


@dataclasses.dataclass(frozen=True)
class Page:
    """A study at a scale, as far as it has come.

    Attributes:
        study, scale, seeds: What was asked for.
        found: For each block of the study the `Found` of its cells.
        folders: Run, without a seed -> the name of its folder with the first seed.
        number_done: How many of its runs are finished, over all seeds.
    """

    study: Study
    scale: Scale
    seeds: tuple[int, ...]
    found: list[list[list[Found | None]]]
    folders: dict[Run, str]
    number_done: int

    def markdown(self) -> str:
        """Returns the page."""
        parts = [f"# {self.study.title}", self.study.about, self._how()]
        for block, found in zip(self.study.blocks, self.found, strict=True):
            parts += [f"## {block.title}"] * bool(block.title) + [markdown(block, found)]
            said = ranking(block, found) if block.ranked else []
            parts += ["First in each column:\n\n" + "\n".join(f"* {each}" for each in said)] * bool(said)
        parts.append("## Runs\n\nEach line trains and evaluates one run of the first seed:\n\n" + self._commands())
        return "\n\n".join(parts) + "\n"

    def table(self) -> str:
        """Returns the tables alone, for a document that has words of its own."""
        return "\n\n".join(
            markdown(block, found) for block, found in zip(self.study.blocks, self.found, strict=True)
        )

    def json(self) -> dict:
        """Returns all that the page says, for programs."""
        blocks = []
        for block, found in zip(self.study.blocks, self.found, strict=True):
            lines = [
                {"title": line.title, "cells": [cell and self._cell(at, cell) for at, cell in zip(line.cells, cells)]}  # noqa: B905
                for line, cells in zip(block.lines, found, strict=True)
            ]
            blocks.append({"title": block.title, "columns": block.columns, "ranked": block.ranked, "lines": lines})
        needed = dict.fromkeys(each for run in self.study.runs() for each in run.with_sources())
        runs = {
            self.folders[run]: {
                "command": command(run, self.folders[run]),
                "begun_with": run.source and self.folders[run.source],
            }
            for run in needed
        }
        return {
            "name": self.study.name, "title": self.study.title, "about": self.study.about, "scale": self.scale.name,
            "scale_about": self.scale.about, "seeds": self.seeds, "commits": self._commits(), "blocks": blocks,
            "runs": runs,
        }  # fmt: skip

    def _cell(self, cell, found):
        values = [
            {"seed": r.seed, "value": r.value, "low": r.low, "high": r.high, "n": r.n, "seconds": r.seconds, "split": r.split}
            for r in found.rows
        ]  # fmt: skip
        unit = found.rows[0].unit if found.rows else ""
        return {"run": self.folders[cell.run], "protocol": cell.protocol, "metric": cell.metric, "unit": unit,
                "paper": cell.paper, "values": values}  # fmt: skip

    def _rows(self) -> Iterable[Row]:
        return (row for block in self.found for line in block for found in line if found for row in found.rows)

    def _commits(self):
        return sorted({row.commit for row in self._rows()})

    def _how(self):
        total = len(self.study.runs()) * len(self.seeds)
        commits = ", ".join(self._commits()) or "none yet"
        splits = " and ".join(sorted({row.split for row in self._rows()})) or "test"
        return (
            f"Scale `{self.scale.name}`. {self.scale.about} Numbers are of {splits} clips: the mean and standard deviation "
            f"over seeds {', '.join(map(str, self.seeds))}, or of one seed with its 95 % interval. In bold is what no other "
            "line of the column is ahead of by more than both spreads. Seconds are those of training. "
            f"{self.number_done} of {total} runs are finished; commit {commits}. Made by `python -m trainers.reproduce "
            f"--table={self.study.name} --scale={self.scale.name}`."
        )

    def _commands(self):
        lines = []
        for run in self.study.runs():
            lines += [command(each, self.folders[each]) for each in run.with_sources()]
        return "```\n" + "\n".join(dict.fromkeys(lines)) + "\n```"


def gather(study: Study, scale: Scale, seeds: Iterable[int], rows_of: Callable, folder_of: Callable) -> Page:
    """Returns the page of a study.

    Args:
        study: What is asked for.
        scale: At which scale its runs are.
        seeds: Of every run.
        rows_of: Run with a seed -> its rows, none if it is not finished.
        folder_of: Run with a seed -> path of its folder.
    """
    seeds = tuple(seeds)
    found = [read(block, lambda run, seed: rows_of(run.seeded(seed)), seeds) for block in study.blocks]
    runs = [each for run in study.runs() for each in run.with_sources()]
    done = sum(bool(rows_of(run.seeded(seed))) for run in study.runs() for seed in seeds)
    return Page(study, scale, seeds, found, {run: folder_of(run.seeded(seeds[0])).name for run in runs}, done)


def command(run: Run, folder: str) -> str:
    """Returns the command that trains a run in a folder `runs/<folder>`; its source has to be there before."""
    begun = {"encoder_from": "runs/" + run.source.seeded(0).name()} if run.source else {}
    return shlex.join(["python", "-m", "trainers.pretrain", *run.arguments(run_dir=f"runs/{folder}", **begun)])
