"""The box around what repeats."""

import numpy as np

from simper_tf.reading import events, regions

MARKS = np.arange(5.0, 100.0, 10.0)
RUN = events.Run(MARKS, *events.bounds(MARKS), None)
WAVE = np.sin(2 * np.pi * np.arange(100) / 10)


def frames():
    """Returns 20 x 30 pixels over 100 frames: noise, and a trunk that moves at rows 6 to 11 and columns 10 to 13."""
    frames = np.random.default_rng(0).normal(0, 0.1, (100, 20, 30, 1))
    frames[:, 6:12, 10:14, 0] += 100 * WAVE[:, None, None]
    return frames


def edges(frames):
    """Returns the box in pixels."""
    return tuple(round(edge * size) for edge, size in zip(regions.box(frames, RUN), (20, 30, 20, 30), strict=True))


def test_the_box_holds_all_that_moves_and_a_pixel_around_it():
    assert edges(frames()) == (5, 9, 13, 15)


def test_hands_that_move_a_ninth_as_much_are_inside():
    seen = frames()
    seen[:, 7:9, 14:22, 0] += 11 * WAVE[:, None, None]
    assert edges(seen) == (5, 9, 13, 23)


def test_a_pixel_that_moves_far_away_is_outside():
    seen = frames()
    seen[:, 18, 28, 0] += 50 * WAVE
    assert edges(seen) == (5, 9, 13, 15)


def test_where_nothing_returns_the_box_is_the_picture():
    assert edges(np.zeros((100, 20, 30, 1))) == (0, 0, 20, 30)
