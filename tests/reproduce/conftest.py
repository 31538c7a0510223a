"""Grids of runs that train nothing, and digits of a few clips."""

import functools

import pytest
from few_digits import digits_built  # noqa: F401  (a fixture)
from stand_in import LINES, start

from reproduce import grid
from reproduce.grid import Run


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Returns a function that puts some lines of Python, which know their `folder`, in place of `trainers.pretrain`."""
    monkeypatch.setattr(grid.pretrain, "start", start)
    monkeypatch.setenv(LINES, str(tmp_path / "lines.py"))
    return (tmp_path / "lines.py").write_text


@pytest.fixture
def base(tmp_path):
    """Returns a run by a flagfile of its own."""
    path = tmp_path / "base.cfg"
    path.write_text("--epochs=3\n--band=0.5,4\n--noartifacts\n")
    return Run(str(path)).but(seed=0)


@pytest.fixture(scope="module")
def settings_read_once():
    """Keeps the settings of runs, which many tests ask for."""
    plain = Run.settings
    Run.settings = functools.cache(plain)
    yield
    Run.settings = plain
