"""Measures the package against plain references in one process and prints ratios.

python -m benchmarks

Writes `runs/bench/results.jsonl`: `name`, `ours`, `reference`, `ratio`. Times are seconds (of `neighbors_*`: pairs a
second), the best of several calls that alternate between the two sides, so that a busy machine disturbs both alike.
"""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import trainers  # noqa: F401  (loads TensorFlow quietly)

# isort: split
import keras
import numpy as np
import tensorflow as tf

from benchmarks import reference
from simper_tf import augment, encoders, files, losses, neighbors, similarity, tables
from simper_tf.appearance import Appearance
from simper_tf.methods import SimPer
from simper_tf.times import SpeedSets
from simper_tf.views import Views

RESULTS = pathlib.Path("runs/bench/results.jsonl")
QUICKSTART = "flags/quickstart.cfg"
# Side in pixels -> shape of the clips: those of rotating digits, of the pulse data sets, of Countix.
CLIPS = {28: (4, 150, 28, 28, 1), 36: (2, 180, 36, 36, 3), 96: (1, 200, 96, 96, 3)}
SPEED_RANGE = (0.5, 2.0)


def main():
    results = []
    for name, measure in (
        *((f"speed_{size}", functools.partial(speed, *shape)) for size, shape in CLIPS.items()),
        *((f"views_{size}", functools.partial(views, *shape)) for size, shape in CLIPS.items()),
        *(
            (f"views_{size}_shared", functools.partial(views, *shape, share_spatial=True))
            for size, shape in CLIPS.items()
        ),
        ("loss", loss),
        ("neighbors_1000", lambda: neighbor_search(1000, _waves)),
        ("neighbors_4000", lambda: neighbor_search(4000, _waves)),
        ("neighbors_1000_noise", lambda: neighbor_search(1000, np.random.Generator.standard_normal)),
        ("train_step", lambda: train_step(encoders.cnn3d((None, None, 1)), num_clips=1)),
        ("train_step_small", lambda: train_step(encoders.small((None, None, 1)), num_clips=4)),
        ("peak_memory_gib", peak_memory),
    ):
        print(f"measuring {name} ...", flush=True)
        ours, other, ratio = measure()
        results.append({"name": name, "ours": ours, "reference": other, "ratio": ratio})
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    files.write_atomically(RESULTS, "".join(json.dumps(result) + "\n" for result in results))
    lines = [[r["name"], f"{r['ours']:.4g}", f"{r['reference']:.4g}", f"{r['ratio']:.3g}"] for r in results]
    print(tables.markdown_table(["name", "ours", "reference", "ratio"], lines))


def speed(*shape):
    """Seconds a batch to change the speed alone, for 20 views a clip; ratio: reference over ours."""
    clips, length = _random_clips(shape), SpeedSets(speed_range=SPEED_RANGE).longest_view(shape[1])

    def changed_by(change):
        return lambda seed: change(clips, augment.draw_speeds(seed, shape[0], 20, SPEED_RANGE))

    return _compare_draws(
        changed_by(lambda clips, speeds: augment.resample(clips, tf.zeros_like(speeds), speeds, length)),
        changed_by(lambda clips, speeds: reference.change_speeds(clips, speeds, length)),
    )


def views(*shape, share_spatial=False):
    """Seconds a batch for 2 x 10 views a clip, whose sets share a draw of space or not; ratio: reference over ours."""
    clips, length = _random_clips(shape), SpeedSets(speed_range=SPEED_RANGE).longest_view(shape[1])
    make = Views(length, SpeedSets(speed_range=SPEED_RANGE), Appearance(share_spatial=share_spatial))
    return _compare_draws(
        lambda seed: make(clips, seed)["views"],
        lambda seed: reference.make_views(clips, seed, 10, length, SPEED_RANGE, share_spatial)[0],
    )


def loss():
    """Seconds for similarity and loss of (32, 2 x 10, 150) features, forward and backward; reference over ours."""
    features = tf.random.normal([32, 20, 150])
    speeds = tf.repeat(tf.sort(tf.random.uniform([32, 10], 0.5, 2.0), axis=1)[:, None], 2, axis=1)
    speeds = tf.reshape(speeds, [32, 20])

    def ours(features):
        first, second = tf.split(features, 2, axis=1)
        labels = losses.label_distribution(*tf.split(speeds, 2, axis=1))
        return tf.reduce_mean(losses.generalized_info_nce(similarity.max_cross_correlation(first, second), labels))

    def with_gradient(function):
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                tape.watch(features)
                value = function(features)
            return value, tape.gradient(value, features)

        return step

    mine, other = with_gradient(ours), with_gradient(lambda features: reference.loss_rows(features, speeds))
    difference = float(tf.abs(mine()[0] - other()[0]))
    if difference > 1e-4:
        raise ValueError(f"The two losses differ by {difference}: they do not compute the same.")
    return _compare(mine, other, repeats=30)  # A few milliseconds each: caches are still filling in the first rounds.


def neighbor_search(number, draw):
    """Pairs a second of nearest neighbors by `mxcorr` among so many features for as many; ratio: over all pairs."""
    rng = np.random.default_rng(0)
    train, queries = [draw(rng, (number, 150, 4)).astype(np.float32) for _ in range(2)]
    # All pairs take as long for each query, so a few tell their speed.
    some = queries[:100]
    found = neighbors.nearest_neighbor(train, range(number), some)
    if np.any(found != reference.nearest_of_all(train, some)):
        raise ValueError("The two searches find different neighbors: they do not compute the same.")
    ours, other, _ = _compare(
        lambda: neighbors.nearest_neighbor(train, range(number), queries),
        lambda: reference.nearest_of_all(train, some),
        repeats=3,
    )
    ours, other = number * number / ours, number * len(some) / other
    return ours, other, ours / other


def train_step(encoder, num_clips):
    """Seconds of a whole step from uint8 clips, views on the device; ratio: over the encoder's bare step."""
    clips = tf.cast(tf.random.uniform([num_clips, 150, 28, 28, 1], 0, 256, tf.int32), tf.uint8)
    make = Views(75, SpeedSets(5))
    model = SimPer(encoder, make, prior_weight=10.0, prior_band=(0.4 / 30, 5.5 / 30))
    model.compile(keras.optimizers.Adam(1e-9))
    flat = tf.reshape(make(clips, [0, 0])["views"], [-1, 75, 28, 28, 1])

    @tf.function
    def bare():
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.square(encoder(flat, training=True)))
        return tape.gradient(value, encoder.trainable_variables)

    step = tf.function(model.train_step)
    ours, other, _ = _compare(lambda: step(clips), bare)
    return ours, other, ours / other


def peak_memory():
    """GiB of one epoch of the quickstart with evaluation and export; ratio: over a process that only loads it all."""
    with tempfile.TemporaryDirectory() as folder:
        run = ["-m", "trainers.pretrain", f"--flagfile={QUICKSTART}", "--epochs=1", f"--run_dir={folder}/run"]
        ours = _peak_of(run)
    other = _peak_of(["-c", "import trainers.pretrain, matplotlib.figure, sklearn.manifold"])
    return ours, other, ours / other


def _random_clips(shape):
    return tf.cast(tf.random.uniform(shape, 0, 256, tf.int32), tf.uint8)


def _waves(rng, shape):
    """Returns features as encoders make them: a waveform a channel at a frequency and a phase a clip, with noise."""
    channels, phases = np.arange(shape[2]), rng.uniform(0, 2 * np.pi, (shape[0], 1, 1))
    angles = 2 * np.pi * rng.uniform(0.5, 5, (shape[0], 1, 1)) * np.arange(shape[1])[:, None] / 30 + phases
    series = np.sin(angles + channels) + 0.4 * np.sin(2 * angles + channels**2) + 0.2 * np.sin(3 * angles)
    return series + 0.2 * rng.standard_normal(shape)


def _compare_draws(ours, other):
    """Compares functions of a seed over several of them: not all draws blur, nor run at the same speeds."""
    ours, other, num_draws = tf.function(ours), tf.function(other), 8

    def all_draws(function):
        for k in range(num_draws):
            function(tf.constant([0, k]))

    seconds, other_seconds, ratio = _compare(lambda: all_draws(ours), lambda: all_draws(other))
    return seconds / num_draws, other_seconds / num_draws, ratio


def _compare(ours, other, repeats=7):
    ours(), other()
    times = [(_time(ours), _time(other)) for _ in range(repeats)]
    best, best_other = (min(column) for column in zip(*times, strict=True))
    return best, best_other, best_other / best


def _time(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _peak_of(arguments):
    """Runs Python and returns the largest resident size it had, in GiB."""
    # A fresh interpreter waits for it, because the maximum is over all children that were ever waited for.
    code = (
        "import resource, subprocess, sys; subprocess.run([sys.executable, *sys.argv[1:]], check=True, stdout=2); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    run = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return int(run.stdout) / 2**20


if __name__ == "__main__":
    main()
