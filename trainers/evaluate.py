"""Evaluates a trained run: result rows, a table, plots.

python -m trainers.evaluate --run_dir=runs/quickstart
"""

import trainers.quiet  # noqa: F401  isort: skip
import dataclasses

import numpy as np

from simper_tf.evaluation import clip_table, features, metrics, protocols, rows, tables, tasks
from simper_tf.reading import agreement
from simper_tf.training import checkpoints, experiment, own_videos, run_folder, served, subsets
from simper_tf.utils import files
from trainers import cli, data, options, run_plots, videos

# Clips predicted among which the plots of a few choose, so that drawing does not read them all.
FIRST = 60
# Clips predicted whose features are kept.
FEW_HUNDRED = 500
# Correlation with the speed below which features have learned nothing of it; without any learning it is near 0.
LEARNED = 0.5


def main():
    """Evaluates the run in `--run_dir`."""
    settings = options.of_run()
    with run_folder.opened(settings) as folder, data.opened(settings) as clips:
        model, seconds = load_model(folder, clips, settings)
        evaluate(folder, clips, model, settings, seconds)


def load_model(folder, clips, settings):
    """Returns the method of a run with the weights of its last checkpoint, and the seconds of its training.

    Raises:
        ValueError: the run has not been trained to its end.
    """
    run = experiment.assemble(settings, clips)
    model, saved = run.model, checkpoints.Checkpoints(folder / "checkpoints", run.model)
    # A run of no epochs has none, and needs none where the seed makes its weights again.
    step = saved.restore(warn=cli.say)
    missing = settings.encoder_from and not checkpoints.checkpoint_steps(folder / "checkpoints")
    if step < run.num_steps or missing:
        state = f"a run that was stopped at step {step} of {run.num_steps}" if step else "no checkpoint"
        raise ValueError(
            f"{folder} holds {state}. Train to the end: python -m trainers.pretrain --flagfile={folder}/flags.cfg "
            f"--run_dir={folder}"
        )
    return model, float(saved.seconds)


def evaluate(folder, clips, model, settings, seconds):
    """Writes `results.jsonl`, `readout.json`, `clips.csv` and `plots/` of a trained method, and prints its rows.

    Args:
        folder: Path of the run's folder.
        clips: A `ClipData`.
        model: A trained method.
        settings: Settings of the run; its `split` says whose clips are predicted.
        seconds: Spent on training, for the rows.
    """
    run_folder.check_rows(folder)
    say_whether_it_learned(clips, model, settings)
    task = experiment.task_of(settings, clips)
    splits = dict.fromkeys((*task.chosen_on, settings.split))
    functions = features.graphs(functions_of(clips, model, task))
    features_of = {split: extract(clips, split, functions, settings) for split in splits}
    given = settings.options_for("protocol")
    if settings.labels:
        features_of = own_videos.labeled(features_of, clips, settings)
        given = {"labeled_clips": len(features_of["train"].labels)} | given  # All that somebody has labeled.
    else:
        features_of["train"] = dataclasses.replace(features_of["train"], known=clips.known_labels)
    predicted = features_of[settings.split]
    predictions = protocols.predict(features_of["train"], features_of.get("validation"), predicted, task, given)
    learned = settings.epochs or settings.encoder_from
    if not learned and task.kind == "frequency":
        # Beside what learned nothing alone: they are the same for all runs on the same clips.
        predictions |= protocols.of_perfect(features_of["train"], features_of["validation"], predicted, task)
        predictions |= ideal(clips, predicted, settings, task)
    titles = protocols.TITLES if task.kind == "frequency" else dict.fromkeys(predictions)
    for name, prediction in predictions.items():
        if prediction.note and name in titles:
            cli.say(prediction.note)
    values = {name: prediction.values for name, prediction in predictions.items()}
    run = {
        "dataset": clips.name,
        "config": clips.config,
        "method": settings.method if learned else "untrained",
        "encoder": settings.encoder,
        "seed": settings.seed,
        "commit": rows.code_commit(),
        "seconds": seconds,
        "settings": settings.digest(),
        "split": settings.split,
    }
    others, sure = {}, {}
    if isinstance(task, tasks.Unlabeled):
        readings = videos.readings(clips, settings, predicted, values)
        results = videos.scores(readings, task, predicted, values, run)
        others, sure = agreement.columns(readings)
    else:
        results = rows.score(values, predicted, task, **run)
        undefined = [name for name in task.metrics if name not in {row.metric for row in results}]
        if undefined:
            cli.say(f"Undefined for these labels, of which all are alike or one is 0: {', '.join(undefined)}.")
    seen = subsets.seen(predicted.labels, settings)
    # Of validation clips those with hidden labels are left out.
    if seen is not None and settings.split == "test":
        results += rows.score_apart(values, predicted, task, seen, **run)
    keep_features(folder, clips, settings, predicted)
    keep_heads(folder, predictions, features_of, task, given)
    rows.write_rows(folder / "results.jsonl", results)
    of_clips = folder / run_folder.OF_CLIPS[settings.split]
    clip_table.write(of_clips, predicted, values | others, task.unit, sure)
    say_scores(results, values, predicted, task, settings)
    cli.say(f"All readouts: {folder / 'results.jsonl'}, those of each clip: {of_clips}.")
    if settings.artifacts:
        run_plots.draw_run(folder, task, predicted, values, true_courses(clips, settings))


def say_whether_it_learned(clips, model, settings):
    """Prints how the features of clips follow the known speeds of views, and warns where they do not.

    It needs no label. Where nothing was learned, frequencies are still read and look like any others.
    """
    examples, count = clips.split(settings.split, min(FIRST, settings.limit(settings.split) or FIRST))
    # Whole batches alone: of a smaller one, some of several replicas would get nothing.
    size = model.distribute_strategy.num_replicas_in_sync
    size *= 4 if count >= 4 * size else 1
    if count < size or "speed_correlation" not in model.log_names():
        return
    logs = model.evaluate(examples.map(lambda example: example["clip"]).batch(size, drop_remainder=True), verbose=0)
    follow = f"correlation {logs['speed_correlation']:.3f}, slope {logs['speed_slope']:.3f}"
    cli.say(f"In views of {count // size * size} {settings.split} clips features follow the speed: {follow}.")
    if logs["speed_correlation"] < LEARNED:
        cli.say("WARNING: features do not follow the speed of views. Nothing was learned: do not trust what they read.")
        if settings.interpolation == "linear":
            cli.say(
                "Noise may swell and fade by the speed, and be followed in their place: try --interpolation=steady."
            )


def say_scores(results, values, predicted, task, settings):
    """Prints scores: of a frequency those of the readouts in `protocols.TITLES`, in words, and else all."""
    titles = protocols.TITLES if task.kind == "frequency" else {}
    shown = [row for row in results if not titles or row.protocol in titles]
    cli.say(f"{len(predicted.labels)} {settings.split} clips:")
    cli.say(tables.results_table(shown, titles))
    if "gm" in task.metrics and not settings.labels:
        names = {row.protocol for row in shown}
        floored = [
            f"{titles.get(name, name)} {metrics.count_floored(predicted.labels, read)}"
            for name, read in values.items() if name in names
        ]  # fmt: skip
        cli.say(f"Errors that gm lifts to {metrics.FLOOR:g} {task.unit}: {'; '.join(floored)}.")


def functions_of(clips, model, task):
    """Returns what is read off every clip, for `features.extract`: features, and the extras of the task."""
    functions = {"series": model.encode, **features.extras(task, clips.value_range, clips.frame_shape)}
    return functions | ({"predicted": model.predict_labels} if model.predicts_labels else {})


def extract(clips, split, functions, settings):
    """Returns the `features.Features` of a split, showing progress."""
    examples, count = clips.split(split, settings.limit(split))
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


def keep_heads(folder, predictions, features_of, task, given):
    """Writes what protocols have found and fitted, with their errors on validation clips, for export."""
    readouts = {name: dict(one.found) for name, one in predictions.items() if name in served.SERVED}
    if validation := features_of.get("validation"):
        names = served.suiting(task)
        again = protocols.predict(features_of["train"], validation, validation, task, given, names)
        error, _ = task.metrics["mae"]
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
