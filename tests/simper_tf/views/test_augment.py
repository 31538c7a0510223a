import numpy as np
import pytest
import tensorflow as tf

from simper_tf.views import augment

RNG = np.random.default_rng(3)
SEED = tf.constant([4, 2])
# Of 255 steps of brightness. Borders are read a millionth of the side away, and times and rows are float32 shares of
# at most 12 frames and 7 rows: 255 * (11e-6 + 6e-6 + 12 * 2^-22) in all, at most.
ROUNDING = 255 * (17e-6 + 12 * 2**-22)


def random_clips(shape=(2, 12, 3, 4, 2)):
    return RNG.integers(0, 256, size=shape).astype(np.uint8)


def resampled(clip, start, speed, num_frames):
    """Returns one view of one `(T, ...)` clip."""
    view = augment.resample(tf.constant(clip[None]), tf.constant([[start]]), tf.constant([[speed]]), num_frames)
    return view[0, 0].numpy()


def test_speeds_rise_within_the_range_and_fill_it():
    speeds = augment.draw_speeds(SEED, 500, 10, (0.5, 2)).numpy()
    assert speeds.shape == (500, 10)
    assert np.all(np.diff(speeds, axis=1) >= 0)
    assert speeds.min() >= 0.5
    assert speeds.max() < 2
    # Mean and deviation of 5,000 uniform draws, within 5 standard errors.
    assert speeds.mean() == pytest.approx(1.25, abs=5 * 1.5 / np.sqrt(12 * 5000))
    assert np.histogram(speeds, bins=5, range=(0.5, 2))[0].min() > 5000 / 5 - 5 * np.sqrt(5000 / 5)


def test_starts_leave_room_for_the_whole_view_and_use_all_of_it():
    speeds = np.tile(np.float32([0.5, 1.0, 2.0]), (2000, 1))
    starts = augment.draw_starts(SEED, tf.constant(speeds), num_source_frames=50, num_frames=20).numpy()
    last = 49 - np.float32([0.5, 1.0, 2.0]) * 19
    assert starts.min() >= 0
    assert np.all(starts <= last)
    np.testing.assert_allclose(starts.max(axis=0), last, rtol=0.01)
    np.testing.assert_allclose(starts.mean(axis=0), last / 2, rtol=0.06)


def test_a_view_that_just_fits_starts_at_the_beginning():
    starts = augment.draw_starts(SEED, tf.fill([1, 8], 2.0), num_source_frames=2 * 19 + 1, num_frames=20)
    np.testing.assert_array_equal(starts, np.zeros([1, 8]))


def test_negative_speeds_play_backwards_and_twice_is_forwards():
    clip = random_clips()[0]
    backwards = resampled(clip, 11.0, -1.0, 12)
    np.testing.assert_allclose(backwards, clip[::-1], atol=ROUNDING)
    np.testing.assert_allclose(resampled(backwards, 11.0, -1.0, 12), clip, atol=ROUNDING)
    np.testing.assert_allclose(
        resampled(clip, 9.5, -1.7, 5), resampled(clip, 9.5 - 1.7 * 4, 1.7, 5)[::-1], atol=ROUNDING
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_resample_equals_the_explicit_loop(dtype):
    clips = random_clips().astype(dtype)
    starts = RNG.uniform(0, 3, size=(2, 3)).astype(np.float32)
    speeds = RNG.uniform(0.4, 1.5, size=(2, 3)).astype(np.float32)
    views = augment.resample(tf.constant(clips), tf.constant(starts), tf.constant(speeds), 6)
    assert views.shape == (2, 3, 6, 3, 4, 2)
    assert views.dtype == tf.float32
    for b, v, k in np.ndindex(2, 3, 6):
        time = float(starts[b, v]) + k * float(speeds[b, v])
        left, share = int(time), time % 1
        expected = (1 - share) * clips[b, left].astype(float) + share * clips[b, left + 1]
        np.testing.assert_allclose(views[b, v, k], expected, atol=ROUNDING)


@pytest.mark.parametrize("num_frames", [8, 25, 75])
@pytest.mark.parametrize("num_source_frames", [150, 151, 299])
def test_no_view_reads_past_either_end(num_frames, num_source_frames):
    speeds = np.linspace(0.3, (num_source_frames - 1) / (num_frames - 1), 41, dtype=np.float32)
    last = (num_source_frames - 1) - speeds * np.float32(num_frames - 1)
    white = tf.fill([1, num_source_frames, 1, 1, 1], tf.constant(255, tf.uint8))
    for starts, steps in ((0 * last, speeds), (last, speeds), (last + speeds * (num_frames - 1), -speeds)):
        view = augment.resample(white, tf.constant(starts[None]), tf.constant(steps[None]), num_frames)
        np.testing.assert_allclose(view, 255, atol=1e-3)  # Black would be mixed in from outside.


@pytest.mark.parametrize("height", [7, 28, 29, 36, 100])
def test_no_view_reads_past_the_last_row(height):
    tops = tf.linspace(0.0, 0.95, 60)[None]
    times = tf.zeros_like(tops)
    white = tf.fill([1, 8, height, 1, 1], tf.constant(255, tf.uint8))
    views = augment.resample(white, times, times + 1.0, 8, tops, tf.ones_like(tops))
    np.testing.assert_allclose(views, 255, atol=1e-3)


def test_resample_cuts_and_stretches_rows_as_the_matrix_does():
    clips = random_clips((2, 12, 7, 3, 2))
    starts, speeds = tf.constant([[0.0, 2.0], [1.5, 11.0]]), tf.constant([[1.0, 0.5], [1.2, -1.0]])
    tops, bottoms = tf.constant([[0.0, 0.2], [0.35, 0.1]]), tf.constant([[0.7, 1.0], [0.9, 0.8]])
    whole = augment.resample(tf.constant(clips), starts, speeds, 8)
    cut = augment.resample(tf.constant(clips), starts, speeds, 8, tops, bottoms)
    expected = np.einsum("bvih,bvthwc->bvtiwc", augment.resize_matrix(tops, bottoms, 7), whole)
    np.testing.assert_allclose(cut, expected, atol=ROUNDING)


def test_a_view_that_leaves_the_clip_is_squeezed_into_it():
    clip = np.arange(10, dtype=np.uint8)[:, None, None, None]
    view = resampled(clip, -2.0, 2.0, 8)[:, 0, 0, 0]
    np.testing.assert_allclose(view, np.linspace(0, 9, 8), atol=ROUNDING)


@pytest.mark.parametrize("draw", ["speeds", "starts", "boxes"])
def test_a_seed_decides_its_draws_and_another_seed_gives_others(draw):
    draws = {
        "speeds": lambda seed: augment.draw_speeds(seed, 3, 4, (0.5, 2)),
        "starts": lambda seed: augment.draw_starts(seed, tf.ones([3, 4]), 50, 20),
        "boxes": lambda seed: augment.draw_boxes(seed, tf.constant([3]), (0.5, 1.0), (0.75, 1.3)),
    }[draw]
    np.testing.assert_array_equal(draws(SEED), tf.function(draws, autograph=False)(SEED))
    assert np.abs(draws(SEED) - draws(SEED + 1)).max() > 1e-3


def steady(clips, starts, speeds, num_frames, **rows):
    """Returns views in which noise is as strong at every time."""
    starts, speeds = (tf.constant(each, tf.float32) for each in (starts, speeds))
    return augment.resample(tf.constant(clips), starts, speeds, num_frames, steady=True, **rows).numpy()


def weights(time):
    """Returns the weights of 12 frames in the one that a steady view shows at a time."""
    return steady(np.eye(12, dtype=np.float32)[:, :, None, None, None], [[time]] * 12, [[1.0]] * 12, 1)[
        :, 0, 0, 0, 0, 0
    ]


@pytest.mark.parametrize("time", [4.0, 4.01, 4.25, 4.5, 4.9])
def test_steady_weights_sum_to_one_around_their_time(time):
    found = weights(time)
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert (found * np.arange(12)).sum() == pytest.approx(time, abs=1e-3)
    assert (found**2).sum() == pytest.approx(augment.STEADY_SHARE, abs=1e-4)
    assert np.count_nonzero(np.abs(found) > 1e-4) <= 4


@pytest.mark.parametrize("time", [0.0, 0.5, 10.5, 11.0])
def test_steady_weights_at_the_ends_of_a_clip_sum_to_one(time):
    found = weights(time)
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert (found**2).sum() == pytest.approx(augment.STEADY_SHARE, abs=0.13)


def test_steady_interpolation_smooths_on_frames_sharpens_between():
    share = augment.STEADY_SHARE
    # At a frame (a, 1 - 2 a, a), halfway (e, f, f, e): by hand, of their sums and sums of squares.
    a = (4 - np.sqrt(16 - 24 * (1 - share))) / 12
    f = (1 + np.sqrt(4 * share - 1)) / 4
    np.testing.assert_allclose(weights(5.0)[4:7], [a, 1 - 2 * a, a], atol=1e-5)
    np.testing.assert_allclose(weights(5.5)[4:8], [0.5 - f, f, f, 0.5 - f], atol=1e-5)


def test_steady_views_of_still_clips_are_still_and_reverse_well():
    still = np.full((1, 12, 2, 2, 1), 0.3, np.float32)
    np.testing.assert_allclose(steady(still, [[0.0]], [[1.37]], 9), 0.3, atol=1e-6)
    clip = random_clips((1, 12, 3, 4, 2))
    there, back = steady(clip, [[1.2]], [[0.7]], 10), steady(clip, [[1.2 + 0.7 * 9]], [[-0.7]], 10)
    np.testing.assert_allclose(back[:, :, ::-1], there, atol=ROUNDING)


def test_steady_views_cut_out_rows_as_the_matrix_does():
    clips, rows = (
        random_clips((2, 12, 7, 3, 2)),
        {"tops": [[0.0, 0.2], [0.35, 0.1]], "bottoms": [[0.7, 1.0], [0.9, 0.8]]},
    )
    rows = {name: tf.constant(each) for name, each in rows.items()}
    starts, speeds = [[0.0, 2.0], [1.5, 11.0]], [[1.0, 0.5], [1.2, -1.0]]
    whole, cut = steady(clips, starts, speeds, 8), steady(clips, starts, speeds, 8, **rows)
    expected = np.einsum("bvih,bvthwc->bvtiwc", augment.resize_matrix(rows["tops"], rows["bottoms"], 7), whole)
    np.testing.assert_allclose(cut, expected, atol=ROUNDING)
