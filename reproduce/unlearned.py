"""Readings of clips without any encoder: the controls of tables, and harmonic patterns of the pixels."""

import sys

import tensorflow as tf

from reproduce.ranking import OF_CLIPS
from simper_tf.evaluation import clip_table, features, protocols, rows, tasks
from simper_tf.training import experiment, run_folder, subsets
from trainers import cli, data, options

# Of their rows.
METHOD, ENCODER = "untrained", "none"


def start(words: list[str]):
    """Reads the clips of a run with these arguments of `trainers.pretrain`, in a process that has no flags yet."""
    sys.argv[:] = ["unlearned", *words]
    options.define()
    cli.run(main)


def main():
    """Writes the rows and the table of clips of `--run_dir`, without a line of training."""
    settings = options.settings()
    with run_folder.opened(settings) as folder, data.opened(settings) as clips:
        folder.mkdir(parents=True, exist_ok=True)
        read(folder, clips, settings)


def read(folder, clips, settings):
    """Reads clips by all protocols that look at no feature, and writes what they read.

    Args:
        folder: Gets `results.jsonl` and the table of clips.
        clips: A `ClipData`.
        settings: Of the data, the band and the split; nothing else of them counts.
    """
    task = experiment.task_of(settings, clips)
    functions = features.graphs(
        {"series": _mean_of_frames, **features.extras(task, clips.value_range, clips.frame_shape)}
        | ({"contrasts": features.contrasts} if isinstance(task, tasks.Frequency) else {})
    )
    train, predicted = (_extract(clips, split, functions, settings) for split in ("train", settings.split))
    found = protocols.predict(train.labeled(), predicted, predicted, task, names=OF_CLIPS)
    values = {name: prediction.values for name, prediction in found.items()}
    run = {
        "dataset": clips.name, "config": clips.config, "method": METHOD, "encoder": ENCODER, "seed": settings.seed,
        "commit": rows.code_commit(), "seconds": 0.0, "settings": settings.digest(), "split": settings.split,
    }  # fmt: skip
    made = rows.score(values, predicted, task, **run)
    seen = subsets.seen(predicted.labels, settings)
    if seen is not None:
        made += rows.score_apart(values, predicted, task, seen, **run)
    rows.write_rows(folder / "results.jsonl", made)
    clip_table.write(folder / run_folder.OF_CLIPS[settings.split], predicted, values, task.unit)


def _extract(clips, split, functions, settings):
    examples, count = clips.split(split, settings.limit(split))
    return features.extract(functions, examples, progress=cli.Counter(f"Reading {split} clips", count))


def _mean_of_frames(clips):
    """Returns `(N, T)` means: every protocol wants to know how long clips are."""
    return tf.reduce_mean(tf.cast(clips, tf.float32), axis=(2, 3, 4))
