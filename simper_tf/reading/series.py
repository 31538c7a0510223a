"""Reading of a whole series: samples at their own times to what repeats, such as heartbeats or breaths.

A series is read in stretches of half a minute, so that a disturbance spoils its stretch alone. Answers of neighboring
stretches are put together where the tempo goes on. Where none is clear, a short series is read whole: what is slow
needs it.
"""

import dataclasses
import itertools
import math

import numpy as np

from simper_tf.reading import beats, result

STRETCH = 30.0  # Seconds that are read at once.
LONGEST = 300.0  # Seconds of a series that is read whole where no stretch is clear.
LOWEST_HERTZ = 0.05
HIGHEST_SHARE = 0.45  # Of the rate of samples.
CLEAR = 0.5
FEWEST = 2.5  # Repetitions.
_FEWEST_SAMPLES = 16
_PAUSE = 1.8  # Times the median interval, above which no repetition is.
_GOES_ON = 0.35  # Logarithm of the ratio of two tempos of which one may have become the other.
_DRAWN = 2000  # Samples of a course.


def read(times: np.ndarray, values: np.ndarray, *, band: tuple[float, float] | None = None) -> result.Reading:
    """What repeats in a series.

    Args:
        times: `(T,)` seconds that rise, with jitter and holes or without.
        values: `(T, C)` numbers, in any unit.
        band: `(low, high)` in Hz in which frequencies are sought; None for all that the samples show.

    Example:
        >>> times = np.arange(0, 12, 0.02)
        >>> answer, = read(times, np.sin(2 * np.pi * 0.7 * times)[:, None]).clear
        >>> round(answer.hertz, 2)
        0.7
    """
    if len(times) < _FEWEST_SAMPLES:
        scene = result.Scene(float(times[0]), float(times[-1]), result.TOO_SHORT)
        return result.Reading((scene,), (), result.TOO_SHORT, ())
    rate = 1 / float(np.median(np.diff(times)))
    low, high = band or (LOWEST_HERTZ, math.inf)
    limits = low, min(high, HIGHEST_SHARE * rate)
    answers, notes = _of_stretches(times, values, limits, STRETCH)
    seconds = times[-1] - times[0]
    if STRETCH < seconds <= LONGEST and all(answer.verdict != result.CLEAR for answer in answers):
        answers, notes = _of_stretches(times, values, limits, LONGEST)
    answers = sorted(_joined(answers), key=lambda answer: -answer.confidence)
    moves = np.ptp(values, axis=0).any()
    verdict = answers[0].verdict if answers else result.NOTHING if moves else result.STILL
    scene = result.Scene(float(times[0]), float(times[-1]), verdict)
    return result.Reading((scene,), tuple(answers), verdict, tuple(dict.fromkeys(notes)))


def _of_stretches(times, values, limits, seconds):
    """Returns the answers of all stretches of about so many seconds, and notes on them."""
    answers, notes = [], []
    for first, last in _stretches(times, seconds):
        answer, note = _of_stretch(times[first:last], values[first:last], limits)
        notes += [note] * bool(note)
        answers += [answer] * (answer is not None)
    return answers, notes


def _stretches(times, seconds):
    """Yields the first sample of each stretch, and that after its last; a short rest belongs to the one before."""
    number = max(round((times[-1] - times[0]) / seconds), 1)
    edges = np.searchsorted(times, np.linspace(times[0], times[-1], number + 1)[1:-1])
    yield from itertools.pairwise([0, *edges.tolist(), len(times)])


def _of_stretch(times, values, limits):
    """Returns the answer of a stretch and a note on it, None for neither."""
    if len(times) < _FEWEST_SAMPLES:
        return None, None
    heard = beats.read(times, values, limits)
    if len(heard.times) < 2:
        return None, None
    repetitions = _repetitions(heard.times)
    if not repetitions:
        return None, None
    interval = 1 / heard.frequency
    gaps = np.diff(heard.times)
    pauses = [
        (float(one), float(two)) for one, two in itertools.pairwise(heard.times) if two - one >= _PAUSE * interval
    ]
    seen = heard.candidates[0]
    shown = slice(None, None, math.ceil(len(seen.moments) / _DRAWN))
    verdict = result.CLEAR if heard.confidence >= CLEAR else result.UNCLEAR
    if verdict == result.CLEAR and len(repetitions) + 0.5 < FEWEST:
        verdict = result.TOO_FEW
    answer = result.Answer(
        scene=0, reader="beats", repetitions=repetitions, hertz=heard.frequency,
        error=heard.frequency * float(np.std(gaps) / np.mean(gaps)) / math.sqrt(len(gaps)), pairs=None,
        pauses=tuple(pauses), box=(0.0, 0.0, 1.0, 1.0), confidence=heard.confidence, verdict=verdict,
        times=seen.moments[shown], course=(seen.source - seen.source.mean())[shown].astype(np.float32),
    )  # fmt: skip
    return answer, _second(heard)


def _repetitions(moments):
    """Returns the spans between neighboring beats, pauses left out."""
    longest = _PAUSE * float(np.median(np.diff(moments)))
    return tuple((float(one), float(two)) for one, two in itertools.pairwise(moments) if two - one < longest)


def _second(heard):
    """Returns a note on another rhythm that may be the one that is meant."""
    if heard.confidence >= CLEAR or len(heard.candidates) < 2:
        return None
    first, second = (f"{candidate.frequency:.3g} Hz" for candidate in heard.candidates[:2])
    return f"Unclear: {first}, or {second}. Name a --band to choose."


def _joined(answers):
    """Returns answers of neighboring stretches as one where the tempo goes on."""
    whole = []
    for answer in answers:
        before = whole[-1] if whole else None
        if before and before.verdict == answer.verdict and abs(math.log(before.hertz / answer.hertz)) < _GOES_ON:
            whole[-1] = _together(before, answer)
        else:
            whole.append(answer)
    return whole


def _together(before, answer):
    share = np.array([before.count, answer.count]) / (before.count + answer.count)
    seam = (before.end, answer.start)
    between = (seam,) if 0 < seam[1] - seam[0] < _PAUSE / answer.hertz else ()
    return dataclasses.replace(
        before,
        repetitions=(*before.repetitions, *between, *answer.repetitions),
        hertz=float(share @ (before.hertz, answer.hertz)),
        error=float(np.hypot(*(share * (before.error, answer.error)))),
        pauses=(*before.pauses, *answer.pauses),
        confidence=float(share @ (before.confidence, answer.confidence)),
        times=np.concatenate([before.times, answer.times]),
        course=np.concatenate([before.course, answer.course]),
    )
