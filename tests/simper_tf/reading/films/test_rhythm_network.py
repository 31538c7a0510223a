"""The network with the weights that come with the package; and how one is asked, as one that knows the truth shows."""

import importlib.resources
import subprocess
import sys

import numpy as np
import pytest

from simper_tf.reading.films import rhythm_network
from simper_tf.reading.films.rhythm_network import NUM_FRAMES, PERIODS

CARD = importlib.resources.files("simper_tf.reading.films").joinpath("rhythm_network.md").read_text()


def swinging(hertz, seconds=12.0, rate=25.0, noise=2.0):
    """Times and frames of a disc that swings from side to side, and grain."""
    times = np.arange(round(seconds * rate)) / rate
    y, x = np.mgrid[:32, :32]
    middles = 16 + 8 * np.sin(2 * np.pi * hertz * times)[:, None, None]
    disc = np.clip(4.5 - np.hypot(y - 16, x - middles), 0, 1)
    grain = np.random.default_rng(0).normal(size=disc.shape)
    return times, np.clip(60 + 120 * disc + noise * grain, 0, 255)


def test_the_card_names_the_weights_that_are_there():
    assert rhythm_network.checksum(rhythm_network.weights()) in CARD


def test_the_weights_take_less_than_1_5_megabytes():
    with importlib.resources.files("simper_tf.reading.films").joinpath(rhythm_network.WEIGHTS).open("rb") as file:
        assert len(file.read()) < 1.5e6


def test_chances_of_all_periods_and_of_none_have_sum_one():
    told = rhythm_network.chances_of_windows(np.random.default_rng(0).uniform(0, 255, (2, 64, 32, 32)))
    assert told.shape == (2, 64, len(rhythm_network.PERIODS) + 1)
    np.testing.assert_allclose(told.sum(-1), 1.0, rtol=1e-5)


def test_a_still_picture_is_told_as_none():
    told = rhythm_network.chances_of_windows(np.full((1, 64, 32, 32), 80.0))
    assert np.isfinite(told).all()


@pytest.mark.parametrize("gain", [0.5, 1.4])
def test_light_and_contrast_change_nothing(gain):
    windows = swinging(1.0, 64 / 25)[1][None]
    told, lit = rhythm_network.chances_of_windows(windows), rhythm_network.chances_of_windows(gain * windows + 20.0)
    np.testing.assert_allclose(lit, told, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("hertz", [0.4, 0.9, 2.1])
def test_a_swinging_disc_has_the_best_chance_at_its_tempo(hertz):
    times, frames = swinging(hertz)
    chance, rival = rhythm_network.hear(times, frames).of(hertz, 0.0, times[-1])
    assert chance > max(0.5, rival)


@pytest.mark.slow
def test_noise_and_a_disc_that_moves_on_have_no_chance():
    times, frames = swinging(0.02)
    noise = np.random.default_rng(1).uniform(0, 255, frames.shape)
    for shown in (frames, noise):
        assert max(rhythm_network.hear(times, shown).of(1.0, 0.0, times[-1])) < 0.3


def test_reading_needs_no_tensorflow():
    code = "import sys; from simper_tf.reading.films import rhythm_network as r; r.weights()"
    code += "; print('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


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
def test_what_the_network_tells_is_heard_at_every_tempo(hertz):
    chance, rival = rhythm_network.hear(*clock(60), knowing(hertz)).of(hertz, 5.0, 55.0)
    assert chance > 0.7
    assert rival < chance / 3


@pytest.mark.parametrize("multiple", [0.5, 2.0])
def test_an_octave_hears_the_tempo_as_its_rival(multiple):
    heard = rhythm_network.hear(*clock(60), knowing(1.0))
    assert heard.of(multiple, 5.0, 55.0) == pytest.approx((0.0, heard.of(1.0, 5.0, 55.0)[0]), abs=0.1)


def test_chances_are_those_of_their_own_time():
    heard = rhythm_network.hear(*clock(40), knowing(1.0, 12.0, 30.0))
    assert heard.of(1.0, 13.0, 29.0)[0] > 0.7
    assert heard.of(1.0, 0.0, 11.0)[0] < 0.1


def test_a_network_that_tells_nothing_gives_no_chance():
    assert rhythm_network.hear(*clock(20), knowing(1.0, chance=0.0)).of(1.0, 0.0, 20.0) == (0.0, 0.0)


def test_a_film_shorter_than_any_window_is_not_asked_about():
    assert np.isnan(rhythm_network.hear(*clock(1.2), knowing(1.0)).of(1.0, 0.0, 1.2)).all()


@pytest.mark.parametrize("hertz", [0.02, 0.08, 30.0])
def test_tempos_beyond_all_windows_are_not_asked_about(hertz):
    assert np.isnan(rhythm_network.hear(*clock(20), knowing(1.0)).of(hertz, 0.0, 20.0)).all()


def test_instants_that_no_short_window_saw_do_not_count():
    # Of two minutes 24 windows of 1.5 s see 36 s; no longer one tells ten cycles a second.
    heard = rhythm_network.hear(*clock(120, 60.0), knowing(10.0))
    assert heard.of(10.0, 0.0, 120.0)[0] > 0.6


def test_larger_pictures_are_averaged_to_what_the_network_sees():
    times, frames = clock(10)
    large = np.repeat(np.repeat(frames, 2, 1), 3, 2)
    assert rhythm_network.hear(times, large, knowing(1.0)).of(1.0, 0.0, 10.0)[0] > 0.7


@pytest.mark.parametrize("rate", [7.0, 30.0, 120.0])
def test_windows_show_the_film_at_their_own_times(rate):
    times, frames = clock(10, rate)
    starts, windows = rhythm_network.windows_of(times, frames, 4.0)
    assert starts[0] == 0.0
    assert starts[-1] + 4.0 == pytest.approx(times[-1])
    seen = windows[:, :, 5, 5]
    np.testing.assert_allclose(seen.mean(1), starts + 2.0, atol=0.02)
    np.testing.assert_allclose(np.diff(seen, axis=1), 4.0 / NUM_FRAMES, rtol=0.05)


def test_cycles_of_less_than_four_frames_are_not_asked_about():
    heard = rhythm_network.hear(*clock(20), knowing(4.0))
    assert heard.of(4.9, 0.0, 20.0)[0] >= 0
    assert np.isnan(heard.of(5.1, 0.0, 20.0)).all()
