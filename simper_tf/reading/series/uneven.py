"""Rhythms of slow series with uneven times, such as stars that are seen at night: a line of Lomb and Scargle.

Between such samples nothing can be interpolated. Even samples of a wave that drowns in noise are read so as well, and
means of what comes in bursts, such as steps of a day. A sine with a mean of its own is fitted at each frequency
(Zechmeister and Kürster, Astronomy & Astrophysics, 2009). Lines a cycle a day apart are alike where it is sampled once
a day: the odds of each against the others are those of what the fits leave.
"""

import dataclasses

import numpy as np

from simper_tf.reading import result
from simper_tf.recordings.boxes import WHOLE
from simper_tf.signals import filters, samples

_EMPTY = 0.3  # Share of equal spans, one for each sample on average, without a sample, from which on times are uneven.
_FEWEST = 40  # Samples.
_PERIODS, _SLOWEST = 4, 0.5  # That must be there, and of the slowest line: what drifts looks like a cycle a day.
_FINER = 5  # Frequencies to a line.
_MOST = 2**24  # Frequencies times samples that are tried, some seconds: of more, the highest frequencies are not.
_AT_ONCE = 2**21  # Of them that are held at once.
_USUAL = 0.25  # Quantile of the steps, two of which are a period of the highest frequency.
# Share of the variance that the line must explain, of all samples and of those of each half at the same phase; and
# probability, at most, that noise has such a line at any frequency.
_EXPLAINED, _IN_HALVES, _BY_CHANCE = 0.4, 0.25, 1e-4
# Probability, at most, that slow noise has such a line near it, and frequencies by which that noise is told.
_OF_SLOW_NOISE, _AROUND = 1e-3, 500
# Other lines that are compared, and chance against them from which on the best is told. It is stricter than `SURE`: of
# 540 drawn series of nights 1.5 % of those told are another line then, a whole cycle a day off, and 5 % from 0.5 on.
_RIVALS, _LEAST_CHANCE = 20, 0.8
_PARTS = 8  # Of a period, samples in which tell no more than one.
_CLOSER = 10  # Frequencies on either side of a top by which lines are compared.
_MOST_CHANNELS = 8  # Each takes seconds; tables of stars have one or two that vary, beside their errors.
_MOST_MEANS = 2500  # Of a channel, which take a tenth of a second. Of more samples each mean is of several.
_A_CYCLE = 8  # Means that a cycle has at least.


def is_one(times: np.ndarray) -> bool:
    """Returns whether times, `(T,)` seconds that rise, are so uneven that nothing can be interpolated between them."""
    if len(times) < _FEWEST:
        return False
    counts, _ = np.histogram(times, len(times))
    return bool(np.mean(counts == 0) > _EMPTY)


def clearest(times: np.ndarray, values: np.ndarray, band: tuple[float, float] | None) -> list[result.Answer] | None:
    """Returns the clearest answer on the channels of a series that repeats on an even clock.

    There is none where several lines explain it alike, as of one cycle a day that is seen at night alone. None is
    returned where there is no line at all.

    Args:
        times: `(T,)` seconds that rise.
        values: `(T, C)` numbers.
        band: `(low, high)` in Hz in which it is sought; None for all that may be seen.
    """
    found = [_of_channel(times, values[:, k], band) for k in range(min(values.shape[1], _MOST_CHANNELS))]
    named = [
        dataclasses.replace(answer, channel=k if len(found) > 1 else None) for k, answer in enumerate(found) if answer
    ]
    clear = [answer for answer in named if answer.is_clear]
    return sorted(clear, key=lambda answer: -answer.confidence)[:1] if named else None


def clearest_of_means(times: np.ndarray, values: np.ndarray, band: tuple[float, float] | None) -> list[result.Answer]:
    """Returns the clear answer on means of two, four or more samples; of the fewest that show one, or none.

    A line that explains little of bursts, or of noise, explains most of their means. Arguments are those of `clearest`.
    """
    low, high = band or (0.0, np.inf)
    span = float(np.ptp(times))
    width = 2 * max(float(np.median(np.diff(times))), span / 2 / _MOST_MEANS)
    while span / width > _FEWEST:
        limits = low, min(high, 1 / (_A_CYCLE * width))
        found = clearest(*_means(times, values, width), limits) if limits[0] < limits[1] else None
        if found:
            return found
        width *= 2
    return []


def _means(times, values, width):
    """Returns mean times and values of the samples of each span of so many seconds that has some."""
    spans = np.floor((times - times[0]) / width).astype(int)
    count = np.bincount(spans)
    sums = [np.bincount(spans, column) for column in (times, *values.T[:_MOST_CHANNELS])]
    means = np.stack(sums, axis=1)[count > 0] / count[count > 0, None]
    return means[:, 0], means[:, 1:]


def _of_channel(times, values, band):
    hertz = _frequencies(times, band)
    if len(hertz) < _FINER * _PERIODS or not np.ptp(values):
        return None
    values = values - values.mean()
    power = _power(times, values, hertz)
    first = int(np.searchsorted(hertz, _PERIODS / np.ptp(times)))
    best = first + int(power[first:].argmax())
    if power[best] < _EXPLAINED or not 0 < best < len(hertz) - 1:
        return None
    offset = samples.top_offset(*power[best - 1 : best + 2])
    found = float(hertz[best] + offset * (hertz[1] - hertz[0]))
    seen = min(len(times), _seen(times, _PARTS * found))
    by_chance = len(hertz) / _FINER * (1 - power[best]) ** ((seen - 3) / 2)
    if by_chance > _BY_CHANCE or _seen(times, found) < _PERIODS:
        return None
    fitted = _sine(times, values, found)
    if _is_of_slow_noise(times, values - fitted, values.var(), found, power[best]):
        return None
    half = len(times) // 2
    for part in (slice(None, half), slice(half, None)):
        left = values[part] - fitted[part]
        if left.var() > (1 - _IN_HALVES) * values[part].var():
            return None
    left = _left(times, values, hertz, np.array([best, *_tops(power, best)]))
    odds = seen / 2 * np.log(left[1:] / left[0])
    confidence = float(1 / (1 + np.exp(np.minimum(-odds, 50)).sum()))  # A chance of 2e-22 is none.
    return _answer(times, values, found, confidence, power[best])


def _seen(times, hertz):
    """Returns how many parts of time, so many a second, hold a sample."""
    return len(np.unique(np.floor(times * hertz)))


def _frequencies(times, band):
    span, steps = float(np.ptp(times)), np.diff(times)
    low, high = band or (0.0, np.inf)
    low, high = max(low, _SLOWEST / span), min(high, 0.5 / float(np.quantile(steps, _USUAL)))
    count = int(max(high - low, 0.0) * span * _FINER)
    return low + np.arange(min(count, _MOST // len(times))) / (_FINER * span)


def _power(times, values, hertz):
    """Returns the share of the variance that a sine of each frequency explains."""
    import scipy.signal  # Slow to load.

    rows = max(_AT_ONCE // len(times), 1)
    parts = [
        scipy.signal.lombscargle(times, values, 2 * np.pi * hertz[k : k + rows], normalize=True, floating_mean=True)
        for k in range(0, len(hertz), rows)
    ]
    return np.clip(np.concatenate([*map(np.atleast_1d, parts)]), 0, 1 - 1e-12)


def _sine(times, values, hertz):
    basis = _basis(times, hertz)
    return basis @ np.linalg.lstsq(basis, values, rcond=None)[0]


def _is_of_slow_noise(times, rest, variance, hertz, explained):
    """Returns whether noise that is stronger where it is slower, such as a walk, may have such a line.

    What is left around it, from half to twice its frequency, tells how strong lines of the noise are there.
    """
    span = float(np.ptp(times))
    # The octave below and the one above span 1.5 of the frequency; so many lines of the noise lie there, each of
    # which exceeds a multiple x of the usual power with probability exp(-x).
    around = np.arange(hertz / 2, 2 * hertz, max(1 / span, 1.5 * hertz / _AROUND))
    usual = float(_power(times, rest, around).mean() * rest.var() / variance)
    return 1.5 * hertz * span * np.exp(-explained / max(usual, 1e-9)) > _OF_SLOW_NOISE


def _basis(times, hertz):
    turns = 2 * np.pi * hertz * times
    return np.stack((np.cos(turns), np.sin(turns), np.ones_like(turns)), axis=1)


def _tops(power, best):
    """Returns the places of the highest tops beside the best and its own flanks."""
    tops = filters.tops(np.pad(power, 1)) - 1  # At the ends too.
    tops = tops[np.abs(tops - best) > 2 * _FINER]
    return tops[np.argsort(-power[tops])[:_RIVALS]]


def _left(times, values, hertz, tops):
    """Returns the share of the variance that is left by each line, looked for closely around tops."""
    near = np.linspace(-1, 1, 2 * _CLOSER + 1) * (hertz[1] - hertz[0])
    closely = (hertz[tops][:, None] + near).ravel()
    return 1 - _power(times, values, closely).reshape(len(tops), -1).max(axis=1)


def _answer(times, values, hertz, confidence, explained):
    cosine, sine, _ = np.linalg.lstsq(_basis(times, hertz), values, rcond=None)[0]
    first = times[0] + (np.arctan2(sine, cosine) / (2 * np.pi * hertz) - times[0]) % (1 / hertz)  # A top of the sine.
    peaks = np.arange(first, times[-1], 1 / hertz)
    edges = np.clip((peaks - 0.5 / hertz, peaks + 0.5 / hertz), times[0], times[-1])
    span = float(np.ptp(times))
    # Of a sine in noise (Montgomery and O'Donoghue, 1999).
    error = np.sqrt(6 / len(times)) / (np.pi * span) * np.sqrt((1 - explained) / (2 * explained))
    return result.Answer(
        scene=0, reader="series", repetitions=tuple(map(tuple, edges.T.tolist())), peaks=tuple(peaks.tolist()),
        hertz=hertz, error=float(error), pairs=None, pauses=(), box=WHOLE, confidence=confidence,
        verdict=result.CLEAR if confidence > _LEAST_CHANCE else result.UNCLEAR, times=times,
        course=values.astype(np.float32),
    )  # fmt: skip
