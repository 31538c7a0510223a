"""Plots of a run, and the folder they go to."""

from simper_tf.evaluation import tasks
from simper_tf.utils import files
from trainers import cli, history

FEWEST_EMBEDDED = 10  # Clips; fewer make no picture.


def draw_run(folder, task, predicted, predictions, courses):
    """Saves the plots of a run, from labels predicted by each protocol and true courses, `(N, T)`, of first clips."""
    from simper_tf.evaluation import plots  # Takes a second to load.

    made = {"predicted_over_true": plots.predicted_over_true(predicted.labels, predictions, task.unit)}
    records = history.records_of(folder / "logs" / "history.jsonl")
    if records:
        made["training"] = plots.training_curves(records)
    if isinstance(task, tasks.Frequency):
        made |= _series(plots, task, predicted, courses)
    elif isinstance(task, tasks.Series):
        made["forecasts"] = _forecasts(plots, task, predicted, predictions)
    if len(predicted.labels) >= FEWEST_EMBEDDED:
        made["embedding"] = plots.embeddings({"": (predicted.series, predicted.labels)}, task.unit)
    else:
        cli.say(f"No embedding: it takes {FEWEST_EMBEDDED} clips.")
    (folder / "plots").mkdir(exist_ok=True)
    for name, figure in made.items():
        save(figure, folder / "plots" / f"{name}.png")
    cli.say(f"Plots: {folder / 'plots'}.")


def save(figure, path):
    """Writes a figure as a PNG, whole or not at all."""
    with files.replacing(path, "wb") as file:
        figure.savefig(file, dpi=120)


def _series(plots, task, predicted, courses):
    """Returns figures of a few clips from slow to fast: spectra, and features over what repeats where it is known."""
    first = min((len(course) for course in courses.values()), default=len(predicted.labels))
    chosen = plots.spaced(predicted.labels[:first], 4)
    series, labels, rates = predicted.series[chosen], predicted.labels[chosen], predicted.rates[chosen]
    made = {"spectra": plots.spectra(series, labels, rates, task)}
    for name, course in courses.items():
        made[f"features_over_{name}"] = plots.series_over_reference(
            series, course[chosen], labels, rates, name, task.unit
        )
    return made


def _forecasts(plots, task, predicted, predictions):
    """Returns a figure of a few clips from low to high."""
    chosen = plots.spaced(predicted.labels.mean(axis=1), 4)
    some = {protocol: values[chosen] for protocol, values in predictions.items()}
    return plots.forecasts(predicted.labels[chosen], some, predicted.ids[chosen], task.unit)
