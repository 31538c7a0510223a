"""Modules that are loaded by their first use."""

import subprocess
import sys

import pytest

from simper_tf.utils.later import loaded_later


def test_a_module_is_loaded_by_its_first_use():
    code = """
import sys
from simper_tf.utils.later import loaded_later
later = loaded_later("this")
print("not yet")
later.d
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("not yet\nThe Zen of Python")


def test_a_module_that_is_loaded_stays_as_it_is():
    assert loaded_later("sys") is sys


def test_a_module_that_is_not_there_is_refused_at_once():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        loaded_later("no_such_module")
