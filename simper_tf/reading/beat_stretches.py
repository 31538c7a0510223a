"""Beats of a series in stretches of half a minute, judged together and joined where the tempo goes on.

A disturbance spoils its stretch alone.
"""

import dataclasses
import math

import numpy as np

from simper_tf.reading import beat_courses, beat_tops, beats, continued, events, result, tempos
from simper_tf.signals import samples
from simper_tf.tables import series_files

STRETCH = 30.0  # Seconds that are read at once.
_SHARED = 0.02  # Share of a stretch that it reads of each neighbor: of what an edge cuts little is known.
_LONGER = 3.0  # Times as long are stretches for what is slow.
HIGHEST_SHARE = 0.45  # Of the rate of samples.
FEWEST = 4  # Repetitions in a result: two intervals may be chance.
# A band so many times as high as low is read span by span: hearts and movements first, then what is slower or faster.
# So many periods of the lowest frequency must be there.
_WIDE, PERIODS = 8.0, 5
MULTIPLE = 0.04  # Share by which a multiple may be off.
FINER, _NO_LINE = 4, 0.01  # Bins to a cycle of a stretch, and share of the highest line below which there is none.
_COMPARED = 10_000  # Samples, at most, by which channels are compared: all of a day would fill the memory.
_FOLDS = 4  # Rates of samples up to which harmonics are folded back: beyond, they are weak.
# In Hz. Each is some six times as high as low, less than `_WIDE`, and overlaps the next.
_SPANS = ((0.6, 3.5), (0.17, 1.0), (0.05, 0.3), (2.1, 12.0), (7.0, 42.0))
_NARROW = 4.0  # So many times as high as low is a span that samples end, at least: noise in less is almost a wave.
_SLOW = 3  # First spans, that are all read, so that a multiple of what is slow is known.
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
    limits = limits_of(times, band)
    parts = list(_stretches(times, stretch))
    drawn = min(max(_DRAWN_IN_ALL // len(parts), _LEAST_DRAWN), _DRAWN)
    heard, rivals, alone = [], [], 0
    for number, part in enumerate(parts):
        is_quick = alone >= _ENOUGH and number % _EVERY > 0
        found, others, is_alone = _heard(times[part], values[part], limits, is_quick)
        alone = alone + 1 if is_alone else 0
        heard.append(_drawn(beat_tops.at_tops(found), drawn))
        rivals.append(others)
    answers, notes = [], set()
    judged = tempos.judged(heard, looks * len(heard) * _apart(values))
    for part, found, others in zip(parts, judged, rivals, strict=True):
        if (answer := answer_on(found, times[part])) is not None:
            pairs = next((hertz for hertz in others if multiple(hertz, found.frequency) == 2), None)
            answers.append(dataclasses.replace(answer, pairs=pairs))
            notes.add(_pattern(found, others) or (_second(found) if len(heard) == 1 else None))
    answers, notes = _joined(answers), sorted(note for note in notes if note)
    seen = (times[-1] - times[0]) / len(parts)
    slow = [answer.hertz for answer in answers if _is_clear(answer) and answer.hertz < 2 * PERIODS / seen]
    if slow and len(parts) > 1:
        band = limits[0], min(max(slow) * math.exp(_GOES_ON), limits[1])
        longer, _ = answers_on(times, values, band, looks, _LONGER * stretch)
        whole = [each for each in longer if any(_is_part_in(answer, each) for answer in answers)]
        answers = [*whole, *(answer for answer in answers if not any(_is_part_in(answer, each) for each in whole))]
    return answers, notes


def _is_clear(answer):
    return answer.verdict == result.CLEAR


def _is_part_in(answer, longer):
    """Returns whether an answer lies in the time of a clear one, of which each repetition is two or three of its."""
    overlap = min(answer.end, longer.end) - max(answer.start, longer.start)
    return _is_clear(longer) and bool(multiple(answer.hertz, longer.hertz)) and 2 * overlap > answer.end - answer.start


def _apart(values):
    """Returns how many channels vary each by itself: each is a look, and the three colors of a finger are one.

    It is the participation ratio of the eigenvalues of their correlations.
    """
    some = values[:: max(len(values) // _COMPARED, 1)]
    some = some[:, some.std(axis=0) > 0]
    if some.shape[1] < 2:
        return 1.0
    return some.shape[1] ** 2 / float(np.sum(np.corrcoef(some, rowvar=False) ** 2))


def limits_of(times, band):
    """Returns the lowest and the highest frequency in Hz that are sought."""
    low, high = band or (0.0, math.inf)
    return low, min(high, HIGHEST_SHARE / series_files.usual_step(times))


def _heard(times, values, limits, is_quick):
    """Returns beats in a band, the frequencies of other clear ones, and whether the first span alone is clear.

    Of a wide band they are those of the first span that is clear, or of the surest one.
    """
    if len(times) < beats.FEWEST_SAMPLES:
        return beats.Beats(0.0, ()), [], False
    # Of a short series, in which nothing slow can be seen, the faster spans would make up a number.
    if times[-1] - times[0] < PERIODS / _SPANS[0][0] or limits[1] < _WIDE * limits[0]:
        even = beat_courses.evenly(times, values)
        return _found(even, limits, power_of(even)), [], False
    heard = heard_in_spans(times, values, limits, is_quick=is_quick)
    first = _preferred(heard)
    others = [found.frequency for found in heard if found is not first and found.confidence >= result.SURE]
    return first, others, bool(heard) and first is heard[0] and first.confidence >= result.SURE and not others


def heard_in_spans(times, values, limits, is_all=False, is_quick=False):
    """Returns the beats of the slow spans, and of faster ones while none is clear, or of all.

    A quick look ends with the first span where that is clear.
    """
    even = beat_courses.evenly(times, values)
    heard, power = [], power_of(even)
    for number, band in bands(times, even.rate, limits):
        is_clear = any(found.confidence >= result.SURE for found in heard)
        if is_clear and (is_quick or (number >= _SLOW and not is_all)):
            break
        heard.append(_found(even, band, power))
    return heard


def bands(times, rate, limits):
    """Yields the number and the `(low, high)` of each span of a stretch that its samples show."""
    low = max(limits[0], PERIODS / float(times[-1] - times[0]))
    highest, covered = beats.SHOWN * rate, 0.0
    for number, (first, last) in enumerate(_SPANS):
        if number >= _SLOW and highest < min(last, limits[1]):
            first = min(first, highest / _NARROW)
        first, last = max(first, low), min(last, limits[1], highest)
        # A band of less than half an octave holds a single tempo, and no rival of it.
        if last > 1.5 * first and (number < _SLOW or last > covered):
            covered = max(covered, last)
            yield number, (first, last)


def _found(even, band, power):
    """Returns beats in a band; they are none where something faster repeats."""
    found = beats.find_in(even, band)
    return dataclasses.replace(found, confidence=0.0) if is_part(found.frequency, *power) else found


def power_of(even):
    """Returns the power of all channels together, `(F,)`, the Hz from bin to bin, and the samples per second."""
    values = (even.values - even.values.mean(axis=0)) / np.maximum(even.values.std(axis=0), 1e-12)
    power = (np.abs(samples.hann_spectrum(values, FINER)) ** 2).sum(axis=1)
    return power, even.rate / (FINER * len(values)), even.rate


def is_part(hertz, power, spacing, rate):
    """Returns whether something faster repeats: all lines at multiples of a frequency are those of one multiple.

    Samples fold its harmonics above half the rate onto the others. They count as its own up to the height that a jump
    would give them, as nothing is rougher, and what is no line adds to their amplitude.
    """
    count = int(HIGHEST_SHARE * rate / hertz) if hertz > 0 else 0
    if count < 2:
        return False
    numbers = np.arange(1, count + 1)
    at = numbers * hertz / spacing
    # Less than a half of the spacing, so that neighbors share no bin.
    reach = np.clip(MULTIPLE * at, FINER, 0.3 * at[0])
    lines = np.array([power[int(low) : int(high) + 2].max() for low, high in zip(at - reach, at + reach, strict=True)])
    strongest = int(lines.argmax()) + 1
    folded = _folded(strongest * hertz / rate, numbers * hertz / rate, reach * spacing / rate)
    is_own = lines < (math.sqrt(_NO_LINE) + folded) ** 2 * lines.max()
    return strongest > 1 and bool(is_own[numbers % strongest > 0].all())


def _folded(share, places, reach):
    """Returns amplitudes that samples make of a jump, over that of its first harmonic.

    Args:
        share: Of the rate, which its frequency is.
        places: `(N,)` shares of the rate at which they are told.
        reach: `(N,)` by which a harmonic may be off.
    """
    orders = np.arange(math.floor(0.5 / share) + 1, math.ceil(_FOLDS / share) + 1)
    folded = np.abs(orders * share - np.round(orders * share))
    return (np.abs(folded - places[:, None]) < reach[:, None]) @ (1 / orders)


def _preferred(heard):
    """Returns the first beats that are clear and no multiple of slower ones that are likelier; else the surest.

    Of two that are both sure, a pair is told as one repetition, as of two feet; a pattern of three as three.
    """
    clear = [found for found in heard if found.confidence >= result.SURE]
    for found in clear:
        if not any(_is_part_of(found, other) for other in clear):
            return found
    return max(heard, key=lambda found: found.confidence, default=beats.Beats(0.0, ()))


def multiple(first, second):
    """Returns 2 or 3 where a frequency is so many times as high as another, 0 elsewhere."""
    times = round(first / second)
    return times if times in (2, 3) and abs(first / second / times - 1) < MULTIPLE else 0


def _is_part_of(found, slower):
    times = multiple(found.frequency, slower.frequency)
    sure, other = (min(answer.confidence, _SURE) for answer in (found, slower))
    return bool(times) and (other > sure or (times == 2 and other == sure))


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
    edges = events.beside_pauses(heard.times, *events.bounds(heard.times))
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
        pauses=continued.pauses(spans, heard.frequency), box=(0.0, 0.0, 1.0, 1.0), confidence=heard.confidence,
        verdict=verdict, times=seen.moments[shown], course=(seen.source - seen.source.mean())[shown].astype(np.float32),
        channel=seen.channel,
    )  # fmt: skip


def _pattern(heard, others):
    """Returns a note on a slower rhythm of which each repetition is three of those that are told."""
    slower = next((hertz for hertz in others if multiple(heard.frequency, hertz) == 3), None)
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
