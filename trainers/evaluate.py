"""Evaluates a trained run: result rows, a table, plots.

python -m trainers.evaluate --run_dir=runs/quickstart
"""

import numpy as np
import tensorflow as tf
from absl import flags

from simper_tf import checkpoints, files, metrics, units
from simper_tf.evaluation import forecasts, protocols, rows, tables
from trainers import cli, data, history, options, runs
from trainers.assembly import assemble

# Features of a data set that show what repeats, frame by frame.
REFERENCES = {"angle", "ppg"}
# Test clips among which the plots of a few choose, so that drawing does not read them all.
FIRST = 60
# Test clips whose features are kept.
FEW_HUNDRED = 500
FEWEST_EMBEDDED = 10
# Rank correlation with the speed below which features have learned nothing of it; without any learning it is near 0.
LEARNED = 0.5


def main():
    runs.adopt_flags()
    with runs.opened() as folder, data.opened() as builder:
        model, seconds = load_model(folder, builder)
        evaluate(folder, builder, model, seconds)


def load_model(folder, builder):
    """Returns the method of a run with the weights of its last checkpoint, and the seconds of its training.

    Raises:
        ValueError: the run has no checkpoint.
    """
    run = assemble(builder)
    model, saved = run.model, checkpoints.Checkpoints(folder / "checkpoints", run.model)
    # A run of no epochs has none, and needs none: the seed makes its weights again.
    if not saved.restore(warn=cli.say) and run.num_steps:
        raise ValueError(f"{folder} holds no checkpoint. Train first: python -m trainers.pretrain --run_dir={folder}")
    return model, float(saved.seconds)


def evaluate(folder, builder, model, seconds):
    """Writes `results.jsonl` and `plots/` of a trained method and prints the table of its rows.

    Args:
        folder: Of the run.
        builder: A built TFDS builder.
        model: A method with `encode`.
        seconds: Spent on training, for the rows.
    """
    config = flags.FLAGS
    runs.check_rows(folder)
    unit = data.label_unit(builder)
    pixels = units.is_frequency(unit)
    say_whether_it_learned(builder, model)
    train = extract(builder, "train", config.train_clips, model.encode, pixels)
    test = extract(builder, "test", config.test_clips, model.encode, pixels)
    if units.is_frequency(unit):
        predictions = _frequencies(train, test, unit)
    elif test.labels.ndim == 1:
        predictions = _values(train, test)
    else:
        predictions = _forecasts(builder, train, test)
    if model.needs_labels:
        predictions["supervised"] = extract(builder, "test", config.test_clips, model.predict_labels).series
    results = protocols.score(
        predictions,
        test,
        unit=unit,
        dataset=builder.name,
        config=builder.builder_config.name,
        method=config.method if config.epochs else "untrained",
        encoder=config.encoder,
        seed=config.seed,
        commit=rows.code_commit(),
        seconds=seconds,
        settings=runs.settings(options.values()),
    )
    keep_features(folder, builder, test)
    rows.write_rows(folder / "results.jsonl", results)
    cli.say(tables.results_table(results))
    if test.labels.ndim == 1:
        floored = (f"{name} {metrics.count_floored(test.labels, values)}" for name, values in predictions.items())
        cli.say(f"Errors that gm lifts to {metrics.FLOOR:g} {unit}, of {len(test.labels)}: {', '.join(floored)}.")
    cli.say(f"Results: {folder / 'results.jsonl'}.")
    if config.artifacts:
        draw(folder, builder, test, predictions)


def say_whether_it_learned(builder, model):
    """Prints how the features of test clips follow the known speeds of views, and warns where they do not.

    It needs no label. Where nothing was learned, frequencies are still read and look like any others.
    """
    if "speed_correlation" not in model.log_names():
        return
    examples, count = data.split(builder, "test", min(FIRST, flags.FLAGS.test_clips or FIRST))
    # Whole batches alone: of a smaller one, some of several replicas would get nothing.
    size = model.distribute_strategy.num_replicas_in_sync
    size *= 4 if count >= 4 * size else 1
    if count < size:
        return
    logs = model.evaluate(examples.map(lambda example: example["clip"]).batch(size, drop_remainder=True), verbose=0)
    follow = f"correlation {logs['speed_correlation']:.3f} and slope {logs['speed_slope']:.3f}"
    cli.say(f"In views of {count // size * size} test clips features follow the speed with {follow}.")
    if logs["speed_correlation"] < LEARNED:
        cli.say("WARNING: features do not follow the speed of views. Nothing was learned: do not trust what they read.")


def keep_features(folder, builder, test):
    """Writes `features.npz`, from which runs are drawn side by side: the features of the first test clips."""
    examples = data.split(builder, "test", FIRST)[0]
    references = {
        name: np.stack(list(examples.map(lambda example, name=name: example[name]).as_numpy_iterator()))
        for name in REFERENCES & set(builder.info.features)
    }
    few = {name: getattr(test, name)[:FEW_HUNDRED] for name in ("series", "labels", "rates")}
    with files.replacing(folder / "features.npz", "wb") as file:
        np.savez_compressed(file, **few, **references)


def extract(builder, split, limit, encode, pixels=False):
    """Returns the `protocols.Features` of a split, showing progress."""
    examples, count = data.split(builder, split, limit)
    counter = cli.Counter(f"Encoding {split} clips", count)
    return protocols.extract(encode, examples, progress=counter, pixels=pixels)


def _frequencies(train, test, unit):
    octave = protocols.find_octave(train)
    cli.say(str(octave))
    predictions, harmonic = protocols.predict_frequencies(
        train, test, options.pair("band"), octave, flags.FLAGS.labeled_clips, unit
    )
    if harmonic * octave.divisor != 1:
        cli.say(f"{flags.FLAGS.labeled_clips} labelled clips say {1 / harmonic:.3g} times the frequency.")
    return predictions


def _values(train, test):
    """Predicts labels that are one number a clip but no frequency, such as a blood pressure, by what needs no band."""
    return {
        **protocols.predict_by_neighbor(train, test),
        "linear_probe": _probe(train, test),
        "training_mean": forecasts.training_mean(train, len(test.labels)),
    }


def _probe(train, test):
    probed, penalty = forecasts.linear_probe(train, test)
    cli.say(f"Linear probe: ridge with a penalty of {penalty:g}, by cross-validation.")
    return probed


def _forecasts(builder, train, test):
    """Predicts label series, in the unit of the clips: by a probe of the features, and by two that know none."""
    low, high = data.clip_range(builder)
    means = extract(builder, "test", len(test.labels), lambda clips: tf.reduce_mean(clips, axis=(2, 3, 4))).series
    past = low + (high - low) * means
    return {
        "linear_probe": _probe(train, test),
        "persistence": forecasts.persistence(past, test.rates[0], test.labels.shape[1]),
        "training_mean": forecasts.training_mean(train, len(test.labels)),
    }


def draw(folder, builder, test, predictions):
    """Saves the plots of a run; says so and goes on where a plotting library is missing."""
    try:
        from simper_tf.evaluation import plots
    except ImportError:
        cli.say("No plots: matplotlib is not installed (extra `plots`).")
        return
    unit = data.label_unit(builder)
    figures = {"predicted_over_true": plots.predicted_over_true(test.labels, predictions, unit)}
    records = history.read(folder / "logs" / "history.jsonl")
    if records:
        figures["training"] = plots.training_curves(records)
    if units.is_frequency(unit):
        figures |= _draw_series(plots, builder, test, predictions, unit)
    elif test.labels.ndim > 1:
        figures |= _draw_forecasts(plots, builder, test, predictions, unit)
    figures |= draw_embedding("embedding", len(test.labels), lambda: plots.embedding(test.series, test.labels, unit))
    (folder / "plots").mkdir(exist_ok=True)
    for name, figure in figures.items():
        with files.replacing(folder / "plots" / f"{name}.png", "wb") as file:
            figure.savefig(file, dpi=120)
    cli.say(f"Plots: {folder / 'plots'}.")


def _draw_series(plots, builder, test, predictions, unit):
    """Returns figures of a few clips from slow to fast: spectra, and features over what repeats where it is known."""
    chosen = plots.spaced(test.labels[:FIRST], 4)
    series, labels, rates = test.series[chosen], test.labels[chosen], test.rates[chosen]
    figures = {"spectra": plots.spectra(series, labels, rates, options.pair("band"), unit)}
    for name in REFERENCES & set(builder.info.features):
        examples = data.split(builder, "test", FIRST)[0].map(lambda example, name=name: example[name])
        truth = np.stack(list(examples.as_numpy_iterator()))[chosen]
        figures[f"features_over_{name}"] = plots.series_over_reference(series, truth, labels, rates, name, unit)
    return figures


def _draw_forecasts(plots, builder, test, predictions, unit):
    """Returns a figure of a few clips from cold to warm."""
    chosen = plots.spaced(test.labels[:FIRST].mean(axis=1), 4)
    predictions = {protocol: values[chosen] for protocol, values in predictions.items()}
    return {"forecasts": plots.forecasts(test.labels[chosen], predictions, test.ids[chosen], unit)}


def draw_embedding(name, num_clips, draw):
    """Returns `{name: draw()}`; nothing, and says why, where that cannot be drawn.

    Args:
        name: Of the figure.
        num_clips: That it shows.
        draw: A function that returns it.
    """
    if num_clips < FEWEST_EMBEDDED:
        cli.say(f"No embedding: it takes {FEWEST_EMBEDDED} test clips.")
        return {}
    return {name: draw()}


if __name__ == "__main__":
    options.define()
    cli.run(main)
