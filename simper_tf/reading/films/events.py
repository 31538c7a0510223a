"""Repetitions of a course: events with a start and an end.

Each event reaches from its mark halfway to its neighbours. Events are
stretched to one length and compared in all states of the picture: a
repetition looks like the ones beside it, a mere peak of a drift does not.
"""

import dataclasses
import functools
import math

import numpy as np

from simper_tf.reading import intervals
from simper_tf.reading.films import courses
from simper_tf.signals import filters, samples

SAMPLES = 24  # Moments of an event, half of them before its peak.
LINK = 0.4  # Likeness of neighbors, or of those two apart, that makes them one run.
# An event that no peak told of must correlate this much with those beside it.
NEXT = 0.7
# Nor may the picture stand still there: its variance is this share of theirs.
MOVES = 0.15
# Share of half an event by which it may be moved, in so many places, and how often that is done.
REACH, PLACES, ROUNDS = 1 / 3, 17, 2
# Factor by which what differs at low orders must exceed what differs at high ones. In drawn movements of 3.5 to 24.5
# frames a period sampling makes 1.03 at most; a patch that goes to two sides in turn, from 4.5 frames on, 1.6 at least.
BEYOND = 1.5
# Share of all power that differs, at least: half of what halves must gain in likeness.
_LEAST_SHARE = 0.015
# Events from which on noise is told from lines: orders halfway between them lie five waves off.
_MANY = 20


@dataclasses.dataclass(frozen=True)
class Run:
    """Like events in a row.

    Attributes:
        marks: `(n,)` sample of each event's peak.
        starts: `(n,)` sample of each event's start.
        ends: `(n,)` sample of each event's end.
        course: What they were found on.
    """

    marks: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    course: courses.Course

    @functools.cached_property
    def alike(self) -> tuple[np.ndarray, np.ndarray]:
        """Likeness of each event and the next one, `(n - 1,)`, and the next but one, `(n - 2,)`."""
        return neighbors(self.course.states, self.starts, self.marks, self.ends)


def refined(values: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Peaks between samples, by a parabola through three samples."""
    return marks + samples.top_offset(values[marks - 1], values[marks], values[marks + 1])


def stretched(
    states: np.ndarray, starts: np.ndarray, marks: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Events of one length, `(n, SAMPLES, K)`, and where they lie in the scene.

    Both halves, up to the mark and from it, are stretched apart. What lies
    before the scene or after it is 0 and marked in the second array.
    """
    times, inside = _moments(len(states), starts, marks, ends)
    events = _between(states, times.T)
    inside = inside.T
    means, cut = events.sum(1, keepdims=True) / np.float32(SAMPLES), ~inside.all(1)
    if cut.any():  # Seldom: the first and the last.
        weights = inside[cut][..., None].astype(np.float32)
        means[cut] = (events[cut] * weights).sum(1, keepdims=True) / np.maximum(weights.sum(1, keepdims=True), 1)
    events -= means
    events[cut] *= inside[cut][..., None]
    return events, inside


def _moments(length: int, starts: np.ndarray, marks: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times of the samples of every event, `(SAMPLES, n)`, and which lie in a scene of so many frames."""
    steps = ((np.arange(SAMPLES // 2) + 0.5) / (SAMPLES // 2))[:, None]
    times = np.concatenate((marks - (marks - starts) * steps[::-1], marks + (ends - marks) * steps))
    return times, (times >= -0.5) & (times <= length - 0.5)


def _between(states: np.ndarray, times: np.ndarray, axis: int = 0) -> np.ndarray:
    """States at times between samples, those of the scene where they lie beyond it."""
    times = np.clip(times, 0, states.shape[axis] - 1.001)
    index = times.astype(int)
    part = (times - index).astype(np.float32)
    part = part if axis else part[..., None]
    before, after = states.take(index, axis), states.take(index + 1, axis)
    before *= 1 - part
    after *= part
    before += after
    return before


def neighbors(
    states: np.ndarray, starts: np.ndarray, marks: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Likeness of each event and the next, `(n - 1,)`, and the next but one, `(n - 2,)`: diagonals of `likeness`."""
    times, inside = _moments(len(states), starts, marks, ends)
    events = _between(np.ascontiguousarray(states.T), times, 1)  # A plane a state: sums run over whole rows.
    weights = inside.astype(np.float32)
    means = (events * weights).sum(1, keepdims=True) / np.maximum(weights.sum(0), 1)
    events = (events - means) * weights
    power, alike = np.einsum("ksn,ksn->sn", events, events), []
    for away in (1, 2):
        products = np.einsum("ksn,ksn->n", events[..., :-away], events[..., away:])
        first, second = power[:, :-away] * weights[:, away:], power[:, away:] * weights[:, :-away]
        alike.append(products / np.sqrt(np.maximum(first.sum(0) * second.sum(0), 1e-12)))
    return alike[0], alike[1]


def likeness(events: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Correlation of every two events over the samples both have, `(n, n)`."""
    weights = inside.astype(np.float32)
    flat = events.reshape(len(events), -1)
    power = np.einsum("nsk,nsk->ns", events, events) @ weights.T
    return flat @ flat.T / np.sqrt(np.maximum(power * power.T, 1e-12))


def aligned(run: Run) -> Run:
    """Run whose events lie where each is most like the mean of the others, in the whole picture.

    Peaks of a single course move with its noise, which tells with few events.
    """
    states = run.course.rung.scores.reshape(len(run.course.values), -1)
    half = np.median(intervals.steady_gaps(run.marks)) / 2
    offsets = half * REACH * np.linspace(-1, 1, PLACES)
    marks = run.marks
    for _ in range(ROUNDS):
        cycles, inside = stretched(states, marks - half, marks, marks + half)
        others = (cycles.sum(0) - cycles) / np.maximum(inside.sum(0) - inside, 1)[..., None]
        places = [marks + offset for offset in offsets]
        alike = np.stack([_paired(*stretched(states, at - half, at, at + half), others) for at in places], 1)
        best = [refined(curve, np.clip([curve.argmax()], 1, PLACES - 2))[0] for curve in alike]
        moves = np.interp(best, np.arange(PLACES), offsets)
        # The others are off as well: of its distance from them all but one part in n is an event's own.
        marks = marks + (moves - moves.mean()) * (len(marks) - 1) / len(marks)
    return Run(marks, *intervals.bounds(marks), run.course)


def _paired(events: np.ndarray, inside: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Correlation of each event with another one of the same index, `(n,)`."""
    power = (events**2).sum((1, 2)) * (others**2 * inside[..., None]).sum((1, 2))
    return (events * others).sum((1, 2)) / np.sqrt(np.maximum(power, 1e-12))


def regularity(run: Run) -> float:
    """Likeness of neighbours and their number, less the unsteadiness: a quick first rank."""
    near, _ = run.alike
    return float(rank(near.mean(), len(near), np.log(intervals.steady_gaps(run.marks)).std()))


def rank(alike, gaps, spread):
    """Returns `regularity` by likeness, number of gaps and spread of their logarithms, of numbers or arrays."""
    # By eye: twice as many events are worth a tenth of likeness. It only says which candidates are judged at all.
    return alike + 0.15 * np.log(gaps) - spread


def moving(run: Run) -> Run:
    """Run without events in which hardly anything moves: noise of a rest has peaks too."""
    variances = np.array([_variance(run, *span) for span in zip(run.starts, run.ends, strict=True)])
    marks = run.marks[variances >= MOVES * np.median(variances)]
    return Run(marks, *intervals.bounds(marks), run.course)


def extended(run: Run) -> Run:
    """Run with the events before and after it that are like its own.

    The peaks of one course may miss some. An event is looked for where the
    tempo leads; half of it at least must lie in the scene.
    """
    for side in (0, -1):
        while (mark := _next(run, side)) is not None:
            marks = np.append(mark, run.marks) if side == 0 else np.append(run.marks, mark)
            run = Run(marks, *intervals.bounds(marks), run.course)
    return run


def _next(run: Run, side: int) -> float | None:
    """Mark of the event before or after a run; None if there is none."""
    gap = np.median(intervals.steady_gaps(run.marks)) * (-1 if side == 0 else 1)
    # From 0.6 of a gap, as the next event is not the mark itself, over two gaps, as one may be missed; 20 places a gap.
    places = run.marks[side] + gap * np.arange(0.6, 2.5, 0.05)
    places = places[(places >= 0) & (places <= len(run.course.states) - 1)]
    near = slice(3) if side == 0 else slice(-3, None)
    marks = np.concatenate((run.marks[near], places))
    half = np.abs(gap) / 2
    alike = likeness(*stretched(run.course.states, marks - half, marks, marks + half))
    alike = alike[-len(places) :, : -len(places)].mean(1) if len(places) else np.zeros(0)
    alike = np.where(_moves(run, side, places, half), alike, -1)
    if not (alike > NEXT).any():
        return None
    first = np.argmax(alike > NEXT)
    last = first + np.argmin(np.append(alike[first:] > NEXT, False))
    return float(places[first + alike[first:last].argmax()])


def _moves(run: Run, side: int, places: np.ndarray, half: float) -> np.ndarray:
    """Whether something moves behind a run, or before it, up to the end of an event at each place."""
    near = slice(3) if side == 0 else slice(-3, None)
    least = MOVES * np.median([_variance(run, *span) for span in zip(run.starts[near], run.ends[near], strict=True)])
    spans = ((place - half, run.starts[0]) if side == 0 else (run.ends[-1], place + half) for place in places)
    return np.array([_variance(run, *span) >= least for span in spans], bool)


def _variance(run: Run, start: float, end: float) -> float:
    """Variance of the states between two samples, those of the scene."""
    states = run.course.states[max(int(np.floor(start)), 0) : int(np.ceil(end)) + 1]
    return float(states.var(0).sum()) if len(states) else 0.0


def places(marks: np.ndarray) -> np.ndarray:
    """Number of each event in its run, `(n,)`, where those that a pause could hold are counted: some are missed."""
    typical = np.median(np.diff(marks))
    gaps = np.diff(marks) / typical
    steps = np.rint(gaps)
    # Two marks may be off by half a frame each.
    are_missed = (gaps >= intervals.PAUSE) & (np.abs(gaps - steps) < max(0.2, 1 / typical))
    return np.append(0, np.cumsum(np.where(are_missed, steps, 1).astype(int)))


def differ(scores: np.ndarray, marks: np.ndarray, parts: int = 2) -> bool:
    """Whether events that return after so many differ by more than sampling makes of events that are all alike.

    Frames catch like events at different moments: at two in turn where a period lasts 12.5 frames, at five where it
    lasts 3.2. Harmonic m of a period of p frames then shows as order `|m - p|`, in cycles per event. Harmonics weaken
    with their number, so what sampling makes is weakest at the lowest order. What differs in truth is strongest there.
    Noise is stronger at low orders than at high ones, as of films that are compressed: it is taken off.

    Args:
        scores: `(T, ...)`, not smoothed.
        marks: `(n,)` sample of each event.
        parts: Events that may make one cycle.
    """
    number = places(marks)
    last = number[-1] // parts * parts
    if last == 0:
        return False
    # Marks of fast events are off by parts of a frame, in turn as well.
    line = np.polyval(np.polyfit(number, marks, 1), number)
    marks = line + filters.smooth_twice(marks - line, parts)
    marks, number = marks[number <= last], number[number <= last]
    period = (marks[-1] - marks[0]) / number[-1]
    orders = np.arange(1, math.floor(parts * period / 2) + 1) / parts
    orders = orders[(orders < 4) | (orders > period / 2 - 1)]  # Most of the power, and what is compared.
    # Halfway between the lowest orders is noise alone. Whole waves fit in, so that no line leaks there.
    between = np.rint(number[-1] * (np.arange(parts) + 0.5) / parts) / number[-1]
    shown = np.append(orders, between if number[-1] >= _MANY else [])
    first, end = max(math.ceil(marks[0]), 0), min(math.floor(marks[-1]), len(scores) - 1)
    phases = np.interp(np.arange(first, end) + 0.5, marks, number)
    turns = shown[:, None] * phases
    turns = 2 * np.pi * (turns - np.floor(turns)).astype(np.float32)
    waves = np.concatenate((np.cos(turns), np.sin(turns))) * np.gradient(phases).astype(np.float32)
    # Differences keep drift out. They weaken slow waves, by as much as is mended here.
    changes = np.diff(scores[first : end + 1].reshape(end + 1 - first, -1), axis=0)
    powers = ((waves @ changes) ** 2).sum(1).reshape(2, -1).sum(0) / np.sin(np.pi * shown / period) ** 2
    powers, noise = powers[: len(orders)], powers[len(orders) :]
    low, high = orders < 1, (orders % 1 > 0) & (orders > period / 2 - 1)
    needed = max(_LEAST_SHARE * powers.sum(), BEYOND * powers[high].max(initial=0))
    lines = powers[low] - (np.sqrt(noise[:-1] * noise[1:]) if len(noise) else 0)
    return bool(lines.max(initial=0) > needed)
