"""The process that runs are forked from leaves to them what cannot be forked."""

import pytest

from trainers import workers

# Notes every process that looks for devices, and then does what the command does.
PROGRAM = """
import os, pathlib
from tensorflow.python import pywrap_tfe
looked, look = [], pywrap_tfe.TF_ListPhysicalDevices
pywrap_tfe.TF_ListPhysicalDevices = lambda: looked.append(os.getpid()) or look()
from trainers import pretrain
def start(words):
    pretrain.start(["--help"])
    pathlib.Path(words[0]).write_text(f"{os.getpid()} {looked} {sorted(os.environ)}")
"""


@pytest.mark.slow
def test_devices_are_looked_for_by_each_run_and_not_by_what_it_is_forked_from(tmp_path, monkeypatch):
    (tmp_path / "noting.py").write_text(PROGRAM)
    monkeypatch.setattr(workers, "PROGRAM", "noting")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with workers.Workers() as at_work:
        for name in ("one", "two"):
            at_work.start(name, [str(tmp_path / name)], tmp_path / f"{name}.log", {})
            assert at_work.wait() == (name, 0)
    for name in ("one", "two"):
        process, looked, environment = (tmp_path / name).read_text().split(" ", 2)
        assert looked == f"[{process}]"
        assert "SIMPER_TF_IS_IMPORTING_TO_FORK" not in environment
        assert (tmp_path / f"{name}.log").read_text().startswith("Pre-trains an encoder")
