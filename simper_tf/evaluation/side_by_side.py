"""Features or errors of several runs -> figures with one column, panel or curve for each. Needs the extra `plots`.

A run is a dictionary of arrays: `series` `(N, T)` or `(N, T, D)`, `labels` `(N,)`, `rates` `(N,)` and, where it is
known what repeats, `(K, T)` of its course under a name of its own, for the first K clips; or None for a run that is not
there, whose panels say so. All runs show the same clips. Colors can be told apart without seeing red and green.
"""

import dataclasses

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from simper_tf.evaluation import plots

ROWS = 4
COLUMNS = 5
# What a run holds beside the course of what repeats; `seen` and `groups` only where a figure asks for them.
FIELDS = {"series", "labels", "rates", "ids", "seen", "groups"}
ABSENT = "not finished"
# Inches of panels in a line, at most: what is wider cannot be read on a page.
WIDTH = 7.8
# Lines of the ways of a curve.
STYLES = "-", "--", ":", "-."
# Okabe and Ito's, the dark ones, and markers that tell curves apart without any color.
CURVES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#56B4E9", "v"), ("#000000", "P"))
# A ratio of errors from which on they are drawn on a logarithmic axis.
WIDE = 10


@dataclasses.dataclass(frozen=True)
class Errors:
    """A curve of errors.

    Attributes:
        sizes: `(K,)`, in percent.
        means: `(K,)` errors.
        lows, highs: `(K,)` ends of their intervals.
    """

    sizes: np.ndarray
    means: np.ndarray
    lows: np.ndarray
    highs: np.ndarray


def reference(runs):
    """Returns the name of what is known to repeat, or None."""
    return next(iter(sorted(set(_first(runs)) - FIELDS)), None)


def series_over_reference(runs, unit="Hz"):
    """Returns a figure of 1-D features over the true course of what repeats: a row a clip, a column a run.

    Args:
        runs: Title -> run, at least one of them there; of D channels the first is drawn.
        unit: Unit of the labels.
    """
    first, name = _first(runs), reference(runs)
    chosen = plots.spaced(first["labels"][: len(first[name])], ROWS)
    figure = Figure(
        figsize=(min(2.3, WIDTH / len(runs)) * len(runs) + 0.6, 1.1 * len(chosen) + 0.9), layout="constrained"
    )
    panels = figure.subplots(len(chosen), len(runs), sharex=True, squeeze=False)
    for column, (title, run) in zip(panels.T, runs.items(), strict=True):
        column[0].set_title(title, fontsize=9)
        for axes, k in zip(column, chosen, strict=True):
            if run is None:
                _say_absent(axes)
            else:
                plots.draw_over_reference(axes, run["series"][k], run[name][k], run["rates"][k], name)
    for axes, k in zip(panels[:, 0], chosen, strict=True):
        axes.set_ylabel(f"{first['labels'][k]:.3g} {unit}", rotation=0, ha="right", va="center")
    drawn = next(axes for axes in panels[0] if axes.get_lines())
    handles, names = drawn.get_legend_handles_labels()
    figure.legend(handles, names, frameon=False, fontsize=8, loc="outside upper right", ncols=2)
    figure.supxlabel("seconds", fontsize=9)
    return figure


def embeddings(runs, unit="Hz", columns=COLUMNS):
    """Returns a figure of 2-D t-SNE embeddings of the features' spectra, a panel a run, colored by label.

    Where a run has `seen`, `(N,)` bool, clips whose labels no training has seen are triangles with a rim.

    Args:
        runs: Title -> run, at least one of them there.
        unit: Unit of the labels.
        columns: Panels in a line, at most.
    """
    figure, panels = _panels(len(runs), min(len(runs), columns))
    for axes, (title, run) in zip(panels, runs.items(), strict=True):
        axes.set_title(title, fontsize=9)
        if run is None:
            _say_absent(axes)
            continue
        points = plots.embedding_points(np.atleast_3d(run["series"]))
        scatter = _scatter(axes, points, run["labels"], run.get("seen"), _range(runs))
    figure.colorbar(scatter, ax=panels, label=f"true label ({unit})", shrink=0.8, pad=0.01)
    if any(run and run.get("seen") is not None for run in runs.values()):
        drawn = max(panels, key=lambda axes: len(axes.collections))  # One may hold clips of one kind alone.
        handles, names = drawn.get_legend_handles_labels()
        figure.legend(handles, names, frameon=False, fontsize=8, loc="outside upper center", ncols=2)
    return figure


def grouped_embeddings(runs, name):
    """Returns a figure as `embeddings` does, above colored by label in Hz, below with numbers for groups.

    Args:
        runs: Title -> run, at least one of them there, with `groups`, `(N,)` whole numbers from 0 to 9.
        name: What the groups are, in print.
    """
    figure, panels = _panels(2 * len(runs), len(runs))
    above, below = panels[: len(runs)], panels[len(runs) :]
    for upper, lower, (title, run) in zip(above, below, runs.items(), strict=True):
        upper.set_title(f"{title}, by true label", fontsize=9)
        lower.set_title(f"{title}, by {name}", fontsize=9)
        if run is None:
            _say_absent(upper)
            _say_absent(lower)
            continue
        points = plots.embedding_points(np.atleast_3d(run["series"]))
        scatter = _scatter(upper, points, run["labels"], None, _range(runs))
        for group in np.unique(run["groups"]):
            chosen, color = run["groups"] == group, CURVES[group % len(CURVES)][0]
            lower.scatter(*points[chosen].T, marker=f"${group}$", color=color, s=22, linewidths=0.2)
    figure.colorbar(scatter, ax=panels, label="true label (Hz)", shrink=0.6, pad=0.01)
    return figure


def errors_over_size(panels, xlabel, ylabel):
    """Returns a figure of errors over the size of what was learned from, a panel a data set, with intervals.

    Args:
        panels: Title -> (title of a curve -> `Errors`). "SimPer, some way" has the color of "SimPer", and the line of
            its way, from the second way on with hollow markers.
        xlabel, ylabel: Of the axes, with units.
    """
    figure = Figure(figsize=(4.2 * len(panels), 3.4), layout="constrained")
    names = [name.partition(", ") for curves in panels.values() for name in curves]
    every, ways = (list(dict.fromkeys(name[part] for name in names)) for part in (0, 2))
    ways.sort(key=bool)  # What has none is drawn through, wherever it stands.
    handles = {}
    for axes, (title, curves) in zip(figure.subplots(1, len(panels), squeeze=False).flat, panels.items(), strict=True):
        for name, errors in curves.items():
            line, _, way = name.partition(", ")
            handles[name] = _curve(axes, errors, every.index(line), len(every), ways.index(way))
        axes.set_title(title, fontsize=9)
        _axes_of_errors(axes, curves.values(), xlabel)
    figure.axes[0].set_ylabel(ylabel)
    figure.legend(handles.values(), handles, frameon=False, fontsize=8, loc="outside upper center",
                  ncols=min(len(handles), 4))  # fmt: skip
    return figure


def _curve(axes, errors, number, total, way):
    """Draws a curve; those of a panel stand a little beside one another, so that intervals do not overlap."""
    color, marker = CURVES[number % len(CURVES)]
    sizes = errors.sizes * 1.035 ** (number - (total - 1) / 2)
    lengths = np.stack([errors.means - errors.lows, errors.highs - errors.means])
    return axes.errorbar(sizes, errors.means, np.maximum(lengths, 0), color=color, marker=marker, markersize=4,
                         markerfacecolor="white" if way > 1 else color, linestyle=STYLES[way % len(STYLES)],
                         linewidth=1.3, elinewidth=1, capsize=2.5)  # fmt: skip


def _axes_of_errors(axes, curves, xlabel):
    means = np.concatenate([errors.means for errors in curves])
    sizes = np.unique(np.concatenate([errors.sizes for errors in curves]))
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(xlabel)
    if means.min() > 0 and means.max() > WIDE * means.min():
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(means.min() / 2, None)  # An interval may reach 0, which lies nowhere on this axis.
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, None)
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)


def _panels(number, columns):
    """Returns a figure with axes of embeddings, and these."""
    num_rows = -(-number // columns)
    side = min(2.2, WIDTH / columns)
    figure = Figure(figsize=(side * columns + 0.9, (side + 0.2) * num_rows + 0.4), layout="constrained")
    panels = list(figure.subplots(num_rows, columns, squeeze=False).flat)
    for axes in panels[number:]:
        axes.remove()
    for axes in panels[:number]:
        axes.set_xticks([])
        axes.set_yticks([])
    figure.supxlabel("t-SNE 1 of the features' spectra", fontsize=9)
    figure.supylabel("t-SNE 2", fontsize=9)
    return figure, panels[:number]


def _scatter(axes, points, labels, seen, limits):
    """Draws embedded clips and returns those seen, for a color bar."""
    look = {"cmap": "viridis", "vmin": limits[0], "vmax": limits[1]}
    seen = np.ones(len(points), bool) if seen is None else seen
    found = axes.scatter(*points[seen].T, c=labels[seen], s=5, label="frequencies seen in training", **look)
    if not seen.all():
        axes.scatter(*points[~seen].T, c=labels[~seen], s=16, marker="^", edgecolors="black", linewidths=0.3,
                     label="not seen", **look)  # fmt: skip
    return found


def _range(runs):
    labels = np.concatenate([run["labels"] for run in runs.values() if run])
    return labels.min(), labels.max()


def _first(runs):
    return next(run for run in runs.values() if run)


def _say_absent(axes):
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, ABSENT, transform=axes.transAxes, ha="center", va="center", fontsize=9, color="0.35")
