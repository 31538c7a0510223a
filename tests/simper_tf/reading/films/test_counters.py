"""Counters that are drawn into a picture, and what repeats beside something else."""

import numpy as np
import pytest

from simper_tf.reading.films import counters, events, film_reader

RATE, PERIOD, FRAMES = 25, 20, 300
NUMBER = np.arange(FRAMES)
DIGITS = np.random.default_rng(0).integers(0, 255, (10, 4, 3))
MARKS = np.arange(10.0, FRAMES, PERIOD)
RUN = events.Run(MARKS, MARKS - PERIOD / 2, MARKS + PERIOD / 2, None)


def film(last, before):
    """Frames of two neighbouring patches of 4 x 3 cells, `(FRAMES, 45, 80, 1)` uint8."""
    frames = np.full((FRAMES, 45, 80, 1), 200, np.uint8)
    frames[:, 2:6, 66:69, 0], frames[:, 2:6, 70:73, 0] = before, last
    return frames


def blinking():
    return np.where(NUMBER % PERIOD < PERIOD / 2, 255, 0)[:, None, None] * np.ones((4, 3))


def last_digit():
    return DIGITS[NUMBER // 2 % 10]


@pytest.mark.parametrize(
    ("last", "before", "is_counter"),
    [
        (last_digit, DIGITS[NUMBER // PERIOD % 10], True),
        (last_digit, DIGITS[:1], False),
        (blinking, DIGITS[:1], False),
        (blinking, (NUMBER * 250 // FRAMES)[:, None, None], False),
        (blinking, np.where(NUMBER < 130, 0, 250)[:, None, None], False),
    ],
    ids=["digits", "one digit", "a light", "a light beside a drift", "a light beside something that happens once"],
)
def test_a_counter_moves_on_at_one_moment_of_each_cycle(last, before, is_counter):
    frames = film(last(), before)
    assert counters.is_counter(frames.astype(np.float32), RUN) == is_counter
    answers = film_reader.reading_of_frames(zip(NUMBER / RATE, frames, strict=True)).clear
    assert [round(answer.hertz, 2) for answer in answers] == ([] if is_counter else [RATE / PERIOD])


def test_what_returns_in_much_of_the_picture_is_no_counter():
    frames = np.tile(film(last_digit(), DIGITS[NUMBER // PERIOD % 10])[:, :, 60:], (1, 1, 4, 1)).astype(np.float32)
    assert not counters.is_counter(frames, RUN)
    assert counters.moved_on(frames, RUN, frames.std(0)[..., 0] > 0) > counters.MOVED_ON
