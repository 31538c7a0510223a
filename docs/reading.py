"""Figure of how films are read: the steps on the sample recording.

python -m docs.reading
"""

import pathlib
from unittest import mock

import numpy as np
from matplotlib.figure import Figure

from docs import sample
from simper_tf.commands.sample import PATH as FILM
from simper_tf.reading import source_reader
from simper_tf.reading.drawing import COLORS
from simper_tf.reading.films import courses, film_reader, rhythm_network
from simper_tf.reading.result import SURE
from simper_tf.recordings import sources

PATH = pathlib.Path(__file__).with_name("reading.png")
TITLES = (
    "1. small frames", "2. courses of its parts", "3. events on a course", "4. what the network says",
    "5. candidates", "6. the answer",
)  # fmt: skip


def figure() -> Figure:
    """Returns the steps from frames to the answer."""
    seen = {}
    ranked = film_reader._ranked

    def noting(stretch, *given):
        seen["stretch"], seen["ranked"] = stretch, ranked(stretch, *given)[1]
        return ranked(stretch, *given)

    with mock.patch.object(film_reader, "_ranked", noting):
        done = source_reader.reading_of_source(sources.open_file(FILM))
    stretch, candidates = seen["stretch"], seen["ranked"]
    drawn = Figure(figsize=(11, 5.6), layout="constrained")
    panels = drawn.subplots(2, 3).ravel()
    _frames(panels[0], stretch)
    _courses(panels[1], stretch, candidates[0])
    _events(panels[2], stretch, candidates[0])
    _chances(panels[3], stretch)
    _candidates(panels[4], stretch, candidates)
    _answer(panels[5], done.reading.clear[0])
    for axes, title in zip(panels, TITLES, strict=True):
        axes.set_title(title, loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
    return drawn


def _frames(axes, stretch, number=4):
    chosen = np.linspace(0, len(stretch.frames) - 1, 2 * number).astype(int)
    rows = [np.concatenate(stretch.frames[half], axis=1) for half in (chosen[:number], chosen[number:])]
    axes.imshow(np.concatenate(rows))
    axes.set_xticks([])
    axes.set_yticks([])


def _courses(axes, stretch, best, number=5):
    some = [*courses.courses(best.run.course.rung)][:number]
    for row, course in enumerate(some):
        axes.plot(stretch.times, course.values / np.ptp(course.values) - row, color=COLORS[row % len(COLORS)])
    axes.set_yticks([])
    axes.set_xlabel("time (s)")


def _events(axes, stretch, best):
    run, values = best.run, best.run.course.values
    axes.plot(stretch.times, values, color="0.5")
    marks = np.interp(run.marks, np.arange(len(values)), stretch.times)
    axes.plot(marks, np.interp(marks, stretch.times, values), "o", color=COLORS[1])
    for edge in np.unique([run.starts, run.ends]):
        axes.axvline(edge / stretch.rate, color="0.85", zorder=0)
    axes.set_yticks([])
    axes.set_xlabel("time (s)")


def _chances(axes, stretch):
    frames = rhythm_network.small(stretch.frames.mean(3))
    instants, chances = rhythm_network.chances_of(
        stretch.times - stretch.times[0], frames, rhythm_network.chances_of_windows
    )
    hertz = 1 / rhythm_network.SECONDS
    axes.pcolormesh(instants, hertz, chances.T, cmap="cividis", vmin=0, vmax=0.5, shading="nearest")
    axes.set_yscale("log")
    axes.set_ylim(0.1, 5)
    axes.set_ylabel("tempo (Hz)")
    axes.set_xlabel("time (s)")


def _candidates(axes, stretch, candidates):
    for candidate in candidates:
        axes.plot(candidate.hertz * stretch.rate, candidate.confidence, "o", color=COLORS[0], alpha=0.4)
    axes.axhline(SURE, color="0.5", linestyle="--", linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_xlabel("tempo (Hz)")
    axes.set_ylabel("confidence")


def _answer(axes, answer):
    axes.plot(answer.times, answer.course, color=COLORS[0])
    for start, end in answer.repetitions:
        axes.axvspan(start, end, color=COLORS[2], alpha=0.25, linewidth=1)
    for start, end in sample.repetitions():
        axes.plot([start, end], [np.min(answer.course)] * 2, "|-", color="0.3")
    axes.set_yticks([])
    axes.set_xlabel("time (s)")


if __name__ == "__main__":
    figure().savefig(PATH, dpi=110)
