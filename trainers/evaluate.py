"""Evaluates a trained run: result rows, a table, plots.

python -m trainers.evaluate --run_dir=runs/quickstart
"""

import trainers.quiet  # noqa: F401  isort: skip
import contextlib
import dataclasses

import numpy as np

from simper_tf.evaluation import clip_table, features, protocols, rows
from simper_tf.training import checkpoints, experiment, run_folder, served, subsets
from simper_tf.utils import files
from trainers import cli, data, options, run_plots, scores

# Clips predicted among which the plots of a few choose, so that drawing does not read them all.
FIRST = 60
# Clips predicted whose features are kept.
FEW_HUNDRED = 500


def main():
    """Evaluates the run in `--run_dir`."""
    settings = options.of_run()
    with opened(settings) as (folder, clips):
        model, seconds = load_model(folder, clips, settings)
        evaluate(folder, clips, model, settings, seconds)


@contextlib.contextmanager
def opened(settings):
    """Gives the folder of a run that was trained, and its clips: data are built for no other."""
    with run_folder.opened(settings) as folder:
        # A run of no epochs needs none where the seed makes its weights again.
        if (settings.epochs or settings.encoder_from) and not checkpoints.checkpoint_steps(folder / "checkpoints"):
            raise _unfinished(folder, "no checkpoint")
        with data.opened(settings) as clips:
            yield folder, clips


def load_model(folder, clips, settings):
    """Returns the method of a finished run as its last checkpoint has it, and the seconds that its training took."""
    run = experiment.assemble(settings, clips)
    model, saved = run.model, checkpoints.Checkpoints(folder / "checkpoints", run.model)
    step = saved.restore(warn=cli.say)
    if step < run.num_steps:
        raise _unfinished(folder, f"a run that was stopped at step {step} of {run.num_steps}")
    return model, float(saved.seconds)


def _unfinished(folder, state):
    command = f"python -m trainers.pretrain --flagfile={folder}/flags.cfg --run_dir={folder}"
    return ValueError(f"{folder} holds {state}. Train to the end: {command}")


def evaluate(folder, clips, model, settings, seconds):
    """Writes `results.jsonl`, `readout.json`, `clips.csv` and `plots/` of a trained method, and prints its rows.

    The clips predicted are those of the `split` of the settings; `seconds` were spent on training.
    """
    run_folder.check_rows(folder)
    speed_correlation = scores.say_whether_it_learned(clips, model, settings)
    task = experiment.task_of(settings, clips)
    features_of, options_given = encoded(clips, model, task, settings)
    predicted = features_of[settings.split]
    predictions = predict(clips, features_of, task, options_given, settings)
    values = {name: prediction.values for name, prediction in predictions.items()}
    results = score(clips, predicted, values, task, settings, seconds)
    keep_features(folder, clips, settings, predicted)
    keep_heads(folder, predictions, features_of, task, options_given, _asked(settings))
    rows.write_rows(folder / "results.jsonl", results)
    of_clips = folder / run_folder.OF_CLIPS[settings.split]
    clip_table.write(of_clips, predicted, values, task.unit)
    scores.say(results, values, predicted, task, settings)
    cli.say(f"All readouts: {folder / 'results.jsonl'}, those of each clip: {of_clips}.")
    scores.say_verdict(results, predictions, speed_correlation)
    if settings.artifacts:
        run_plots.draw_run(folder, task, predicted, values, true_courses(clips, settings))


def encoded(clips, model, task, settings):
    """Returns the `features.Features` of each split, by name, and the options given to protocols.

    The head of a method needs nothing but features, and no training clip where labels are frequencies: those have the
    features of the clips that are predicted then.
    """
    functions = features.functions_of(model, task, clips.value_range, clips.frame_shape)
    splits = ["train", "validation", settings.split]
    if settings.own_head:
        functions = {name: functions[name] for name in ("series", "predicted")}
        splits = splits[1:] if task.kind == "frequency" else splits
    functions = features.graphs(functions)
    features_of = {split: extract(clips, split, functions, settings) for split in dict.fromkeys(splits)}
    if "train" in features_of:
        features_of["train"] = dataclasses.replace(features_of["train"], known=clips.known_labels)
    else:
        features_of["train"] = features_of[settings.split]
    return features_of, settings.options_for("protocol")


def predict(clips, features_of, task, options_given, settings):
    """Returns the `Prediction` of each protocol for the clips of the split of the settings, by name; says their notes.

    Beside an encoder that learned nothing stand floors and ideal, which are the same for all runs on the same clips.
    """
    train, validation, predicted = features_of["train"], features_of["validation"], features_of[settings.split]
    predictions = protocols.predict(train, validation, predicted, task, options_given, _asked(settings))
    if task.kind == "frequency" and not (has_learned(settings) or settings.own_head):
        predictions |= protocols.of_perfect(train, validation, predicted, task)
        predictions |= ideal(clips, predicted, settings, task)
    for name, prediction in predictions.items():
        if prediction.note and (task.kind != "frequency" or name in protocols.TITLES):
            cli.say(prediction.note)
    return predictions


def _asked(settings):
    """Returns the protocols that read clips; None for all."""
    if settings.own_head:
        return protocols.OF_HEAD
    return protocols.OF_PIXELS if settings.encoder == "cells" else None


def has_learned(settings):
    """Whether the weights of the encoder come from a training, here or elsewhere."""
    return bool(settings.epochs or settings.encoder_from)


def score(clips, predicted, values, task, settings, seconds):
    """Returns the rows of the predictions."""
    run = {
        "dataset": clips.name,
        "config": clips.config,
        "method": settings.method if has_learned(settings) else "untrained",
        "encoder": settings.encoder,
        "seed": settings.seed,
        "commit": rows.code_commit(),
        "seconds": seconds,
        "settings": settings.digest(),
        "split": settings.split,
    }
    results = rows.score(values, predicted, task, **run)
    undefined = [name for name in task.metrics if name not in {row.metric for row in results}]
    if undefined:
        cli.say(f"Not defined where all labels are alike or one is 0: {', '.join(undefined)}.")
    seen = subsets.seen(predicted.labels, settings)
    # Of validation clips those with hidden labels are left out.
    if seen is not None and settings.split == "test":
        results += rows.score_apart(values, predicted, task, seen, **run)
    return results


def extract(clips, split, functions, settings):
    """Returns the `features.Features` of a split, showing progress."""
    examples, count = clips.split(split, settings.limit(split))
    functions = features.read_of(functions, "test" if split == settings.split else split)
    return features.extract(functions, examples, progress=cli.Counter(f"Encoding {split} clips", count))


def ideal(clips, predicted, settings, task):
    """Returns the prediction of a builder that has an `ideal` reading of its clips, by its name; empty for others."""
    if not hasattr(clips.builder, protocols.IDEAL):
        return {}
    examples, _ = clips.split(settings.split, settings.limit(settings.split))
    hertz = np.array([clips.builder.ideal(example) for example in examples.as_numpy_iterator()])
    return {protocols.IDEAL: features.Prediction(hertz * predicted.per_hertz(task))}


def true_courses(clips, settings):
    """Returns the true course of what repeats in the first clips predicted, where it is known: name -> `(N, T)`."""
    examples = clips.split(settings.split, FIRST)[0]
    return {
        name: np.stack(list(examples.map(lambda example, name=name: example[name]).as_numpy_iterator()))
        for name in clips.courses
    }


def keep_heads(folder, predictions, features_of, task, options_given, asked):
    """Writes what protocols have found and fitted, with their errors on validation clips, for export."""
    readouts = {name: dict(prediction.found) for name, prediction in predictions.items() if name in served.SERVED}
    train, validation, (error, _) = features_of["train"], features_of["validation"], task.metrics["mae"]
    names = [name for name in served.suiting(task) if asked is None or name in asked]
    again = protocols.predict(train, validation, validation, task, options_given, names)
    for name, prediction in again.items():
        readouts[name][served.ERROR] = float(error(validation.labels, prediction.values))
    for name, prediction in predictions.items():
        if prediction.fitted:
            run_folder.write_head(folder, name, prediction.fitted)
    run_folder.write_readout(folder, readouts)


def keep_features(folder, clips, settings, predicted):
    """Writes the features of the first clips predicted, from which runs are drawn side by side; a file a split."""
    few = {name: getattr(predicted, name)[:FEW_HUNDRED] for name in ("series", "labels", "rates", "ids")}
    with files.replacing(folder / run_folder.FEATURES[settings.split], "wb") as file:
        np.savez_compressed(file, split=settings.split, **few, **true_courses(clips, settings))


if __name__ == "__main__":
    options.define()
    cli.run(main, options.groups(options.OF_EVALUATION))
