"""Features of several runs -> figures with one column or panel for each. Needs the extra `plots`.

A run is a dictionary of arrays: `series` `(N, T)` or `(N, T, D)`, `labels` `(N,)`, `rates` `(N,)` and, where it is
known what repeats, `(K, T)` of its course under a name of its own, for the first K clips. All runs show the same clips.
"""

from matplotlib.figure import Figure

from simper_tf import plots

ROWS = 4
COLUMNS = 5


def reference(runs):
    """Returns the name of what is known to repeat, or None."""
    return next(iter(sorted(set(next(iter(runs.values()))) - {"series", "labels", "rates"})), None)


def series_over_reference(runs, unit="Hz"):
    """Returns a figure of 1-D features over the true course of what repeats: a row a clip, a column a run.

    Args:
        runs: Title -> run; of D channels the first is drawn.
        unit: Unit of the labels.
    """
    first, name = next(iter(runs.values())), reference(runs)
    chosen = plots.spaced(first["labels"][: len(first[name])], ROWS)
    figure = Figure(figsize=(2.3 * len(runs), 1.1 * len(chosen) + 0.7), layout="constrained")
    panels = figure.subplots(len(chosen), len(runs), sharex=True, squeeze=False)
    for column, (title, run) in zip(panels.T, runs.items(), strict=True):
        column[0].set_title(title, fontsize=9)
        for axes, k in zip(column, chosen, strict=True):
            plots.draw_over_reference(axes, run["series"][k], run[name][k], run["rates"][k], name)
    for axes, k in zip(panels[:, 0], chosen, strict=True):
        axes.set_ylabel(f"{first['labels'][k]:.3g} {unit}", rotation=0, ha="right", va="center")
    panels[0, 0].legend(frameon=False, fontsize=7, loc="lower left", bbox_to_anchor=(0, 1.15))
    figure.supxlabel("seconds", fontsize=9)
    return figure


def embeddings(runs, unit="Hz", seed=0):
    """Returns a figure of 2-D t-SNE embeddings of the features' spectra, a panel a run, colored by label.

    Args:
        runs: Title -> run.
        unit: Unit of the labels.
        seed: Seed of the embeddings.
    """
    num_rows = -(-len(runs) // COLUMNS)
    figure = Figure(figsize=(2.4 * min(len(runs), COLUMNS) + 0.8, 2.5 * num_rows), layout="constrained")
    panels = list(figure.subplots(num_rows, min(len(runs), COLUMNS), squeeze=False).flat)
    for axes in panels[len(runs) :]:
        axes.remove()
    panels = panels[: len(runs)]
    for axes, (title, run) in zip(panels, runs.items(), strict=True):
        scatter = plots.draw_embedding(axes, run["series"], run["labels"], seed)
        axes.set_title(title, fontsize=9)
    figure.supxlabel("t-SNE 1 of the features' spectra", fontsize=9)
    figure.supylabel("t-SNE 2", fontsize=9)
    figure.colorbar(scatter, ax=panels, label=f"true label ({unit})", shrink=0.8)
    return figure
