import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf import SimPer, SpeedSets, Views
from simper_tf.signals import octave, spectrum, votes

RNG = np.random.default_rng(3)
RATE, FRAMES = 30.0, 150


def clips_of(frequencies, drowned):
    """Returns uint8 clips of 8 x 8 pixels: all swing at a frequency in Hz or, where drowned, are noise.

    The corner alone, too small to show in the power of all pixels, swings at twice the frequency everywhere.
    """
    angles = 2 * np.pi * np.outer(frequencies, np.arange(FRAMES) / RATE)
    swing = 127 + 60 * np.sin(angles) + 30 * np.sin(2 * angles + 1)
    clips = np.repeat(np.repeat(swing[:, :, None, None, None], 8, axis=2), 8, axis=3)
    clips[drowned] = RNG.normal(127, 40, clips[drowned].shape)
    clips[:, :, 0, 0, 0] = 127 + 100 * np.sin(2 * angles)
    return np.clip(clips, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def model():
    """Returns a method whose features are the corner."""
    corner = keras.Sequential([keras.Input((None, 8, 8, 1)), keras.layers.Lambda(lambda clips: clips[:, :, 0, 0, 0])])
    return SimPer(corner, Views(75, SpeedSets(2), None))


@pytest.mark.slow
def test_drowned_clips_are_read_by_the_multiple_of_the_others(model):
    frequencies = np.linspace(0.7, 2.9, 60)  # More clips than are encoded at once.
    drowned = np.arange(60) % 3 == 0
    clips = clips_of(frequencies, drowned)
    np.testing.assert_allclose(model.frequency(clips, RATE), frequencies, atol=0.02)
    octave_found = model.octave(clips)
    assert (octave_found.divisor, octave_found.harmonic) == (2, 0.5)
    assert str(octave_found).startswith("Features rise twice a repetition")
    # Each by its own pixels, as of single clips, they are not.
    alone = octave.resolve_octave(model.encode(clips[drowned]), spectrum.pixel_power(clips[drowned]), RATE)
    assert np.mean(np.abs(alone - frequencies[drowned]) > 0.1) > 0.3


@pytest.mark.slow
def test_drowned_clips_alone_have_no_common_multiple(model):
    clips = clips_of(np.linspace(0.7, 2.9, 12), np.ones(12, bool))
    octave_found = model.octave(clips)
    assert octave_found.harmonic is None
    assert str(octave_found).endswith("So the pixels of each clip decide.")
    expected = octave.resolve_octave(model.encode(clips), spectrum.pixel_power(clips), RATE)
    np.testing.assert_allclose(model.frequency(clips, RATE), expected, rtol=1e-5)


@pytest.mark.slow
def test_two_recordings_do_not_outvote_the_third(model):
    """Features of slow and of fast movements may run at other multiples: where pixels tell so, they are believed."""
    frequencies = np.repeat([1.0, 1.4, 2.7], 8)
    clips = clips_of(frequencies, np.zeros(24, bool))
    clips[16:, :, 0, 0, 0] = clips[16:, :, 4, 4, 0]  # Features run at the frequency itself.
    octave_found = model.octave(clips)
    assert (octave_found.divisor, octave_found.agreement, octave_found.harmonic) == (2, pytest.approx(2 / 3), None)
    np.testing.assert_allclose(model.frequency(clips, RATE), frequencies, atol=0.02)


def test_each_clip_is_read_at_its_own_rate(model):
    clips, rates = clips_of(np.array([1.0, 1.5]), np.zeros(2, bool)), np.array([30.0, 60.0])
    np.testing.assert_allclose(model.frequency(clips, rates), [1.0, 3.0], atol=0.02)


def test_the_most_voted_multiple_by_hand():
    assert votes.most_voted([2, 2, 1, 0, 0, 2]) == (2, 0.75)
    assert votes.most_voted([0, 0]) == (1, 0.0)
    assert votes.most_voted(tf.constant([3])) == (3, 1.0)
