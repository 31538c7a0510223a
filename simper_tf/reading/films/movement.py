"""Movement that repeats in one stretch of a scene.

All courses of all parts of the picture propose runs of like events.
The most regular ones are weighed by the evidence of the whole picture.
Which of them are several movements follows from their places
(`places`).
"""

import bisect
import dataclasses
import math

import numpy as np

from simper_tf.reading import intervals
from simper_tf.reading.films import courses, events, halves, hints, verdict
from simper_tf.reading.films.rhythm_network import Heard

# Proposals that are weighed, and of them those of about the same tempo.
WEIGHED = 80
OF_A_TEMPO = 8
HINTS = 4  # Times as many are compared as runs before that: of equal runs halves may be told, and their tempo.
TEMPO = np.log(1.1)  # Tempos that differ by less than a tenth are about the same.
# How near to its double a tempo is to be the same movement.
OCTAVE = 0.05
# Odds, as a logarithm, by which a half, or a part, may be surer than the full cycle or the whole that is told instead.
HALF_ODDS = 0.8
# Most cycles, each caught at other moments by the frames, that are looked for in one.
SAMPLED = 7
# Share of the time of a movement that readings at another multiple must fill.
MOST = 0.7
# Likeness of two events that are the same movement for certain.
TWICE = 0.8


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A run of repetitions and what speaks for it.

    Attributes:
        run: Its events, in samples.
        hertz: Cycles per sample.
        pairs: Whether each cycle is a pair of two halves that are alike.
        evidence: What speaks for it.
        confidence: Probability that it is right.
        tiles: `(tiles,)` which of them are its place; None for all.
        in_place: Whether the whole picture was read, and not what was followed in it or moved beside its parts.
    """

    run: events.Run
    hertz: float
    pairs: bool
    evidence: verdict.Evidence
    confidence: float
    tiles: np.ndarray | None = None
    in_place: bool = True


def proposed(scores: np.ndarray, band: tuple[float, float]) -> list[tuple[events.Run, float, bool]]:
    """The most regular runs that may be repetitions, a few of each tempo: with their frequency, and whether in pairs.

    Args:
        scores: `(T, tiles, KEPT)` of `courses.tile_scores`.
        band: Lowest and highest frequency in cycles per sample.
    """
    some = [
        (hint.regularity, hint.frequency, len(hint.marks), hint)
        for rung in courses.rungs(scores)
        for hint in hints.of([*courses.courses(rung)])
        if band[0] <= hint.frequency <= 2 * band[1]  # Every second event may be a cycle.
    ]
    proposals = []
    for *_, hint in _varied(some, HINTS):
        run, pairs = halves.full(hint.run())
        hertz = intervals.frequency(run.marks)
        if band[0] <= hertz <= band[1]:
            proposals.append((events.regularity(run), hertz, len(run.marks), run, pairs))
    return [(run, hertz, pairs) for _, hertz, _, run, pairs in _varied(proposals, 1)]


def weighed(proposals: list[tuple[events.Run, float, bool]], heard: Heard, rate: float) -> list[Candidate]:
    """Candidates of runs, the surest first.

    Args:
        proposals: Of `proposed`.
        heard: What the network says of the stretch.
        rate: Samples a second.
    """
    shown = ((verdict.evidence(run, heard, rate), run, hertz, pairs) for run, hertz, pairs in proposals)
    return surest_first(
        [Candidate(run, hertz, pairs, shown_by, verdict.confidence(shown_by)) for shown_by, run, hertz, pairs in shown]
    )


def surest_first(some: list[Candidate]) -> list[Candidate]:
    """Candidates by their confidence, those seen only twice last."""
    return sorted(some, key=lambda candidate: (-(candidate.evidence.count > 2), -candidate.confidence))


def confirmed(some: list[Candidate], others: list[Candidate]) -> list[Candidate]:
    """Candidates of which others at the same tempo are at least half as sure."""
    return [
        candidate
        for candidate in some
        if any(
            _is_at(other.hertz / candidate.hertz, 1.0) and other.confidence >= candidate.confidence / 2
            for other in others
        )
    ]


def _varied(some: list[tuple], times: int) -> list[tuple]:
    """The most regular of some, so many times as many as are weighed, a few of each tempo.

    They begin with their regularity, frequency and number of events.
    """
    chosen, kinds = [], ([], [])
    for each in sorted(some, key=lambda each: -each[0]):
        tempo, same = math.log(each[1]), kinds[each[2] > 2]
        if bisect.bisect_left(same, tempo + TEMPO) - bisect.bisect(same, tempo - TEMPO) < times * OF_A_TEMPO:
            chosen.append(each)
            bisect.insort(same, tempo)
        if len(chosen) == times * WEIGHED:
            break
    return chosen


def whole_cycle(candidate: Candidate, ranked: list[Candidate], least: float, clear: float) -> Candidate:
    """Candidate as it is told where the same movement was seen at half its tempo, or at a multiple of it.

    Args:
        candidate: The one to tell.
        ranked: All of its stretch.
        least: Confidence of halves that are named, and from which on a third or a smaller part counts.
        clear: Confidence from which on a half counts.
    """
    cycle = _cycle_of_halves(candidate, ranked, clear) or _cycle_of_parts(candidate, ranked, least, clear)
    if cycle:  # Both were seen, so the movement is as sure as the surer of them.
        return dataclasses.replace(cycle, confidence=max(cycle.confidence, candidate.confidence))
    half = _at(ranked, candidate, 2, clear)
    is_named = half is not None and half.confidence >= (least if candidate.pairs else clear)
    return dataclasses.replace(candidate, pairs=is_named)


def _cycle_of_halves(candidate: Candidate, ranked: list[Candidate], clear: float) -> Candidate | None:
    """Pair of which a candidate is a half, if it is about as sure, and the picture tells the halves apart."""
    slower = _at(ranked, candidate, 0.5, clear)
    if slower and _is_as_sure(slower, candidate) and not halves.are_cycles(candidate.run):
        return dataclasses.replace(slower, pairs=True)
    return None


def _cycle_of_parts(candidate: Candidate, ranked: list[Candidate], least: float, clear: float) -> Candidate | None:
    """Part of a candidate that is a cycle by itself: the picture tells no part from the next but by sampling."""
    for parts in range(SAMPLED, 1, -1):
        part = _at(ranked, candidate, parts, clear)
        # Two may be sides; more that differ by sampling alone are not.
        if part and _is_seen(part, clear if parts == 2 else least) and halves.are_cycles(part.run, parts):
            return part
    return None


def _is_seen(part: Candidate, least: float) -> bool:
    """Whether a part is so sure, with the network or without: that may name the multiple, which comes back exactly."""
    return max(part.confidence, verdict.alone(part.evidence)) >= least


def _at(ranked: list[Candidate], candidate: Candidate, multiple: float, clear: float) -> Candidate | None:
    """The surest candidate at a multiple of the tempo of another, if it and the clear ones fill most of its time."""
    near = [other for other in ranked if other.evidence.count > 2 and _is_at(other.hertz / candidate.hertz, multiple)]
    times = np.arange(candidate.run.starts[0], candidate.run.ends[-1])
    filled = np.zeros(len(times), bool)
    for index, other in enumerate(near):
        if index == 0 or other.confidence >= clear:
            filled |= (times >= other.run.starts[0]) & (times <= other.run.ends[-1])
    return near[0] if filled.mean() > MOST else None


def _is_at(ratio: float, multiple: float) -> bool:
    """Whether a ratio of tempos is near a multiple."""
    return abs(np.log(ratio / multiple)) < OCTAVE


def _is_as_sure(cycle: Candidate, half: Candidate) -> bool:
    """Whether a full cycle is about as sure as its half, or no less so by what is seen alone.

    The network names halves as readily as cycles, such as those of jumping jacks. It then speaks against the cycle.
    """
    if _odds(cycle) > _odds(half) - HALF_ODDS:
        return True
    return verdict.alone(cycle.evidence) >= verdict.alone(half.evidence)


def _odds(candidate: Candidate) -> float:
    """Logarithm of the odds of a confidence."""
    chance = min(max(candidate.confidence, 1e-9), 1 - 1e-9)
    return math.log(chance / (1 - chance))


def longer(candidate: Candidate, ranked: list[Candidate]) -> list[Candidate]:
    """Candidates that are about as sure as another, hold it in time and keep its tempo there.

    The most even part of uneven repetitions may be a little surer than all of them.
    """
    least = _odds(candidate) - HALF_ODDS
    return [other for other in ranked if _odds(other) > least and _holds(other.run.marks, candidate.run.marks)]


def _holds(longer: np.ndarray, marks: np.ndarray) -> bool:
    """Whether there are more of some marks than of others, and as many between the first and the last of these."""
    gap = (longer[1] - longer[0]) / 2
    if len(longer) <= len(marks) or not longer[0] - gap <= marks[0] < marks[-1] <= longer[-1] + gap:
        return False
    passed = float(np.diff(np.interp(marks[[0, -1]], longer, np.arange(len(longer))))[0])
    return abs(np.log(passed / (len(marks) - 1))) < TEMPO


def twice(ranked: list[Candidate]) -> list[Candidate]:
    """What was seen twice for certain, where nothing was seen more often."""
    two = [
        candidate
        for candidate in ranked
        if candidate.evidence.count == 2
        and min(candidate.evidence.alike, candidate.evidence.explained / 0.75) > TWICE
        and candidate.evidence.cover > 0.5
    ]
    return sorted(two, key=lambda candidate: -candidate.evidence.explained)[:1]
