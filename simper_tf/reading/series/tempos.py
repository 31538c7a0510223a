"""Tempos of all stretches of a series, judged together: what goes on is believed, and every look costs odds.

A stretch shows one of its likeliest tempos, or nothing repeats in it: a hidden Markov model, whose forward and backward
passes give the odds of each (Rabiner, Proceedings of the IEEE, 1989). Something is expected to begin once in all looks,
so a lone stretch among thousands needs odds better by their number, and many alike support one another.
"""

import itertools
import math

import numpy as np

from simper_tf.reading import result
from simper_tf.reading.series import beats

# How much likelier a tempo is that goes on: a wrong one is the same by chance in one of eight, as the band is so many
# times as wide.
_SUPPORT = math.log(8)
_TRIED = 3  # Candidates of a stretch.
_ENDS = 0.5  # Chance that what repeats ends with a stretch: nothing is known of how long it lasts.


def judged(heard: list[beats.Beats], looks: float) -> list[beats.Beats]:
    """Returns the beats of each stretch with the likeliest candidate first, and the chance that it is right.

    Args:
        heard: Of stretches one after another, each with the confidence that it has by itself.
        looks: How often something could have been found by chance: stretches, times channels and clocks.

    Example:
        >>> alone = beats.find(np.arange(0, 10, 0.02), np.sin(8 * np.arange(0, 10, 0.02))[:, None], (0.6, 3.5))
        >>> judged([alone], looks=1)[0].confidence == alone.confidence
        True
    """
    if not heard:
        return []
    odds = [_odds(found) for found in heard]
    begins = 1 / (looks + 1)
    forward, backward = [np.array([1 - begins, *[begins] * (len(odds[0]) - 1)]) * odds[0]], [np.ones(len(odds[-1]))]
    steps = [_steps(*pair, begins) for pair in itertools.pairwise(heard)]
    for step, after in zip(steps, odds[1:], strict=True):
        forward.append(_scaled((forward[-1] @ step) * after))
    for step, after in zip(steps[::-1], odds[:0:-1], strict=True):
        backward.append(_scaled(step @ (after * backward[-1])))
    return [_first(*triple) for triple in zip(heard, forward, backward[::-1], strict=True)]


def _odds(found):
    """Returns the weights of no tempo and of each candidate of a stretch, of which the first has its confidence."""
    tried = _tried(found)
    if not tried:
        return np.ones(1)
    first = found.confidence / (1 - min(found.confidence, 1 - 1e-9))
    others = np.array([math.exp(other.odds - tried[0].odds) for other in tried[1:]])
    others *= first / max(1.0, 2 * first * others.sum())  # Half of the doubt at most is that another one is right.
    return np.array([1 - others.sum(), first, *others])


def _tried(found):
    return found.candidates[:_TRIED] if found.confidence else ()


def _steps(before, after, begins):
    """Returns the chances of what follows on what, `(1 + candidates, 1 + candidates)`."""
    here, there = ([other.frequency for other in _tried(found)] for found in (before, after))
    chances = np.full((len(here) + 1, len(there) + 1), begins)
    chances[0, 0], chances[1:, 0] = 1 - begins, _ENDS
    if here and there:
        is_near = np.abs(np.log(np.divide.outer(here, there))) < result.SAME_TEMPO
        chances[1:, 1:] = np.where(is_near, (1 - _ENDS) * math.exp(_SUPPORT), _ENDS * begins)
    return chances


def _scaled(chances):
    return chances / chances.sum()


def _first(found, forward, backward):
    chances = _scaled(forward * backward)
    if len(chances) == 1:
        return beats.Beats(0.0, found.candidates)
    best = int(np.argmax(chances[1:]))
    first = found.candidates[best]
    rest = tuple(other for other in found.candidates if other is not first)
    return beats.Beats(float(chances[best + 1]), (first, *rest))
