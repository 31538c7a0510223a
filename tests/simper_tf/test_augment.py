import numpy as np
import pytest
import scipy.ndimage
import tensorflow as tf

from simper_tf import augment

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


def test_resample_at_speed_one_is_the_clip():
    clip = random_clips()[0]
    np.testing.assert_allclose(resampled(clip, 0.0, 1.0, 12), clip, atol=ROUNDING)
    np.testing.assert_allclose(resampled(clip, 3.0, 1.0, 8), clip[3:11], atol=ROUNDING)


def test_resample_at_speed_two_skips_every_other_frame():
    clip = random_clips()[0]
    np.testing.assert_allclose(resampled(clip, 1.0, 2.0, 5), clip[1:11:2], atol=ROUNDING)


def test_resample_at_half_speed_puts_midpoints_between_frames():
    clip = random_clips()[0].astype(np.float64)
    view = resampled(clip.astype(np.uint8), 2.0, 0.5, 8)
    np.testing.assert_allclose(view[::2], clip[2:6], atol=ROUNDING)
    np.testing.assert_allclose(view[1::2], (clip[2:6] + clip[3:7]) / 2, atol=ROUNDING)


def test_negative_speeds_play_backwards_and_twice_backwards_is_forwards():
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


def test_resample_cuts_out_rows_and_stretches_them_as_the_matrix_does():
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


@pytest.mark.parametrize("speed", [0.5, 0.8, 1.0, 1.7, 2.0])
def test_a_sinusoid_played_at_a_speed_peaks_at_speed_times_its_frequency(speed):
    frequency, rate, num_frames = 2.0, 30.0, 75
    wave = 0.5 + 0.5 * np.sin(2 * np.pi * frequency * np.arange(150) / rate)
    view = resampled(wave.astype(np.float32)[:, None, None, None], 0.0, speed, num_frames)[:, 0, 0, 0]
    spectrum = np.abs(np.fft.rfft((view - view.mean()) * np.hanning(num_frames), 64 * num_frames))
    # A bin is 30 / (64 * 75) = 0.006 Hz; the window keeps the negative frequency's leak below two of them.
    assert np.argmax(spectrum) * rate / (64 * num_frames) == pytest.approx(speed * frequency, abs=0.013)


def test_boxes_lie_in_the_frame_with_areas_and_aspects_in_their_ranges():
    boxes = augment.draw_boxes(SEED, tf.constant([4000]), (0.5, 1.0), (0.75, 4 / 3)).numpy()
    top, left, bottom, right = boxes.T
    assert boxes.min() >= 0
    assert boxes.max() <= 1 + 1e-6
    heights, widths = bottom - top, right - left
    uncut = (heights < 1 - 1e-5) & (widths < 1 - 1e-5)
    area, aspect = heights * widths, widths / heights
    assert area[uncut].min() > 0.5 - 1e-5
    assert area.max() <= 1 + 1e-5
    # A side that is cut to the frame can only make the box smaller and less oblong.
    assert area.min() > 0.5 * 0.75 - 1e-5
    assert aspect.min() > 0.75 - 1e-5
    assert aspect.max() < 4 / 3 + 1e-5
    assert uncut.mean() > 0.4
    np.testing.assert_allclose(np.mean(top + bottom), 1, atol=0.02)
    np.testing.assert_allclose(np.mean(np.log(aspect)), 0, atol=0.02)


def test_boxes_lie_anywhere_across_and_down_and_one_place_does_not_tell_the_other():
    top, left, bottom, right = augment.draw_boxes(SEED, tf.constant([4000]), (0.5, 0.6), (0.8, 1.2)).numpy().T
    places = np.stack([top / (1 - bottom + top), left / (1 - right + left)])  # Shares of the room there is.
    for counts in [np.histogram(place, bins=5, range=(0, 1))[0] for place in places]:
        assert np.abs(counts - 800).max() < 5 * np.sqrt(800)
    assert abs(np.corrcoef(places)[0, 1]) < 5 / np.sqrt(4000)


def test_boxes_of_the_whole_frame_are_the_whole_frame():
    boxes = augment.draw_boxes(SEED, tf.constant([2, 3]), (1.0, 1.0), (1.0, 1.0))
    np.testing.assert_array_equal(boxes, np.tile([0.0, 0.0, 1.0, 1.0], (2, 3, 1)))


def matrix(function, size, *arguments):
    return function(*map(tf.constant, arguments), size).numpy()


def test_the_matrix_of_a_half_by_hand():
    # From the first of five pixels to the middle one in five equal steps: 0, 1/2, 1, 3/2, 2.
    half = [[1, 0, 0, 0, 0], [1 / 2, 1 / 2, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1 / 2, 1 / 2, 0, 0], [0, 0, 1, 0, 0]]
    np.testing.assert_allclose(matrix(augment.resize_matrix, 5, 0.0, 0.5), half, atol=1e-6)


def test_the_matrix_of_the_whole_line_is_the_identity_and_backwards_its_mirror():
    np.testing.assert_allclose(matrix(augment.resize_matrix, 7, 0.0, 1.0), np.eye(7), atol=1e-6)
    np.testing.assert_allclose(matrix(augment.resize_matrix, 7, 1.0, 0.0), np.eye(7)[::-1], atol=1e-6)
    forwards = matrix(augment.resize_matrix, 7, 0.1, 0.8)
    np.testing.assert_allclose(matrix(augment.resize_matrix, 7, 0.8, 0.1), forwards[::-1], atol=1e-6)


def test_rows_of_resize_matrices_sum_to_one():
    starts = tf.constant(RNG.uniform(0, 0.4, size=(3, 5)), tf.float32)
    rows = augment.resize_matrix(starts, starts + 0.55, 12)
    assert rows.shape == (3, 5, 12, 12)
    np.testing.assert_allclose(tf.reduce_sum(rows, axis=-1), 1, atol=1e-5)


@pytest.mark.parametrize(("first", "last"), [(0, 7), (4, 11), (8, 16), (0, 16)])
def test_resize_matrix_equals_tf_image_resize_of_the_piece(first, last):
    line = RNG.normal(size=17).astype(np.float32)
    piece = line[None, None, first : last + 1, None]
    resized = tf.compat.v1.image.resize(piece, [1, 17], align_corners=True)[0, 0, :, 0]
    np.testing.assert_allclose(matrix(augment.resize_matrix, 17, first / 16, last / 16) @ line, resized, atol=1e-5)


@pytest.mark.parametrize(("start", "stop"), [(0.1, 0.83), (0.3, 0.91), (0.71, 0.2), (0.05, 0.95)])
def test_resize_matrix_equals_crop_and_resize(start, stop):
    line = RNG.normal(size=13).astype(np.float32)
    resized = tf.image.crop_and_resize(line[None, :, None, None], [[start, 0.0, stop, 1.0]], [0], [13, 1])[0, :, 0, 0]
    np.testing.assert_allclose(matrix(augment.resize_matrix, 13, start, stop) @ line, resized, atol=1e-5)


def test_blur_of_an_impulse_by_hand():
    weights = np.exp(-0.5 * np.array([1, 0, 1]) ** 2 / 0.7**2)
    np.testing.assert_allclose(matrix(augment.blur_matrix, 3, 0.7)[1], weights / weights.sum(), rtol=1e-5)


def test_no_blur_is_the_identity_and_rows_sum_to_one():
    np.testing.assert_array_equal(matrix(augment.blur_matrix, 9, 0.0), np.eye(9))
    rows = augment.blur_matrix(tf.constant([[0.1, 0.5], [2.0, 50.0]]), 9)
    np.testing.assert_allclose(tf.reduce_sum(rows, axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_blur_equals_the_gaussian_filter_of_scipy(sigma):
    line = RNG.normal(size=28)
    blurred, weight = [
        scipy.ndimage.gaussian_filter1d(x, sigma, mode="constant", truncate=40) for x in (line, np.ones(28))
    ]
    np.testing.assert_allclose(matrix(augment.blur_matrix, 28, sigma) @ line, blurred / weight, atol=1e-5)


SHAPES = [(3, 4, 6, 6, 1), (3, 4, 6, 5, 1), (2, 3, 5, 5, 3), (2, 3, 4, 7, 3), (2, 3, 12, 4, 3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rows_and_columns_are_mixed_as_by_the_explicit_sum(shape):
    views = tf.constant(RNG.normal(size=shape), tf.float32)
    rows, columns = [RNG.normal(size=(shape[0], size, size)).astype(np.float32) for size in shape[2:4]]
    expected = np.einsum("nih,nthwc->ntiwc", rows, views)
    np.testing.assert_allclose(augment.mix_rows(views, rows), expected, atol=1e-4)
    colors = RNG.normal(size=(shape[0], shape[4], shape[4])).astype(np.float32)
    expected = np.einsum("njw,ndc,nthwc->nthjd", columns, colors, views)
    np.testing.assert_allclose(augment.mix_columns(views, columns, colors), expected, atol=1e-4)


def test_mixing_by_the_identity_changes_nothing():
    views = tf.constant(RNG.uniform(size=(2, 3, 4, 5, 3)), tf.float32)
    np.testing.assert_allclose(augment.mix_rows(views, tf.eye(4, batch_shape=[2])), views, atol=1e-6)
    identities = tf.eye(5, batch_shape=[2]), tf.eye(3, batch_shape=[2])
    np.testing.assert_allclose(augment.mix_columns(views, *identities), views, atol=1e-6)


def color_matrix(brightness=1.0, saturation=1.0, hue=0.0, channels=3):
    return augment.color_matrix(channels, *(tf.constant([value]) for value in (brightness, saturation, hue)))[0].numpy()


def test_no_saturation_is_gray_that_weighs_green_most():
    expected = np.tile([0.299, 0.587, 0.114], (3, 1))
    np.testing.assert_allclose(color_matrix(saturation=0.0), expected, atol=1e-6)


def test_saturation_mixes_with_gray_and_brightness_multiplies():
    gray, half = color_matrix(saturation=0.0), color_matrix(brightness=3.0, saturation=0.5)
    np.testing.assert_allclose(half, 3 * (0.5 * np.eye(3) + 0.5 * gray), atol=1e-5)
    np.testing.assert_allclose(color_matrix(brightness=0.7, channels=2), 0.7 * np.eye(2), atol=1e-6)


def test_hue_turns_colors_in_steps_that_add_up_and_leaves_gray_and_luminance_alone():
    turned = color_matrix(hue=0.1)
    np.testing.assert_allclose(turned @ turned, color_matrix(hue=0.2), atol=1e-5)
    np.testing.assert_allclose(color_matrix(hue=1.0), np.eye(3), atol=1e-5)
    np.testing.assert_allclose(turned @ [0.4, 0.4, 0.4], 0.4, atol=1e-5)
    red, weights = np.array([1.0, 0, 0]), [0.299, 0.587, 0.114]
    assert weights @ turned @ red == pytest.approx(weights @ red, abs=1e-5)
    assert np.abs(turned @ red - red).max() > 0.2


def test_a_quarter_turn_of_red_by_hand_and_no_hue_without_saturation():
    # Red is Y 0.299, I 0.596, Q 0.211; turned, I -0.211 and Q 0.596. Back by the published inverse, of three digits.
    expected = [
        0.299 - 0.956 * 0.211 + 0.621 * 0.596,
        0.299 + 0.272 * 0.211 - 0.647 * 0.596,
        0.299 + 1.106 * 0.211 + 1.703 * 0.596,
    ]
    np.testing.assert_allclose(color_matrix(hue=0.25) @ [1.0, 0, 0], expected, atol=0.01)
    np.testing.assert_allclose(color_matrix(saturation=0.0, hue=0.2), color_matrix(saturation=0.0), atol=1e-6)


def test_contrast_scales_the_distance_from_the_mean_of_view_and_channel():
    views = RNG.uniform(size=(2, 3, 4, 5, 3)).astype(np.float32)
    changed = augment.change_contrast(views, tf.constant([0.5, 2.0])).numpy()
    means = views.mean(axis=(1, 2, 3), keepdims=True)
    np.testing.assert_allclose(changed - means, (views - means) * np.reshape([0.5, 2.0], (2, 1, 1, 1, 1)), atol=1e-6)


@pytest.mark.parametrize("draw", ["speeds", "starts", "boxes"])
def test_a_seed_decides_its_draws_and_another_seed_gives_others(draw):
    draws = {
        "speeds": lambda seed: augment.draw_speeds(seed, 3, 4, (0.5, 2)),
        "starts": lambda seed: augment.draw_starts(seed, tf.ones([3, 4]), 50, 20),
        "boxes": lambda seed: augment.draw_boxes(seed, tf.constant([3]), (0.5, 1.0), (0.75, 1.3)),
    }[draw]
    np.testing.assert_array_equal(draws(SEED), tf.function(draws)(SEED))
    assert np.abs(draws(SEED) - draws(SEED + 1)).max() > 1e-3


def steady(clips, starts, speeds, num_frames, **rows):
    """Returns views in which noise is as strong at every time."""
    starts, speeds = (tf.constant(each, tf.float32) for each in (starts, speeds))
    return augment.resample(tf.constant(clips), starts, speeds, num_frames, steady=True, **rows).numpy()


def test_interpolation_fades_noise_by_how_far_a_time_lies_from_a_frame_and_steady_one_by_as_much_at_all_times():
    clip = RNG.normal(size=(1, 40, 60, 60, 1)).astype(np.float32)
    # At half speed every other time lies between two frames, where their mean has half the variance.
    mixed = augment.resample(tf.constant(clip), tf.constant([[2.0]]), tf.constant([[0.5]]), 60)[0, 0].numpy()
    # The variance of 3,600 draws has a deviation of sqrt(2 / 3600) = 0.024.
    np.testing.assert_allclose(mixed[1::2].var(axis=(1, 2, 3)), 0.5, atol=5 * 0.012)
    np.testing.assert_allclose(mixed[::2].var(axis=(1, 2, 3)), 1.0, atol=5 * 0.024)
    for speed in (0.5, 0.83, 1.7):
        shown = steady(clip, [[1.0]], [[speed]], 20)[0, 0]
        np.testing.assert_allclose(shown.var(axis=(1, 2, 3)), augment.STEADY_SHARE, atol=5 * 0.024)


def weights(time):
    """Returns the weights of 12 frames in the one that a steady view shows at a time."""
    return steady(np.eye(12, dtype=np.float32)[:, :, None, None, None], [[time]] * 12, [[1.0]] * 12, 1)[
        :, 0, 0, 0, 0, 0
    ]


@pytest.mark.parametrize("time", [4.0, 4.01, 4.25, 4.5, 4.9])
def test_weights_of_steady_interpolation_have_sum_1_their_time_as_mean_and_the_share_of_noise_as_sum_of_squares(time):
    found = weights(time)
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert (found * np.arange(12)).sum() == pytest.approx(time, abs=1e-3)
    assert (found**2).sum() == pytest.approx(augment.STEADY_SHARE, abs=1e-4)
    assert np.count_nonzero(np.abs(found) > 1e-4) <= 4


@pytest.mark.parametrize("time", [0.0, 0.5, 10.5, 11.0])
def test_at_the_ends_of_a_clip_steady_interpolation_is_nearly_so_and_weights_still_have_sum_1(time):
    found = weights(time)
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert (found**2).sum() == pytest.approx(augment.STEADY_SHARE, abs=0.13)


def test_steady_interpolation_smooths_a_frame_and_sharpens_halfway_between_two():
    share = augment.STEADY_SHARE
    # At a frame (a, 1 - 2 a, a), halfway (e, f, f, e): by hand, of their sums and sums of squares.
    a = (4 - np.sqrt(16 - 24 * (1 - share))) / 12
    f = (1 + np.sqrt(4 * share - 1)) / 4
    np.testing.assert_allclose(weights(5.0)[4:7], [a, 1 - 2 * a, a], atol=1e-5)
    np.testing.assert_allclose(weights(5.5)[4:8], [0.5 - f, f, f, 0.5 - f], atol=1e-5)


def test_steady_views_of_a_still_clip_are_still_and_of_a_reversed_walk_are_those_of_the_walk_backwards():
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
