import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from simper_tf.encoders import small
from simper_tf.methods import CVRL
from simper_tf.methods.cvrl import DistantViews, draw_distances

RNG = np.random.default_rng(61)
SEED = tf.constant([7, 1])


def starts_of(views, num_source_frames, number=20_000):
    draws = views.draw_times(number, num_source_frames, SEED)
    return draws["starts"].numpy(), draws["steps"].numpy()


def test_distances_invert_the_published_cumulative_density():
    number = 20
    shares = (np.arange(100_000) + 0.5) / 100_000
    distances = draw_distances(tf.constant(shares, tf.float32), float(number)).numpy()
    whole = np.arange(number + 1)
    cumulative = 2 * whole / number - np.square(whole / number)
    counts = np.bincount(distances.astype(int), minlength=number) / len(shares)
    np.testing.assert_allclose(counts, np.diff(cumulative), atol=1e-3)


def test_distances_of_views_follow_the_falling_density_and_their_mean_is_a_third():
    views, number = DistantViews(21, reverse_probability=0.0), 180
    starts, steps = starts_of(views, 200)
    np.testing.assert_array_equal(steps, 1)
    distances = np.abs(starts[:, 0] - starts[:, 1])
    # Rounding down takes a half; the density has a deviation of number / sqrt 18.
    assert distances.mean() + 0.5 == pytest.approx(number / 3, abs=5 * number / np.sqrt(18 * len(starts)))
    edges = np.arange(0, number + 1, 20)
    expected = np.diff(2 * edges / number - np.square(edges / number))
    found = np.histogram(distances, edges)[0] / len(starts)
    assert np.all(np.abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / len(starts)))


def test_starts_are_whole_fill_the_clip_and_either_view_may_be_first():
    starts, _ = starts_of(DistantViews(10, reverse_probability=0.0), 40)
    np.testing.assert_array_equal(starts, np.round(starts))
    assert (starts.min(), starts.max()) == (0, 30)
    first = np.mean(starts[:, 0] < starts[:, 1]) / np.mean(starts[:, 0] != starts[:, 1])
    assert first == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / len(starts)))
    assert len(np.unique(starts[starts[:, 0] == starts[:, 1] - 20, 0])) == 11  # Every place that remains.


@pytest.mark.parametrize(("speed", "last"), [(2.0, 21), (1.5, 25), (0.5, 34)])
def test_another_speed_leaves_its_own_room(speed, last):
    views = DistantViews(10, speed_range=(speed, speed), reverse_probability=0.0)
    starts, steps = starts_of(views, 40)
    np.testing.assert_array_equal(steps, np.float32(speed))
    assert (starts.min(), starts.max()) == (0, last)


def test_a_clip_as_long_as_a_view_has_one_start_and_a_shorter_one_is_refused():
    np.testing.assert_array_equal(starts_of(DistantViews(10, reverse_probability=0.0), 10, 50)[0], 0)
    with pytest.raises(ValueError, match="10 frames at speed 1 spans 10 frames, but the clips have 9"):
        DistantViews(10)(tf.zeros([1, 9, 4, 4, 1]), SEED)


def test_reversed_views_walk_the_same_frames_from_the_other_end():
    clips = tf.constant(np.tile(np.arange(40, dtype=np.uint8)[None, :, None, None, None], (200, 1, 4, 4, 1)))
    plain = {"brightness": (1.0, 1.0), "blur_probability": (0.0, 0.0), "reverse_probability": 0.5}
    views, speeds = DistantViews(10, **plain)(clips, SEED)
    steps = np.diff(255 * views[..., 0, 0, 0], axis=2)
    assert np.mean(steps > 0) == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / 400))
    np.testing.assert_allclose(np.abs(steps), 1, atol=1e-3)
    np.testing.assert_array_equal(speeds, 1)


def test_one_seed_draws_the_same_times_and_another_seed_others():
    views = DistantViews(10)
    first, again, other = [views.draw_times(8, 40, s)["starts"] for s in (SEED, SEED, tf.constant([8, 1]))]
    np.testing.assert_array_equal(again, first)
    assert np.abs(other - first).max() > 0


def test_the_method_contrasts_as_simclr_does():
    keras.utils.set_random_seed(3)
    model = CVRL(
        small((None, None, 1), widths=(8,), outputs=2), CVRL.views_for(10, 10, (0.5, 2.0)), 0.3, hidden=16, outputs=8
    )
    assert isinstance(model.views, DistantViews)
    features = tf.constant(RNG.normal(size=(5, 2, 10, 2)), tf.float32)
    vectors = tf.reshape(model.head(tf.reshape(features, [10, 20]), training=True), [5, 2, 8])
    expected, _ = oracles.nt_xent(*np.moveaxis(vectors, 1, 0), 0.3)
    assert float(model.compute_logs(features, tf.ones([5, 2]))["loss"]) == pytest.approx(np.mean(expected), rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_views": 2}, "1 a set, of one speed. Received: num_views=2"),
        ({"speed_range": (0.5, 2.0)}, r"Received: num_views=1, speed_range=\(0.5, 2.0\)"),
    ],
)
def test_several_views_or_speeds_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        DistantViews(10, **arguments)
