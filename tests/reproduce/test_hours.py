"""Hours behind tables: each run once, with what it begins with, and seeds that nobody has trained."""

import math
import pathlib

import pytest
from made_up import row

from reproduce import hours
from reproduce.grid import Run
from reproduce.studies.table import Block, Cell, Line, Study

FIRST, SECOND, THIRD = (Run("base.cfg").but(method=method) for method in ("simclr", "moco", "byol"))


class Made:
    """A grid whose runs have made-up seconds: method -> seconds of each seed."""

    def __init__(self, **seconds):
        self.seconds = seconds

    def rows_of(self, run):
        given = dict(run.changes)
        return [row(seconds=of) for of in self.seconds.get(given["method"], [])[int(given["seed"]) :][:1]]

    def folder_of(self, run):
        given = dict(run.changes)
        return pathlib.Path(f"{given['method']}_{given['seed']}")


def table(name, *runs):
    cells = (Line(str(number), (Cell(run, "fft", "mae"),)) for number, run in enumerate(runs))
    return Study(name, name, "About.", (Block("", ("mae",), tuple(cells)),))


def test_a_run_counts_once_with_what_it_begins_with():
    studies = {table("a", FIRST, FIRST): [0], table("b", SECOND.begun_with(FIRST)): [0, 1]}
    spent = hours.of_tables(studies, Made(simclr=[3600, 7200], moco=[36, 36]))
    assert spent == {"a": (1, 1), "b": (pytest.approx(3.02), pytest.approx(2.02))}


def test_a_seed_that_is_not_recorded_takes_as_long_as_the_others():
    spent = hours.of_tables({table("a", FIRST): range(4)}, Made(simclr=[3600, 7200]))
    assert spent["a"] == (pytest.approx(6), pytest.approx(6))
    assert math.isnan(hours.of_tables({table("a", THIRD): [0]}, Made())["a"][0])
