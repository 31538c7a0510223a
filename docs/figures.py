"""Figures of the guides: features in training, errors with few labels and in noise, and the periods of drawn faces.

python -m docs.figures [training] [few_labels] [noise] [periods]
"""

import pathlib
import sys
import tempfile

import keras
import numpy as np
from matplotlib.figure import Figure

import simper_tf
from datasets.drawn_faces import people
from docs import animation, sample
from reproduce import table_figures
from reproduce.grid import Grid
from reproduce.results import gather
from reproduce.studies import STUDIES
from reproduce.studies import noise as of_noise
from reproduce.studies.scales import SCALES
from simper_tf.evaluation import plots
from simper_tf.reading.drawing import COLORS

FOLDER = pathlib.Path(__file__).parent
PASSES = (0, 2, 6, 12)  # Over the clips, after which the feature is drawn.
LINES = ("supervised", "SimPer", "SimPer, the head alone")  # Of the table of few labels.
# Look of drawn faces -> its title, and what changes the green beside the pulse.
LOOKS = {
    "still": ("at rest", ()),
    "hard": ("the head moves", ("motion",)),
    "long": ("light follows the breath", ("breath",)),
}
# Kind of lines that nobody has learned -> how they are drawn.
REFERENCES = {"control": "--", "ideal": "-.", "floor": ":"}
MARKERS = "os^Dvx"
MARKS = {"pulse": (COLORS[0], "-"), "motion": (COLORS[2], ":"), "breath": (COLORS[1], "--")}
PERSON = 3  # Whose clips show the periods.


def training() -> Figure:
    """Returns the strongest feature of the sample recording after a few passes of training, over time."""
    frames = list(sample.frames())
    times, pictures = np.array([moment for moment, _ in frames]), [frame for _, frame in frames]
    model = simper_tf.from_recordings(sample.PATH)
    series = {0: animation.feature(model, pictures)}

    class Kept(keras.callbacks.Callback):
        """Features after some passes."""

        def on_epoch_end(self, epoch, logs=None):
            if epoch + 1 in PASSES:
                series[epoch + 1] = animation.feature(model, pictures)

    model.method.fit(model.recordings, batch_size=4, epochs=PASSES[-1], verbose=0, callbacks=[Kept()])
    drawn = Figure(figsize=(8, 4), layout="constrained")
    panels = drawn.subplots(len(PASSES), 1, sharex=True)
    for axes, passes in zip(panels, PASSES, strict=True):
        axes.plot(times, series[passes], color=COLORS[0], linewidth=1.2)
        for start, _ in sample.repetitions():
            axes.axvline(start, color="0.7", linestyle="--", linewidth=0.8)
        axes.set_yticks([])
        axes.set_title(f"after {passes} passes over {len(model.recordings)} clips", loc="left", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("time (s); dashed: a jumping jack begins")
    drawn.supylabel("strongest feature", fontsize=10)
    return drawn


def few_labels() -> Figure:
    """Returns errors over the share of labels, on digits, of committed rows."""
    curves = table_figures.errors(_results("table13_digits"))
    return plots.errors_over_share({name: curves[name] for name in LINES}, "share of the labels (%)")


def noise() -> Figure:
    """Returns errors over the noise of MNIST's clips, a dot a seed, of committed rows."""
    results = _results("noise")
    strengths, blocks = list(of_noise.STRENGTHS.values()), results.study.blocks[: len(of_noise.READOUTS)]
    strong, linear = [of_noise.STRENGTHS[name] for name in of_noise.STRONG], results.study.blocks[-1].lines[0]
    drawn = Figure(figsize=(9, 5.2), layout="constrained")
    panels = drawn.subplots(1, len(blocks), sharey=True)
    for axes, block, cells in zip(panels, blocks, (linear.cells[:2], linear.cells[2:]), strict=True):
        learned = [line for line in block.lines if not line.kind]
        for number, line in enumerate(learned):
            errors = [[row.value for row in results.of(cell)] for cell in line.cells]
            means, color = [np.mean(values) for values in errors], COLORS[number % len(COLORS)]
            axes.plot(strengths, means, color=color, marker=MARKERS[number], markersize=5, label=line.title)
            for place, values in zip(strengths, errors, strict=True):
                axes.plot([place] * len(values), values, ".", color=color, markersize=4)
        means = [np.mean([row.value for row in results.of(cell)]) for cell in cells]
        title = "SimPer of one dense layer, jointly" + ", by patterns" * (cells[0].protocol == "patterns")
        drawing = {"color": COLORS[0], "marker": "*", "markersize": 9, "linestyle": "--"}
        axes.plot(strong, means, **drawing, label=title)
        for number, line in enumerate(line for line in block.lines if line not in learned):
            values = [results.of(cell)[0].value for cell in line.cells]
            drawing = {"marker": "x+1|"[number % 4], "markersize": 6, "color": "0.4", "linewidth": 1}
            axes.plot(strengths, values, REFERENCES[line.kind], **drawing, label=line.title)
        axes.set(yscale="log", xlabel="deviation of the noise (gray levels of 255)")
        axes.set_xticks(strengths)
        axes.set_title(block.title, loc="left", fontsize=10)
        axes.legend(frameon=False, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.13))
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("mean absolute error (Hz)")
    return drawn


def _results(name):
    """Returns a table, of committed rows."""
    scale = SCALES["small"].located("data", "raw")
    with tempfile.TemporaryDirectory() as folder:
        grid = Grid(pathlib.Path(folder), kept=FOLDER / "results" / "rows.jsonl")
        return gather(STUDIES[name][0](scale), scale, scale.seeds_of(name), grid)


def periods() -> Figure:
    """Returns spectra of the green of a drawn face by what disturbs it, with the frequencies that it was drawn at."""
    someone = people.person("train", PERSON)
    drawn = Figure(figsize=(9, 2.8), layout="constrained")
    panels = drawn.subplots(1, len(LOOKS), sharey=True)
    for axes, (look, (title, others)) in zip(panels, LOOKS.items(), strict=True):
        clip = people.clip_record("train", people.WINDOWS * PERSON, look)
        green = np.asarray(clip["clip"], np.float64)[..., 1].mean(axis=(1, 2))
        power = np.abs(np.fft.rfft((green - green.mean()) * np.hanning(len(green)), 16 * len(green))) ** 2
        axes.plot(np.fft.rfftfreq(16 * len(green), 1 / people.RATE), 10 * np.log10(power / power.max()), color="0.3")
        drawn_at = {"pulse": clip["label"] / 60, "breath": someone.breathing, "motion": someone.motion[1]}
        for name in ("pulse", *others):
            color, style = MARKS[name]
            axes.axvline(drawn_at[name], color=color, linestyle=style, label=name)
        axes.set(xlim=(0, 4), ylim=(-60, 3), xlabel="frequency (Hz)")
        axes.set_title(title, loc="left", fontsize=9)
        axes.legend(frameon=False, fontsize=8, loc="upper right")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("power of the mean green (dB)", fontsize=9)
    return drawn


FIGURES = {"training": training, "few_labels": few_labels, "noise": noise, "periods": periods}


def write(names):
    """Writes figures beside the guides."""
    for name in names or FIGURES:
        FIGURES[name]().savefig(FOLDER / f"{name}.png", dpi=100)


if __name__ == "__main__":
    write(sys.argv[1:])
