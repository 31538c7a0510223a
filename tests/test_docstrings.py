"""The examples of all docstrings run and print what they say, and public names of each room have one."""

import ast
import doctest
import importlib
import inspect
import json
import pathlib
import pkgutil
import re

import numpy as np
import pytest

import simper_tf
from simper_tf.encoders import ENCODERS, before_head, frames, precision
from simper_tf.evaluation import metrics, tasks
from simper_tf.losses import spectral
from simper_tf.losses.similarity import SIMILARITIES
from simper_tf.methods import METHODS
from simper_tf.methods.self_supervised import SelfSupervised
from simper_tf.recordings import search, sources
from simper_tf.tables import series_files
from simper_tf.utils import options

ROOT = pathlib.Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def code_of_pages():
    """Yields the syntax tree of each block of Python in the pages and of each cell of the notebooks."""
    for page in PAGES:
        yield from map(ast.parse, re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
    for notebook in (ROOT / "examples").glob("*.ipynb"):
        cells = json.loads(notebook.read_text())["cells"]
        yield from (ast.parse("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code")


def used_in_pages():
    """Returns the functions and classes of the package that some page calls or builds on, by their whole names."""
    names = set()
    for tree in code_of_pages():
        nodes, homes = [*ast.walk(tree)], {"simper_tf": "simper_tf"}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module.startswith("simper_tf"):
                homes |= {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        words = (ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute | ast.Name))
        known = (word.partition(".") for word in words if word.partition(".")[0] in homes)
        names |= {f"{homes[first]}{dot}{rest}" for first, dot, rest in known if "(" not in rest}
    found = {}
    for name in names:
        try:
            found[name] = pkgutil.resolve_name(name)
        except (AttributeError, ModuleNotFoundError):  # Such as an attribute of what a call returns.
            continue
    return {name: value for name, value in found.items() if inspect.isclass(value) or inspect.isfunction(value)}


PUBLIC = [
    *(getattr(simper_tf, name) for name in simper_tf.__all__), *ENCODERS.values(), *METHODS.values(),
    *SIMILARITIES.values(), *(value for value in vars(metrics).values() if isinstance(value, metrics.Metric)),
    # What other packages build on: the doors of rooms, and the parts of encoders and methods.
    options.Options, options.option, options.takes, series_files.series_of, sources.open_file, search.find,
    before_head.mark, frames.clip_input, precision.space_mean, spectral.view_power, tasks.Frequency, SelfSupervised,
]  # fmt: skip


def examples():
    """Yields the module, the name and the docstring of whatever has an example."""
    for path in sorted((ROOT / "simper_tf").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text())):
            text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
            if text and ">>>" in text:
                yield pytest.param(module, node.name, text, id=f"{module}.{node.name}")


def test_all_that_a_page_uses_has_an_example():
    used = used_in_pages()
    assert {"simper_tf.read", "simper_tf.methods.register", "simper_tf.encoders.before_head.mark"} <= {*used}
    assert not [name for name, value in used.items() if ">>>" not in (inspect.getdoc(value) or "")]


@pytest.mark.parametrize("public", PUBLIC, ids=lambda public: public.__name__)
def test_a_public_name_has_an_example(public):
    assert ">>>" in inspect.getdoc(public)


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "text"), examples())
def test_an_example_prints_what_it_says(module, name, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {**vars(importlib.import_module(module)), "simper_tf": simper_tf, "np": np}
    example = doctest.DocTestParser().get_doctest(text, names, name, module, 0)
    failed, _ = doctest.DocTestRunner().run(example)
    assert not failed, capsys.readouterr().out
