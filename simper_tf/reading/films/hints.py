"""Peaks of courses that may be repetitions: hints, of which few are compared as runs.

Smoothing of several widths decides how small a peak may be, so nothing is said about the tempo beforehand. A long scene
has thousands of hints: all of a rung are told at once.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from simper_tf.reading import intervals
from simper_tf.reading.films import courses, events
from simper_tf.signals import filters

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
        return events.Run(self.marks, *intervals.bounds(self.marks), self.course)


def peaks(some: Sequence[courses.Course]) -> Iterator[tuple[courses.Course, np.ndarray]]:
    """Courses of one rung with sets of their peaks, one for every smoothing and sign."""
    values, found = np.stack([course.values for course in some]), []
    for part in SMOOTHINGS:
        smoothed = filters.smooth_twice(values, some[0].rung.span / part, axis=1)
        extents = np.diff(np.quantile(smoothed, (0.05, 0.95), axis=1), axis=0)[0]
        rows = np.stack((smoothed, -smoothed), 1).reshape(-1, values.shape[1])
        numbers, marks = filters.tops_of_rows(rows, np.maximum(PROMINENCE * extents, 1e-6).repeat(2))
        at = numbers * values.shape[1] + marks
        refined = events.refined(rows.ravel(), at) - (at - marks)
        edges = np.searchsorted(numbers, np.arange(1, len(rows)))
        found.append(list(zip(np.split(marks, edges), np.split(refined, edges), strict=True)))
    for number, course in enumerate(some):
        known: dict[bytes, np.ndarray] = {}
        for marks, refined in (each for sets in found for each in sets[2 * number : 2 * number + 2]):
            if len(marks) >= 2:
                known.setdefault(marks.tobytes(), refined)
        yield from ((course, refined) for refined in known.values())


def of(some: Sequence[courses.Course]) -> list[Hint]:
    """Stretches of like events among the peaks of courses of one rung, two at least."""
    sets = list(peaks(some)) if some else []
    if not sets:
        return []
    marks, last = np.concatenate([marks for _, marks in sets]), np.cumsum([len(marks) for _, marks in sets]) - 1
    near, far = _alike(sets)
    near[last] = far[last] = far[last - 1] = -1  # Of two sets.
    # Sides may alternate: an event need only be like the next or the next but one.
    linked = np.maximum.reduce([near, far, np.append(-1, far[:-1])]) > events.LINK
    edges = np.flatnonzero(np.diff(np.concatenate(([0], linked, [0])))).reshape(-1, 2)
    if not len(edges):
        return []
    gaps = np.diff(marks, append=0)
    scores, frequencies = _ranked(gaps[linked], near[linked], far[linked], np.diff(edges, axis=1)[:, 0])
    spans = zip(scores.tolist(), frequencies.tolist(), edges.tolist(), np.searchsorted(last, edges[:, 0]), strict=True)
    return [Hint(score, hertz, marks[first : end + 1], sets[at][0]) for score, hertz, (first, end), at in spans]


def _alike(sets: list[tuple[courses.Course, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Likeness of each of all marks to the next, `(N,)`, and to the next but one; those of a part are told at once."""
    near, far = [], []
    for _, part in itertools.groupby(sets, lambda pair: id(pair[0].states)):
        some, marks = zip(*part, strict=True)
        starts, ends = (np.concatenate(edges) for edges in zip(*map(intervals.bounds, marks), strict=True))
        alike = events.neighbors(some[0].states, starts, np.concatenate(marks), ends)
        near += alike[0], [-1]
        far += alike[1], [-1, -1]
    return np.concatenate(near), np.concatenate(far)


def _ranked(gaps: np.ndarray, near: np.ndarray, far: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """About `events.regularity` and `intervals.frequency` of runs, as cycles or as halves.

    Args:
        gaps: `(N,)` samples from mark to mark, of one run after another.
        near, far: `(N,)` likeness of the events before and after each, and of the first to the next but one.
        counts: Gaps of every run.
    """
    run, firsts = np.repeat(np.arange(len(counts)), counts), np.cumsum(counts) - counts
    ordered = gaps[np.lexsort((gaps, run))]
    medians = (ordered[firsts + counts // 2] + ordered[firsts + (counts - 1) // 2]) / 2
    steady = gaps < intervals.PAUSE * medians[run]
    kept, logs = np.bincount(run, steady), np.where(steady, np.log(gaps), 0)
    means, squares = (np.bincount(run, values) / kept for values in (logs, logs**2))
    spread = np.sqrt(np.maximum(squares - means**2, 0))
    alike = np.maximum(np.bincount(run, near), np.bincount(run, far)) / counts
    return events.rank(alike, counts, spread), kept / np.bincount(run, gaps * steady)
