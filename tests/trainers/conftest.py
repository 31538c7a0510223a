"""Runs of a few steps on a few clips, in this process or in one of their own."""

import pathlib
import subprocess
import sys

import pytest
import tensorflow as tf
from absl import flags
from few_digits import FEW, Digits
from stand_in import PRETRAIN
from tensorflow.python.framework.config import disable_op_determinism

import datasets
from datasets.rotating_digits.rotating_digits_dataset_builder import RotatingDigitsConfig
from trainers import options, workers
from trainers.grid import Run

ROOT = pathlib.Path(__file__).parents[2]
TINY = (
    "--train_clips=12",
    "--validation_clips=4",
    "--test_clips=6",
    "--labeled_clips=3",
    "--epochs=2",
    "--num_views=2",
    "--view_frames=16",
)


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory):
    """Returns a folder that the first run of the session builds rotating digits in."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def sound(tmp_path_factory):
    """Returns the folder in which the raw files of each stand-in lie in a folder of its name, undamaged."""
    folder = tmp_path_factory.mktemp("sound")
    for name in datasets.names("standin"):
        module = datasets.module(name, "standin")
        module.write(folder / name, **module.SMALLEST[0])
    return folder


@pytest.fixture
def plain():
    """Returns a function that runs the `main` of a trainer with flags, and no others, in this process."""
    if "run_dir" not in flags.FLAGS:
        options.define()

    def run(main, *arguments):
        flags.FLAGS.unparse_flags()
        for flag in flags.FLAGS.flags_by_module_dict()["trainers.options"]:
            flag.unparse()
        flags.FLAGS(["test", *arguments])
        main()

    return run


@pytest.fixture
def call(data_dir, monkeypatch, plain):
    """Returns a function that runs the `main` of a trainer with flags, tiny ones first, in this process."""
    monkeypatch.chdir(ROOT)

    def run(main, *arguments):
        plain(main, f"--data_dir={data_dir}", *TINY, *arguments)

    run.tiny = TINY
    yield run
    # A command is a process of its own elsewhere: what its flags have switched on must not reach other tests.
    disable_op_determinism()
    tf.config.run_functions_eagerly(False)


@pytest.fixture
def command(data_dir):
    """Returns a function that starts `python -m trainers.<name>` with tiny flags and returns the process."""

    def start(name, *arguments, **options):
        words = [sys.executable, "-m", f"trainers.{name}", f"--data_dir={data_dir}", *TINY, *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(words, cwd=ROOT, **pipes, **options)

    return start


@pytest.fixture
def few(monkeypatch):
    """Adds a config of ten clips a split, `rotating_digits/few`."""
    config = RotatingDigitsConfig(**FEW)
    monkeypatch.setitem(Digits.builder_configs, "few", config)


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Returns a function that puts some lines of Python, which know their `folder`, in place of `trainers.pretrain`."""
    monkeypatch.setattr(workers, "PROGRAM", "pretrain_stand_in")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # One test may put another in its place within a second.

    def put(lines):
        program = f"import sys\ndef start(words):\n    sys.argv[1:] = words\n    exec({PRETRAIN + lines!r}, {{}})\n"
        (tmp_path / "pretrain_stand_in.py").write_text(program)

    return put


@pytest.fixture
def base(tmp_path):
    """Returns a run by a flagfile of its own."""
    path = tmp_path / "base.cfg"
    path.write_text("--epochs=3\n--band=0.5,4\n--noartifacts\n")
    return Run(str(path)).but(seed=0)
