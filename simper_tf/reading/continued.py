"""Answers on overlapping stretches, put together where one goes on with another."""

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from simper_tf.reading.intervals import PAUSE
from simper_tf.reading.result import SAME_TEMPO, Answer, Span


def joined(answers: Iterable[Answer]) -> list[Answer]:
    """Answers of overlapping stretches of pictures, those that go on put together.

    Each has the times of its stretch.
    """
    groups: list[list[Answer]] = []
    for answer in sorted(answers, key=lambda part: (part.scene, part.start)):
        near = [some for some in groups if _goes_on(some, answer)]
        if near:
            min(near, key=lambda some: _apart(some[-1], answer)).append(answer)
        else:
            groups.append([answer])
    return [together(group) for group in groups]


def _goes_on(group: list[Answer], answer: Answer) -> bool:
    """Whether an answer overlaps others of one scene in time, or nearly so, and in place, at one tempo."""
    last, end = group[-1], max(part.end for part in group)
    # A slow repetition may end after one stretch, and the next begin before the other.
    is_later = last.scene == answer.scene and answer.start < end + 0.5 / last.hertz
    is_like = _apart(last, answer) < SAME_TEMPO and last.box.overlap(answer.box) > 0.5
    return is_later and is_like and not any(_are_two(part, answer) for part in group)


def _apart(first: Answer, second: Answer) -> float:
    """How far two tempos are apart, as a logarithm."""
    return abs(float(np.log(first.hertz / second.hertz)))


def _are_two(first: Answer, second: Answer) -> bool:
    """Whether one stretch tells two movements at one time: they share more than a repetition."""
    shared = min(first.end, second.end) - max(first.start, second.start)
    return first.times[0] == second.times[0] and shared * second.hertz > 1


def together(parts: Sequence[Answer], **given) -> Answer:
    """One answer of parts of which each goes on where the one before ends.

    Where two overlap, the first tells the repetitions up to the middle, and the second those from there on. Counts
    weigh frequencies and errors; the surest part gives all else.

    Args:
        parts: In the order of their starts.
        given: Fields of the answer.
    """
    first, *others = parts
    if not others:
        return first
    kept, courses = list(zip(first.repetitions, first.peaks, strict=True)), [(first.times, first.course)]
    last = first.times[-1]
    for part in others:
        at = len(kept)
        seam = (part.start + min(kept[-1][0][1], part.end)) / 2
        while at and kept[at - 1][1] >= seam:
            at -= 1
        later, kept[at:] = kept[at:], []
        for rest in (zip(part.repetitions, part.peaks, strict=True), later):  # The first may end after the second.
            known = len(kept)
            # The middle may fall on one, which is early in one part and late in the other.
            kept += [each for each in rest if not known or each[1] > kept[known - 1][1] + 0.5 / part.hertz]
            if 0 < known < len(kept):
                kept[known - 1 : known + 1] = _meeting(*kept[known - 1 : known + 1], part.hertz)
        courses.append((part.times[part.times > last], part.course[part.times > last]))
        last = max(last, part.times[-1])
    spans, peaks = zip(*kept, strict=True)
    counts = np.array([part.count for part in parts])
    hertz, errors = (np.array([getattr(part, name) for part in parts]) for name in ("hertz", "error"))
    times, course = (np.concatenate(values) for values in zip(*courses, strict=True))
    fields = {
        "repetitions": spans, "peaks": peaks, "times": times, "course": course,
        "hertz": float(counts @ hertz / counts.sum()),
        "error": float(np.hypot.reduce(counts * errors) / counts.sum()),
    }  # fmt: skip
    fields["pauses"] = pauses(spans, fields["hertz"])
    return dataclasses.replace(max(parts, key=lambda part: part.confidence), **(fields | given))


def _meeting(before, after, hertz):
    """Two repetitions at a seam, so that each reaches halfway to the other where there is no pause between them."""
    ((start, _), first), ((_, end), second) = before, after
    if (second - first) * hertz >= PAUSE:
        return before, after
    middle = (first + second) / 2
    return ((start, middle), first), ((middle, end), second)


def pauses(spans: Sequence[Span], hertz: float) -> tuple[Span, ...]:
    """Times between repetitions that last a tenth of one or more."""
    edges = np.array(spans)
    rests = np.flatnonzero(edges[1:, 0] - edges[:-1, 1] > 0.1 / hertz)
    return tuple((float(edges[at, 1]), float(edges[at + 1, 0])) for at in rests)
