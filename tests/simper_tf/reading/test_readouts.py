import math

import numpy as np
import pytest

from simper_tf.reading import readouts, scores, self_similarity

RNG = np.random.default_rng(0)
RATE, BAND = 30.0, (0.4, 5.5)


def moving(frequency, heights=(1.0, 0.6), noise=0.0, num_frames=180):
    """Returns products of frames of which every pixel has multiples of a frequency, with phases of its own."""
    times = np.arange(num_frames)[:, None] / RATE
    frames = noise * RNG.normal(size=(num_frames, 200))
    for k, height in enumerate(heights, start=1):
        frames += height * np.sin(2 * np.pi * k * frequency * times + RNG.uniform(0, 6.28, 200))
    return self_similarity.products(frames)


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize("frequency", [0.45, 1.23, 2.9])
def test_movements_are_read_and_sure(readout, frequency):
    found = readout(moving(frequency, noise=0.3), RATE, BAND)
    assert found.frequency == pytest.approx(frequency, abs=0.005)
    assert found.score > 0.8


def test_frame_distance_takes_no_strong_harmonic_for_the_octave():
    found = readouts.selfdistance(moving(1.1, (0.5, 1.0, 0.3)), RATE, BAND)
    assert found.frequency == pytest.approx(1.1, abs=0.005)


def test_a_movement_of_nearly_equal_halves_has_both_candidates():
    found = readouts.selfdistance(moving(1.1, (0.45, 1.0)), RATE, BAND)
    assert {round(each, 1) for each in (found.frequency, *found.others)} == {1.1, 2.2}


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
def test_what_does_not_repeat_has_no_high_score(readout):
    walk = np.cumsum(RNG.normal(size=(180, 30)), axis=0)
    shuffled = np.sin(2 * np.pi * 1.3 * RNG.permutation(180) / RATE)[:, None] * RNG.normal(size=30)
    for frames in (RNG.normal(size=(180, 500)), walk, shuffled):
        assert readout(self_similarity.products(frames), RATE, BAND).score < scores.SURE


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
def test_a_still_has_no_number(readout):
    found = readout(self_similarity.products(np.full((180, 9), 77)), RATE, BAND)
    assert math.isnan(found.frequency)
    assert found.score == 0


@pytest.mark.parametrize(("periods", "is_sure"), [(1.83, False), (2.1, True)])
def test_what_is_not_seen_twice_does_not_repeat(periods, is_sure):
    angles = 2 * np.pi * periods * np.arange(42)[:, None] / 42
    frames = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) @ np.random.default_rng(0).normal(size=(2, 30))
    found = scores.reading(
        "pixels", self_similarity.products(frames), periods * 25 / 42, 25.0, (0.4, 5.5), scores.PICTURES
    )
    assert (found.score > 0.5) == is_sure
    assert is_sure or found.score == 0


def swinging(frequency, rate, noise=0.02):
    """Returns products of a spot that swings across many pixels, each of which so sees many multiples, some aliased."""
    places = 16 + 10 * np.sin(2 * np.pi * frequency * np.arange(int(6 * rate)) / rate + 0.3)
    frames = np.exp(-(((np.arange(32) - places[:, None]) / 3) ** 2))
    return self_similarity.products(frames + noise * RNG.normal(size=frames.shape))


@pytest.mark.slow
@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize("rate", [24, 25, 30, 44])
def test_no_readout_calls_a_swing_within_the_band_faster(readout, rate):
    assert not any(readout(swinging(each, rate), rate, BAND).is_faster for each in np.arange(0.5, 5.3, 0.24))


def test_a_sure_reading_of_what_is_faster_than_the_band_says_so():
    assert readouts.selfdistance(moving(6.0, (1.0,)), RATE, BAND).is_faster
    assert not readouts.selfdistance(moving(3.0, (1.0,)), RATE, BAND).is_faster
    assert not readouts.selfdistance(self_similarity.products(RNG.normal(size=(180, 500))), RATE, BAND).is_faster


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("frequency", [3.0, 4.1, 5.3])
def test_a_movement_mostly_above_the_band_is_still_read(frequency, noise):
    found = readouts.selfdistance(moving(frequency, (0.4, 1.0), noise), RATE, BAND)
    assert found.frequency == pytest.approx(frequency, abs=0.005)
    assert found.score > 0.8


@pytest.mark.parametrize("readout", [readouts.pixels, readouts.selfdistance])
@pytest.mark.parametrize(("frequency", "is_sure"), [(0.66, False), (0.7, True), (3.0, True), (3.05, False)])
def test_the_band_ends_where_it_is_said_to_end(readout, frequency, is_sure):
    found = readout(moving(frequency, noise=0.1), RATE, (0.7, 3.0))
    assert found.score > 0.8 if is_sure else found.score == 0
