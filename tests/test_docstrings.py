"""The examples of all docstrings run and print what they say, and public names of each room have one."""

import ast
import doctest
import importlib
import inspect
import pathlib

import numpy as np
import pytest

import simper_tf
from simper_tf.encoders import ENCODERS
from simper_tf.evaluation import metrics
from simper_tf.losses.similarity import SIMILARITIES
from simper_tf.methods import METHODS

ROOT = pathlib.Path(__file__).parents[1]
PUBLIC = [
    *(getattr(simper_tf, name) for name in simper_tf.__all__), *ENCODERS.values(), *METHODS.values(),
    *SIMILARITIES.values(), *(value for value in vars(metrics).values() if isinstance(value, metrics.Metric)),
]  # fmt: skip


def examples():
    """Yields the module, the name and the docstring of whatever has an example."""
    for path in sorted((ROOT / "simper_tf").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text())):
            text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
            if text and ">>>" in text:
                yield pytest.param(module, node.name, text, id=f"{module}.{node.name}")


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
