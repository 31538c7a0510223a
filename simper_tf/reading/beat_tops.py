"""Beats at their tops, without those of a rest.

Beats are found on whichever course shows them best: a wave, its slope or its energy. So stretches of one series mark
them at other moments of a cycle. The mean cycle of the series itself tells where its top is.
"""

import dataclasses

import numpy as np

from simper_tf.reading import beats

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
    half = max(round(0.5 / (first.frequency * step)), 2)
    places = places + _top(_mean(_segments(first.source, places, half)), half)
    places = places[(places >= 0) & (places < len(first.source))]
    segments = _segments(first.source, places, half)
    cycle = _mean(segments)
    heights = segments @ cycle / max(float(cycle @ cycle), 1e-12)
    variances = segments.var(axis=1)
    is_rest = (heights < _LEAST) & (variances < _QUIET * np.median(variances))
    times = first.moments[0] + step * places[~is_rest]
    return dataclasses.replace(heard, candidates=(dataclasses.replace(first, times=times), *heard.candidates[1:]))


def _segments(source, places, half):
    """Returns what is around places, `(N, 2 * half + 1)`, each less its mean; ends go on as they are."""
    at = np.rint(places).astype(int)[:, None] + np.arange(-half, half + 1)
    segments = source[np.clip(at, 0, len(source) - 1)]
    return segments - segments.mean(axis=1, keepdims=True)


def _mean(segments):
    """Returns the mean segment, less its mean."""
    cycle = segments.mean(axis=0)
    return cycle - cycle.mean()


def _top(cycle, half):
    """Returns the samples from the middle of a cycle to its top."""
    cycle = cycle - np.median(cycle)
    is_deep = -cycle.min() > _DEEPER * cycle.max()
    return int(cycle.argmin() if is_deep else cycle.argmax()) - half
