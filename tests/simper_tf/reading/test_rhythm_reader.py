"""The learned reader around its network, which a function that knows the truth stands in for."""

import numpy as np
import pytest

from simper_tf.reading import rhythm_reader
from simper_tf.reading.rhythm_network import NUM_FRAMES, PERIODS


def clock(seconds, rate=20.0):
    """Times, and frames of which every pixel is the time in seconds."""
    times = np.arange(round(seconds * rate)) / rate
    return times, np.broadcast_to(times[:, None, None], (len(times), 32, 32)).astype(np.float32)


def knowing(hertz, start=0.0, end=np.inf, chance=0.9):
    """A network that tells one frequency between two times of a `clock`, and none elsewhere."""

    def tell(windows):
        seconds = windows[:, :, 0, 0]
        step = (seconds[:, -1] - seconds[:, 0]) / (NUM_FRAMES - 1)
        told = np.zeros((len(windows), NUM_FRAMES, len(PERIODS) + 1))
        away = np.abs(np.log2(PERIODS[None] * step[:, None] * hertz))
        near = away.argmin(1)
        for window in np.flatnonzero(away.min(1) < 1 / 20):
            inside = (seconds[window] >= start) & (seconds[window] < end)
            told[window, inside, near[window]] = chance
        told[..., -1] = 1 - told.sum(-1)
        return told

    return tell


@pytest.mark.parametrize("hertz", [0.1, 0.37, 1.0, 2.9])
def test_what_the_network_tells_is_found_at_every_tempo(hertz):
    found = rhythm_reader.read(*clock(60), knowing(hertz))
    assert abs(np.log2(found.hertz / hertz)) < 0.1
    assert found.share > 0.9
    assert found.is_sure


def test_the_stretch_is_that_of_the_repetitions():
    found = rhythm_reader.read(*clock(40), knowing(1.0, 12.0, 30.0))
    assert found.start == pytest.approx(12.0, abs=1.0)
    assert found.end == pytest.approx(30.0, abs=1.0)
    assert found.share == pytest.approx(18 / 40, abs=0.05)
    assert found.repetitions == pytest.approx(18, abs=2)


def test_a_network_that_tells_nothing_leaves_no_sure_answer():
    assert not rhythm_reader.read(*clock(20), knowing(1.0, chance=0.0)).is_sure


def test_a_short_part_of_a_long_film_is_not_sure():
    assert not rhythm_reader.read(*clock(40), knowing(1.0, 12.0, 20.0)).is_sure


def test_a_film_shorter_than_any_window_has_no_answer():
    assert rhythm_reader.read(*clock(1.2), knowing(1.0)) is None


@pytest.mark.parametrize("rate", [7.0, 30.0, 120.0])
def test_windows_show_the_film_at_their_own_times(rate):
    times, frames = clock(10, rate)
    starts, windows = rhythm_reader.windows_of(times, frames, 4.0)
    assert starts[0] == 0.0
    assert starts[-1] + 4.0 == pytest.approx(times[-1])
    seen = windows[:, :, 5, 5]
    np.testing.assert_allclose(seen.mean(1), starts + 2.0, atol=0.02)
    np.testing.assert_allclose(np.diff(seen, axis=1), 4.0 / NUM_FRAMES, rtol=0.05)


def test_the_tempo_is_refined_by_the_pixels():
    times, frames = clock(30)
    wave = 20 * np.sin(2 * np.pi * 1.03 * times)[:, None, None] * np.linspace(-1, 1, 32) + 0 * frames
    wave[:, 0, 0] = times  # By which the network knows where it is.
    assert rhythm_reader.read(times, wave, knowing(1.0)).hertz == pytest.approx(1.03, abs=0.005)
