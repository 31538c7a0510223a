"""Light that changes, and stillness around movement, on small made recordings."""

import cv2
import generated
import numpy as np
import pytest

from simper_tf.reading import camera, film_reader


def test_a_known_course_of_light_is_taken_out():
    random = np.random.default_rng(0)
    picture = random.uniform(40, 200, (1, 20, 30, 1)).astype(np.float32)
    lamp = 1 + 0.05 * random.normal(size=(50, 1, 1, 1)).astype(np.float32)
    frames = lamp * picture
    frames[:, 5:9, 3:12] = random.uniform(40, 200, (50, 4, 9, 1))
    even = camera.evened(frames)
    still = np.s_[:, 10:]
    assert even[still].std(0).max() < 1e-3 * frames[still].std(0).mean()


def test_light_that_stays_is_left_alone():
    frames = np.full((40, 20, 30, 1), 90, np.float32)
    frames[:, 4:8, 3] += np.sin(np.arange(40))[:, None, None]
    assert camera.evened(frames) is None
    assert camera.evened(np.zeros((40, 20, 30, 1), np.float32)) is None


def test_a_pan_to_a_brighter_place_is_no_light_that_changes():
    random = np.random.default_rng(0)
    wide = cv2.GaussianBlur(random.uniform(0, 255, (44, 90)), (0, 0), 1.5) + np.linspace(0, 60, 90)
    moves = [cv2.warpAffine(wide, np.array([[1, 0, -0.1 * at], [0, 1, 0]]), (64, 44)) for at in range(120)]
    frames = np.float32(moves)[..., None]
    assert camera.evened(frames) is not None
    assert len(list(camera.views(frames))) == 1


@pytest.mark.parametrize("height", [4, 8])
@pytest.mark.parametrize(("step", "count"), [(1, 20), (0.5, 40)])
def test_a_thin_bar_that_crosses_is_no_camera_that_pans(height, step, count):
    frames = np.full((count, 128, 128, 1), 255, np.float32)
    for at, frame in enumerate(frames):
        left = round(step * at)
        frame[64 - height // 2 : 64 + height // 2, left : left + 2] = 0
    assert camera.moves_as_one(frames)  # The median picture is blank.
    steady, path = camera.steadied(frames)
    assert path is None
    np.testing.assert_array_equal(steady, frames)


@pytest.mark.slow
def test_flicker_hides_no_movement():
    clip = generated.steady(0)
    random = np.random.default_rng(0)
    lit = [np.clip(np.rint(frame * (1 + 0.05 * random.normal())), 0, 255).astype(np.uint8) for frame in clip.frames]
    reading = film_reader.reading_of_frames(zip(clip.times, lit, strict=True))
    assert reading.clear[0].hertz == pytest.approx(0.5, rel=0.03)


@pytest.mark.slow
def test_stillness_around_repetitions_leaves_their_confidence():
    clip = generated.steady(0, hertz=1.0, seconds=4.0)
    alone = film_reader.reading_of_frames(clip.pairs()).clear[0]
    step = clip.times[1] - clip.times[0]
    rest = round(6 / step)
    frames = [clip.frames[0]] * rest + list(clip.frames) + [clip.frames[-1]] * rest
    around = film_reader.reading_of_frames(zip(step * np.arange(len(frames)), frames, strict=True)).clear[0]
    assert around.hertz == pytest.approx(alone.hertz, rel=0.03)
    assert around.confidence > alone.confidence - 0.1
