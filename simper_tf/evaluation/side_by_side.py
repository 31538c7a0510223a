"""Features of several runs -> figures with one column or panel for each. Needs the extra `plots`."""

import numpy as np
from matplotlib.figure import Figure

from simper_tf.evaluation import plots

ROWS = 4
COLUMNS = 5


def series_over_reference(runs):
    """Returns a figure of 1-D features over the true course of what repeats: a row a clip, a column a run.

    Args:
        runs: Name -> dictionary with `series` `(N, T)` or `(N, T, D)`, of which the first channel is drawn, `labels`
            `(N,)`, `rates` `(N,)` and the reference `(K, T)` under a name of its own, the same clips in each.
    """
    first = next(iter(runs.values()))
    (name,) = set(first) - {"series", "labels", "rates"}
    chosen = plots.spaced(first["labels"][: len(first[name])], ROWS)
    figure = Figure(figsize=(2.3 * len(runs), 1.1 * len(chosen) + 0.7), layout="constrained")
    panels = figure.subplots(len(chosen), len(runs), sharex=True, squeeze=False)
    for column, (title, run) in zip(panels.T, runs.items(), strict=True):
        column[0].set_title(title, fontsize=9)
        for axes, k in zip(column, chosen, strict=True):
            plots.draw_over_reference(axes, run["series"][k], run[name][k], run["rates"][k], name)
    for axes, k in zip(panels[:, 0], chosen, strict=True):
        axes.set_ylabel(f"{first['labels'][k]:.3g} Hz", rotation=0, ha="right", va="center")
    panels[0, 0].legend(frameon=False, fontsize=7, loc="lower left", bbox_to_anchor=(0, 1.15))
    figure.supxlabel("seconds", fontsize=9)
    return figure


def embeddings(runs, seed=0):
    """Returns a figure of 2-D UMAP embeddings of the features' spectra, a panel a run, coloured by label.

    Args:
        runs: As for `series_over_reference`.
        seed: Of the embeddings.

    Raises:
        ImportError: `umap-learn` is not installed.
    """
    num_rows = -(-len(runs) // COLUMNS)
    figure = Figure(figsize=(2.4 * min(len(runs), COLUMNS) + 0.8, 2.5 * num_rows), layout="constrained")
    panels = list(figure.subplots(num_rows, min(len(runs), COLUMNS), squeeze=False).flat)
    for axes in panels[len(runs) :]:
        axes.remove()
    panels = panels[: len(runs)]
    for axes, (title, run) in zip(panels, runs.items(), strict=True):
        points = plots.embedding_points(np.atleast_3d(run["series"]), seed)
        scatter = axes.scatter(*points.T, c=run["labels"], s=4, cmap="viridis")
        axes.set_title(title, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
    figure.colorbar(scatter, ax=panels, label="true label (Hz)", shrink=0.8)
    return figure
