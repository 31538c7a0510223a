"""Intervals from mark to mark of what repeats: how long they are, and where each repetition begins and ends."""

import numpy as np

# An interval this much longer than others holds a pause.
PAUSE = 1.8


def bounds(marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and end of every event: halfway, or before a pause."""
    gaps = np.diff(marks)
    typical = _median(gaps)
    halves = np.minimum(gaps / 2, PAUSE / 2 * typical)
    first, last = np.minimum((halves[0], halves[-1]), typical / 2)
    return (
        marks - np.concatenate(([first], halves)),
        marks + np.concatenate((halves, [last])),
    )


def beside_pauses(marks: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of events, of which none takes more than half a mean gap of a pause beside it."""
    starts, ends = starts.copy(), ends.copy()
    gaps, half = np.diff(marks), steady_gaps(marks).mean() / 2
    at = np.flatnonzero(gaps >= PAUSE * np.median(gaps))
    ends[at] = np.minimum(ends[at], marks[at] + half)
    starts[at + 1] = np.maximum(starts[at + 1], marks[at + 1] - half)
    return starts, ends


def steady_gaps(marks: np.ndarray) -> np.ndarray:
    """Samples from mark to mark, pauses left out."""
    gaps = np.diff(marks)
    return gaps[gaps < PAUSE * _median(gaps)]


def frequency(marks: np.ndarray) -> float:
    """Cycles per sample: one over the mean gap, pauses left out."""
    return float(1 / steady_gaps(marks).mean())


def _median(gaps: np.ndarray) -> float:
    """Median of a few numbers, in a tenth of NumPy's time."""
    ordered = np.sort(gaps)
    return float(ordered[len(gaps) // 2] + ordered[(len(gaps) - 1) // 2]) / 2
