import numpy as np
import pytest
import tensorflow as tf

from simper_tf.views.disturbances import disturb
from simper_tf.views.replays import Replays

L = 64


def drawn(number=200, nothing_share=0.0, seed=(3, 4)):
    times = Replays(2, (0.5, 1.5), nothing_share=nothing_share)
    return {name: x.numpy() for name, x in times.draw(number, 96, L, seed).items()}


def apart(places, periods, cycles):
    """Mean distance of places so many cycles apart, of `(L,)` that repeat throughout; in units of their deviation."""
    steps = np.arange(L)
    later = steps + cycles * periods
    known = later <= L - 1
    return np.abs(np.interp(later[known], steps, places) - places[known]).mean() / (places.std() + 1e-6)


def test_a_replay_comes_back_after_its_period_and_not_before():
    draws = drawn()
    whole, half = [], []
    for places, periods in zip(draws["places"].reshape(-1, L), draws["periods"].reshape(-1, L), strict=True):
        if periods.min() > 6 and places.std() > 0.5:
            whole.append(apart(places, periods, 1.0))
            half.append(apart(places, periods, 0.5))
    assert len(whole) > 100
    assert np.median(whole) < 0.45
    assert np.median(half) > 2 * np.median(whole)


def test_periods_are_those_that_the_head_can_tell():
    periods = drawn()["periods"]
    told = periods[periods > 0]
    assert told.min() >= 4.0 - 1e-4
    assert told.max() <= 0.4 * L + 1e-4


def test_some_replays_start_late_or_stop_early():
    repeats = drawn()["periods"] > 0
    parts = repeats.any(-1) & ~repeats.all(-1)
    assert 0.05 < parts.mean() < 0.3
    assert (np.abs(np.diff(repeats.astype(int))).sum(-1) <= 2).all()


def test_nothing_repeats_in_the_share_that_is_asked_for():
    assert (drawn(1000, 0.35)["periods"] == 0).all(-1).mean() == pytest.approx(0.35, abs=0.04)
    assert not drawn(100, 1.0)["periods"].any()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_replays_show_frames_of_their_view_alone(share):
    draws = drawn(nothing_share=share)
    for name in ("places", "partners"):
        assert draws[name].min() >= 0
        assert draws[name].max() <= L - 1


def test_the_same_seed_draws_the_same_for_any_batch():
    few, more = drawn(4, 0.35), drawn(4, 0.35)
    other = drawn(4, 0.35, seed=(3, 5))
    for name, x in few.items():
        np.testing.assert_array_equal(more[name], x)
    assert not np.array_equal(other["places"], few["places"])


def still(number=1):
    """Draws that disturb nothing, of one clip with one replay."""
    return {
        "shifts": tf.zeros([1, 1, number, 2]), "lights": tf.ones([1, 1, number]), "noises": tf.zeros([1, 1, 1]),
        "offsets": tf.zeros([1, 1, number], tf.int32), "ovals": tf.constant([[[[0.5, 0.5, 10.0, 10.0]]]]),
    }  # fmt: skip


def picture(value=None):
    pixels = np.random.default_rng(0).uniform(0.2, 0.4, (1, 1, 1, 8, 8, 1)) if value is None else np.full(64, value)
    return tf.constant(pixels.reshape(1, 1, 1, 8, 8, 1), tf.float32)


def test_what_is_not_disturbed_stays_as_it_is():
    np.testing.assert_allclose(disturb(picture(), picture(), still()), picture(), atol=1e-4)


def test_a_shift_of_an_eighth_moves_eight_rows_by_one():
    shifts = tf.constant([[[[1 / 8, 0.0]]]])
    moved = disturb(picture(), picture(), {**still(), "shifts": shifts}).numpy()[0, 0, 0]
    np.testing.assert_allclose(moved[1:], picture().numpy()[0, 0, 0, :-1], atol=1e-4)
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-4)


def test_light_is_a_factor_and_noise_is_added():
    lit = disturb(picture(0.2), picture(0.2), {**still(), "lights": tf.constant([[[2.0]]])})
    np.testing.assert_allclose(lit, picture(0.4), atol=1e-4)
    noisy = disturb(picture(0.5), picture(0.5), {**still(), "noises": tf.constant([[[0.05]]])}).numpy()
    assert noisy.std() == pytest.approx(0.05, rel=0.3)


def test_outside_of_an_oval_something_else_plays():
    seen = disturb(picture(1.0), picture(0.0), {**still(), "ovals": tf.constant([[[[0.5, 0.5, 0.2, 0.2]]]])})
    seen = seen.numpy()[0, 0, 0, :, :, 0]
    assert seen[3:5, 3:5].min() > 0.9
    assert seen[0].max() < 0.01
