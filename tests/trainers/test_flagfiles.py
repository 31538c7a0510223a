"""The flagfiles of the paper's runs."""

import dataclasses
import importlib
import types

import numpy as np
import pytest
import tensorflow as tf

import datasets
from simper_tf.data import pipeline
from simper_tf.evaluation import tasks
from simper_tf.training import experiment
from simper_tf.training.settings import setting_fields
from trainers import options


def test_flagfiles_of_the_papers_runs_are_whole(call):
    for name in datasets.names():
        call(options.settings, f"--flagfile=flags/{name}.cfg")
        assert options.flags.FLAGS.dataset.split("/")[0] == name
        module = importlib.import_module(f"datasets.{name}.{name}_dataset_builder")
        assert options.flags.FLAGS.dataset.split("/")[1] in module.Builder.builder_configs


@pytest.mark.parametrize("name", datasets.names("reader"))
def test_a_flagfile_draws_batches_from_a_small_stand_in(call, name):
    settings = []
    call(lambda: settings.append(options.settings()), f"--flagfile=flags/{name}.cfg")
    # A stand-in has six clips or so, here at a rate that the band allows.
    rate, rng = 5 * settings[0].band[1], np.random.default_rng(0)
    examples = {"clip": rng.integers(0, 256, (6, 32, 8, 8, 3), np.uint8), "rate": np.full(6, rate, np.float32)}

    def read(places):
        return places.map(lambda k: {**{key: tf.gather(all_of, k) for key, all_of in examples.items()}, "id": "one"})

    clips = types.SimpleNamespace(reader=lambda *_: (read, 6), column=lambda name, *_: examples[name])
    clips.task = tasks.Scalar("mmHg")
    run = experiment.assemble(dataclasses.replace(settings[0], encoder="frame_mean", train_clips=0), clips)
    assert (run.batch_size, run.num_steps) == (6, settings[0].steps or settings[0].epochs)
    batches = pipeline.Batches(run.read, run.num_examples, run.batch_size, settings[0].seed).start()
    (batch,) = batches.take(1)
    assert batch.shape == (6, 32, 8, 8, 3)


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
        call(lambda: found.append(options.settings()), f"--flagfile=flags/{prefix}{name}.cfg")
    before, settings = found
    assert (settings.method, settings.run_dir) == ("supervised", f"runs/supervised_{name}")
    assert (settings.epochs, settings.decay_epochs, settings.batch_size) == (epochs, decays, batch_size)
    # Without labels the paper has the regime of RotatingDigits on SCAMPS too.
    assert before.batch_size == (64 if name == "scamps" else batch_size)
    changed = {"method", "run_dir", "epochs", "decay_epochs", "batch_size"}
    for field in setting_fields():
        if field.name not in changed:
            assert getattr(settings, field.name) == getattr(before, field.name), field.name
