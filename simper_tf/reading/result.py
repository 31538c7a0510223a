"""Answers on a recording: what repeats, when, where, and how sure that is.

Times are seconds of the recording's own clock, frequencies are hertz,
boxes are shares of what was looked at of the pictures.
"""

import dataclasses

import numpy as np

from simper_tf.recordings.boxes import Box
from simper_tf.signals.samples import SURE as SURE

Span = tuple[float, float]

# Verdicts of an answer, a scene and a recording.
CLEAR = "clear"
DOUBTFUL = "doubtful"
UNCLEAR = "unclear"
TOO_FEW = "too few repetitions"
NOTHING = "nothing repeats"
TOO_FAR = "the camera moves too far"
STILL = "nothing moves"
BLACK = "black"
TOO_SHORT = "too short"
SEEN = 0.2  # Confidence from which on what was seen in pictures is told, without being a result.
# Logarithm of the ratio of two tempos up to which they are one, of what was told at different times or by different
# readers: the network errs by a step or two of 6 %, and of neighboring stretches right ones are nearly always so near.
# Narrower are candidates of one stretch (`beats`), multiples (`spectral_lines`, `places`) and sharp lines (`rhythms`),
# which are known better; wider is what changes its tempo from stretch to stretch (`beat_stretches`).
SAME_TEMPO = 0.1
# By how much tempo must rise or fall from the first third to the last to be told, and how seldom by chance.
CHANGE, BY_CHANCE = 1.2, 0.01


@dataclasses.dataclass(frozen=True, eq=False)  # Arrays have no one answer to ==.
class Answer:
    """One thing that repeats.

    Attributes:
        scene: Index of its scene.
        reader: "movement" or "pulse" of pictures, "series" of a series.
        repetitions: Start and end of every repetition.
        peaks: Moment of each at which it is at its height, such as the beat of a heart.
        hertz: Full cycles a second, pauses left out.
        error: Standard error of `hertz`.
        pairs: Frequency of the halves where each cycle is a pair of two
            that are alike but not equal, such as steps of two feet; else None.
        pauses: Start and end of every pause between repetitions.
        box: Where it repeats, `(left, top, width, height)` as shares of what was looked at; in pixels see
            `Repetitions.pixels`.
        confidence: Probability in [0, 1] that `hertz` is right.
        verdict: `CLEAR`, `UNCLEAR` or `TOO_FEW`; `DOUBTFUL` where a trained encoder contradicts.
        times: `(T,)` of `course`.
        course: `(T,)` the movement that was counted, without slow drift.
        channel: Number of the channel of a series that was counted; None for what several have in common, and of
            pictures.
    """

    scene: int
    reader: str
    repetitions: tuple[Span, ...]
    peaks: tuple[float, ...]
    hertz: float
    error: float
    pairs: float | None
    pauses: tuple[Span, ...]
    box: Box
    confidence: float
    verdict: str
    times: np.ndarray = dataclasses.field(repr=False)
    course: np.ndarray = dataclasses.field(repr=False)
    channel: int | None = None

    @property
    def start(self) -> float:
        """Start of the first repetition."""
        return self.repetitions[0][0]

    @property
    def end(self) -> float:
        """End of the last repetition."""
        return self.repetitions[-1][1]

    @property
    def count(self) -> int:
        """Number of repetitions."""
        return len(self.repetitions)

    @property
    def is_clear(self) -> bool:
        """Whether its number may be told."""
        return self.verdict == CLEAR

    def lasting(self) -> np.ndarray:
        """Seconds of every repetition, `(n,)`; what an end of the course cuts short has those of the one beside it."""
        spans = np.array(self.repetitions)
        seconds = spans[:, 1] - spans[:, 0]
        if self.count > 2 and len(self.times):
            for edge, at, beside in ((self.times[0], 0, 1), (self.times[-1], -1, -2)):
                if spans[at, 0] <= edge <= spans[at, 1]:
                    seconds[at] = max(seconds[at], seconds[beside])
        return seconds

    def within(self, start: float, end: float) -> tuple[int, float]:
        """Repetitions whose middle lies between two times, and their tempo in hertz; NaN without any.

        Of all of them the tempo is `hertz`; of some it is the same mean, one over how long they last without pauses.
        """
        middles = np.mean(self.repetitions, axis=1)
        seconds = self.lasting()[(start <= middles) & (middles <= end)]
        if len(seconds) == self.count:
            return self.count, self.hertz
        return len(seconds), 1 / float(seconds.mean()) if len(seconds) else np.nan

    def tempo(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Middle of every repetition, its hertz, and the standard error of it.

        The error is how much a repetition differs from the mean of its two
        neighbours, over the whole answer: what is no smooth change of tempo.
        """
        hertz = 1 / np.maximum(self.lasting(), 1e-9)
        smooth = (hertz[:-2] + hertz[1:-1] + hertz[2:]) / 3
        error = np.sqrt(1.5 * np.mean((hertz[1:-1] - smooth) ** 2)) if len(hertz) > 2 else np.nan
        return np.mean(self.repetitions, axis=1), hertz, np.full(len(hertz), error)

    def trend(self) -> tuple[float, float] | None:
        """Hertz of the first and of the last third of the repetitions where the tempo rises or falls; else None."""
        lasting = self.lasting()
        third = self.count // 3
        if third < 2:
            return None
        first, last = float(1 / lasting[:third].mean()), float(1 / lasting[-third:].mean())
        if max(first, last) <= CHANGE * min(first, last):
            return None
        from scipy import stats  # Slow to load, and for few answers.

        is_sure = stats.spearmanr(lasting, np.arange(self.count)).pvalue < BY_CHANCE
        return (first, last) if is_sure else None


@dataclasses.dataclass(frozen=True)
class Scene:
    """A stretch of the recording between two cuts.

    Attributes:
        start: Time of its first frame.
        end: Time of its last frame.
        verdict: The best verdict of its answers, or why there is none.
    """

    start: float
    end: float
    verdict: str


@dataclasses.dataclass(frozen=True)
class Reading:
    """All that was read of one recording.

    Attributes:
        scenes: Its scenes in order.
        answers: What repeats, the surest first. `TOO_FEW` and `UNCLEAR`
            ones carry what was seen, which is no result.
        verdict: Of the whole recording.
        notes: Sentences for whoever reads the answers.
    """

    scenes: tuple[Scene, ...]
    answers: tuple[Answer, ...]
    verdict: str
    notes: tuple[str, ...]

    @property
    def clear(self) -> tuple[Answer, ...]:
        """Answers that are results, doubtful ones included."""
        return tuple(answer for answer in self.answers if answer.verdict in (CLEAR, DOUBTFUL))


@dataclasses.dataclass(frozen=True)
class Window:
    """What a stretch of time holds of a reading.

    Attributes:
        start: Seconds.
        end: Seconds.
        hertz: Mean frequency of the surest answer in it; 0 for none.
        count: Its repetitions, parts of one included.
        confidence: That of the answer; 0 for none.
    """

    start: float
    end: float
    hertz: float
    count: float
    confidence: float


def windows(reading: Reading, length: float, hop: float) -> list[Window]:
    """Answers of overlapping stretches of time, out of the events.

    Args:
        reading: A reading.
        length: Seconds of a window; at the end the last may be cut off.
        hop: Seconds from one window to the next.
    """
    first, last = reading.scenes[0].start, reading.scenes[-1].end
    starts = np.arange(first, max(last - length / 2, first + 1e-6), hop)
    return [_window(reading, float(start), min(float(start) + length, last)) for start in starts]


def _window(reading: Reading, start: float, end: float) -> Window:
    """The surest answer with repetitions in at least half of a window."""
    for answer in reading.clear:
        spans = np.array(answer.repetitions)
        shared = np.minimum(spans[:, 1], end) - np.maximum(spans[:, 0], start)
        shared = np.maximum(shared, 0)
        if shared.sum() >= (end - start) / 2:
            count = float((shared / answer.lasting()).sum())
            return Window(start, end, count / float(shared.sum()), count, answer.confidence)
    return Window(start, end, 0.0, 0.0, 0.0)
