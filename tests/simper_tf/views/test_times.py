import numpy as np
import pytest
import tensorflow as tf
from made_views import SEED, views_of

from simper_tf.views.appearance import UNCHANGED
from simper_tf.views.times import (
    CutClip,
    DistantTimes,
    SameSpeed,
    SpeedSets,
    StretchedTimes,
    Strides,
    Times,
    WholeClip,
    draw_distances,
)
from simper_tf.views.views import Views

ALL = [SpeedSets(3), SameSpeed(), WholeClip(), DistantTimes(), CutClip(), StretchedTimes(), Strides(2)]


def drawn(times, batch_size=8, num_source_frames=60, num_frames=20, seed=SEED):
    """Returns the draws as arrays."""
    return {k: v.numpy() for k, v in times.draw(batch_size, num_source_frames, num_frames, seed).items()}


@pytest.mark.parametrize("times", ALL, ids=lambda times: type(times).__name__)
def test_no_view_leaves_the_clip_and_none_is_faster_than_said(times):
    draws = drawn(times, 500)
    assert draws["speeds"].shape == (500, times.num_views_in_all)
    ends = draws["starts"] + 19 * draws["steps"]
    for frames in (draws["starts"], ends):
        assert frames.min() > -1e-3
        assert frames.max() < 59 + 1e-3
    assert draws["speeds"].max() <= times.fastest


@pytest.mark.parametrize("times", ALL, ids=lambda times: type(times).__name__)
def test_reversed_views_walk_the_same_frames_from_the_other_end(times):
    forwards, backwards = [
        drawn(type(times)(**{**times.get_config(), "reverse_probability": chance}), 50) for chance in (0.0, 1.0)
    ]
    np.testing.assert_array_equal(backwards["speeds"], forwards["speeds"])
    np.testing.assert_array_equal(backwards["steps"], -forwards["steps"])
    np.testing.assert_allclose(backwards["starts"], forwards["starts"] + 19 * forwards["steps"], atol=1e-4)
    mixed = drawn(times, 2000)["steps"] < 0
    assert mixed.mean() == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / mixed.size))


@pytest.mark.parametrize("times", ALL, ids=lambda times: type(times).__name__)
def test_one_seed_draws_the_same_times_and_another_seed_others(times):
    first, again, other = drawn(times), drawn(times), drawn(times, seed=tf.constant([8, 1]))
    for name, draw in first.items():
        np.testing.assert_array_equal(again[name], draw)
    assert np.abs(other["starts"] - first["starts"]).max() > 0


def test_two_speeds_sets_are_alike_and_rise():
    speeds = drawn(SpeedSets(5, (0.5, 3.0)), 200)["speeds"]
    np.testing.assert_array_equal(speeds[:, :5], speeds[:, 5:])
    assert np.all(np.diff(speeds[:, :5]) >= 0)
    assert 0.5 <= speeds.min() < 0.51
    assert 2.99 < speeds.max() <= 3


@pytest.mark.parametrize("times", [SameSpeed(), WholeClip(), DistantTimes(), CutClip()])
def test_the_clips_own_speed_is_one(times):
    np.testing.assert_array_equal(drawn(times)["speeds"], 1)


def test_a_whole_clip_has_one_start_either_way():
    draws = drawn(WholeClip(), num_source_frames=20)
    assert set(np.unique(draws["starts"])) == {0, 19}


def test_strides_are_drawn_alike_often_and_each_view_alone():
    strides = drawn(Strides(5), 700, 100, 8)["speeds"]
    values, counts = np.unique(strides, return_counts=True)
    np.testing.assert_array_equal(values, np.arange(1, 6))
    assert np.abs(counts / 1400 - 0.2).max() < 5 * np.sqrt(0.2 * 0.8 / 1400)
    assert np.mean(strides[:, 0] == strides[:, 1]) == pytest.approx(0.2, abs=5 * np.sqrt(0.2 * 0.8 / 700))


def test_the_stretched_view_is_a_quarter_to_a_half_faster():
    draws = drawn(StretchedTimes(), 200)
    np.testing.assert_array_equal(draws["speeds"][:, 0], 1)
    assert 1.25 <= np.min(draws["speeds"][:, 1]) < 1.26
    assert 1.49 < np.max(draws["speeds"][:, 1]) <= 1.5
    assert draws["windows"].shape == (200, 3, 4)
    assert 0 <= np.min(draws["windows"]) < 0.01
    assert 0.99 < np.max(draws["windows"]) < 1
    # Three branches of each clip have windows of their own.
    assert len(np.unique(draws["windows"])) > 0.99 * 200 * 3 * 4


def test_distances_invert_the_published_cumulative_density():
    number = 20
    shares = (np.arange(100_000) + 0.5) / 100_000
    distances = draw_distances(tf.constant(shares, tf.float32), float(number)).numpy()
    whole = np.arange(number + 1)
    cumulative = 2 * whole / number - np.square(whole / number)
    counts = np.bincount(distances.astype(int), minlength=number) / len(shares)
    np.testing.assert_allclose(counts, np.diff(cumulative), atol=1e-3)


def test_distances_of_views_fall_with_a_mean_of_a_third():
    number, starts = 180, drawn(DistantTimes(0.0), 20_000, 200, 21)["starts"]
    distances = np.abs(starts[:, 0] - starts[:, 1])
    # Rounding down takes a half; the density has a deviation of number / sqrt 18.
    assert distances.mean() + 0.5 == pytest.approx(number / 3, abs=5 * number / np.sqrt(18 * len(starts)))
    edges = np.arange(0, number + 1, 20)
    expected = np.diff(2 * edges / number - np.square(edges / number))
    found = np.histogram(distances, edges)[0] / len(starts)
    assert np.all(np.abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / len(starts)))


def test_distant_views_fill_the_clip_and_either_may_be_first():
    starts = drawn(DistantTimes(0.0), 20_000, 40, 10)["starts"]
    np.testing.assert_array_equal(starts, np.round(starts))
    assert (starts.min(), starts.max()) == (0, 30)
    first = np.mean(starts[:, 0] < starts[:, 1]) / np.mean(starts[:, 0] != starts[:, 1])
    assert first == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / len(starts)))
    assert len(np.unique(starts[starts[:, 0] == starts[:, 1] - 20, 0])) == 11  # Every place that remains.
    np.testing.assert_array_equal(drawn(DistantTimes(0.0), 50, 10, 10)["starts"], 0)


def test_times_change_nothing_else():
    ramp = np.tile(np.arange(0, 240, 6, dtype=np.uint8)[None, :, None, None, None], (5, 1, 4, 4, 1))
    batch = Views(20, StretchedTimes(reverse_probability=0.0), UNCHANGED)(tf.constant(ramp), SEED)
    views = batch["views"].numpy()
    np.testing.assert_allclose(views, np.broadcast_to(views[..., :1, :1, :], views.shape), atol=1e-5)
    steps = np.diff(255 * views[:, :, :, 0, 0, 0])
    np.testing.assert_allclose(steps, np.repeat(6 * batch["speeds"][..., None], 19, axis=-1), atol=1e-3)


@pytest.mark.parametrize("fastest", [0.3, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("num_source_frames", [50, 150, 180])
def test_the_longest_view_fits_and_a_step_faster_does_not(num_source_frames, fastest):
    times = SpeedSets(2, (0.2, fastest))
    num_frames = times.longest_view(num_source_frames)
    times.check_length(num_source_frames, num_frames)
    if fastest >= 1:
        assert num_frames == int(num_source_frames / fastest + 1e-6)
    else:
        assert fastest * num_frames > num_source_frames - 1  # One frame more would leave the clip.


def test_clips_too_short_for_the_fastest_view_are_refused():
    views = views_of(30, 2, speed_range=(0.5, 2.0))
    views.check_length(59)
    with pytest.raises(ValueError, match=r"30 frames at speed 2 spans 59 frames, but the clips have 58.* at most 29"):
        views(tf.zeros([1, 58, 4, 4, 1], tf.uint8), SEED)
    with pytest.raises(ValueError, match=r"but the clips have 1\. Give longer clips\.$"):
        views(tf.zeros([1, 1, 4, 4, 1], tf.uint8), SEED)


def test_a_fraction_of_a_frame_needs_the_next_one():
    views = views_of(10, 2, speed_range=(0.5, 1.5))  # Nine steps of 1.5 end between two frames.
    views.check_length(15)
    with pytest.raises(ValueError, match=r"10 frames at speed 1.5 spans 15 frames, but the clips have 14"):
        views.check_length(14)


def test_aliasing_speeds_are_refused_with_the_fastest_allowed():
    SpeedSets(2, (0.5, 3.0)).check_sampling(5.0, 30.0)
    with pytest.raises(ValueError, match=r"At speed 3.5 a clip of 5 Hz runs at 17.5 Hz.*30 / 2 = 15 Hz.*at most 3,"):
        SpeedSets(2, (0.5, 3.5)).check_sampling(5.0, 30.0)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (SpeedSets, {"num_views": 0}, "`num_views` must be at least 1 and finite. Received: 0"),
        (SpeedSets, {"num_views": 2.5}, "`num_views` must be a whole number. Received: 2.5"),
        (SpeedSets, {"num_views": "2"}, "`num_views` must be a number. Received: '2'"),
        (SpeedSets, {"speed_range": 2.0}, r"`speed_range` must be \(low, high\).* Received: 2.0"),
        (SpeedSets, {"speed_range": (0.0, 2.0)}, r"`speed_range` must be \(low, high\).*\(0.0, 2.0\)"),
        (SpeedSets, {"speed_range": (2.0, 0.5)}, "`speed_range`"),
        (SpeedSets, {"speed_range": (0.5, np.inf)}, "`speed_range`"),
        (SameSpeed, {"reverse_probability": np.nan}, "`reverse_probability` must be .*Received: nan"),
        (StretchedTimes, {"num_windows": 0}, "`num_windows`"),
        (CutClip, {"num_windows": 0}, "`num_windows`"),
        (StretchedTimes, {"speed_range": (1.0, 1.5)}, "`speed_range` must be above 1 .* Received: 1.0"),
        (Strides, {"largest": 1}, "`largest` must be at least 2"),
        (Strides, {"largest": 2.5}, "`largest` must be a whole number. Received: 2.5"),
    ],
)
def test_attributes_out_of_range_are_refused(kind: type[Times], arguments, message):
    with pytest.raises(ValueError, match=message):
        kind(**arguments)
