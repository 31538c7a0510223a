"""Evaluates a trained run: result rows, a table, plots.

python -m trainers.evaluate --run_dir=runs/quickstart
"""

import numpy as np
from absl import flags

from simper_tf import training
from simper_tf.evaluation import protocols, rows, tables
from trainers import cli, data, history, options, runs


def main():
    folder = runs.adopt_flags()
    builder = data.load()
    model, seconds = load_model(folder, builder)
    evaluate(folder, builder, model, seconds)


def load_model(folder, builder):
    """Returns the method of a run with the weights of its last checkpoint, and the seconds of its training.

    Raises:
        ValueError: the run has no checkpoint.
    """
    model = options.method(options.encoder(builder.info.features["clip"].shape[-1]), None, rate=1.0)
    model.compile(options.optimizer(steps_per_epoch=1))
    checkpoints = training.Checkpoints(folder / "checkpoints", model)
    if not checkpoints.restore(warn=cli.say):
        raise ValueError(f"{folder} holds no checkpoint. Train first: python -m trainers.pretrain --run_dir={folder}")
    return model, float(checkpoints.seconds)


def evaluate(folder, builder, model, seconds):
    """Writes `results.jsonl` and `plots/` of a trained method and prints the table of its rows.

    Args:
        folder: Of the run.
        builder: A built TFDS builder.
        model: A method with `encode`.
        seconds: Spent on training, for the rows.
    """
    config = flags.FLAGS
    train = extract(builder, "train", config.train_clips, model)
    test = extract(builder, "test", config.test_clips, model)
    band = options.pair("band")
    predictions, harmonic = protocols.predict_frequencies(train, test, band, config.labeled_clips)
    multiple = "" if harmonic == 1 else f"{1 / harmonic:.3g} times "
    cli.say(f"Features run at {multiple}the frequency.")
    results = protocols.score(
        predictions,
        test,
        unit="Hz",
        dataset=builder.name,
        config=builder.builder_config.name,
        method=config.method,
        encoder=config.encoder,
        seed=config.seed,
        commit=rows.code_commit(),
        seconds=seconds,
    )
    rows.write_rows(folder / "results.jsonl", results)
    cli.say(tables.results_table(results))
    cli.say(f"Results: {folder / 'results.jsonl'}.")
    if config.artifacts:
        draw(folder, builder, test, predictions, band)


def extract(builder, split, limit, model):
    """Returns the `protocols.Features` of a split, showing progress."""
    examples, count = data.split(builder, split, limit)
    return protocols.extract(model.encode, examples, progress=cli.Counter(f"Encoding {split} clips", count))


def draw(folder, builder, test, predictions, band):
    """Saves the plots of a run; says so and goes on where a plotting library is missing."""
    try:
        from simper_tf.evaluation import plots
    except ImportError:
        cli.say("No plots: matplotlib is not installed (extra `plots`).")
        return
    examples = list(data.split(builder, "test", min(60, len(test.labels)))[0].as_numpy_iterator())
    # A few clips from slow to fast.
    chosen = np.argsort([example["label"] for example in examples])[:: max(len(examples) // 4, 1)]
    few, rate = [examples[k] for k in chosen], float(test.rates[0])
    series, labels = test.series[chosen], test.labels[chosen]
    figures = {
        "predicted_over_true": plots.predicted_over_true(test.labels, predictions),
        "spectra": plots.spectra(series, labels, rate, band),
    }
    records = history.read(folder / "logs" / "history.jsonl")
    if records:
        figures["training"] = plots.training_curves(records)
    if "angle" in few[0]:
        angles = np.stack([example["angle"] for example in few])
        figures["features_over_angle"] = plots.series_over_reference(series, angles, labels, rate, "angle")
    try:
        figures["embedding"] = plots.embedding(test.series, test.labels)
    except ImportError:
        cli.say("No embedding: umap-learn is not installed (extra `plots`).")
    (folder / "plots").mkdir(exist_ok=True)
    for name, figure in figures.items():
        figure.savefig(folder / "plots" / f"{name}.png", dpi=120)
    cli.say(f"Plots: {folder / 'plots'}.")


if __name__ == "__main__":
    options.define()
    cli.run(main)
