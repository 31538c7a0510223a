"""Reading of a whole series: samples at their own times to what repeats, such as heartbeats, breaths or tides."""

import dataclasses
import math

import numpy as np

from simper_tf.reading import beat_stretches, beats, result, rhythms, tempos
from simper_tf.tables import series_files

_SLOW_RATE = 1.0  # Samples a second, below which a series has slow rhythms.
# Channels of another series that are read so where nothing is clear, and how many must agree.
_MOST_READ, _AGREE = 40, 2


def read(times: np.ndarray, values: np.ndarray, *, band: tuple[float, float] | None = None) -> result.Reading:
    """What repeats in a series.

    Args:
        times: `(T,)` seconds that rise, with jitter and holes or without.
        values: `(T, C)` numbers, in any unit.
        band: `(low, high)` in Hz in which frequencies are sought; None for all that the samples show, from five times
            in all to 45 % of the rate.

    Example:
        >>> times = np.arange(0, 12, 0.02)
        >>> answer, = read(times, np.sin(2 * np.pi * 0.7 * times)[:, None]).clear
        >>> round(answer.hertz, 2)
        0.7
    """
    if len(times) < beats.FEWEST_SAMPLES:
        scene = result.Scene(float(times[0]), float(times[-1]), result.TOO_SHORT)
        return result.Reading((scene,), (), result.TOO_SHORT, ())
    start, notes = float(times[0]), []
    if series_files.usual_step(times) > 1 / _SLOW_RATE:
        answers = [answer for part in rhythms.parts(times) for answer in rhythms.told(times[part], values[part], band)]
    else:
        own = times - start if start else times  # Those of a day would be copied.
        answers, notes = beat_stretches.answers_on(own, values, band)
        if values.shape[1] > 1 and all(answer.verdict != result.CLEAR for answer in answers):
            answers = _agreed(own, values, band) or answers
        if times[-1] - start > beat_stretches.STRETCH and all(answer.verdict != result.CLEAR for answer in answers):
            answers = [
                answer
                for part in rhythms.parts(times)
                for answer in rhythms.told_slower(times[part] - start, values[part], band)
            ] or answers
        answers = [rhythms.slowed(answer, 1.0, start) for answer in answers]
    answers.sort(key=lambda answer: -answer.confidence)
    moves = np.ptp(values, axis=0).any()
    verdict = answers[0].verdict if answers else result.NOTHING if moves else result.STILL
    scene = result.Scene(float(times[0]), float(times[-1]), verdict)
    return result.Reading((scene,), tuple(answers), verdict, tuple(dict.fromkeys(notes)))


def _agreed(times, values, band):
    """Returns the answer on which most channels agree, each read by itself; none if fewer than two do."""
    clear = []
    count = min(values.shape[1], _MOST_READ)
    for channel in range(count):
        answers, _ = beat_stretches.answers_on(times, values[:, [channel]], band, looks=count)
        clear += [dataclasses.replace(answer, channel=channel) for answer in answers if answer.verdict == result.CLEAR]
    groups = [[other for other in clear if _is_at(other, answer.hertz)] for answer in clear]
    most = max(groups, key=lambda group: (_channels(group), max(answer.confidence for answer in group)), default=[])
    if _channels(most) < _AGREE:
        return []
    surest = max(most, key=lambda answer: answer.confidence)
    is_paired = any(_is_at(other, 2 * surest.hertz) for other in clear)
    return [dataclasses.replace(surest, pairs=2 * surest.hertz if is_paired else None)]


def _channels(answers):
    return len({answer.channel for answer in answers})


def _is_at(answer, hertz):
    return abs(math.log(answer.hertz / hertz)) < tempos.NEAR
