"""Rectangles of pictures."""

from simper_tf.recordings.boxes import WHOLE, Box


def test_boxes_share_what_the_smaller_one_has_in_the_other():
    assert Box(0, 0, 0.5, 0.5).overlap(Box(0, 0.25, 1, 0.25)) == 0.5
    assert Box(0, 0, 0.5, 0.5).overlap(Box(0, 0.6, 1, 0.4)) == 0


def test_shares_of_a_view_become_pixels_of_the_picture():
    assert WHOLE.pixels(Box(4, 6, 16, 10)) == (4, 6, 16, 10)
    assert Box(0.25, 0.5, 0.5, 0.0).pixels(Box(4, 6, 16, 10)) == (8, 11, 8, 1)
