"""Peaks of courses that may be repetitions: hints, of which few are compared as runs.

Smoothing of several widths decides how small a peak may be, so nothing is said about the tempo beforehand. A long scene
has thousands of hints: all of a course are told at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simper_tf.reading import courses, events
from simper_tf.signals import filters, samples

# Shares of a span that smoothing takes, 1 in so many: the first is that of the span itself, the others merge peaks.
SMOOTHINGS = (24.0, 14.0, 8.0)
PROMINENCE = 0.3  # Of a peak, as a share of the range of a course without its extremes.


class Hint(NamedTuple):
    """What may be a run.

    Attributes:
        regularity: About that of the run, as cycles or as halves.
        frequency: Events per sample.
        marks: `(n,)` sample of each event's peak.
        course: What they were found on.
    """

    regularity: float
    frequency: float
    marks: np.ndarray
    course: courses.Course

    def run(self) -> events.Run:
        """The run itself."""
        return events.Run(self.marks, *events.bounds(self.marks), self.course)


def peaks(course: courses.Course) -> Iterator[np.ndarray]:
    """Sets of peaks of the course, one for every smoothing and sign."""
    known = set()
    for part in SMOOTHINGS:
        values = courses.smooth(course.values, course.rung.span / part)
        extent = samples.quantile(values, 0.95) - samples.quantile(values, 0.05)
        for sign in (1, -1):
            marks = filters.tops(sign * values, max(PROMINENCE * extent, 1e-6))
            key = marks.tobytes()
            if len(marks) >= 2 and key not in known:
                known.add(key)
                yield events.refined(sign * values, marks)


def of(course: courses.Course) -> list[Hint]:
    """Stretches of like events among the peaks of a course, two at least."""
    sets = list(peaks(course))
    if not sets:
        return []
    marks = np.concatenate(sets)
    starts, ends = (np.concatenate(edges) for edges in zip(*map(events.bounds, sets), strict=True))
    near, far = events.neighbors(course.states, starts, marks, ends)
    far, last = np.append(far, -1), np.cumsum([len(some) for some in sets])[:-1] - 1
    near[last] = far[last] = far[last - 1] = -1  # Of two sets.
    # Sides may alternate: an event need only be like the next or the next but one.
    linked = np.maximum.reduce([near, far, np.append(-1, far[:-1])]) > events.LINK
    edges = np.flatnonzero(np.diff(np.concatenate(([0], linked, [0])))).reshape(-1, 2)
    if not len(edges):
        return []
    scores, frequencies = _ranked(np.diff(marks)[linked], near[linked], far[linked], np.diff(edges, axis=1)[:, 0])
    spans = zip(scores.tolist(), frequencies.tolist(), edges.tolist(), strict=True)
    return [Hint(score, frequency, marks[first : end + 1], course) for score, frequency, (first, end) in spans]


def _ranked(gaps: np.ndarray, near: np.ndarray, far: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """About `events.regularity` and `events.frequency` of runs, as cycles or as halves.

    Args:
        gaps: `(N,)` samples from mark to mark, of one run after another.
        near, far: `(N,)` likeness of the events before and after each, and of the first to the next but one.
        counts: Gaps of every run.
    """
    run, firsts = np.repeat(np.arange(len(counts)), counts), np.cumsum(counts) - counts
    ordered = gaps[np.lexsort((gaps, run))]
    medians = (ordered[firsts + counts // 2] + ordered[firsts + (counts - 1) // 2]) / 2
    steady = gaps < events.PAUSE * medians[run]
    kept, logs = np.bincount(run, steady), np.where(steady, np.log(gaps), 0)
    means, squares = (np.bincount(run, values) / kept for values in (logs, logs**2))
    spread = np.sqrt(np.maximum(squares - means**2, 0))
    alike = np.maximum(np.bincount(run, near), np.bincount(run, far)) / counts
    return events.rank(alike, counts, spread), kept / np.bincount(run, gaps * steady)
