import math

import numpy as np
import pytest

from simper_tf.reading import answers, gram, readouts, scores
from simper_tf.reading.scores import Reading

RNG = np.random.default_rng(0)
RATE, BAND = 30.0, (0.4, 5.5)


def moving(frequency, heights=(1.0, 0.6), noise=0.0, num_frames=180):
    """Returns products of frames of which every pixel has multiples of a frequency, with phases of its own."""
    times = np.arange(num_frames)[:, None] / RATE
    frames = noise * RNG.normal(size=(num_frames, 200))
    for k, height in enumerate(heights, start=1):
        frames += height * np.sin(2 * np.pi * k * frequency * times + RNG.uniform(0, 6.28, 200))
    return gram.products(frames)


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize("frequency", [0.45, 1.23, 2.9])
def test_movements_are_read_and_sure(readout, frequency):
    found = readout(moving(frequency, noise=0.3), RATE, BAND)
    assert found.frequency == pytest.approx(frequency, abs=0.005)
    assert found.score > 0.8


def test_a_strong_second_multiple_is_no_higher_octave_for_the_distance_of_frames():
    found = readouts.selfdistance(moving(1.1, (0.5, 1.0, 0.3)), RATE, BAND)
    assert found.frequency == pytest.approx(1.1, abs=0.005)


def test_a_movement_whose_halves_are_nearly_alike_has_both_candidates():
    found = readouts.selfdistance(moving(1.1, (0.45, 1.0)), RATE, BAND)
    assert {round(each, 1) for each in (found.frequency, *found.others)} == {1.1, 2.2}


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
def test_what_does_not_repeat_has_no_high_score(readout):
    walk = np.cumsum(RNG.normal(size=(180, 30)), axis=0)
    shuffled = np.sin(2 * np.pi * 1.3 * RNG.permutation(180) / RATE)[:, None] * RNG.normal(size=30)
    for frames in (RNG.normal(size=(180, 500)), walk, shuffled):
        assert readout(gram.products(frames), RATE, BAND).score < answers.THRESHOLD


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
def test_a_still_has_no_number(readout):
    found = readout(gram.products(np.full((180, 9), 77)), RATE, BAND)
    assert math.isnan(found.frequency)
    assert found.score == 0


def test_the_answer_is_that_of_the_best_score():
    low, high = Reading("pixels", 2.0, 0.6), Reading("selfdistance", 1.0, 0.9)
    answer = answers.choose(0, 6, [low, high])
    assert (answer.frequency, answer.is_periodic) == (1.0, True)
    nothing = answers.choose(0, 6, [Reading("pixels", 2.0, 0.49)])
    assert math.isnan(nothing.frequency)
    assert not nothing.is_periodic


def test_the_octave_is_open_where_another_sure_readout_reads_a_multiple_or_a_part():
    best = Reading("selfdistance", 1.0, 0.9)
    assert answers.choose(0, 6, [best, Reading("pixels", 2.03, 0.6)]).others == (2.03,)
    assert answers.choose(0, 6, [best, Reading("pixels", 1 / 3, 0.6)]).others == (1 / 3,)
    assert answers.choose(0, 6, [best, Reading("pixels", 2.0, 0.4)]).others == ()
    assert answers.choose(0, 6, [best, Reading("pixels", 1.5, 0.6), Reading("pos", 1.02, 0.8)]).others == ()


def answer(start, frequency, others=(), score=0.9):
    return answers.choose(start, start + 6, [Reading("pixels", frequency, score, others)])


def test_an_open_octave_follows_the_other_windows_and_stays_open_without_them():
    found = answers.agree([answer(0, 1.0), answer(3, 0.5, (1.02,)), answer(6, 1.04)])
    assert [each.frequency for each in found] == [1.0, 1.02, 1.04]
    assert found[1].others == ()
    alone = answers.agree([answer(0, 0.5, (1.02,)), answer(3, 3.0)])
    assert (alone[0].frequency, alone[0].others) == (0.5, (1.02,))


def test_covered_is_what_any_window_covers():
    assert answers.covered([answer(0, 1.0), answer(3, 2.0, score=0.1), answer(20, 2.0)]) == 15


def test_repetitions_are_the_frequencies_over_the_time_they_cover():
    # 3 s of 1 Hz, 3 s of the mean of 1 and 2 Hz, 3 s of 2 Hz; then a hole, and 6 s in which nothing repeats.
    found = [answer(0, 1.0), answer(3, 2.0), answer(20, 2.0, score=0.1)]
    assert answers.repetitions(found) == pytest.approx(3 + 4.5 + 6)
    assert answers.repetitions([]) == 0


@pytest.mark.parametrize(("periods", "is_sure"), [(1.83, False), (2.1, True)])
def test_what_is_not_seen_twice_does_not_repeat(periods, is_sure):
    angles = 2 * np.pi * periods * np.arange(42)[:, None] / 42
    frames = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) @ np.random.default_rng(0).normal(size=(2, 30))
    found = scores.reading("pixels", gram.products(frames), periods * 25 / 42, 25.0, (0.4, 5.5), scores.PICTURES)
    assert (found.score > 0.5) == is_sure
    assert is_sure or found.score == 0


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize("frequency", [5.6, 5.8, 6.0, 6.3, 7.0, 8.0, 9.0, 10.5, 12.0, 13.3])
@pytest.mark.parametrize("noise", [0.05, 1.0])
def test_what_repeats_faster_than_the_band_is_not_read_at_a_part_of_its_frequency(readout, frequency, noise):
    found = readout(moving(frequency, (1.0,), noise), RATE, BAND)
    assert answers.choose(0, 6, [found]).is_periodic is False


def swinging(frequency, rate, noise=0.02):
    """Returns products of a spot that swings across many pixels, each of which so sees many multiples, some aliased."""
    places = 16 + 10 * np.sin(2 * np.pi * frequency * np.arange(int(6 * rate)) / rate + 0.3)
    frames = np.exp(-(((np.arange(32) - places[:, None]) / 3) ** 2))
    return gram.products(frames + noise * RNG.normal(size=frames.shape))


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize(
    ("frequency", "rate"), [(6, 25), (6.5, 25), (6.5, 30), (7, 25), (7, 30), (7.3, 30), (8, 25), (10, 30)]
)
def test_aliases_of_what_is_faster_than_the_band_are_no_repetitions_in_it(readout, frequency, rate):
    found = readout(swinging(frequency, rate), rate, BAND)
    assert answers.choose(0, 6, [found]).is_periodic is False


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize("rate", [24, 25, 30, 44])
def test_of_a_spot_that_swings_within_the_band_nobody_says_that_it_is_faster(readout, rate):
    assert not any(readout(swinging(each, rate), rate, BAND).is_faster for each in np.arange(0.5, 5.3, 0.24))


def test_a_sure_reading_of_what_is_faster_than_the_band_says_so():
    assert readouts.selfdistance(moving(6.0, (1.0,)), RATE, BAND).is_faster
    assert not readouts.selfdistance(moving(3.0, (1.0,)), RATE, BAND).is_faster
    assert not readouts.selfdistance(gram.products(RNG.normal(size=(180, 500))), RATE, BAND).is_faster


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("frequency", [3.0, 4.1, 5.3])
def test_a_movement_most_of_which_is_above_the_band_is_read_all_the_same(frequency, noise):
    found = readouts.selfdistance(moving(frequency, (0.4, 1.0), noise), RATE, BAND)
    assert found.frequency == pytest.approx(frequency, abs=0.005)
    assert found.score > 0.8


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize(("frequency", "is_sure"), [(0.66, False), (0.7, True), (3.0, True), (3.05, False)])
def test_the_band_ends_where_it_is_said_to_end(readout, frequency, is_sure):
    found = readout(moving(frequency, noise=0.1), RATE, (0.7, 3.0))
    assert found.score > 0.8 if is_sure else found.score == 0
