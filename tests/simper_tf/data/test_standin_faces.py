"""Drawn faces are taken for faces, and their skin carries the pulse."""

import numpy as np
import pytest

from simper_tf.data import standin_faces
from simper_tf.recordings import face


def test_recordings_have_different_heart_rates_within_the_range():
    for seed in range(3):
        for count in (2, 3, 4, 42):
            rates = np.sort([standin_faces.heart_rate(seed, index) for index in range(count)])
            assert 50 <= rates[0] < rates[-1] <= 130
            assert np.diff(rates).min() > 80 / count / 3


def draw(look, count=90, seed=0, height=100, width=130):
    times = np.arange(count) / 30.0
    pulse = standin_faces.ppg(72.0, times)
    return pulse, list(standin_faces.frames(pulse, times, height, width, look, seed))


FOREHEAD, CHEEK_EDGE = (slice(30, 36), slice(58, 72)), (slice(40, 60), slice(44, 54))


def green(frames, area):
    """The mean green of an area over time."""
    return np.array([frame[*area, 1].mean() for frame in frames])


@pytest.mark.slow
@pytest.mark.parametrize("size", [(100, 130), (120, 160), (240, 320), (480, 640)])
@pytest.mark.parametrize("look", [standin_faces.CLEAN, standin_faces.Look()])
def test_the_detector_takes_the_drawing_for_a_face(size, look):
    for seed in range(4):
        _, frames = draw(look, 1, seed, *size)
        assert face.find_face(frames).found == "haar"


def test_skin_darkens_with_the_pulse_and_the_background_does_not():
    pulse, frames = draw(standin_faces.CLEAN)
    assert np.corrcoef(green(frames, FOREHEAD), pulse)[0, 1] < -0.98
    assert np.ptp([frame[:10].mean() for frame in frames]) == 0.0


@pytest.mark.parametrize(
    "look",
    [standin_faces.Look(3.0, 0.0, 0.0), standin_faces.Look(0.0, 2.0, 0.0), standin_faces.Look(0.0, 0.0, 0.05)],
    ids=str,
)
def test_noise_motion_and_light_each_disturb_the_pulse(look):
    pulse, clean = draw(standin_faces.CLEAN)
    _, disturbed = draw(look)
    assert np.corrcoef(green(clean, CHEEK_EDGE), pulse)[0, 1] < -0.98
    assert np.corrcoef(green(disturbed, CHEEK_EDGE), pulse)[0, 1] > -0.95


def test_equal_seeds_give_equal_frames_and_others_differ():
    (_, first), (_, again), (_, other) = (
        draw(standin_faces.Look(), 5),
        draw(standin_faces.Look(), 5),
        draw(standin_faces.Look(), 5, seed=1),
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


SIDE = 88


def film(*moments, noise=0.0, lightness=1.0):
    drawing = standin_faces.draw(SIDE, SIDE, np.random.default_rng(0), lightness)
    return drawing, np.float32(list(standin_faces.film(drawing, moments, noise, np.random.default_rng(1))))


def test_a_pulse_takes_green_from_the_skin_most():
    drawing, (rest, beat) = film(standin_faces.Moment(0.0), standin_faces.Moment(5.0))
    np.testing.assert_allclose(rest, drawing.image, atol=0.501)
    lost = (rest - beat).mean(axis=(0, 1)) / drawing.skin.mean()
    np.testing.assert_allclose(lost, 5 * standin_faces.PULSE_DEPTH, atol=0.1)
    assert np.abs(rest - beat)[drawing.skin == 0].max() == 0


def test_a_face_goes_where_its_skin_does_and_comes_nearer():
    moments = standin_faces.Moment(0.0, (3.0, -2.0)), standin_faces.Moment(0.0, nearness=1.25)
    drawing, (shifted, near) = film(*moments)
    np.testing.assert_allclose(shifted[10:-10, 10:-10], drawing.image[12:-8, 7:-13], atol=0.6)
    skin = [standin_faces.moved(drawing.skin, moment) for moment in moments]
    assert skin[0].sum() == pytest.approx(drawing.skin.sum(), rel=0.01)
    assert skin[1].sum() == pytest.approx(1.25**2 * drawing.skin.sum(), rel=0.01)
    np.testing.assert_allclose(near[SIDE // 2, SIDE // 2], drawing.image[SIDE // 2, SIDE // 2], atol=6)


def test_light_is_a_factor_and_glare_adds_white_to_glossy_places():
    shade = np.linspace(0.5, 1.0, SIDE)[None, :, None]
    lights = [standin_faces.Moment(0.0, light=light) for light in (np.array([1.0, 0.5, 0.8]), shade)]
    drawing, (tinted, shaded, glossy) = film(*lights, standin_faces.Moment(0.0, glare=20.0))
    np.testing.assert_allclose(tinted, drawing.image * [1.0, 0.5, 0.8], atol=0.51)
    np.testing.assert_allclose(shaded, drawing.image * shade, atol=0.51)
    np.testing.assert_allclose(glossy - drawing.image, 20 * np.repeat(drawing.gloss[..., None], 3, axis=2), atol=0.51)
    assert drawing.gloss[:20].max() < 1e-3 < 0.3 < drawing.gloss.max() <= 1


def test_lightness_scales_the_skin_and_nothing_of_the_background():
    light, dark = (film(lightness=value)[0] for value in (1.0, 0.5))
    forehead = slice(26, 30), slice(40, 48)
    np.testing.assert_allclose(dark.image[forehead].mean((0, 1)), 0.5 * light.image[forehead].mean((0, 1)), atol=0.5)
    np.testing.assert_array_equal(dark.image[:8], light.image[:8])


def test_a_wave_repeats_every_turn_and_has_its_given_harmonics():
    angle = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    found = np.fft.rfft(standin_faces.wave(angle, ((0.7, 0.3), (0.4, 1.0)))) / 32
    np.testing.assert_allclose(np.abs(found[:4]), [0, 0.7, 0.4, 0], atol=1e-12)
    np.testing.assert_allclose(np.angle(1j * found[1:3]), [0.3, 1.0], atol=1e-12)
    np.testing.assert_allclose(standin_faces.ppg(60.0, angle), standin_faces.wave(2 * np.pi * angle))
