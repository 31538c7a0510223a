"""Chances of periods over clips of any length: the windows, the periods, and the frequency that is read of them."""

import cv2
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import unfit

from simper_tf.methods import rhythm_scales
from simper_tf.methods.rhythm_scales import Blend, SmallGray, Windows, likeliest, period_shares
from simper_tf.reading.films import rhythm_network
from simper_tf.training import own_replay

BAND = 0.1, 10.0


@pytest.fixture(scope="module")
def shipped():
    """Returns the network of the reader over clips of 24 x 32 pixels in gray."""
    model = own_replay.replay_of_films(0)
    own_replay.set_shipped(model)
    return rhythm_scales.over_scales(model.encoder, model.head, (24, 32, 1))


def swinging(hertz, number, rate):
    """Clips `(1, T, 24, 32, 1)` in [0, 1] of a disc that swings from side to side, and grain."""
    y, x = np.mgrid[:24, :32]
    middles = 16 + 8 * np.sin(2 * np.pi * hertz * np.arange(number) / rate)[:, None, None]
    disc = np.clip(4.5 - np.hypot(y - 12, x - middles), 0, 1)
    grain = 0.01 * np.random.default_rng(0).normal(size=disc.shape)
    return np.float32(0.25 + 0.5 * disc + grain)[None, ..., None]


def read(model, clips, rate, band=BAND):
    hertz, confidence = rhythm_scales.read(model(clips), clips, tf.constant([rate], tf.float32), band)
    return float(hertz[0]), float(confidence[0])


@pytest.mark.parametrize(("height", "width"), [(28, 45), (64, 32), (20, 100)])
def test_pictures_are_means_over_areas_as_opencv_takes_them(height, width):
    clips = np.random.default_rng(0).uniform(size=(2, 3, height, width, 3)).astype(np.float32)
    if min(height, width) < 32:  # OpenCV means something else by areas where a side grows.
        assert SmallGray()(np.ones_like(clips)).numpy() == pytest.approx(1.0)
        return
    wanted = [[cv2.resize(frame.mean(-1), (32, 32), interpolation=cv2.INTER_AREA) for frame in clip] for clip in clips]
    np.testing.assert_allclose(SmallGray()(clips), wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("number", "lit", "shown"),
    [(64, 20, [1 / 6, 2 / 3, 1 / 6]), (127, 40, [1 / 24, 10 / 24, 1 / 24])],
)
def test_weights_of_a_window_fall_to_the_frames_beside(number, lit, shown):
    """By hand: a cubic spline, as two triangles of a step make; of twice as many frames a triangle of two and one."""
    frames = np.zeros((1, number, 32, 32), np.float32)
    frames[:, lit] = 1.0
    np.testing.assert_allclose(Windows(0)(frames)[0, 19:22, 0, 0, 0], shown, atol=1e-5)


@pytest.mark.parametrize("scale", range(rhythm_scales.SCALES))
@pytest.mark.parametrize("number", [30, 64, 300])
def test_windows_of_a_ramp_rise_evenly_over_their_length(scale, number):
    ramp = np.linspace(0, 1, number, dtype=np.float32)[None, :, None, None] * np.ones((1, 1, 32, 32), np.float32)
    windows = Windows(scale)(ramp).numpy()[:, 2:-2, 0, 0, 0]  # At either end half of the mean is missing.
    np.testing.assert_allclose(np.diff(windows, axis=1), 2.0 ** (-scale / 2) / 63, rtol=2e-3)
    assert windows[0, 0] < 0.1
    assert windows[-1, -1] > 0.9


def test_every_period_of_a_scale_is_told_at_its_place():
    """Each scale says one period alone, the same in seconds: all say it together."""
    shares = period_shares()
    wanted = int(np.abs(shares - 0.08).argmin())
    logits = []
    for scale in range(rhythm_scales.SCALES):
        windows = Windows(scale)(np.zeros((1, 64, 32, 32), np.float32)).shape[0]
        said = np.full((windows, 64, len(rhythm_network.PERIODS) + 1), -50.0, np.float32)
        here = np.flatnonzero(np.isclose(rhythm_network.PERIODS / 64 * 2.0 ** (-scale / 2), shares[wanted]))
        said[..., here if len(here) else -1] = 50.0
        logits.append(said)
    chances = Blend()([np.zeros((1, 90, 32, 32), np.float32), *logits]).numpy()
    assert chances.shape == (1, 90, len(shares))
    np.testing.assert_allclose(chances[0, :, wanted], 1.0, atol=1e-5)
    assert np.delete(chances, wanted, axis=2).max() < 1e-5


def test_the_top_between_two_periods_is_read_between_them():
    shares, chances = period_shares(), np.zeros((1, 101, len(period_shares())), np.float32)
    chances[..., 30] = chances[..., 31] = 0.5
    hertz, chance = likeliest(tf.constant(chances), tf.constant([20.0]), BAND)
    assert float(hertz[0]) == pytest.approx(1 / (100 / 20 * np.sqrt(shares[30] * shares[31])), rel=1e-4)
    assert float(chance[0]) == pytest.approx(1.0)


@pytest.mark.parametrize(("band", "rate"), [((3.0, 9.0), 20.0), ((0.1, 10.0), 4.0)])
def test_what_lies_outside_of_band_or_rate_is_not_read(band, rate):
    """Neither below the band, nor where a cycle has fewer than four frames."""
    chances = np.zeros((1, 101, len(period_shares())), np.float32)
    chances[..., 10] = 1.0
    hertz, chance = likeliest(tf.constant(chances), tf.constant([rate]), band)
    assert band[0] <= float(hertz[0]) <= band[1]
    assert float(chance[0]) == pytest.approx(0.0)


@pytest.mark.parametrize(("outside", "chance"), [(4.0, 0.0), (2.0, 0.5), (0.65, 0.5)])
def test_a_likelier_faster_tempo_outside_leaves_no_chance(outside, chance):
    """But for the double, as a cycle has halves, and for what is slower than the band."""
    hertz = 20.0 / (100 * period_shares())
    chances = np.zeros((1, 101, len(hertz)), np.float32)
    for told, most in ((1.0, 0.3), (outside, 0.6)):
        at = np.abs(np.log(hertz / told)).argmin()
        chances[..., at - 1 : at + 2] += most * np.array([1 / 3, 1, 1 / 3])
    told, of_it = likeliest(tf.constant(chances), tf.constant([20.0]), (0.8, 1.5))
    assert float(told[0]) == pytest.approx(1.0, rel=0.06)
    assert float(of_it[0]) == pytest.approx(chance, abs=1e-6)


def test_a_frequency_is_refined_by_the_harmonics_of_the_pixels():
    times = np.arange(200) / 20
    series = np.stack([np.sin(2 * np.pi * 1.3 * times), np.cos(2 * np.pi * 2.6 * times)])[None].astype(np.float32)
    near = rhythm_scales.refined(tf.constant([1.25]), tf.constant(series), tf.constant([20.0]))
    assert float(near[0]) == pytest.approx(1.3, rel=3e-3)
    still = rhythm_scales.refined(tf.constant([1.25]), tf.zeros_like(series), tf.constant([20.0]))
    assert float(still[0]) == pytest.approx(1.25)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "rate"), [(60, 15.0), (150, 25.0), (300, 30.0)])
@pytest.mark.parametrize("cycles", [3, 5, 8])
def test_a_swinging_disc_is_read_in_clips_of_any_length(shipped, cycles, number, rate):
    hertz = cycles * rate / number
    read_hertz, confidence = read(shipped, swinging(hertz, number, rate), rate)
    assert read_hertz == pytest.approx(hertz, rel=0.02)
    assert confidence > 0.5


@pytest.mark.slow
def test_the_same_frames_at_twice_the_rate_repeat_twice_as_often(shipped):
    clips = swinging(1.0, 120, 20.0)
    assert read(shipped, clips, 40.0)[0] == pytest.approx(2 * read(shipped, clips, 20.0)[0], rel=1e-5)


def test_every_op_of_it_has_a_kernel_for_gpus(shipped):
    """Of clips and rates in, and frequencies out."""
    given = tf.TensorSpec([None, None, 24, 32, 1], tf.float32), tf.TensorSpec([None], tf.float32)
    function = tf.function(lambda clips, rate: rhythm_scales.read(shipped(clips), clips, rate, BAND))
    assert not unfit(function.get_concrete_function(*given))


@pytest.mark.slow
def test_the_longest_clip_tells_the_highest_frequency(shipped):
    seconds = rhythm_scales.longest(3.0)
    clips = swinging(2.9, round(seconds * 20), 20.0)
    assert read(shipped, clips, 20.0, (0.3, 3.0))[0] == pytest.approx(2.9, rel=0.02)


@pytest.mark.slow
def test_nothing_repeats_in_noise_and_in_stills(shipped):
    noise = np.random.default_rng(1).uniform(size=(1, 120, 24, 32, 1)).astype(np.float32)
    flicker = 0.5 + 0.0004 * np.sin(np.arange(120, dtype=np.float32))[:, None, None, None]  # A tenth of a gray level.
    for clips in (noise, np.full_like(noise, 0.5), np.zeros_like(noise) + flicker, np.zeros_like(noise)):
        assert read(shipped, clips, 20.0)[1] < 0.5
