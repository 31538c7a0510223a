"""Where in the picture it repeats."""

import numpy as np

from simper_tf.reading import intervals
from simper_tf.reading.films import courses, events, verdict
from simper_tf.recordings import boxes

MARKS = np.arange(5.0, 100.0, 10.0)
RUN = events.Run(MARKS, *intervals.bounds(MARKS), None)
WAVE = np.sin(2 * np.pi * np.arange(100) / 10)


def frames():
    """Returns 20 x 30 pixels over 100 frames: noise, and a trunk that moves at rows 6 to 11 and columns 10 to 13."""
    frames = np.random.default_rng(0).normal(0, 0.1, (100, 20, 30, 1))
    frames[:, 6:12, 10:14, 0] += 100 * WAVE[:, None, None]
    return frames


def edges(frames, tiles=None):
    """Returns the top, left, bottom and right of the box in pixels."""
    box = verdict.box(frames, RUN, tiles).pixels(boxes.Box(0, 0, 30, 20))
    return box.top, box.left, box.bottom, box.right


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


def test_of_some_tiles_the_box_holds_what_is_in_them():
    # 4 x 4 tiles: the trunk at rows 6 to 11 and columns 10 to 13 is in rows 5 to 9 and 10 to 14, columns 7 to 14.
    tiles = np.zeros(16, bool)
    tiles[5] = True
    assert edges(frames(), tiles) == (5, 9, 11, 15)


def test_tiles_have_the_part_that_most_of_their_movement_is_in():
    seen = frames()
    seen[:, 14:19, 24:28, 0] += 50 * WAVE[:, None, None]
    trunk, other = (courses.moving_parts(seen)[tile] for tile in (5, 15))
    assert trunk != other
    assert courses.moving_parts(seen)[9] == trunk
    seen[:, 12:16, 12:26, 0] += 40 * WAVE[:, None, None]  # What joins both makes one of them.
    assert len(set(courses.moving_parts(seen)[[5, 9, 15]])) == 1
