"""Rows of whole training steps and of what feeds them."""

import functools
import tempfile
from unittest import mock

import keras
import numpy as np
import tensorflow as tf
from absl import flags

from benchmarks.timing import Row, alternate, peak_gib, seconds
from benchmarks.views import random_clips
from simper_tf.data import pipeline
from simper_tf.encoders import ENCODERS
from simper_tf.methods import SimPer
from simper_tf.training import experiment, loop
from simper_tf.training.settings import Settings
from simper_tf.views.times import SpeedSets
from simper_tf.views.views import Views
from trainers import data, options

QUICKSTART = "flags/quickstart.cfg"
PRETRAIN = "import runpy; runpy.run_module('trainers.pretrain', run_name='__main__')"


def train_step(num_clips, name):
    """Seconds of a whole step from uint8 clips, views on the device, and of the encoder's bare step."""
    clips = random_clips([num_clips, 150, 28, 28, 1])
    make, encoder = Views(75, SpeedSets(5)), ENCODERS[name]((None, None, 1))
    model = SimPer(encoder, make, prior_weight=10.0, prior_band=(0.4 / 30, 5.5 / 30))
    model.compile(keras.optimizers.Adam(1e-9))
    flat = tf.reshape(make(clips, [0, 0])["views"], [-1, 75, 28, 28, 1])

    @tf.function
    def bare():
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.square(encoder(flat, training=True)))
        return tape.gradient(value, encoder.trainable_variables)

    step = tf.function(model.train_step)
    return alternate(lambda: step(clips), bare)


def input_alone(num_clips, cache_bytes=pipeline.CACHE_BYTES):
    """Clips a second of the quickstart's batches that nobody trains on, and of its steps on a batch that is there.

    Args:
        num_clips: Clips of an epoch.
        cache_bytes: Clips up to this size are kept in memory; 0 reads each from its file every time.
    """
    settings = settings_of(QUICKSTART, train_clips=num_clips)
    run = experiment.assemble(settings, data.load(settings))
    size = settings.batch_size
    with mock.patch.object(pipeline, "CACHE_BYTES", cache_bytes):
        batches = iter(pipeline.Batches(run.read, run.num_examples, size, seed=0).start())
    number = run.num_examples // size

    def epoch():
        for _ in range(number):
            next(batches)

    epoch()  # Fills what keeps clips: this process's memory, or the file system's.
    step, batch = loop.step_function(run.model), next(batches)
    reading = min(seconds(epoch) for _ in range(5))
    best = np.min([seconds(lambda: step(batch)) for _ in range(10)])
    return number * size / reading, size / float(best)


def peak_memory(num_clips):
    """GiB of the quickstart with so many clips, evaluation and export included, and of loading all of it alone."""
    with tempfile.TemporaryDirectory() as folder:
        run = f"--run_dir={folder}/run", f"--train_clips={num_clips}"
        ours = peak_gib(PRETRAIN, f"--flagfile={QUICKSTART}", *run)
    return ours, peak_gib("import trainers.pretrain, matplotlib.figure, sklearn.manifold")


def settings_of(flagfile: str, **changes) -> Settings:
    """Returns the settings of a flagfile, with those that are given by name."""
    values = flags.FlagValues()
    options.define(values)
    values(["benchmarks", f"--flagfile={flagfile}", *(f"--{name}={value}" for name, value in changes.items())])
    return options.settings(values)


ROWS = {
    "train_step": Row(functools.partial(train_step, name="cnn3d"), (1, 2), "clips"),
    "train_step_small": Row(functools.partial(train_step, name="small"), (2, 4), "clips"),
    "input_alone": Row(input_alone, (500, 1000), "training clips", "clips/s"),
    "peak_memory": Row(peak_memory, (500, 1000), "training clips", "GiB"),
}
