"""Runs of a few steps on a few clips, in this process or in one of their own."""

import pathlib
import shutil

import pytest
import tensorflow as tf
from absl import flags
from few_digits import FEW, Digits, digits_built  # noqa: F401  (a fixture)
from processes import Command
from tensorflow.python.framework.config import disable_op_determinism
from tiny_runs import TINY

import datasets
from datasets.rotating_digits.rotating_digits_dataset_builder import RotatingDigitsConfig
from trainers import options, pretrain, run_plots, scores

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def _trained(tmp_path_factory):
    return tmp_path_factory.mktemp("trained") / "run"


@pytest.fixture
def finished(call, _trained, request):
    """Returns the folder of a run of 6 steps, with plots and an export: trained once, and a copy for each module."""
    if not _trained.exists():
        call(pretrain.main, f"--run_dir={_trained}", "--artifacts")
    copy = _trained.with_name(request.module.__name__.rpartition(".")[2])
    return copy if copy.exists() else pathlib.Path(shutil.copytree(_trained, copy))


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
    # It makes a graph of its own, which takes as long as all the rest; `test_whether_it_learned.py` is about it.
    monkeypatch.setattr(scores, "say_whether_it_learned", lambda *_: None)
    tf.config.experimental.enable_op_determinism()  # Runs are compared bit by bit.

    def run(main, *arguments):
        plain(main, f"--data_dir={data_dir}", *TINY, *arguments)

    run.tiny = TINY
    yield run
    # A command is a process of its own elsewhere: what its flags have switched on must not reach other tests.
    disable_op_determinism()
    tf.config.run_functions_eagerly(False)


@pytest.fixture
def training_alone(monkeypatch):
    """Ends a run in this process with its training: a test of weights asks for no evaluation, which takes as long.

    With `finished`, name it after that, whose run is to be evaluated.
    """
    monkeypatch.setattr(pretrain.evaluate, "evaluate", lambda *_: None)


@pytest.fixture
def undrawn(monkeypatch):
    """Leaves out the plots of runs in this process, for tests of what else they leave."""
    monkeypatch.setattr(run_plots, "draw_run", lambda *_: None)


@pytest.fixture
def command(data_dir):
    """Returns a function that starts `python -m trainers.<name>` with tiny flags and returns the process."""

    def start(name, *arguments, **options):
        return Command([f"trainers.{name}", f"--data_dir={data_dir}", *TINY, *arguments], **options)

    return start


@pytest.fixture
def few(monkeypatch):
    """Adds a config of ten clips a split, `rotating_digits/few`."""
    config = RotatingDigitsConfig(**FEW)
    monkeypatch.setitem(Digits.builder_configs, "few", config)
