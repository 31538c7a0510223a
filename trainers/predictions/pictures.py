"""Answers -> the picture of a recording: its course, its spectrogram with the track, and what does not repeat."""

import numpy as np
from matplotlib.figure import Figure

from trainers.predictions import tables

_SHADE = {"color": "0.5", "alpha": 0.35, "linewidth": 0}


def figure(done: tables.Done, unit: str) -> Figure:
    """Returns a figure of two rows: the strongest course of what changes, and the spectrogram.

    Windows in which nothing repeats are shaded; the track is dashed where the octave is not decided.

    Args:
        done: A recording that was read.
        unit: A flag's value.
    """
    drawn = Figure(figsize=(10, 5), layout="constrained")
    above, below = drawn.subplots(2, 1, sharex=True)
    for times, wave in _joined(done.answers):
        above.plot(times, wave, color="C0", linewidth=0.8)
    above.set_yticks([])
    above.set_ylabel("strongest course")
    above.set_title(done.name.encode("ascii", "backslashreplace").decode().replace("$", r"\$"), fontsize=9)
    factor = 1.0 if unit == "hz" else 60.0
    _spectrogram(below, done.answers, factor)
    below.set_ylabel("Hz" if unit == "hz" else "per minute")
    below.set_xlabel("seconds")
    for left, right, answer in _spans(done.answers):
        if not answer.is_periodic:
            above.axvspan(left, right, **_SHADE)
            below.axvspan(left, right, **_SHADE)
        else:
            for frequency in (answer.frequency, *answer.others):
                style = "--" if answer.others else "-"
                below.plot([left, right], [factor * frequency] * 2, style, color="C1", linewidth=2)
    above.set_xlim(done.answers[0].start, done.answers[-1].end)
    return drawn


def _spectrogram(axes, answers, factor):
    """Draws a column for each window, on a scale of its own: what is compared is where the lines are."""
    for left, right, answer in _spans(answers):
        power = np.sqrt(answer.course.power)
        top = factor * answer.course.spacing * len(power)
        image = (power / max(power.max(), 1e-12))[:, None]
        axes.imshow(image, extent=(left, right, 0, top), origin="lower", aspect="auto", cmap="gray_r", vmin=0, vmax=1)
    axes.set_ylim(0, top)


def _spans(answers):
    """Yields each answer with the seconds it is drawn over: up to the middle of what it shares with its neighbors."""
    for k, answer in enumerate(answers):
        left, right = answer.start, answer.end
        if k and answers[k - 1].end > left:
            left = (answers[k - 1].end + left) / 2
        if k + 1 < len(answers) and answers[k + 1].start < right:
            right = (answers[k + 1].start + right) / 2
        yield left, right, answer


def _joined(answers):
    """Yields times and courses of the windows, of the sign that fits the one before, each over its own span."""
    before = None
    for left, right, answer in _spans(answers):
        wave = answer.course.wave
        times = np.linspace(answer.start, answer.end, len(wave), endpoint=False)
        if before is not None and before[0][-1] > times[0]:
            shared = times[times <= before[0][-1]]
            wave = wave * (np.sign(np.interp(shared, *before) @ wave[: len(shared)]) or 1)
        before = times, wave
        inside = (times >= left) & (times <= right + times[1] - times[0])
        yield times[inside], wave[inside]
