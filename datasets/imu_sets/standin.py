"""A miniature of the sets of exercises: acceleration of a wrist that turns, in the format of the files."""

import json
import pathlib

import numpy as np

from .reader import RATE

# Two exercises of each folder, so that one can validate and another train.
EXERCISES = {
    "arms": ("barbell-biceps-curl", "triceps-dips"),
    "back": ("deltoid-row", "dumbbell-row"),
    "chest": ("cable-cross-overs", "dumbbell-chest-fly"),
}
BLOCK = 102  # Samples of a block of the watch: files are whole blocks.
NOISE = 0.03  # In g, of a wrist that trembles.
PACE = (0.25, 0.6)  # Repetitions per second, as people are seen to lift.
VARIABILITY = 0.1  # Share by which the time of a repetition differs from that of others.
RADIANS = 1.0  # By which the forearm turns in a repetition, and the direction of gravity with it.
# What tests write, and the config in which each split of it has a few clips.
SMALLEST = ({"subjects": 6, "seconds": 20}, {"num_samples": 64})


def write(out, subjects=24, seconds=30, seed=0):
    """Writes `FOLDER/NAME.csv` for each set, and `truth.json`.

    It takes one set at least for each of six exercises, of 12 s, with the rest before and after it; else a ValueError.

    Returns the truth, also written: for each set its `count`, and the `start` and `stop` of its repetitions in seconds.
    """
    exercises = [(folder, name) for folder, names in EXERCISES.items() for name in names]
    if subjects < len(exercises) or seconds < 12:
        raise ValueError(f"It takes {len(exercises)} sets, of 12 s each. Received: {subjects}, {seconds}.")
    out, truth = pathlib.Path(out), {}
    for number in range(subjects):
        folder, exercise = exercises[number % len(exercises)]
        path = out / folder / f"labelled_{folder}_{number + 1}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        truth[f"{folder}/{path.stem}"] = _write(path, exercise, seconds, np.random.default_rng([seed, number]))
    (out / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def _write(path, exercise, seconds, rng):
    length = -(-seconds * RATE // BLOCK) * BLOCK
    start, most = rng.uniform(1.5, 3.0), length / RATE - 5.0  # Seconds before the first repetition, and for all.
    count = max(3, int(most * rng.uniform(*PACE)))
    lengths = 1 + VARIABILITY * rng.uniform(-1, 1, count)
    ends = start + np.append(0, np.cumsum(lengths)) * most / lengths.sum()
    phases = np.interp(np.arange(length) / RATE, ends, np.arange(count + 1))  # Stands still before and after.
    angles = rng.uniform(0, 2 * np.pi) + RADIANS * (1 - np.cos(2 * np.pi * phases)) / 2
    acceleration = np.stack([np.cos(angles), np.sin(angles), np.full(length, 0.1)], axis=1)
    acceleration += NOISE * rng.normal(size=acceleration.shape)
    rows = "\n".join(f"{x:.3f},{y:.3f},{z:.3f},{exercise},,10.0,{count}" for x, y, z in acceleration)
    path.write_text(f"{rows}\n", encoding="ascii")
    return {"count": count, "start": float(ends[0]), "stop": float(ends[-1])}
