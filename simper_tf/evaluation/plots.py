"""Matplotlib figures of records, features, predictions and errors; the caller saves them."""

import math

import numpy as np
import threadpoolctl
from matplotlib.figure import Figure
from sklearn import manifold

from simper_tf.signals import spectrum

# Logged values of every run that say nothing of what is learned, and those that share the axis of the loss.
UNDRAWN = {"step", "seconds", "clips_per_second", "waiting"}
LOSSES = ("loss", "label_entropy", "kl_divergence", "contrast", "region", "stride", "positive", "negative")
# Clips that an embedding shows at most, evenly over all: enough for a dense curve, and done in a second or two.
EMBEDDED = 500
# Okabe and Ito's dark colors, and markers, tell curves apart without seeing red and green.
CURVES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#56B4E9", "v"), ("#000000", "P"))
# A ratio of errors from which on their axis is logarithmic.
WIDE = 10


def training_curves(history):
    """Returns a figure of the loss and its parts, and of all other logged values, over steps."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    steps = [record["step"] for record in history]
    for name in [name for name in history[0] if name not in UNDRAWN]:
        axes = left if name in LOSSES else right
        axes.plot(steps, [record.get(name, np.nan) for record in history], label=name)
    left.set_title("loss with its prior, label entropy, KL divergence" if "label_entropy" in history[0] else "loss")
    right.set_title("how features follow the speeds (best: 1)" if "speed_correlation" in history[0] else "")
    for axes in (left, right):
        axes.set_xlabel("step")
        axes.legend(frameon=False)
        axes.title.set_fontsize(9)
    return figure


def series_over_reference(series, reference, labels, rates, name, unit="Hz"):
    """Returns a figure of 1-D features of some clips, each over the true course of what repeats, `(N, T)`.

    Of `(N, T, D)` features the first channel is drawn. Labels are true frequencies, rates frames per second.
    """
    figure = Figure(figsize=(9, 1.25 * len(series) + 0.6), layout="constrained")
    rows = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    for axes, feature, truth, label, rate in zip(rows, series, reference, labels, rates, strict=True):
        _draw_over_reference(axes, feature, truth, rate, name)
        axes.set_ylabel(f"{label:.3g} {unit}", rotation=0, ha="right", va="center")
    rows[0].legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1), fontsize=8)
    rows[-1].set_xlabel("seconds")
    return figure


def _draw_over_reference(axes, feature, truth, rate, name):
    """Draws one feature, `(T,)` or the first channel of `(T, D)`, over the `(T,)` truth of that name."""
    feature = feature if feature.ndim == 1 else feature[:, 0]
    seconds = np.arange(len(feature)) / rate
    axes.plot(seconds, _standardize(truth), color="0.75", linewidth=2.5, label=f"true {name}")
    axes.plot(seconds, _standardize(feature), color="C0", linewidth=1.1, label="feature")
    axes.set_yticks([])


def spaced(values, count):
    """Returns the indices of up to so many values, evenly over the order of all."""
    order = np.argsort(values)
    return order[np.unique(np.linspace(0, len(order) - 1, count).round().astype(int))]


def spectra(series, labels, rates, task):
    """Returns a figure of the power spectra of some clips' features, the true frequency marked and the band shaded.

    Features are `(N, T)` or `(N, T, D)`, labels `(N,)` in the unit of the task, and rates frames per second.
    """
    series = np.atleast_3d(series)
    figure = Figure(figsize=(9, 1.25 * len(series) + 0.6), layout="constrained")
    rows = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    right = 0.0
    for axes, feature, label, rate in zip(rows, series, labels, rates, strict=True):
        power = spectrum.power(feature.T).numpy().sum(axis=0)
        factor = task.per_hertz(len(feature) / rate)
        low, high = factor * task.band[0], factor * task.band[1]
        frequencies = factor * np.arange(len(power)) * rate / (16 * len(feature))
        axes.axvspan(low, high, color="0.95")
        axes.axvline(label, color="C3", linewidth=1, linestyle="--")
        axes.plot(frequencies, power / max(power.max(), 1e-30), color="C0", linewidth=1.1)
        axes.set_ylabel(f"{label:.3g} {task.unit}", rotation=0, ha="right", va="center")
        axes.set_yticks([])
        right = max(right, min(3 * high, factor * rate / 2))
    rows[0].set_title("power of the features; dashed: true frequency; shaded: band of the readout", fontsize=9)
    rows[-1].set_xlabel(task.unit)
    rows[-1].set_xlim(0, right)
    return figure


def forecasts(labels, predictions, names, unit):
    """Returns a figure of some true series, `(N, H)`, each with what every protocol predicts."""
    figure = Figure(figsize=(9, 1.6 * len(labels) + 0.6), layout="constrained")
    rows = figure.subplots(len(labels), 1, sharex=True, squeeze=False)[:, 0]
    for k, (axes, name) in enumerate(zip(rows, names, strict=True)):
        axes.plot(labels[k], color="0.75", linewidth=2.5, label="true")
        for protocol, predicted in predictions.items():
            axes.plot(predicted[k], linewidth=1.1, label=protocol)
        axes.set_title(name, fontsize=9, loc="left")
        axes.set_ylabel(unit)
    rows[0].legend(frameon=False, ncols=1 + len(predictions), fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
    rows[-1].set_xlabel("frames after the clip")
    return figure


def predicted_over_true(labels, predictions, unit="Hz"):
    """Returns a figure with one panel a protocol, predictions over true values, `(N,)` or `(N, H)`."""
    figure, panels = _panels(len(predictions), sharex=True, sharey=True)
    for axes, (protocol, predicted) in zip(panels, predictions.items(), strict=True):
        axes.plot([labels.min(), labels.max()], [labels.min(), labels.max()], color="0.7", linewidth=0.8)
        axes.plot(np.ravel(labels), np.ravel(predicted), ".", markersize=2, alpha=0.5)
        axes.set_title(f"{protocol}: MAE {np.abs(predicted - labels).mean():.4f} {unit}", fontsize=9)
    figure.supxlabel(f"true ({unit})", fontsize=9)
    figure.supylabel(f"predicted ({unit})", fontsize=9)
    return figure


def embeddings(runs, unit="Hz", seed=0):
    """Returns a figure of 2-D t-SNE embeddings of the features' spectra, a panel a run, colored by label.

    Spectra, because the phase of a clip would otherwise decide its place. Of `(N, T)` or `(N, T, D)` features, N > 1,
    `EMBEDDED` are drawn at most; labels are `(N,)`, or `(N, H)` series, whose means give the colors.
    """
    figure, panels = _panels(len(runs))
    colors = {title: labels.reshape(len(labels), -1).mean(axis=1) for title, (_, labels) in runs.items()}
    limits = {"vmin": min(map(np.min, colors.values())), "vmax": max(map(np.max, colors.values()))}
    for axes, (title, (series, _)) in zip(panels, runs.items(), strict=True):
        chosen = np.unique(np.linspace(0, len(series) - 1, EMBEDDED).round().astype(int))
        points = embedding_points(np.atleast_3d(series[chosen]), seed)
        scatter = axes.scatter(*points.T, c=colors[title][chosen], s=4, cmap="viridis", **limits)
        axes.set_title(title, fontsize=9)
        axes.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
    figure.colorbar(scatter, ax=panels, label=f"true label ({unit})")
    figure.supxlabel("t-SNE 1 of the features' spectra", fontsize=9)
    figure.supylabel("t-SNE 2", fontsize=9)
    return figure


def errors_over_share(curves, xlabel):
    """Returns a figure of relative errors over the share of what was learned from, with bars of their spread.

    By title `(K, 3)` of share in percent, error and spread. A title "SimPer, some way" has the color of "SimPer" and
    another line.
    """
    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    axes = figure.subplots()
    names, ways = (list(dict.fromkeys(title.partition(", ")[part] for title in curves)) for part in (0, 2))
    for title, points in curves.items():
        name, _, way = title.partition(", ")
        color, marker = CURVES[names.index(name) % len(CURVES)]
        style = ("-", "--", ":", "-.")[ways.index(way) % 4]
        shares, means, spreads = points[np.argsort(points[:, 0])].T
        axes.errorbar(shares, means, spreads, color=color, marker=marker, linestyle=style, capsize=2.5, label=title)
    errors = np.concatenate([points[:, 1] for points in curves.values()])
    shares = np.unique(np.concatenate([points[:, 0] for points in curves.values()]))
    axes.set_xscale("log")
    axes.set_xticks(shares, [f"{share:g}" for share in shares], minor=False)
    axes.set_xticks([], minor=True)
    if errors.min() > 0 and errors.max() > WIDE * errors.min():
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(errors.min() / 2, None)  # A bar may reach 0, which lies nowhere on this axis.
    axes.set(xlabel=xlabel, ylabel="MAPE (%)")
    figure.legend(frameon=False, fontsize=8, loc="outside upper center", ncols=3)
    return figure


def embedding_points(series, seed=0):
    """Returns `(N, 2)` points of a t-SNE embedding of the spectra of `(N, T, D)` features, N > 1."""
    power = spectrum.power(np.moveaxis(series, 2, 1), padding=1).numpy().sum(axis=1)
    amplitude = np.sqrt(power / np.maximum(power.sum(axis=1, keepdims=True), 1e-30))
    # The principal components, as small as t-SNE wants them. Its own divide by zero where all features are constant.
    directions, sizes, _ = np.linalg.svd(amplitude - amplitude.mean(axis=0), full_matrices=False)
    begin = directions[:, :2] * sizes[:2]
    begin *= 1e-4 / max(begin[:, 0].std(), 1e-12)
    tsne = manifold.TSNE(init=begin, perplexity=min(30, (len(begin) - 1) / 3), random_state=seed)
    # More threads would wait for one another longer than so few points take, and round differently every time.
    with threadpoolctl.threadpool_limits(1):
        return tsne.fit_transform(amplitude)


def _panels(number, **options):
    """Returns a figure with so many panels of one size, three a row, with options of `Figure.subplots`."""
    num_columns = min(3, number)
    num_rows = math.ceil(number / num_columns)
    figure = Figure(figsize=(3 * num_columns, 3 * num_rows + 0.2), layout="constrained")
    panels = list(figure.subplots(num_rows, num_columns, squeeze=False, **options).flat)
    for axes in panels[number:]:
        axes.remove()
    return figure, panels[:number]


def _standardize(series):
    return (series - series.mean()) / (series.std() + 1e-9)
