"""CHROM, POS and green find a pulse, and what each of them is made to subtract does not reach it."""

import numpy as np
import pytest
import scipy.signal

from simper_tf.signals import skin_colors
from simper_tf.signals.pulse import detrend

RATE, BAND = 30.0, (0.6667, 4.1667)
SECONDS = np.arange(180) / RATE
# The tone and the direction of blood that CHROM supposes (de Haan and Jeanne 2013, sections II.C and IV).
TONE = 200 * np.array([0.7682, 0.5121, 0.3841])
BLOOD = np.array([0.33, 0.77, 0.53])
METHODS = (skin_colors.green, skin_colors.chrom, skin_colors.pos)


def wave(hertz, phase=0.0):
    return np.sin(2 * np.pi * hertz * SECONDS + phase)


def pulse(hertz=1.5, depth=0.005):
    """Colors of skin whose blood alone changes them."""
    return TONE * (1 - depth * BLOOD * wave(hertz)[:, None])


def peak(series):
    """The strongest frequency in the band, to 0.01 Hz."""
    frequencies = np.fft.rfftfreq(3000, 1 / RATE)
    power = np.abs(np.fft.rfft(series * np.hanning(len(series)), 3000))
    power[(frequencies < BAND[0]) | (frequencies > BAND[1])] = 0
    return frequencies[power.argmax()]


def likeness(x, y):
    return abs(np.corrcoef(x[15:-15], y[15:-15])[0, 1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("hertz", [0.8, 1.5, 3.1])
def test_a_pulse_alone_is_read_by_all(method, hertz):
    course = method(pulse(hertz), RATE, BAND)
    assert course.shape == (180,)
    assert peak(course) == pytest.approx(hertz, abs=0.05)
    assert likeness(course, wave(hertz)) > 0.97


@pytest.mark.parametrize("method", METHODS)
def test_brightness_and_order_of_magnitude_do_not_matter(method):
    colors = pulse() * (1 + 0.01 * wave(2.2)[:, None]) + np.random.default_rng(0).normal(0, 0.1, (180, 3))
    course = method(colors, RATE, BAND)
    np.testing.assert_allclose(method(colors / 255, RATE, BAND), course, atol=1e-9)


def reference_pos(colors, rate):
    """Algorithm 1 of Wang et al., line by line."""
    total, length = np.zeros(len(colors)), round(1.6 * rate)
    for n in range(length, len(colors) + 1):
        window = colors[n - length : n].T
        normalized = np.diag(1 / window.mean(axis=1)) @ window
        s = np.array([[0, 1, -1], [-2, 1, 1]]) @ normalized
        h = s[0] + np.std(s[0]) / np.std(s[1]) * s[1]
        total[n - length : n] += h - h.mean()
    return total


def reference_chrom(colors, rate):
    """Equations 9 to 14 of de Haan and Jeanne, by windows of 48 frames that add up to one."""
    total, sections = np.zeros(len(colors)), scipy.signal.butter(3, BAND, "bandpass", fs=rate, output="sos")
    for start in range(0, len(colors) - 47, 24):
        window = colors[start : start + 48]
        red, green, blue = (window / window.mean(axis=0)).T
        x, y = 3 * red - 2 * green, 1.5 * red + green - 1.5 * blue
        x, y = (scipy.signal.sosfiltfilt(sections, color - color.mean()) for color in (x, y))
        total[start : start + 48] += (x - np.std(x) / np.std(y) * y) * np.hanning(50)[1:-1]
    return total


def disturbed():
    rng = np.random.default_rng(3)
    light = 1 + 0.02 * wave(0.9, 1.0)[:, None]
    return pulse(1.3) * light + 3 * wave(2.1)[:, None] + rng.normal(0, 0.3, (180, 3))


def test_pos_and_chrom_are_what_the_papers_write():
    colors = disturbed()
    # Where every frame lies in as many windows, one is a multiple of the other.
    middle = slice(60, 120)
    windows = np.convolve(np.ones(133), np.ones(48))  # Over each frame.
    pos, expected = skin_colors.pos(colors, RATE, BAND), detrend(reference_pos(colors, RATE) / windows)
    np.testing.assert_allclose(pos[middle], expected[middle], atol=1e-10)
    chrom, expected = skin_colors.chrom(colors, RATE, BAND), detrend(reference_chrom(colors, RATE))
    assert likeness(chrom[middle], expected[middle]) > 0.999


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("colors", [TONE, np.zeros(3), np.array([0, 90.0, 0])], ids=["constant", "black", "green"])
def test_colors_that_do_not_change_have_no_pulse(method, colors):
    still = np.tile(colors, (180, 1)).astype(np.float32)
    np.testing.assert_array_equal(method(still, RATE, BAND), 0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("num_frames", "rate"), [(20, 30.0), (181, 29.3), (97, 8.0)])
def test_any_length_and_rate_gives_finite_values(method, num_frames, rate):
    colors = 100 + np.random.default_rng(1).normal(0, 1, (num_frames, 3))
    course = method(colors, rate, (0.6667, min(4.1667, rate / 2)))
    assert course.shape == (num_frames,)
    assert np.isfinite(course).all()
    assert np.ptp(course) > 0
