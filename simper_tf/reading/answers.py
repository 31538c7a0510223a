"""What several readouts say of the windows of a recording -> one answer for each window, and how often in all."""

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np

from simper_tf.reading.scores import SURE, Reading

THRESHOLD = SURE
# Two frequencies are the same octave where they differ by less than this share.
_SAME = 0.1


@dataclasses.dataclass(frozen=True, eq=False)
class Course:
    """What is drawn of a window.

    Attributes:
        wave: `(T,)` strongest common course of the pixels, of unknown sign.
        power: `(F,)` power summed over pixels, from 0 Hz on.
        spacing: Hz from one value of the power to the next.
    """

    wave: np.ndarray
    power: np.ndarray
    spacing: float


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer for one window.

    Attributes:
        start, end: Seconds from the first frame of the recording.
        chosen: The `Reading` with the best score.
        readings: All of them, the chosen one among them.
        course: What is drawn of it, or None.
    """

    start: float
    end: float
    chosen: Reading
    readings: tuple[Reading, ...]
    course: Course | None = None

    @property
    def is_periodic(self) -> bool:
        return self.chosen.score >= THRESHOLD

    @property
    def frequency(self) -> float:
        """Hz; NaN where nothing clearly repeats."""
        return self.chosen.frequency if self.is_periodic else math.nan

    @property
    def others(self) -> tuple[float, ...]:
        """Frequencies in Hz that may be the true one instead, where the octave is not decided."""
        return self.chosen.others if self.is_periodic else ()


def choose(start: float, end: float, readings: Sequence[Reading], course: Course | None = None) -> Answer:
    """Returns the answer of the readout with the best score; of equal ones, the first.

    Where another one, as sure as an answer needs to be, reads a whole multiple or part of it, the octave is open.
    """
    chosen = max(readings, key=lambda reading: reading.score)
    sure = [reading.frequency for reading in readings if reading.score >= THRESHOLD]
    others = list(chosen.others)
    for frequency in sure:
        is_known = any(abs(frequency / other - 1) < _SAME for other in (chosen.frequency, *others))
        if not is_known and _is_multiple(frequency, chosen.frequency):
            others.append(frequency)
    chosen = dataclasses.replace(chosen, others=tuple(sorted(others)))
    return Answer(start, end, chosen, tuple(readings), course)


def _is_multiple(first, second):
    """Whether one frequency is a whole number of times, two or more, the other."""
    ratio = max(first, second) / min(first, second)
    return round(ratio) >= 2 and abs(ratio / round(ratio) - 1) < _SAME / 2


def agree(answers: Sequence[Answer]) -> list[Answer]:
    """Returns the answers after windows whose octave is open have taken that of most windows of the recording.

    A window whose octave is decided keeps it, and so does one whose candidates no other window has.
    """
    decided = np.array([answer.frequency for answer in answers if answer.is_periodic and not answer.others])

    def votes(frequency):
        return int(np.sum(np.abs(decided / frequency - 1) < _SAME)) if len(decided) else 0

    found = []
    for answer in answers:
        candidates = (answer.chosen.frequency, *answer.others)
        best = max(candidates, key=votes) if answer.others else None
        if best is not None and votes(best):
            chosen = dataclasses.replace(answer.chosen, frequency=best, others=())
            answer = dataclasses.replace(answer, chosen=chosen)
        found.append(answer)
    return found


def repetitions(answers: Sequence[Answer]) -> float:
    """Returns how often something repeats in all the windows: their frequencies, integrated over the time they cover.

    Where windows overlap, the mean of those that are periodic holds; where none is, nothing is counted.
    """
    total = 0.0
    for left, right, over in _spans(answers):
        periodic = [answer.frequency for answer in over if answer.is_periodic]
        total += (right - left) * float(np.mean(periodic)) if periodic else 0.0
    return total


def covered(answers: Sequence[Answer]) -> float:
    """Returns the seconds that one window or more covers."""
    return sum(right - left for left, right, over in _spans(answers) if over)


def _spans(answers):
    """Yields all spans between the edges of windows, each with the answers over it."""
    edges = sorted({edge for answer in answers for edge in (answer.start, answer.end)})
    for left, right in itertools.pairwise(edges):
        yield left, right, [answer for answer in answers if answer.start <= left and right <= answer.end]
