"""Movements in several places of a picture, and bodies whose parts keep step."""

import generated
import numpy as np
import pytest

from simper_tf.reading.films import film_reader

pytestmark = pytest.mark.slow
SECONDS, SLOW = 16.0, 0.5


def spots(*ways, rate=15.0):
    """A clip of spots that each go their way: row and column as functions of seconds."""
    rng, times = np.random.default_rng(0), np.arange(round(SECONDS * rate)) / rate
    places = np.stack([np.stack([np.broadcast_to(part(times), times.shape) for part in way], -1) for way in ways], 1)
    return generated.finish(rng, times, generated.texture(rng) + generated.blobs(times, places))


def wave(hertz, phase=0.0):
    return lambda times: np.sin(2 * np.pi * (hertz * times + phase))


def told(clip):
    return sorted(film_reader.reading_of_frames(clip.pairs()).clear, key=lambda answer: answer.hertz)


def two(first, second, is_beside=True, rate=15.0):
    """Answers on two spots that swing, beside or above each other."""
    if is_beside:
        ways = [(lambda t, one=one: 20 + 10 * one(t), lambda t, at=at: at) for one, at in
                ((wave(first), 12.0), (wave(second), 44.0))]  # fmt: skip
    else:
        ways = [(lambda t, at=at: at, lambda t, one=one: 28 + 14 * one(t)) for one, at in
                ((wave(first), 9.0), (wave(second), 31.0))]  # fmt: skip
    return told(spots(*ways, rate=rate))


@pytest.mark.parametrize(
    ("ratio", "is_beside", "rate"),
    [(1.1, True, 15), (1.22, False, 15), (1.5, True, 25), (1.9, True, 15), (2.05, False, 15), (2.1, True, 25),
     (2.95, True, 15)],
)  # fmt: skip
@pytest.mark.parametrize("is_turned", [False, True])
def test_two_tempos_in_two_places_are_two_answers(ratio, is_beside, rate, is_turned):
    hertz = SLOW, ratio * SLOW
    answers = two(*(hertz[::-1] if is_turned else hertz), is_beside, rate)
    np.testing.assert_allclose([answer.hertz for answer in answers], hertz, rtol=0.01)
    assert answers[0].box.overlap(answers[1].box) < 0.1
    side = 0 if is_beside else 1
    assert (answers[0].box[side] < answers[1].box[side]) != is_turned


@pytest.mark.parametrize("multiple", [2, 3])
def test_multiples_in_parts_that_do_not_touch_are_two(multiple):
    answers = two(SLOW, multiple * SLOW)
    np.testing.assert_allclose([answer.hertz for answer in answers], (SLOW, multiple * SLOW), rtol=0.01)
    assert [answer.pairs for answer in answers] == [None, None]


def test_a_pendulum_and_its_reflection_are_one():
    (answer,) = two(SLOW, SLOW)
    assert answer.hertz == pytest.approx(SLOW, rel=0.01)
    (answer,) = told(
        spots((lambda t: 9.0, lambda t: 28 + 14 * wave(0.5)(t)), (lambda t: 31.0, lambda t: 28 - 14 * wave(0.5)(t)))
    )
    assert answer.hertz == pytest.approx(SLOW, rel=0.01)


def test_legs_and_a_head_that_bobs_twice_as_often_are_one():
    head = (lambda t: 8 + 2 * wave(1.0)(t), lambda t: 28.0)
    body = (lambda t: 18 + 2 * wave(1.0)(t), lambda t: 28.0)
    legs = [(lambda t: 30.0, lambda t, side=side: 28 + 9 * side * wave(0.5)(t)) for side in (-1, 1)]
    assert [answer.hertz for answer in told(spots(head, body, *legs))] in (
        [pytest.approx(0.5, rel=0.01)],
        [pytest.approx(1.0, rel=0.01)],
    )


def test_arms_and_legs_of_a_jumping_jack_are_one():
    arms = [(lambda t: 12 + 8 * wave(1.0)(t), lambda t, side=side: 28 + 14.0 * side) for side in (-1, 1)]
    legs = [(lambda t: 32.0, lambda t, side=side: 28 + side * (6 + 4 * wave(1.0, 0.25)(t))) for side in (-1, 1)]
    (answer,) = told(spots(*arms, *legs))
    assert answer.hertz == pytest.approx(1.0, rel=0.01)


def test_what_three_tempos_have_in_common_is_no_answer():
    ways = [(lambda t, row=row: row, lambda t, at=at, hertz=hertz: at + 4 * wave(hertz)(t))
            for hertz, row, at in ((5.0, 10.0, 14.0), (3.0, 10.0, 42.0), (2.0, 30.0, 14.0))]  # fmt: skip
    answers = told(spots(*ways, rate=30.0))
    np.testing.assert_allclose([answer.hertz for answer in answers], (2.0, 3.0, 5.0), rtol=0.01)
