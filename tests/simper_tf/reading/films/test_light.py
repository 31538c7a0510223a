"""Light that changes, and stillness around movement, on small made recordings."""

import generated
import numpy as np
import pytest

from simper_tf.reading.films import camera, film_reader


@pytest.mark.parametrize("height", [4, 8])
@pytest.mark.parametrize(("step", "count"), [(1, 20), (0.5, 40)])
def test_a_thin_bar_that_crosses_is_no_camera_that_pans(height, step, count):
    frames = np.full((count, 128, 128, 1), 255, np.float32)
    for at, frame in enumerate(frames):
        left = round(step * at)
        frame[64 - height // 2 : 64 + height // 2, left : left + 2] = 0
    steady, path = camera.steadied(frames)  # The median picture is blank.
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
