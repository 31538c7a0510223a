"""Stretches are judged together: every look costs odds, what goes on gains, and no tempo is carried on by itself."""

import itertools
import math

import numpy as np
import pytest

from simper_tf.reading.series import beats, tempos


def beats_of(hertz, confidence, *others):
    """Beats with a first candidate of odds 1, and with others of `(hertz, odds)`."""
    rows = ((hertz, 1.0), *others)
    tries = [
        beats.Try("wave", frequency, np.arange(5) / frequency, np.ones(5), 0.8, 0.0, 0.05, 0.0, odds=odds)
        for frequency, odds in rows
    ]
    return beats.Beats(confidence, tuple(tries))


def confidences(heard, looks=None):
    return [found.confidence for found in tempos.judged(heard, looks or len(heard))]


def by_all_paths(heard, looks):
    """The chance of the first candidate of each stretch, by the sum over all paths; no stretch has a second one."""
    begins, on = 1 / (looks + 1), np.zeros(len(heard))
    total = 0.0
    for path in itertools.product((0, 1), repeat=len(heard)):
        chance = begins if path[0] else 1 - begins
        for found, is_on in zip(heard, path, strict=True):
            chance *= found.confidence / (1 - found.confidence) if is_on else 1
        for (one, two), (before, after) in zip(itertools.pairwise(path), itertools.pairwise(heard), strict=True):
            is_near = abs(math.log(before.frequency / after.frequency)) < 0.1
            chance *= ((1 - begins, begins), (0.5, 4.0 if is_near else 0.5 * begins))[one][two]
        total += chance
        on += chance * np.array(path)
    return on / total


def test_one_look_at_one_stretch_keeps_its_confidence():
    assert confidences([beats_of(1.2, 0.7, (0.8, 0.5), (2.0, -3.0))]) == pytest.approx([0.7])


@pytest.mark.parametrize("looks", [4, 40])
def test_chances_are_those_of_all_paths(looks):
    heard = [beats_of(1.2, 0.9), beats_of(1.25, 0.3), beats_of(0.7, 0.6), beats_of(0.71, 0.4)]
    np.testing.assert_allclose(confidences(heard, looks), by_all_paths(heard, looks))


def test_a_lone_stretch_pays_for_every_look():
    assert confidences([beats_of(1.2, 0.9)], looks=9) == pytest.approx([0.5])
    noise = [beats_of(hertz, 0.05) for hertz in (0.7, 1.1, 2.9, 1.6, 0.9)]
    assert max(confidences([*noise, beats_of(2.1, 0.85), *noise])) < 0.3


def test_a_tempo_that_goes_on_is_believed_among_thousands():
    noise = [beats_of(0.7 * 1.3 ** (k % 5), 0.02) for k in range(1000)]
    told = confidences([*noise, *[beats_of(1.2, 0.97)] * 4, *noise])
    assert min(told[1000:1004]) > 0.9
    assert max(told[:1000]) < 0.1


def test_a_doubtful_stretch_is_believed_at_a_neighbors_tempo():
    # Both 1/3 * 9 * 4 * 3/7; the sure one alone 1/3 * 9 * 1/2; the other alone 2/3 * 1/3 * 3/7; neither 2/3 * 2/3.
    both, sure, doubtful, neither = 36 / 7, 3 / 2, 2 / 21, 4 / 9
    total = both + sure + doubtful + neither
    told = confidences([beats_of(1.2, 0.9), beats_of(1.25, 0.3)])
    assert told == pytest.approx([(both + sure) / total, (both + doubtful) / total])
    assert confidences([beats_of(1.25, 0.3), beats_of(1.2, 0.9)])[0] > 0.6


def test_a_candidate_at_a_clear_neighbors_tempo_comes_first():
    _, after = tempos.judged([beats_of(1.2, 0.95), beats_of(0.8, 0.4, (1.2, 0.5))], 2)
    assert after.frequency == 1.2
    assert after.confidence > 0.5


def test_another_tempo_lends_no_confidence():
    assert confidences([beats_of(1.2, 0.9), beats_of(1.5, 0.3)])[1] < 0.3


def test_no_tempo_is_carried_on_by_what_hardly_shows_it():
    told = confidences([beats_of(1.2, 0.99), *[beats_of(1.2, 0.1)] * 10])
    assert told[0] > 0.9
    assert max(told[5:]) < 0.5


def test_stretches_without_beats_have_none():
    nothing = beats.Beats(0.0, ())
    assert tempos.judged([], 1) == []
    told = tempos.judged([nothing, beats_of(1.2, 0.9), nothing], 3)
    assert [found.confidence > 0 for found in told] == [False, True, False]
