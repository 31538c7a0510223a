"""Several movements in one stretch of a scene, each in its own place.

Two candidates are two movements if they repeat at other times, or if
what moves with one keeps no step with the other. Each is then compared
in its own tiles alone. What lies elsewhere pulls its tempo no more, and
makes no halves of its cycles.
"""

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np

from simper_tf.reading.films import courses, halves, movement, verdict

Parts = Callable[[], np.ndarray]

# By how much the ratio of two tempos may miss a whole number that it is.
EXACT = 0.02
# Share of a movement, of that in step with its own cycles, that the cycles of another one have in common at most.
IN_STEP = 0.7
# The same of a tile that both hold: from which on it is the faster one's, as what is twice as fast keeps step too.
FASTER = 0.9
# Share of what moves that each of two places holds at least, and each of their tiles.
LEAST_PLACE, LEAST_ENERGY = 0.05, 0.03
# Share of a slow movement that faster ones must hold in their own places, if it is but all of them.
BOTH = 0.9


def distinct(ranked: list[movement.Candidate], parts: Parts, least: float, clear: float) -> list[movement.Candidate]:
    """The surest candidate, and every other that cannot be the same movement, as they are told.

    Args:
        ranked: Of `candidates`.
        parts: Returns the `(tiles,)` number of the part of the picture in which each tile moves; see
            `courses.moving_parts`.
        least: Confidence of the first.
        clear: Confidence of the others.
    """
    ranked = _without_common(ranked, parts, clear)
    chosen: list[movement.Candidate] = []
    for candidate in ranked:
        if chosen:  # The network names one tempo at a time.
            candidate = dataclasses.replace(candidate, confidence=verdict.alone(candidate.evidence))
        sure = candidate.evidence.count > 2 and candidate.confidence >= (clear if chosen else least)
        if sure and all(_differ(candidate, other, parts) for other in chosen):
            longer = [
                other for other in movement.longer(candidate, ranked) if not _are_elsewhere(candidate, other, parts)
            ]
            chosen.append(max(longer, key=lambda other: len(other.run.marks), default=candidate))
    return [
        movement.whole_cycle(candidate, some, least, clear) for candidate, *some in _in_their_places(chosen, ranked)
    ]


def _without_common(ranked: list[movement.Candidate], parts: Parts, clear: float) -> list[movement.Candidate]:
    """Candidates without those whose cycle is but the time after which movements in several places meet again."""
    firsts: list[movement.Candidate] = []
    for candidate in ranked:
        sure = max(candidate.confidence, verdict.alone(candidate.evidence)) >= clear and candidate.evidence.count > 2
        if sure and not any(_is_same(candidate, other) for other in firsts):
            firsts.append(candidate)
    pairs = [pair for pair in itertools.combinations(firsts, 2) if _are_elsewhere(*pair, parts)]
    return [candidate for candidate in ranked if not _is_common(candidate, pairs)]


def _is_same(first: movement.Candidate, second: movement.Candidate) -> bool:
    """Whether two candidates have one tempo at one time."""
    return _overlap(first, second) and abs(first.hertz / second.hertz - 1) < EXACT


def _is_common(whole: movement.Candidate, pairs: list[tuple[movement.Candidate, movement.Candidate]]) -> bool:
    """Whether a candidate is slower than two others or more, and each of its tiles keeps step with one of them."""

    def is_faster(other):
        return whole.hertz < other.hertz * np.exp(-movement.TEMPO) and _overlap(whole, other)

    faster = {id(candidate): candidate for pair in pairs if all(map(is_faster, pair)) for candidate in pair}
    if not faster:
        return False
    own, *shared = (np.maximum(part, 0) for part in _in_step(whole, *faster.values())[0])
    return float(np.minimum(np.maximum.reduce(shared), own).sum()) > BOTH * float(own.sum())


def _in_their_places(
    chosen: list[movement.Candidate], ranked: list[movement.Candidate]
) -> list[list[movement.Candidate]]:
    """Every chosen candidate with those of its own place, it first; all are in one where nothing else moves then."""
    placed = []
    for candidate in chosen:
        rivals = [other for other in chosen if other is not candidate and _overlap(candidate, other)]
        tiles = _place(candidate, rivals) if rivals else np.zeros(0, bool)
        if tiles.any():
            beside = [other for other in ranked if _moves_in(other, candidate, tiles)]
            placed.append([_within(other, tiles) for other in (candidate, *beside)])
        else:
            placed.append([candidate, *ranked])
    return placed


def _place(candidate: movement.Candidate, rivals: list[movement.Candidate]) -> np.ndarray:
    """Tiles of a candidate: what keeps step with a faster one as well is that one's."""
    own, *shared = _in_step(candidate, *rivals)[0]
    tiles = own > 0
    for part, other in zip(shared, rivals, strict=True):
        tiles &= part < FASTER * own if other.hertz > candidate.hertz else own >= FASTER * part
    return tiles


def _moves_in(candidate: movement.Candidate, chosen: movement.Candidate, tiles: np.ndarray) -> bool:
    """Whether more of what keeps step with a candidate is in some tiles than in all others."""
    rung = candidate.run.course.rung
    if rung.whole is not chosen.run.course.rung.whole:
        return False
    own = np.maximum(verdict.in_step(candidate.run, rung.scores)[0], 0)
    return bool(own[tiles].sum() > own[~tiles].sum())


def _within(candidate: movement.Candidate, tiles: np.ndarray) -> movement.Candidate:
    """Candidate that is compared by some tiles alone."""
    rung = candidate.run.course.rung
    rung = courses.Rung(rung.scores[:, tiles], rung.span, rung.whole[:, tiles])
    run = dataclasses.replace(candidate.run, course=dataclasses.replace(candidate.run.course, rung=rung))
    return dataclasses.replace(candidate, run=run, tiles=tiles)


def _differ(first: movement.Candidate, second: movement.Candidate, parts: Parts) -> bool:
    """Whether two candidates repeat at other times, or elsewhere."""
    return not _overlap(first, second) or _are_elsewhere(first, second, parts)


def _overlap(first: movement.Candidate, second: movement.Candidate) -> bool:
    """Whether two candidates repeat at one time."""
    start, end = max(first.run.starts[0], second.run.starts[0]), min(first.run.ends[-1], second.run.ends[-1])
    shortest = min(run.ends[-1] - run.starts[0] for run in (first.run, second.run))
    # By eye: runs that follow one another overlap by an event where the tempo changes, a fifth of five.
    return end - start >= 0.2 * shortest


def _are_elsewhere(first: movement.Candidate, second: movement.Candidate, parts: Parts) -> bool:
    """Whether two candidates are two movements in two places.

    What moves with one of them keeps no step with the other, and the other way round. A whole multiple keeps step with
    each cycle of the slower one, as parts of one body do: it is another movement where no part of the picture has both.
    """
    slow, fast = sorted((first, second), key=lambda each: each.hertz)
    ratio = fast.hertz / slow.hertz
    if first.run.course.rung.whole is not second.run.course.rung.whole or ratio - 1 < EXACT:
        return False
    if abs(ratio - round(ratio)) < EXACT:
        return len(set(parts()) - {0}) > 1 and _share_no_part(slow, fast, parts())
    (own, shared), energy = _in_step(slow, fast)
    slow_place, fast_place = np.maximum(own, 0), np.maximum(shared, 0)
    return bool(
        slow_place @ (shared / energy) < IN_STEP * slow_place @ (own / energy)
        and fast_place @ (own / energy) < IN_STEP * fast_place @ (shared / energy)
    )


def _share_no_part(slow: movement.Candidate, fast: movement.Candidate, parts: np.ndarray) -> bool:
    """Whether each part of the picture that moves is in step with a fast movement as a whole, or with a slow one."""
    (own, shared), energy = _in_step(slow, fast)
    moves = energy > LEAST_ENERGY * energy.sum()
    sums = [np.bincount(parts[moves], np.maximum(values[moves], 0)) for values in (own, shared, energy)]
    is_fast = sums[1] > FASTER * sums[0]
    places = [float(sums[2][chosen & (sums[0] > IN_STEP * sums[2])].sum()) for chosen in (is_fast, ~is_fast)]
    return min(places) > LEAST_PLACE * float(energy.sum())


def _in_step(*some: movement.Candidate) -> tuple[list[np.ndarray], np.ndarray]:
    """Movement of every tile that is in step with each of some candidates, and all of it."""
    slow, fast = (choose(some, key=lambda candidate: candidate.hertz) for choose in (min, max))
    scores = fast.run.course.rung.spanning(halves.SPANNED / slow.hertz)
    both = [verdict.in_step(candidate.run, scores) for candidate in some]
    return [shared / whole * both[0][1] for shared, whole in both], both[0][1]
