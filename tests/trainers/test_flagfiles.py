"""The flagfiles of the paper's runs."""

import importlib

import pytest

import datasets
from simper_tf.training.settings import setting_fields
from trainers import options


def test_flagfiles_of_the_papers_runs_are_whole(call):
    for name in datasets.names():
        call(options.settings, f"--flagfile=flags/{name}.cfg")
        assert options.flags.FLAGS.dataset.split("/")[0] == name
        module = importlib.import_module(f"datasets.{name}.{name}_dataset_builder")
        assert options.flags.FLAGS.dataset.split("/")[1] in module.Builder.builder_configs


@pytest.mark.parametrize(
    ("name", "epochs", "decays", "batch_size"),
    [
        ("rotating_digits", 20, (12, 16), 64),
        ("scamps", 30, (20, 25), 32),
        ("ubfc", 10, (10,), 16),
        ("pure", 10, (10,), 16),
        ("countix", 90, (60, 80), 32),
        ("lst", 30, (30,), 16),
    ],
)
def test_supervised_flagfiles_have_the_papers_schedule(call, name, epochs, decays, batch_size):
    found = []
    for prefix in ("", "supervised_"):
        call(lambda: found.append(options.settings()), f"--flagfile=flags/{prefix}{name}.cfg", "--view_frames=0")
    before, settings = found
    assert (settings.method, settings.run_dir) == ("supervised", f"runs/supervised_{name}")
    assert (settings.epochs, settings.decay_epochs, settings.batch_size) == (epochs, decays, batch_size)
    changed = {"method", "run_dir", "epochs", "decay_epochs", "batch_size"}
    for field in setting_fields():
        if field.name not in changed:
            assert getattr(settings, field.name) == getattr(before, field.name), field.name
