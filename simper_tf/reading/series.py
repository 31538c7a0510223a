"""Reading of a whole series: samples at their own times to what repeats, such as heartbeats or breaths.

A series is read in stretches of half a minute, so that a disturbance spoils its stretch alone. A stretch that is not
clear is believed where its tempo is that of a clear neighbor, and answers are put together where the tempo goes on.
Where none is clear, a short series is read whole: what is slow needs it.

A series of hours or years, such as of tides, has several rhythms at once: it is read channel by channel, whole and in
stretches, and every clear rhythm is an answer.
"""

import dataclasses
import itertools
import math

import numpy as np

from simper_tf.reading import beat_courses, beats, result

STRETCH = 30.0  # Seconds that are read at once.
LONGEST = 300.0  # Seconds of a series that is read whole where no stretch is clear.
LOWEST_HERTZ = 0.05
HIGHEST_SHARE = 0.45  # Of the rate of samples.
CLEAR = 0.5
FEWEST = 3.0  # Repetitions, of which half of one may be outside: two may be chance.
# A band so many times as high as low is read span by span: hearts and movements first, then what is slower or faster.
# Each span is one more chance to be wrong, so that the first needs odds better by this logarithm, and the others by
# far: of few repetitions by the most, less with every doubling of their number. Of 360 series of noise, of 250 s, the
# odds are at most those of 13 repetitions. So many periods of the lowest frequency must be there.
_WIDE, _DOUBT, _DOUBTS, _PERIODS = 8.0, 0.5, 3.0, 5
_FEW, _LESS = 8, 1.25
_MULTIPLE = 0.04  # Share by which a multiple may be off.
_FINER, _NO_LINE = 4, 0.01  # Bins to a cycle of a stretch, and share of the highest line below which there is none.
_SPANS = ((0.6, 3.5), (0.17, 1.0), (0.05, 0.3), (2.1, 12.0), (7.0, 42.0), (25.0, 150.0), (90.0, 500.0))
_SLOW = 3  # First spans, that are all read, so that a multiple of what is slow is known.
_FEWEST_SAMPLES = 16
# A series of fewer samples a second, such as of tides, is read as if it lasted so many seconds, and if it has more
# samples than that shows, as if there were so many a second.
_SLOW_RATE, _AS_IF, _AS_IF_RATE = 1.0, 40.0, 125.0
_HOLE = 0.1  # Share of it that is missing in one place, beyond which its parts are read each by itself.
_MOST_CHANNELS = 8  # Of it that are read each by itself as well.
# Channels of a faster series that are read so where nothing is clear, and how many must agree.
_MOST_READ, _AGREE = 40, 2
# Repetitions that are no chance though they fill a part of it, and share of it that fewer must fill.
_MANY, _MOST = 10, 0.5
_SHOWN, _HARMONICS = 0.02, 3  # Share of its power that a rhythm with its first harmonics has at least.
_PAUSE = 1.8  # Times the median interval, above which no repetition is.
_GOES_ON = 0.35  # Logarithm of the ratio of two tempos of which one may have become the other.
# Logarithm of the ratio of two tempos that support one another, and how much likelier that makes the second: right
# ones are nearly always so near, a wrong one is by chance in one of eight, as the band is so many times as wide.
_NEAR, _SUPPORT = 0.1, math.log(8)
_DRAWN = 2000  # Samples of a course.
# Confidence below which another rhythm is named beside a clear one, and how much less likely it may be, as logarithm.
_SURE, _RIVAL = 0.9, 5.0


def read(times: np.ndarray, values: np.ndarray, *, band: tuple[float, float] | None = None) -> result.Reading:
    """What repeats in a series.

    Args:
        times: `(T,)` seconds that rise, with jitter and holes or without.
        values: `(T, C)` numbers, in any unit.
        band: `(low, high)` in Hz in which frequencies are sought; None for all that the samples show: from 0.05 Hz or,
            of fewer than one sample a second, from a fifth of the reciprocal length, to 45 % of the rate.

    Example:
        >>> times = np.arange(0, 12, 0.02)
        >>> answer, = read(times, np.sin(2 * np.pi * 0.7 * times)[:, None]).clear
        >>> round(answer.hertz, 2)
        0.7
    """
    if len(times) < _FEWEST_SAMPLES:
        scene = result.Scene(float(times[0]), float(times[-1]), result.TOO_SHORT)
        return result.Reading((scene,), (), result.TOO_SHORT, ())
    start, notes = float(times[0]), []
    if np.median(np.diff(times)) > 1 / _SLOW_RATE:
        answers = [answer for part in _parts(times) for answer in _rhythms(times[part], values[part], band)]
    else:
        answers, notes = _answers(times - start, values, band)
        if values.shape[1] > 1 and all(answer.verdict != result.CLEAR for answer in answers):
            answers = _agreed(times - start, values, band) or answers
        answers = [_slowed(answer, 1.0, start) for answer in answers]
    answers.sort(key=lambda answer: -answer.confidence)
    moves = np.ptp(values, axis=0).any()
    verdict = answers[0].verdict if answers else result.NOTHING if moves else result.STILL
    scene = result.Scene(float(times[0]), float(times[-1]), verdict)
    return result.Reading((scene,), tuple(answers), verdict, tuple(dict.fromkeys(notes)))


def _parts(times):
    """Yields the parts of a slow series between long holes."""
    steps = np.diff(times)
    edges = [0, *(np.flatnonzero(steps > max(_HOLE * np.ptp(times), 20 * np.median(steps))) + 1), len(times)]
    yield from (slice(*pair) for pair in itertools.pairwise(edges) if pair[1] - pair[0] >= _FEWEST_SAMPLES)


def _rhythms(times, values, band):
    """Returns answers on all clear rhythms of a slow series; the surest one where none is clear."""
    whole, fine = float(np.ptp(times)) / _AS_IF, float(np.median(np.diff(times))) * _AS_IF_RATE
    channels = range(values.shape[1]) if 1 < values.shape[1] <= _MOST_CHANNELS else ()
    heard = []
    for channel in (None, *channels):
        some = values if channel is None else values[:, [channel]]
        for clock in (whole, fine) if fine < whole else (whole,):
            own, limits = (times - times[0]) / clock, band and tuple(clock * np.array(band))
            answers = _of_whole(own, some, limits) if clock == whole else []
            answers = answers or [one for one in _answers(own, some, limits)[0] if _is_seen(one, own)]
            answers = [_slowed(answer, clock, float(times[0])) for answer in answers]
            heard += answers if channel is None else [_of_channel(answer, channel) for answer in answers]
    heard.sort(key=lambda answer: (answer.verdict != result.CLEAR, -answer.confidence))
    chosen = []
    for answer in heard:
        is_new = all(abs(math.log(answer.hertz / other.hertz)) > _NEAR for other in chosen)
        if is_new and (answer.verdict == result.CLEAR or not chosen):
            chosen.append(answer)
    return chosen


def _agreed(times, values, band):
    """Returns the answer on which most channels agree, each read by itself; none if fewer than two do."""
    clear = []
    for channel in range(min(values.shape[1], _MOST_READ)):
        answers, _ = _answers(times, values[:, [channel]], band)
        clear += [_of_channel(answer, channel) for answer in answers if answer.verdict == result.CLEAR]
    groups = [[other for other in clear if abs(math.log(other.hertz / one.hertz)) < _NEAR] for one in clear]
    most = max(groups, key=lambda group: (_channels(group), max(one.confidence for one in group)), default=[])
    if _channels(most) < _AGREE:
        return []
    surest = max(most, key=lambda answer: answer.confidence)
    is_paired = any(abs(math.log(other.hertz / surest.hertz / 2)) < _NEAR for other in clear)
    return [dataclasses.replace(surest, pairs=2 * surest.hertz if is_paired else None)]


def _channels(answers):
    return len({answer.channel for answer in answers})


def _of_channel(answer, channel):
    return dataclasses.replace(answer, channel=channel)


def _of_whole(times, values, band):
    """Returns answers on the clear rhythms of all spans of a series that is read whole."""
    heard, power = _heard_in_spans(times, values, _limits(times, band), is_all=True), _power(times, values)
    clear = [one for one in heard if one.confidence >= CLEAR and _share(one.frequency, *power) >= _SHOWN]
    answers = [answer for one in clear if (answer := _of_stretch(one)) is not None]
    return [answer for answer in answers if _is_seen(answer, times)]


def _is_seen(answer, times):
    """Returns whether a rhythm of a slow series is seen often, or in most of it: of many stretches one may mislead."""
    return answer.count >= _MANY or answer.end - answer.start > _MOST * np.ptp(times)


def _limits(times, band):
    """Returns the lowest and the highest frequency in Hz that are sought."""
    low, high = band or (LOWEST_HERTZ, math.inf)
    return low, min(high, HIGHEST_SHARE / float(np.median(np.diff(times))))


def _answers(times, values, band):
    """Returns answers on a series that begins at 0, and notes on them."""
    limits = _limits(times, band)
    answers, notes = _of_stretches(times, values, limits, STRETCH)
    if STRETCH < times[-1] <= LONGEST and all(answer.verdict != result.CLEAR for answer in answers):
        answers, notes = _of_stretches(times, values, limits, LONGEST)
    return _joined(answers), notes


def _slowed(answer, clock, start):
    """Returns an answer on a clock that is so many times as slow and begins then."""

    def spans(those):
        return tuple((start + clock * first, start + clock * last) for first, last in those)

    return dataclasses.replace(
        answer, repetitions=spans(answer.repetitions), pauses=spans(answer.pauses), hertz=answer.hertz / clock,
        error=answer.error / clock, times=start + clock * answer.times,
    )  # fmt: skip


def _of_stretches(times, values, limits, seconds):
    """Returns the answers of all stretches of about so many seconds, and notes on them."""
    parts = [slice(first, last) for first, last in _stretches(times, seconds)]
    heard = _supported([_heard(times[part], values[part], limits) for part in parts])
    answers = [answer for one in heard if (answer := _of_stretch(one)) is not None]
    return answers, [note for one in heard if (note := _second(one, len(heard) == 1))]


def _heard(times, values, limits):
    """Returns beats in a band; in a wide one, those of the first span that is clear, or of the surest one."""
    # Of a short series, in which nothing slow can be seen, the faster spans would make up a number.
    is_short = len(times) < _FEWEST_SAMPLES or times[-1] - times[0] < _PERIODS / _SPANS[0][0]
    if is_short or limits[1] < _WIDE * limits[0]:
        return beats.read(times, values, limits)
    return _preferred(_heard_in_spans(times, values, limits))


def _heard_in_spans(times, values, limits, is_all=False):
    """Returns the beats of the slow spans, and of faster ones while none is clear, or of all."""
    low = max(limits[0], _PERIODS / float(times[-1] - times[0]))
    spans = [(max(first, low), min(last, limits[1])) for first, last in _SPANS]
    heard, power = [], _power(times, values)
    for number, span in enumerate(spans):
        if not is_all and number >= _SLOW and any(one.confidence >= CLEAR for one in heard):
            break
        if span[1] > 1.5 * span[0]:
            one = beats.read(times, values, span)
            left = _lifted(one.confidence, -_doubt(number, len(one.times)))
            is_part = _is_part(one.frequency, *power)
            heard.append(dataclasses.replace(one, confidence=0.0 if is_part else left))
    return heard


def _doubt(number, count):
    """Returns by how much the odds of beats must be better, as a logarithm, in a span that is not the first one."""
    more = math.log2(max(count, 1) / _FEW)
    return float(np.clip(_DOUBTS - _LESS * more, _DOUBT, _DOUBTS)) if number else _DOUBT


def _share(hertz, power, spacing, rate):
    """Returns the share of the power that a frequency and its first harmonics have."""
    at = np.arange(1, _HARMONICS + 1) * hertz / spacing
    at = at[at < HIGHEST_SHARE * rate / spacing]
    reach = np.maximum(_MULTIPLE * at, _FINER)
    lines = [power[max(int(low), 0) : int(high) + 2].sum() for low, high in zip(at - reach, at + reach, strict=True)]
    return sum(lines) / max(power[_FINER:].sum(), 1e-12)


def _power(times, values):
    """Returns the power of all channels together, `(F,)`, the Hz from bin to bin, and the samples per second."""
    even, _, rate = beat_courses.evenly(times, values)
    even = (even - even.mean(axis=0)) / np.maximum(even.std(axis=0), 1e-12)
    size = _FINER * len(even)
    spectra = np.fft.rfft(even * np.hanning(len(even))[:, None], size, axis=0)
    return (np.abs(spectra) ** 2).sum(axis=1), rate / size, rate


def _is_part(hertz, power, spacing, rate):
    """Returns whether something faster repeats: all that is at multiples of a frequency is at those of one of them."""
    count = int(HIGHEST_SHARE * rate / hertz) if hertz > 0 else 0
    if count < 2:
        return False
    at = np.arange(1, count + 1) * hertz / spacing
    reach = np.clip(_MULTIPLE * at, _FINER, 0.3 * at[0])
    lines = np.array([power[int(low) : int(high) + 2].max() for low, high in zip(at - reach, at + reach, strict=True)])
    strongest = int(lines.argmax()) + 1
    others = lines[np.arange(1, count + 1) % strongest > 0]
    return strongest > 1 and bool(others.max() < _NO_LINE * lines.max())


def _preferred(heard):
    """Returns the first beats that are clear and no multiple of slower clear ones; else the surest."""
    clear = [one for one in heard if one.confidence >= CLEAR]
    for one in clear:
        ratios = [one.frequency / other.frequency for other in clear]
        if not any(round(ratio) in (2, 3) and abs(ratio / round(ratio) - 1) < _MULTIPLE for ratio in ratios):
            return one
    return max(heard, key=lambda one: one.confidence, default=beats.Beats(0.0, ()))


def _supported(heard):
    """Returns beats of neighboring stretches, surer where a clear neighbor has the tempo of one of the candidates."""
    heard = list(heard)
    for order in (range(1, len(heard)), range(len(heard) - 2, -1, -1)):
        for k in order:
            neighbor = heard[k - order.step]
            if neighbor.confidence >= CLEAR > heard[k].confidence:
                heard[k] = _with_support(heard[k], neighbor.frequency)
    return heard


def _with_support(one, hertz):
    """Returns beats with what is near a frequency as first candidate, if it is likely enough with that support."""
    for candidate in one.candidates[:2]:
        if abs(math.log(candidate.frequency / hertz)) < _NEAR:
            candidates = (candidate, *(other for other in one.candidates if other is not candidate))
            lift = _SUPPORT + candidate.odds - one.candidates[0].odds
            if lift > 0:
                return beats.Beats(_lifted(one.confidence, lift), candidates)
    return one


def _lifted(confidence, lift):
    """Returns a confidence whose odds are more by a logarithm."""
    return confidence / (confidence + (1 - confidence) * math.exp(-lift))


def _stretches(times, seconds):
    """Yields the first sample of each stretch, and that after its last; a short rest belongs to the one before."""
    number = max(round((times[-1] - times[0]) / seconds), 1)
    edges = np.searchsorted(times, np.linspace(times[0], times[-1], number + 1)[1:-1])
    yield from itertools.pairwise([0, *edges.tolist(), len(times)])


def _of_stretch(heard):
    """Returns the answer of a stretch, None without two beats."""
    repetitions = _repetitions(heard.times) if len(heard.times) > 1 else ()
    if not repetitions:
        return None
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
    return result.Answer(
        scene=0, reader="series", repetitions=repetitions, hertz=heard.frequency,
        error=heard.frequency * float(np.std(gaps) / np.mean(gaps)) / math.sqrt(len(gaps)), pairs=None,
        pauses=tuple(pauses), box=(0.0, 0.0, 1.0, 1.0), confidence=heard.confidence, verdict=verdict,
        times=seen.moments[shown], course=(seen.source - seen.source.mean())[shown].astype(np.float32),
        channel=seen.channel,
    )  # fmt: skip


def _repetitions(moments):
    """Returns the spans between neighboring beats, pauses left out."""
    longest = _PAUSE * float(np.median(np.diff(moments)))
    return tuple((float(one), float(two)) for one, two in itertools.pairwise(moments) if two - one < longest)


def _second(heard, is_alone):
    """Returns a note on another rhythm that may be the one that is meant; a clear one is confirmed by neighbors."""
    if heard.confidence >= _SURE or len(heard.candidates) < 2:
        return None
    first, second = heard.candidates[:2]
    rivals = f"{first.frequency:.3g} Hz, or {second.frequency:.3g} Hz"
    if heard.confidence < CLEAR:
        return f"Unclear: {rivals}. Name a --band to choose."
    is_rival = is_alone and first.odds - second.odds < _RIVAL
    return f"The first is likelier: {rivals}." if is_rival else None


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
        channel=before.channel if before.channel == answer.channel else None,
        times=np.concatenate([before.times, answer.times]),
        course=np.concatenate([before.course, answer.course]),
    )
