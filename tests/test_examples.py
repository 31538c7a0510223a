"""The notebooks of `examples/` run from their first cell to their last, and keep what they showed."""

import json
import pathlib
import re

import keras
import matplotlib
import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
NOTEBOOKS = {path.stem: json.loads(path.read_text())["cells"] for path in EXAMPLES.glob("*.ipynb")}


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_cells_of_a_notebook_run_one_after_the_other(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(matplotlib.rcParams, "backend", "agg")
    compiled = keras.Model.compile  # One step costs less at once than a graph of it, which is traced first.
    monkeypatch.setattr(keras.Model, "compile", lambda *given, **named: compiled(*given, **named, run_eagerly=True))
    names = {}
    for cell in NOTEBOOKS[name]:
        if cell["cell_type"] == "code":
            short = re.sub(r"\b(epochs|steps)=\d+", r"\1=1", "".join(cell["source"]))
            exec(compile(short, cell["id"], "exec"), names)
    assert list((tmp_path / "runs").rglob("saved_model.pb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_keeps_figures_and_no_error(name):
    outputs = [output for cell in NOTEBOOKS[name] if cell["cell_type"] == "code" for output in cell["outputs"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 3
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data", "execute_result"}
