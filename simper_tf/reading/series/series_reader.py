"""Reading of a whole series: samples at their own times to what repeats, such as heartbeats, breaths or tides."""

import dataclasses
import itertools
import math

import numpy as np

from simper_tf.reading import answer_units, result
from simper_tf.reading.series import beat_stretches, beats, glitches, handling, motion, rhythms, rounded, uneven
from simper_tf.tables import series_files

_SLOW_RATE = 1.0  # Samples a second, below which a series has slow rhythms.
# Median steps without a sample from which on there is a gap: a few that are lost are interpolated.
_GAP, _AT_ONCE = 10, 2**20
# Samples, at most, to which sines of all frequencies are fitted, in two seconds, and share of the variance in one line
# of the spectrum from which on they are: of those that `uneven` tells it is 0.4, between two bins a tenth less.
_MOST_FITTED, _LINE = 2500, 0.36
_COARSE = 1 / 6  # Cycles a sample, from which on a line is asked beside clear beats.
_LEAST = 0.1  # Share that clear answers must fill: a few repetitions in a stretch may be noise on what is slower.
# How much shorter stretches are in which bouts are sought, and seconds of a series in which they are: it takes longer.
_SHORTER, _BOUTS = 3, 600.0
# Channels of another series that are read so where nothing is clear, and how many must agree.
_MOST_READ, _AGREE = 40, 2


def reading_of_samples(
    times: np.ndarray, values: np.ndarray, *, band: tuple[float, float] | None = None, names: tuple[str, ...] = ()
) -> result.Reading:
    """What repeats in a series.

    Args:
        times: `(T,)` seconds that rise, with jitter and holes or without.
        values: `(T, C)` numbers, in any unit.
        band: `(low, high)` in Hz in which frequencies are sought; None for all that the samples show, from five times
            in all to 45 % of the rate.
        names: Of the channels. Beside an accelerometer a PPG is read without what motion explains of it.

    Example:
        >>> times = np.arange(0, 12, 0.02)
        >>> answer, = reading_of_samples(times, np.sin(2 * np.pi * 0.7 * times)[:, None]).clear
        >>> round(answer.hertz, 2)
        0.7
    """
    if len(times) < beats.FEWEST_SAMPLES:
        scene = result.Scene(float(times[0]), float(times[-1]), result.TOO_SHORT)
        return result.Reading((scene,), (), result.TOO_SHORT, ())
    values, number = glitches.mended(values)
    pulse, moving = motion.channels(names)
    answers, notes = _beside(times, values, band, pulse, moving, names) if pulse else _all_of(times, values, band)
    answers, gaps = _without_rounding(answers, times, values), _gaps(times)
    answers = [dataclasses.replace(answer, pauses=_without_gaps(answer.pauses, gaps)) for answer in answers]
    notes = [*notes, *_on_glitches(number), *_on_gaps(gaps, float(times[0]))]
    answers.sort(key=lambda answer: -answer.confidence)
    moves = np.ptp(values, axis=0).any()
    verdict = answers[0].verdict if answers else result.NOTHING if moves else result.STILL
    scene = result.Scene(float(times[0]), float(times[-1]), verdict)
    return result.Reading((scene,), tuple(answers), verdict, tuple(dict.fromkeys(notes)))


def _all_of(times, values, band):
    """Returns answers on all channels, and notes."""
    if series_files.usual_step(times) > 1 / _SLOW_RATE:
        answers, notes = _of_slow(times, values, band)
    else:
        start = float(times[0])
        answers, notes = _of_quick(times - start if start else times, values, band)  # Those of a day would be copied.
        answers = [rhythms.slowed(answer, 1.0, start) for answer in answers]
    return _with_lines(answers, times, values, band), notes


def _of_slow(times, values, band):
    """Returns answers on a series of less than a sample a second, and notes."""
    answers = [answer for part in rhythms.parts(times) for answer in rhythms.of_slow(times[part], values[part], band)]
    notes = ["Times are uneven: repetitions are those of an even clock."]
    return answers, notes if answers and uneven.is_one(times) else []


def _of_quick(times, values, band):
    """Returns answers on a series whose times begin at 0, and notes: of stretches, else of other rhythms."""
    answers, notes = beat_stretches.answers_on(times, values, band)
    answers = _without_rounding(answers, times, values)
    for way in (_agreed, _unhandled, _of_bouts):
        if not any(answer.is_clear for answer in answers) and (found := way(times, values, band))[0]:
            answers, notes = found
    if times[-1] > beat_stretches.STRETCH and _filled(answers) < _LEAST * times[-1]:
        answers = _with_slower(answers, times, values, band)
    if not any(answer.is_clear for answer in answers):
        answers = rhythms.faster(times, values, band) or answers
    return answers, notes


def _unhandled(times, values, band):
    """Returns the clear answers, and notes, on what lies between the handling of a sensor at both ends, if any is."""
    calm = handling.outside(values)
    if calm.stop - calm.start == len(times):
        return [], []
    start = float(times[calm.start])
    answers, notes = beat_stretches.answers_on(times[calm] - start, values[calm], band, looks=2)
    return [rhythms.slowed(answer, 1.0, start) for answer in answers if answer.is_clear], notes


def _of_bouts(times, values, band):
    """Returns the clear answers of shorter stretches, and notes: a bout of some seconds is lost in half a minute."""
    stretch = beat_stretches.STRETCH / _SHORTER
    if not stretch < times[-1] <= _BOUTS:
        return [], []
    answers, notes = beat_stretches.answers_on(times, values, band, 1 + _SHORTER, stretch)
    return [answer for answer in answers if answer.is_clear], notes


def _with_slower(answers, times, values, band):
    """Returns slower rhythms, and the answers that are as sure as the surest of them."""
    slower = [answer for part in rhythms.parts(times) for answer in rhythms.slower(times[part], values[part], band)]
    surest = max((answer.confidence for answer in slower), default=0.0)
    return [*slower, *(answer for answer in answers if answer.confidence >= surest)]


def _with_lines(answers, times, values, band):
    """Returns answers with a line of the spectrum in place of clear beats of few samples each, or of none.

    Beats may drown in noise, or come in bursts, a line does not. And it tells the tempo of few samples a cycle better.
    """
    clear = [answer for answer in answers if answer.is_clear]
    coarse = _COARSE / series_files.usual_step(times)
    if any(answer.hertz <= coarse for answer in clear):
        return answers
    lines = (uneven.clearest(times, values, band) or []) if _has_line(values) else []
    if not lines and not clear:
        lines = uneven.clearest_of_means(times, values, band)
    lines = [_where_seen(line, times) for line in lines]
    return [*lines, *(answer for answer in answers if not lines or answer not in clear)]


def _where_seen(line, times):
    """Returns an answer without repetitions of which less than half was seen; as it is where times are uneven."""
    if uneven.is_one(times):
        return line
    seen = np.diff(np.searchsorted(times, line.repetitions), axis=1)[:, 0]
    are_seen = seen >= max(1, np.median(seen) / 2)
    spans, peaks = (tuple(itertools.compress(each, are_seen)) for each in (line.repetitions, line.peaks))
    return dataclasses.replace(line, repetitions=spans, peaks=peaks)


def _without_rounding(answers, times, values):
    return [answer for answer in answers if not rounded.is_of_rounding(answer, times, values)]


def _has_line(values):
    """Returns whether a sine may explain much of a channel."""
    if len(values) > _MOST_FITTED:
        return False
    changes = values - values.mean(axis=0)
    lines = np.abs(np.fft.rfft(changes, 4 * len(values), axis=0)).max(axis=0) ** 2
    return bool((2 * lines > _LINE * len(values) * np.maximum((changes**2).sum(axis=0), 1e-30)).any())


def _beside(times, values, band, pulse, moving, names):
    """Returns answers on a pulse without what motion explains of it, and clear ones on motion, and notes."""
    rest, spans = motion.beside(times, values[:, pulse], values[:, moving])
    answers, notes = _all_of(times, rest, band)
    answers = [
        answer if answer.channel is None else dataclasses.replace(answer, channel=pulse[answer.channel])
        for answer in answers
    ]
    steps = [answer for answer in _all_of(times, values[:, moving], band)[0] if answer.is_clear]
    answers += [dataclasses.replace(step, channel=_shown_by(step, times, values, moving)) for step in steps]
    when = ", ".join(f"{_lasts(last - first)} from {_lasts(first - times[0])} on" for first, last in spans)
    if spans:
        many = ", ".join(names[channel] for channel in moving)
        notes = [*notes, f"Most of the pulse is motion for {when}, by {many}: what is left of it is read there."]
    return answers, notes


def _shown_by(answer, times, values, channels):
    """Returns the channel that is most like the course of an answer."""
    like = [
        np.corrcoef(answer.course, np.interp(answer.times, times, values[:, channel]))[0, 1] for channel in channels
    ]
    return channels[int(np.argmax(np.abs(like)))]


def _filled(answers):
    """Returns the seconds that clear answers fill."""
    return sum(answer.end - answer.start for answer in answers if answer.is_clear)


def _gaps(times):
    """Returns the first and the last second of each gap, `(N, 2)`."""
    longest, before = _GAP * series_files.usual_step(times), [np.zeros(0, int)]
    for first in range(0, len(times), _AT_ONCE):  # Steps of a day would take as much memory as its times.
        before.append(first + np.flatnonzero(np.diff(times[first : first + _AT_ONCE + 1]) > longest))
    before = np.concatenate(before)
    return np.stack((times[before], times[before + 1]), axis=1)


def _on_glitches(number):
    """Returns a note on samples that were taken for glitches, none without one."""
    are = "samples lie" if number > 1 else "sample lies"
    return [f"{number} {are} far from all others and {'are' if number > 1 else 'is'} passed over."] * bool(number)


def _on_gaps(gaps, start):
    """Returns a note on the gaps, none without one."""
    if not len(gaps):
        return []
    lasting = np.diff(gaps, axis=1)[:, 0]
    longest = f"{_lasts(lasting.max())} from {_lasts(gaps[lasting.argmax(), 0] - start)} on"
    if len(gaps) == 1:
        return [f"There are no samples for {longest}."]
    return [f"There are {len(gaps)} gaps without samples, {_lasts(lasting.sum())} in all, the longest {longest}."]


def _lasts(seconds):
    name, unit = answer_units.clock(seconds)
    return f"{seconds / unit:{'.3g' if seconds < 1000 * unit else ',.0f'}} {name}"


def _without_gaps(pauses, gaps):
    """Returns the pauses of which at least half was seen: of others nobody knows whether anything repeated."""
    hidden = [np.clip(gaps, start, end) for start, end in pauses]
    return tuple(
        span for span, those in zip(pauses, hidden, strict=True) if np.diff(those).sum() <= (span[1] - span[0]) / 2
    )


def _agreed(times, values, band):
    """Returns the answer on which most channels agree, each read by itself; none if fewer than two do. And no notes."""
    if values.shape[1] < 2:
        return [], []
    clear = []
    count = min(values.shape[1], _MOST_READ)
    for channel in range(count):
        answers, _ = beat_stretches.answers_on(times, values[:, [channel]], band, looks=count)
        clear += [dataclasses.replace(answer, channel=channel) for answer in answers if answer.is_clear]
    groups = [[other for other in clear if _is_at(other, answer.hertz)] for answer in clear]
    most = max(groups, key=lambda group: (_channels(group), max(answer.confidence for answer in group)), default=[])
    if _channels(most) < _AGREE:
        return [], []
    surest = max(most, key=lambda answer: answer.confidence)
    is_paired = any(_is_at(other, 2 * surest.hertz) for other in clear)
    return [dataclasses.replace(surest, pairs=2 * surest.hertz if is_paired else None)], []


def _channels(answers):
    return len({answer.channel for answer in answers})


def _is_at(answer, hertz):
    return abs(math.log(answer.hertz / hertz)) < result.SAME_TEMPO
