"""The pulse of a face is read at its rate, whatever the shape of its wave."""

import numpy as np
import pytest

from simper_tf.data import standin_faces
from simper_tf.reading import readouts
from simper_tf.recordings import windows

RATE, BAND = 30.0, (0.7, 3.0)
TIMES = np.arange(300) / RATE


def window(pulse, noise=0.0, seed=0):
    """Returns a window of one pixel of skin with a pulse and noise, in gray levels."""
    random = np.random.default_rng(seed)
    colors = standin_faces.SKIN - pulse[:, None] * standin_faces.PULSE_DEPTH
    colors = colors * (1 + 0.02 * np.sin(0.5 * TIMES))[:, None] + noise * random.standard_normal((300, 3))
    return windows.Window(0.0, colors[:, None, None].astype(np.float32), RATE)


@pytest.mark.parametrize("readout", [readouts.chrom, readouts.pos])
@pytest.mark.parametrize("hertz", [0.85, 1.1, 1.4])
def test_a_second_harmonic_of_twice_the_first_is_not_taken_for_the_rate(readout, hertz):
    angle = 2 * np.pi * hertz * TIMES
    pulse = 0.35 * np.sin(angle) + 0.7 * np.sin(2 * angle + 1.0)
    found = readout(window(pulse, noise=0.1), None, BAND)
    assert found.frequency == pytest.approx(hertz, abs=0.01)
    assert found.score > 0.5


# CHROM computes in windows of 1.6 s, whose seams a faster pulse in noise may be taken to repeat with.
@pytest.mark.parametrize(("readout", "noise"), [(readouts.chrom, 0.05), (readouts.pos, 0.3)])
@pytest.mark.parametrize("hertz", [0.8, 1.7, 2.6])
def test_a_plain_wave_is_not_read_at_a_part_of_its_rate(readout, noise, hertz):
    pulse = standin_faces.wave(2 * np.pi * hertz * TIMES)
    for seed in range(3):
        assert readout(window(pulse, noise, seed), None, BAND).frequency == pytest.approx(hertz, abs=0.02)


@pytest.mark.parametrize("readout", [readouts.chrom, readouts.pos])
def test_noise_alone_is_seldom_told_as_a_pulse(readout):
    told = [readout(window(np.zeros(300), 0.5, seed), None, BAND).score >= 0.5 for seed in range(20)]
    assert np.mean(told) <= 0.1


def test_gray_frames_have_no_pulse():
    gray = windows.Window(0.0, np.zeros((300, 2, 2, 1), np.float32), RATE)
    assert np.isnan(readouts.pos(gray, None, BAND).frequency)
