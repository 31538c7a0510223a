"""Beats at their tops, without those of a rest.

Beats are found on whichever course shows them best: a wave, its slope or its energy. So stretches of one series mark
them at other moments of a cycle. The mean cycle of the series itself tells where its top is.
"""

import dataclasses

import numpy as np

from simper_tf.reading.series import beat_shapes, beats

# By how much the mean cycle must be deeper than high, for its lowest point to be the top: of waves both are alike.
_DEEPER = 1.5
# Height of a beat, as a share of the mean one, below which it may be none: a pulse that a breath weakens has more. And
# variance, as a share of the usual one, below which it is none then: a beat that is lost in a disturbance has more.
_LEAST, _QUIET = 0.3, 0.3


def at_tops(heard: beats.Beats) -> beats.Beats:
    """Returns beats of which the first candidate is marked at the tops of its series, less those of a rest."""
    if not heard.candidates:
        return heard
    first = heard.candidates[0]
    step = float(first.moments[1] - first.moments[0])
    places = (first.times - first.moments[0]) / step
    half = 0.5 / (first.frequency * step)
    places = places + _top(beat_shapes.surroundings(first.source, places, half).mean(axis=0))
    places = places[(places >= 0) & (places < len(first.source))]
    heights, variances = beat_shapes.heights(first.source, places, half)
    is_rest = (heights < _LEAST) & (variances < _QUIET * np.median(variances))
    times = first.moments[0] + step * places[~is_rest]
    return dataclasses.replace(heard, candidates=(dataclasses.replace(first, times=times), *heard.candidates[1:]))


def _top(cycle):
    """Returns the samples from the middle of a cycle to its top."""
    cycle = cycle - np.median(cycle)
    is_deep = -cycle.min() > _DEEPER * cycle.max()
    return int(cycle.argmin() if is_deep else cycle.argmax()) - len(cycle) // 2
