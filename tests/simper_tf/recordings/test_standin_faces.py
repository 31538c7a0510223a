"""Drawn faces are taken for faces, and their skin carries the pulse."""

import numpy as np
import pytest

from simper_tf.recordings import face, standin_faces


def test_few_or_many_recordings_have_heart_rates_that_differ_within_the_range():
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


def test_the_same_seed_gives_the_same_frames_and_another_one_others():
    (_, first), (_, again), (_, other) = (
        draw(standin_faces.Look(), 5),
        draw(standin_faces.Look(), 5),
        draw(standin_faces.Look(), 5, seed=1),
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
