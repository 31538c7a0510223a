"""Matplotlib figures of the method: views of a clip, similarity over shift and speed, examples of data sets."""

import numpy as np
from matplotlib.figure import Figure

from simper_tf.evaluation.plots import CURVES
from simper_tf.losses import info_nce, similarity

# Frames of a clip or view that a strip shows; of views every third from the first, so that their speed can be seen.
SHOWN, STEP = 10, 3
# What is compared in the figure of similarities: frames and cycles of a sine, and the speeds it is played at.
FRAMES, CYCLES, SPEEDS = 150, 6, np.linspace(0.5, 2.0, 301)
NAMES = {"mxcorr": "max. cross-correlation", "npsd": "spectra, cosine", "cosine": "frames, cosine"}


def views(clip, made, speeds):
    """Returns a figure of a clip and its two sets of views: speeds change down a set, looks from set to set.

    The clip is `(T, H, W, C)`; the views of `SpeedSets`, `(2 M, L, H, W, C)`, have `(2 M,)` speeds.
    """
    number = len(made) // 2
    figure = Figure(figsize=(10, 0.75 * (number + 1) + 0.6), layout="constrained")
    rows = figure.subplots(number + 1, 2, squeeze=False)
    _strip(rows[0, 0], clip[: SHOWN * STEP], f"clip, every {STEP}rd of its first frames")
    rows[0, 1].axis("off")
    for k in range(number):
        for column, name in enumerate("AB"):
            index = k + column * number
            _strip(rows[k + 1, column], made[index][: SHOWN * STEP], f"{speeds[index]:.2f} x, set {name}")
    figure.suptitle("Views of one speed are positives of one another; those of other speeds count by their distance.",
                    fontsize=9)  # fmt: skip
    return figure


def similarities():
    """Returns a figure of what contrast sees: similarity over shift and over speed, and the labels of one view.

    A sine is compared with a copy that is shifted, and with copies at other speeds, by three of `SIMILARITIES`.
    """
    figure = Figure(figsize=(10, 3), layout="constrained")
    shifted, faster, labels = figure.subplots(1, 3)
    frames, step = np.arange(FRAMES), 2 * np.pi * CYCLES / FRAMES
    series = np.sin(step * frames)[None].astype(np.float32)
    shifts = np.arange(int(2 * FRAMES / CYCLES) + 1)
    copies = np.sin(step * (frames + shifts[:, None])).astype(np.float32)
    played = np.sin(step * SPEEDS[:, None] * frames).astype(np.float32)
    for (name, title), (color, _) in zip(NAMES.items(), CURVES, strict=False):
        measure = similarity.SIMILARITIES[name]
        shifted.plot(shifts * CYCLES / FRAMES, measure(series, copies)[0], color=color, label=title)
        faster.plot(SPEEDS, measure(series, played)[0], color=color)
    shifted.set(xlabel="shift (periods)", ylabel="similarity", title="the same speed, shifted")
    faster.set(xlabel="speed of the copy (x)", title="another speed")
    shown = np.linspace(0.5, 2.0, 10).astype(np.float32)[None]
    for index, (color, marker) in zip((0, 4, 9), CURVES, strict=False):
        weights = info_nce.label_distribution(shown[:, index : index + 1], shown)[0, 0]
        labels.plot(shown[0], weights, color=color, marker=marker, label=f"view at {shown[0, index]:.2g} x")
    labels.set(xlabel="speed of the other view (x)", ylabel="label weight", title="labels of the generalized loss")
    labels.set_ylim(None, 1.2)  # Room for the legend.
    faster.legend(handles=shifted.lines, frameon=False, fontsize=7, loc="upper right")
    labels.legend(frameon=False, fontsize=7, loc="upper center")
    for axes in (shifted, faster, labels):
        axes.title.set_fontsize(9)
    return figure


def examples(clips):
    """Returns a figure of clips of several data sets, a row each: frames, and the course of what repeats.

    By title they are `(T, H, W, C)` frames, `(T,)` courses by name, and frames per second. The last course is drawn;
    where there is none, the mean brightness of the frames.
    """
    figure = Figure(figsize=(10, 1.05 * len(clips) + 0.4), layout="constrained")
    figure.get_layout_engine().set(rect=(0, 0, 1, 0.98))  # A title above pictures is not counted.
    rows = figure.subplots(len(clips), 2, squeeze=False, width_ratios=(1.7, 1))
    for (strip, curve), (title, (frames, courses, rate)) in zip(rows, clips.items(), strict=True):
        # From the darkest pixel to the brightest: maps of temperatures fill a small part of their range.
        span = max(float(np.ptp(frames)), 1e-6)
        _strip(strip, (frames.astype(float) - np.min(frames)) / span, title)
        name, course = [("brightness", np.mean(frames, axis=(1, 2, 3))), *courses.items()][-1]
        seconds = np.arange(len(course)) / rate
        unit, long = ("days", 86_400) if seconds[-1] > 86_400 else ("s", 1)
        curve.set_xlabel(f"time ({unit})", fontsize=7)
        curve.plot(seconds / long, course, color=CURVES[0][0], linewidth=1)
        curve.set_ylabel(name, fontsize=8)
        curve.set_yticks([])
        curve.tick_params(labelsize=7)
    return figure


def _strip(axes, frames, title):
    """Draws a few frames side by side, evenly over all."""
    chosen = np.asarray(frames)[np.linspace(0, len(frames) - 1, SHOWN).round().astype(int)]
    chosen = chosen / 255 if chosen.dtype == np.uint8 else np.clip(chosen, 0, 1)
    gap = np.ones((chosen.shape[1], max(chosen.shape[2] // 14, 1), chosen.shape[3]))
    strip = np.concatenate([part for frame in chosen for part in (frame, gap)][:-1], axis=1)
    axes.imshow(strip.squeeze(-1) if strip.shape[-1] == 1 else strip, cmap="gray", vmin=0, vmax=1)
    axes.set_title(title, fontsize=8, loc="left")
    axes.axis("off")
