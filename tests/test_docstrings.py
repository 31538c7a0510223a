"""The examples of the public names run and print what they say."""

import doctest
import inspect

import numpy as np
import pytest

import simper_tf

SLOW = {"export_model", "load_encoder"}
NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in simper_tf.__all__]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_public_name_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"simper_tf": simper_tf, "np": np}
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(getattr(simper_tf, name)), names, name, name, 0)
    assert example.examples
    failed, _ = doctest.DocTestRunner().run(example)
    assert not failed, capsys.readouterr().out
