"""Somebody who walks through the picture, and things that only pass."""

import generated
import numpy as np
import pytest

from simper_tf.reading.films import film_reader, follow

RATE, HEIGHT, WIDTH = 25.0, 45, 80


def through(seconds, steps=None):
    """Frames of what goes through a still picture: legs that take so many steps a second under a body, or a box."""
    rng = np.random.default_rng(0)
    times = np.arange(round(seconds * RATE)) / RATE
    behind = generated.texture(rng, HEIGHT, WIDTH, 2.0)
    y, x = np.indices((HEIGHT, WIDTH))
    for time in times:
        middle, frame = 4 + (WIDTH - 8) * time / seconds, behind.copy()
        if steps is None:
            parts = [(22, 0, 12, 5)]
        else:
            parts = [(18, 0, 8, 3)]
            swing = 6 * np.sin(np.pi * steps * time)
            parts += [
                (25 + 12 * part, side * part * swing, 2, 1.5) for side in (-1, 1) for part in np.linspace(0, 1, 6)
            ]
        for row, beside, tall, wide in parts:
            inside = np.clip(1.5 - ((y - row) / tall) ** 2 - ((x - middle - beside) / wide) ** 2, 0, 1)
            frame += inside * (40 - frame)
        yield time, np.clip(np.rint(frame + rng.normal(size=frame.shape)), 0, 255).astype(np.uint8)[..., None]


def gray(frames):
    return np.stack([frame for _, frame in frames]).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "seconds"), [(1.2, 4.2), (1.6, 3.4), (2.0, 3.4), (2.4, 3.4)])
def test_steps_of_a_walk_through_the_picture_are_read(steps, seconds):
    (answer,) = film_reader.reading_of_frames(through(seconds, steps)).clear
    assert answer.hertz == pytest.approx(steps, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [3.0, 6.0, 12.0])
def test_edges_that_pass_pixels_are_no_steps(seconds):
    reading = film_reader.reading_of_frames(through(seconds))
    assert not [answer for answer in reading.clear if answer.hertz > (WIDTH - 8) / seconds / 4]


def test_crops_keep_what_passes_in_their_middle():
    crops, fastest = follow.followed(gray(through(4.0)))
    assert fastest == pytest.approx((WIDTH - 8) / (4.0 * RATE) / 4, rel=0.1)
    weights = np.abs(crops[20:-20, :, :, 0]).sum(1)
    middles = (weights * np.arange(weights.shape[1])).sum(1) / weights.sum(1)
    np.testing.assert_allclose(middles, weights.shape[1] / 2, atol=1.5)


def test_what_moves_in_its_place_is_not_followed():
    times = np.arange(100) / RATE
    places = np.stack([np.full((100, 1), 20.0), 28 + 10 * np.sin(2 * np.pi * times)[:, None]], axis=-1)
    clip = generated.texture(np.random.default_rng(0)) + generated.blobs(times, places)
    assert follow.followed(np.asarray(clip, np.float32)[..., None]) is None
    assert follow.followed(np.zeros((50, 40, 56, 1), np.float32)) is None
