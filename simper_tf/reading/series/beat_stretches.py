"""Beats of a series in stretches of half a minute, judged together and joined where the tempo goes on.

A disturbance spoils its stretch alone.
"""

import dataclasses
import math

import numpy as np

from simper_tf.reading import continued, intervals, result
from simper_tf.reading.series import beat_tops, tempo_spans, tempos
from simper_tf.recordings.boxes import WHOLE

STRETCH = 30.0  # Seconds that are read at once.
_SHARED = 0.02  # Share of a stretch that it reads of each neighbor: of what an edge cuts little is known.
_LONGER = 3.0  # Times as long are stretches for what is slow.
FEWEST = 4  # Repetitions in a result: two intervals may be chance.
_COMPARED = 10_000  # Samples, at most, by which channels are compared: all of a day would fill the memory.
# Where in so many stretches one after another the first span alone was clear, the others are looked at once in so
# many: in a day of a heart they would take two thirds of the time.
_ENOUGH, _EVERY = 20, 10
_GOES_ON = 0.35  # Logarithm of the ratio of two tempos of which one may have become the other.
# Samples of the course of a stretch, at most and at least; and of all stretches, of which a day has thousands.
_DRAWN, _LEAST_DRAWN, _DRAWN_IN_ALL = 2000, 20, 20_000
# Confidence below which another rhythm is named beside a clear one, and how much less likely it may be, as logarithm.
_SURE, _RIVAL = 0.9, 5.0


def answers_on(times, values, band, looks=1, stretch=STRETCH):
    """Returns answers on a series that begins at 0, and notes on them.

    What is slow is told by stretches that hold as many of twice its period: of less, half a tempo cannot be told.

    Args:
        times: `(T,)` seconds.
        values: `(T, C)` numbers.
        band: `(low, high)` in Hz, None for all.
        looks: How often the series is looked at in other ways, such as channel by channel.
        stretch: Seconds that are read at once.
    """
    limits = tempo_spans.limits_of(times, band)
    parts = list(_stretches(times, stretch))
    drawn = min(max(_DRAWN_IN_ALL // len(parts), _LEAST_DRAWN), _DRAWN)
    heard, rivals, alone = [], [], 0
    for number, part in enumerate(parts):
        is_quick = alone >= _ENOUGH and number % _EVERY > 0
        found, others, is_alone = tempo_spans.heard_in(times[part], values[part], limits, is_quick)
        alone = alone + 1 if is_alone else 0
        heard.append(_drawn(beat_tops.at_tops(found), drawn))
        rivals.append(others)
    answers, notes = [], set()
    judged = tempos.judged(heard, looks * len(heard) * _apart(values))
    for part, found, others in zip(parts, judged, rivals, strict=True):
        if (answer := answer_on(found, times[part])) is not None:
            pairs = next((hertz for hertz in others if tempo_spans.multiple(hertz, found.frequency) == 2), None)
            answers.append(dataclasses.replace(answer, pairs=pairs))
            notes.add(_pattern(found, others) or (_second(found) if len(heard) == 1 else None))
    answers, notes = _joined(answers), sorted(note for note in notes if note)
    seen = (times[-1] - times[0]) / len(parts)
    slow = [answer.hertz for answer in answers if answer.is_clear and answer.hertz < 2 * tempo_spans.PERIODS / seen]
    if slow and len(parts) > 1:
        band = limits[0], min(max(slow) * math.exp(_GOES_ON), limits[1])
        longer, _ = answers_on(times, values, band, looks, _LONGER * stretch)
        whole = [each for each in longer if any(_is_part_in(answer, each) for answer in answers)]
        answers = [*whole, *(answer for answer in answers if not any(_is_part_in(answer, each) for each in whole))]
    return answers, notes


def _is_part_in(answer, longer):
    """Returns whether an answer lies in the time of a clear one, of which each repetition is two or three of its."""
    overlap = min(answer.end, longer.end) - max(answer.start, longer.start)
    return (
        longer.is_clear
        and bool(tempo_spans.multiple(answer.hertz, longer.hertz))
        and 2 * overlap > answer.end - answer.start
    )


def _apart(values):
    """Returns how many channels vary each by itself: each is a look, and the three colors of a finger are one.

    It is the participation ratio of the eigenvalues of their correlations.
    """
    some = values[:: max(len(values) // _COMPARED, 1)]
    some = some[:, np.ptp(some, axis=0) > 0]  # Rounding gives what is constant a deviation.
    if some.shape[1] < 2:
        return 1.0
    return some.shape[1] ** 2 / float(np.sum(np.corrcoef(some, rowvar=False) ** 2))


def _stretches(times, seconds):
    """Yields the samples of each stretch, a little of its neighbors among them; one without samples is none."""
    number = max(round((times[-1] - times[0]) / seconds), 1)
    edges = np.linspace(times[0], times[-1], number + 1)
    firsts = np.searchsorted(times, np.append(times[0], edges[1:-1] - _SHARED * seconds))
    lasts = np.append(np.searchsorted(times, edges[1:-1] + _SHARED * seconds), len(times))
    is_seen = np.diff(np.append(np.searchsorted(times, edges[:-1]), len(times))) > 0
    yield from (slice(first, last) for first, last in zip(firsts[is_seen], lasts[is_seen], strict=True))


def _drawn(heard, most):
    """Returns what was heard in a stretch, with at most so many samples to draw: all of a day would fill the memory."""

    def thinned(seen):
        shown = _shown(seen, most)
        return dataclasses.replace(seen, moments=seen.moments[shown], source=seen.source[shown])

    return dataclasses.replace(heard, candidates=tuple(map(thinned, heard.candidates)))


def _shown(seen, most):
    """Returns indices of at most so many samples, the first and the last among them."""
    count = len(seen.moments)
    return np.linspace(0, count - 1, min(count, most)).astype(int)


def answer_on(heard, times):
    """Returns the answer of a stretch, of samples at some times; None without two beats."""
    if len(heard.times) < 2:
        return None
    edges = intervals.beside_pauses(heard.times, *intervals.bounds(heard.times))
    edges = np.clip(edges, times[0], times[-1]).T
    spans, gaps = tuple(map(tuple, edges.tolist())), np.diff(heard.times)
    seen = heard.candidates[0]
    shown = _shown(seen, _DRAWN)
    verdict = result.CLEAR if heard.confidence >= result.SURE else result.UNCLEAR
    if verdict == result.CLEAR and len(heard.times) < FEWEST:
        verdict = result.TOO_FEW
    return result.Answer(
        scene=0, reader="series", repetitions=spans, peaks=tuple(heard.times.tolist()),
        hertz=heard.frequency,
        error=heard.frequency * float(np.std(gaps) / np.mean(gaps)) / math.sqrt(len(gaps)), pairs=None,
        pauses=continued.pauses(spans, heard.frequency), box=WHOLE, confidence=heard.confidence,
        verdict=verdict, times=seen.moments[shown], course=(seen.source - seen.source.mean())[shown].astype(np.float32),
        channel=seen.channel,
    )  # fmt: skip


def _pattern(heard, others):
    """Returns a note on a slower rhythm of which each repetition is three of those that are told."""
    slower = next((hertz for hertz in others if tempo_spans.multiple(heard.frequency, hertz) == 3), None)
    return f"{heard.frequency:.3g} Hz may come in threes: {slower:.3g} Hz." if slower else None


def _second(heard):
    """Returns a note on another rhythm that may be the one that is meant."""
    if heard.confidence >= _SURE or len(heard.candidates) < 2:
        return None
    first, second = heard.candidates[:2]
    rivals = f"{first.frequency:.3g} Hz, or {second.frequency:.3g} Hz"
    if heard.confidence < result.SURE:
        return f"Unclear: {rivals}. Name a `band` to choose."
    return f"The first is likelier: {rivals}." if first.odds - second.odds < _RIVAL else None


def _joined(answers):
    """Returns answers of neighboring stretches as one where the tempo goes on."""
    groups = []
    for answer in answers:
        last = groups[-1][-1] if groups else None
        if last and last.verdict == answer.verdict and abs(math.log(last.hertz / answer.hertz)) < _GOES_ON:
            groups[-1].append(answer)
        else:
            groups.append([answer])
    return [_together(group) for group in groups]


def _together(parts):
    counts = [part.count for part in parts]
    return continued.together(
        parts,
        confidence=float(np.average([part.confidence for part in parts], weights=counts)),
        channel=parts[0].channel if len({part.channel for part in parts}) == 1 else None,
    )
