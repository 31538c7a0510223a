"""The examples of all docstrings run and print what they say, and public names of each room have one."""

import ast
import doctest
import importlib
import inspect
import pathlib

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
