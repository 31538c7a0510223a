import dataclasses
import itertools
import json

import numpy as np
import pytest
import scipy.ndimage
import tensorflow as tf
from gpu_kernels import nodes_of, unfit

from simper_tf import augment
from simper_tf.views import Views, check_sampling, longest_view

SEED = tf.constant([7, 1])
# No change but speed, delay and direction.
PLAIN = {
    "crop_area": (1.0, 1.0),
    "crop_aspect": (1.0, 1.0),
    "brightness": (1.0, 1.0),
    "flip_probability": 0.0,
    "blur_probability": 0.0,
}
RNG = np.random.default_rng(17)
# The last of at most 28 rows is read a millionth of the height early; the rest is float32 rounding.
TOLERANCE = 27e-6 + 1e-5


def noise(shape=(2, 40, 12, 10, 3)):
    return RNG.integers(0, 256, size=shape).astype(np.uint8)


def still_changes(views, image):
    """Returns the frames of `(B, 2M, H, W, C)` views of a clip that shows one image all the time."""
    clips = tf.repeat(tf.constant(image)[None, None], 40, axis=1)
    return views(clips, SEED)[0][0, :, 0].numpy()


def test_views_have_the_shape_range_and_speeds_promised():
    views, speeds = Views(num_frames=16, num_views=3)(tf.constant(noise()), SEED)
    assert views.shape == (2, 6, 16, 12, 10, 3)
    assert views.dtype == speeds.dtype == tf.float32
    assert tf.reduce_min(views) >= 0
    assert tf.reduce_max(views) <= 1
    assert np.all(np.diff(speeds[:, :3]) >= 0)
    np.testing.assert_array_equal(speeds[:, :3], speeds[:, 3:])


@pytest.mark.parametrize("share_spatial", [False, True])
def test_a_set_may_be_one_view_of_the_fewest_frames(share_spatial):
    clips = tf.constant(noise((2, 15, 12, 10, 3)))
    views, speeds = Views(8, 1, share_spatial=share_spatial)(clips, SEED)
    assert views.shape == (2, 2, 8, 12, 10, 3)
    np.testing.assert_array_equal(speeds[:, 0], speeds[:, 1])


def test_the_two_sets_differ_in_everything_but_speed():
    views, _ = Views(num_frames=16, num_views=3)(tf.constant(noise()), SEED)
    first, second = tf.split(views, 2, axis=1)
    assert np.all(np.mean(np.abs(first - second), axis=(2, 3, 4, 5)) > 0.02)


@pytest.mark.parametrize("backwards", [0.0, 1.0])
def test_a_plain_view_is_the_clip_at_its_speed_forwards_or_backwards(backwards):
    ramp = np.tile(np.arange(0, 200, 5, dtype=np.uint8)[None, :, None, None, None], (2, 1, 8, 8, 1))
    views, speeds = Views(16, 4, reverse_probability=backwards, **PLAIN)(tf.constant(ramp), SEED)
    steps = np.diff(255 * views.numpy()[:, :, :, 3, 3, 0])
    sign = -1 if backwards else 1
    np.testing.assert_allclose(steps, np.repeat(sign * 5 * speeds[..., None], 15, axis=-1), atol=1e-3)


def test_every_view_peaks_at_its_speed_times_the_frequency_of_the_clip():
    frequency, num_frames = 0.08, 50
    wave = np.round(127.5 + 127.5 * np.sin(2 * np.pi * frequency * np.arange(100))).astype(np.uint8)
    clip = np.tile(wave[None, :, None, None, None], (1, 1, 6, 6, 1))
    views, speeds = Views(num_frames, 6, **{**PLAIN, "crop_area": (0.5, 1.0)})(tf.constant(clip), SEED)
    series = views.numpy()[0, :, :, 3, 3, 0]
    series = (series - series.mean(axis=1, keepdims=True)) * np.hanning(num_frames)
    peaks = np.argmax(np.abs(np.fft.rfft(series, 64 * num_frames)), axis=1) / (64 * num_frames)
    # The slowest view holds two periods, where window leakage pulls the peak by up to a twentieth of a bin, 1/50.
    np.testing.assert_allclose(peaks, speeds[0] * frequency, atol=0.05 / num_frames)


def test_float_clips_give_the_views_of_their_uint8_form():
    clips, views = noise(), Views(num_frames=16, num_views=3, gray_probability=0.5)
    of_bytes, of_floats = views(tf.constant(clips), SEED)[0], views(tf.constant(clips / np.float32(255)), SEED)[0]
    np.testing.assert_allclose(of_bytes, of_floats, atol=2e-6)


@pytest.mark.parametrize("share_spatial", [False, True])
def test_a_seed_gives_the_same_views_eager_in_a_graph_and_on_any_number_of_workers(share_spatial):
    views = Views(num_frames=16, num_views=3, gray_probability=0.3, share_spatial=share_spatial)
    clips = noise((6, 1, 40, 12, 10, 3))
    eager = [views(tf.constant(clip), tf.stack([7, k])) for k, clip in enumerate(clips)]
    in_graph = tf.function(views.__call__)
    dataset = tf.data.Dataset.from_tensor_slices(clips).enumerate()

    def draw(index, clip):
        return views(clip, tf.stack([7, tf.cast(index, tf.int32)]))

    one, eight = [list(dataset.map(draw, num_parallel_calls=workers)) for workers in (1, 8)]
    for k, (expected, speeds) in enumerate(eager):
        for other in (in_graph(tf.constant(clips[k]), tf.stack([7, k])), one[k], eight[k]):
            np.testing.assert_array_equal(other[1], speeds)
            # Draws are equal to the bit. A compiler may fuse what computes the times, float32 shares of 42 frames,
            # which shifts them by 42 * 2^-23 of the step between two frames, itself at most 1.3.
            np.testing.assert_allclose(other[0], expected, atol=1.3 * 42 * 2**-23 + 2e-6)
    for a, b in zip(one, eight, strict=True):
        np.testing.assert_array_equal(a[0], b[0])


def test_another_seed_gives_other_views_in_either_of_its_numbers():
    clips, views = tf.constant(noise()), Views(num_frames=16, num_views=3)
    base, speeds = views(clips, SEED)
    for seed in ([7, 2], [8, 1]):
        others, other_speeds = views(clips, tf.constant(seed))
        assert np.abs(others - base).mean() > 0.02
        assert np.abs(other_speeds - speeds).min(axis=None) > 0


def test_one_draw_serves_all_frames_of_a_view():
    image = noise((12, 12, 1))
    clips = tf.repeat(tf.constant(image)[None, None], 40, axis=1)
    views = Views(num_frames=16, num_views=4)(clips, SEED)[0].numpy()
    np.testing.assert_allclose(views, np.repeat(views[:, :, :1], 16, axis=2), atol=1e-5)


def test_shared_spatial_draws_are_equal_within_a_set_and_differ_between_sets():
    image = noise((12, 12, 1))
    frames = still_changes(Views(num_frames=16, num_views=4, share_spatial=True), image)
    np.testing.assert_allclose(frames[:4], np.repeat(frames[:1], 4, axis=0), atol=1e-6)
    np.testing.assert_allclose(frames[4:], np.repeat(frames[4:5], 4, axis=0), atol=1e-6)
    assert np.abs(frames[0] - frames[4]).mean() > 0.02
    own = still_changes(Views(num_frames=16, num_views=4), image)
    assert np.abs(own[1:4] - own[0]).mean(axis=(1, 2, 3)).min() > 0.02


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_a_set_changed_before_its_views_part_is_the_set_of_views_changed_alone(dtype):
    clips = tf.constant((noise() / (255 if dtype == np.float32 else 1)).astype(dtype))
    # Not brighter: what is cut at white before frames are mixed differs from what is cut afterwards.
    shared = Views(16, 3, brightness=(0.7, 1.0), saturation=(0.5, 1.0), blur_probability=0.5, share_spatial=True)
    draws = shared.draw(2, 40, SEED)
    assert 0 < np.mean(draws["sigmas"] > 0) < 1
    alone = {name: tf.repeat(draw, 3, axis=1) if draw.shape[1] == 2 else draw for name, draw in draws.items()}
    expected, speeds = dataclasses.replace(shared, share_spatial=False).apply(clips, alone)
    views, shared_speeds = shared.apply(clips, draws)
    np.testing.assert_array_equal(shared_speeds, speeds)
    np.testing.assert_allclose(views, expected, atol=2 * 40e-6)  # Borders are read a millionth of 40 frames away.


def test_a_share_of_the_views_is_mirrored_and_the_others_are_not():
    image = noise((8, 8, 1))
    frames = still_changes(Views(8, 200, **{**PLAIN, "flip_probability": 0.3}), image)
    mirrored = np.isclose(frames, image[:, ::-1] / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    straight = np.isclose(frames, image / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    assert np.all(mirrored ^ straight)
    assert mirrored.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / 400))


def test_half_of_the_views_runs_backwards():
    ramp = np.tile(np.arange(0, 200, 5, dtype=np.uint8)[None, :, None, None, None], (1, 1, 2, 2, 1))
    views, _ = Views(8, 200, **PLAIN)(tf.constant(ramp), SEED)
    backwards = views[0, :, 0, 0, 0, 0] > views[0, :, -1, 0, 0, 0]
    assert np.mean(backwards) == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / 400))


def test_brightness_is_one_factor_a_view_over_its_whole_range_and_white_is_cut():
    image = np.full((4, 4, 1), 128, np.uint8)
    frames = still_changes(Views(8, 400, **{**PLAIN, "brightness": (0.7, 1.3)}), image)
    factors = frames * 255 / 128
    np.testing.assert_allclose(factors, np.broadcast_to(factors[:, :1, :1], factors.shape), rtol=1e-5)
    assert 0.7 <= factors.min() < 0.71
    assert 1.29 < factors.max() <= 1.3 + 1e-5
    assert factors.mean() == pytest.approx(1.0, abs=5 * 0.6 / np.sqrt(12 * 800))
    bright = still_changes(Views(8, 50, **{**PLAIN, "brightness": (1.2, 1.3)}), np.full((4, 4, 1), 250, np.uint8))
    np.testing.assert_array_equal(bright, 1)


def blurred_by_scipy(image, sigma):
    """Returns a `(H, W, 1)` image under a Gaussian whose part inside the frame is scaled up at the border."""
    for axis in (0, 1):
        image, weight = [
            scipy.ndimage.gaussian_filter1d(x, sigma, axis, mode="constant", truncate=30)
            for x in (image, np.ones_like(image))
        ]
        image = image / weight
    return image


def test_blur_is_really_there_at_28_pixels_in_the_promised_share_of_views():
    image = noise((28, 28, 1))
    views = Views(8, 100, **{**PLAIN, "blur_probability": 0.23}, blur_sigma=(1.5, 1.5))
    frames = still_changes(views, image)
    sharp = np.isclose(frames, image / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    blurred = np.isclose(frames, blurred_by_scipy(image / 255, 1.5), atol=TOLERANCE).all(axis=(1, 2, 3))
    assert np.all(sharp ^ blurred)
    assert blurred.mean() == pytest.approx(0.23, abs=5 * np.sqrt(0.23 * 0.77 / 200))


def test_which_views_are_blurred_is_drawn_anew_for_every_clip_and_seed():
    clips = tf.repeat(tf.constant(noise((1, 1, 12, 12, 1))), 40, axis=1)
    views = Views(8, 4, **{**PLAIN, "blur_probability": 0.25}, blur_sigma=(1.5, 1.5))
    counts = np.zeros(8)
    for k in range(100):
        frames = views(clips, tf.constant([k, 0]))[0].numpy()[0, :, 0, ..., 0]
        blurred = np.abs(frames - clips.numpy()[0, 0, ..., 0] / 255).max(axis=(1, 2)) > 0.05
        counts += blurred
    assert np.abs(counts - 25).max() < 5 * np.sqrt(100 * 0.25 * 0.75)


def test_deviations_of_the_blur_fill_their_range():
    image = noise((28, 28, 1))
    frames = still_changes(Views(8, 50, **{**PLAIN, "blur_probability": 1.0}), image)
    roughness = np.mean(np.square(np.diff(frames, axis=2)), axis=(1, 2, 3))
    # Of white noise it falls by (1 - exp(-1/4 sigma^2)) / (4 pi sigma^2), at sigma 1 to 1.8 %. Sigma is uniform over
    # [0.1, 2]: 53 of 100 views lie below that, with a standard deviation of 5.
    sharp = np.mean(np.square(np.diff(image / 255, axis=1)))
    assert 0.28 < np.mean(roughness < 0.018 * sharp) < 0.78


def test_shared_blur_falls_on_whole_sets_with_its_probability():
    image = noise((12, 12, 1))
    views = Views(8, 2, **{**PLAIN, "share_spatial": True, "blur_probability": 0.3}, blur_sigma=(1.5, 1.5))
    clips = tf.repeat(tf.constant(image)[None, None], 200, axis=0)
    frames = views(tf.repeat(clips, 40, axis=1), SEED)[0].numpy()[:, :, 0]
    blurred = np.abs(frames - image / 255).max(axis=(2, 3, 4)) > 0.05
    np.testing.assert_array_equal(blurred[:, [0, 2]], blurred[:, [1, 3]])
    assert blurred.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / 400))


def test_crops_enlarge_a_part_of_the_frame():
    columns = np.tile(np.arange(0, 240, 10, dtype=np.uint8)[None, :, None], (24, 1, 1))
    frames = still_changes(Views(8, 100, **{**PLAIN, "crop_area": (0.5, 0.6)}), columns)
    slopes = 255 * (frames[:, 12, 14, 0] - frames[:, 12, 10, 0]) / 40
    # The width of a box of half the area lies between sqrt(0.5 * 0.75) and, at the frame's own aspect, sqrt(0.6 * 4/3).
    assert slopes.min() > np.sqrt(0.5 * 0.75) - 1e-3
    assert slopes.max() < np.sqrt(0.6 * 4 / 3) + 1e-3


def test_gray_takes_the_colour_of_a_share_of_colour_views_and_leaves_other_channels_alone():
    image = noise((6, 6, 3))
    frames = still_changes(Views(8, 200, gray_probability=0.2, **PLAIN), image)
    gray = np.ptp(frames, axis=-1).max(axis=(1, 2)) < 1e-6
    assert gray.mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 400))
    np.testing.assert_allclose(frames[gray][0][..., 0], image / 255 @ [0.299, 0.587, 0.114], atol=TOLERANCE)
    two = noise((6, 6, 2))
    np.testing.assert_allclose(
        still_changes(Views(8, 3, gray_probability=1.0, **PLAIN), two), np.stack([two / 255] * 6), atol=TOLERANCE
    )


def test_parts_of_a_batch_made_alone_are_those_of_the_whole():
    clips, views = tf.constant(noise((4, 40, 12, 10, 3))), Views(16, 3, contrast=(0.5, 1.5), hue=0.2)
    whole, speeds = views(clips, SEED)
    draws = views.draw(4, 40, SEED)
    for part in (slice(0, 1), slice(1, 4)):
        alone, alone_speeds = views.apply(clips[part], {name: draw[part] for name, draw in draws.items()})
        np.testing.assert_array_equal(alone_speeds, speeds[part])
        np.testing.assert_allclose(alone, whole[part], atol=1e-5)


@pytest.mark.parametrize("name", ["hue", "saturation", "contrast", "brightness"])
def test_a_view_is_cropped_mirrored_blurred_coloured_and_cut_in_that_order(name):
    image = noise((14, 12, 3))
    change = {"hue": 0.3, "saturation": (1.5, 3.0), "contrast": (1.5, 3.0), "brightness": (1.2, 1.4)}[name]
    views = Views(8, 10, **{"brightness": (1.0, 1.0), "blur_probability": 0.7, name: change})
    clips = tf.repeat(tf.constant(image)[None, None], 40, axis=1)
    draws = views.draw(1, 40, SEED)
    frames = views.apply(clips, draws)[0][0, :, 0].numpy()
    draws = {key: draw[0].numpy() for key, draw in draws.items()}
    for v in range(20):
        top, left, bottom, right = draws["boxes"][v]
        left, right = (right, left) if draws["flips"][v] else (left, right)
        rows, columns = [
            augment.resize_matrix(tf.constant(start), tf.constant(stop), size).numpy()
            for start, stop, size in ((top, bottom, 14), (left, right, 12))
        ]
        expected = np.einsum("ih,jw,hwc->ijc", rows, columns, image / 255)
        if draws["sigmas"][v] > 0:
            planes = [blurred_by_scipy(expected[..., c : c + 1], draws["sigmas"][v]) for c in range(3)]
            expected = np.concatenate(planes, axis=-1)
        factors = [tf.constant(draws[key][v : v + 1]) for key in ("brightness", "saturation", "hue")]
        expected = expected @ augment.color_matrix(3, *factors)[0].numpy().T
        means = expected.mean(axis=(0, 1))
        expected = means + draws["contrast"][v] * (expected - means)
        np.testing.assert_allclose(frames[v], np.clip(expected, 0, 1), atol=3e-4)
    assert frames.min() >= 0
    assert len(np.unique(draws["sigmas"])) > 10


def test_views_come_back_from_json_as_they_were():
    views = Views(16, 3, crop_area=(0.6, 0.9), blur_probability=(1.0, 0.1), hue=0.2)
    assert Views.from_config(json.loads(json.dumps(views.get_config()))) == views


def test_every_change_is_drawn_by_itself_over_its_whole_range():
    ranges = {"brightness": (0.6, 1.4), "contrast": (0.5, 1.5), "saturation": (0.4, 1.6), "blur_sigma": (0.1, 2.0)}
    chances = {"blur_probability": 0.5, "gray_probability": 0.5, "solarize_probability": (0.5, 0.5)}
    views = Views(8, 2, hue=0.1, **ranges, **chances)
    draws = {name: np.reshape(draw, [8000, -1]) for name, draw in views.draw_space([2000, 4], SEED).items()}
    colourful, blurred = draws["saturation"] > 0, draws["sigmas"] > 0
    values = {
        "brightness": draws["brightness"],
        "contrast": draws["contrast"],
        "saturation": np.where(colourful, draws["saturation"], np.nan),
        "blur_sigma": np.where(blurred, draws["sigmas"], np.nan),
        "hue": draws["hue"],
    }
    for name, (low, high) in {**ranges, "hue": (-0.1, 0.1)}.items():
        found = values[name][np.isfinite(values[name])]
        assert low <= found.min() < found.max() <= high
        deviation = (high - low) / np.sqrt(12)
        assert found.mean() == pytest.approx((low + high) / 2, abs=5 * deviation / np.sqrt(len(found)))
        assert found.std() == pytest.approx(deviation, rel=0.05)
    columns = [*values.values(), colourful, blurred, draws["flips"], draws["solarized"]]
    columns = np.concatenate(columns, axis=1).astype(np.float64)
    for k, j in itertools.combinations(range(columns.shape[1]), 2):
        pair = columns[np.isfinite(columns[:, k] + columns[:, j])][:, [k, j]]
        if min(pair.std(axis=0)) > 0:  # A value that is there only with its own chance says nothing of it.
            assert abs(np.corrcoef(pair.T)[0, 1]) < 5 / np.sqrt(len(pair))


def test_colour_jitter_changes_its_share_of_views_as_a_whole():
    image = noise((6, 6, 3))
    jitter = {"brightness": (0.6, 0.8), "contrast": (0.4, 0.6), "saturation": (0.2, 0.4), "hue": 0.2}
    frames = still_changes(Views(8, 200, jitter_probability=0.8, **{**PLAIN, **jitter}), image)
    untouched = np.isclose(frames, image / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    assert untouched.mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 400))
    darker = frames[~untouched].mean(axis=(1, 2, 3)) / (image / 255).mean()
    assert darker.min() > 0.55
    assert darker.max() < 0.85
    assert np.all(frames[~untouched].std(axis=(1, 2)) < 0.6 * (image / 255).std(axis=(0, 1)))


def test_solarizing_inverts_what_is_bright_in_its_share_of_each_set():
    image = noise((6, 6, 1))
    frames = still_changes(Views(8, 200, solarize_probability=(0.0, 0.3), **PLAIN), image)
    inverted = np.isclose(frames, np.where(image > 127.5, 255.0 - image, image) / 255, atol=2 * TOLERANCE)
    inverted = inverted.all(axis=(1, 2, 3))
    assert not inverted[:200].any()
    assert inverted[200:].mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 200))


def test_a_pair_of_chances_blurs_each_set_by_its_own():
    image = noise((12, 12, 1))
    views = Views(8, 200, **{**PLAIN, "blur_probability": (1.0, 0.1)}, blur_sigma=(1.5, 1.5))
    blurred = np.abs(still_changes(views, image) - image / 255).max(axis=(1, 2, 3)) > 0.05
    assert blurred[:200].all()
    assert blurred[200:].mean() == pytest.approx(0.1, abs=5 * np.sqrt(0.09 / 200))


@pytest.mark.parametrize("num_source_frames", [37, 40, 77])
def test_no_draw_leaves_the_clip(num_source_frames):
    white = tf.fill([4, num_source_frames, 4, 4, 1], tf.constant(255, tf.uint8))
    num_frames = longest_view(num_source_frames, (0.5, 2.0))
    views = Views(num_frames, 50, **{**PLAIN, "crop_area": (0.5, 1.0), "blur_probability": 0.5})
    for k in range(3):
        np.testing.assert_allclose(views(white, tf.stack([k, 0]))[0], 1, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 40, 12, 4, 3), (1, 40, 7, 12, 1)], ids=["H = W C", "wide"])
def test_frames_of_any_proportion_are_changed(shape):
    image = np.full(shape[2:], 100, np.uint8)
    frames = still_changes(Views(8, 4, **{**PLAIN, "crop_area": (0.5, 0.6)}), image)
    np.testing.assert_allclose(frames, 100 / 255, atol=1e-5)


@pytest.mark.parametrize("dtype", [tf.uint8, tf.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("share_spatial", [False, True])
def test_every_op_of_the_views_has_a_gpu_kernel_for_its_types_and_none_calls_python(dtype, channels, share_spatial):
    views = Views(
        num_frames=16,
        num_views=3,
        gray_probability=0.2,
        contrast=(0.5, 1.5),
        hue=0.1,
        solarize_probability=(0.0, 0.2),
        share_spatial=share_spatial,
    )
    clips = tf.TensorSpec([None, 40, 12, 10, channels], dtype)
    made = tf.function(views.__call__).get_concrete_function(clips, tf.TensorSpec([2], tf.int32))
    ops = {node.op for node in nodes_of(made)}
    assert {"CropAndResize", "BatchMatMulV2", "StatelessRandomUniformV2"} <= ops  # The walk saw the work.
    assert not unfit(made)
    assert not {op for op in ops if "PyFunc" in op}


def test_the_walk_over_ops_finds_those_without_a_gpu_kernel_for_their_types_inside_branches_too():
    @tf.function(input_signature=[tf.TensorSpec([1, 4, 4, 3]), tf.TensorSpec([], tf.bool)])
    def mixed(images, flag):
        box = tf.image.stateless_sample_distorted_bounding_box([4, 4, 3], [[[0.0, 0.0, 1.0, 1.0]]], [1, 2])[0]
        sort = lambda: tf.numpy_function(np.sort, [images], tf.float32)  # noqa: E731
        whole = tf.constant([[0.0, 0.0, 1.0, 1.0]])
        of_bytes = tf.image.crop_and_resize(tf.cast(images, tf.uint8), whole, [0], [4, 4])
        return tf.cond(flag, sort, lambda: images), box, of_bytes, tf.image.crop_and_resize(images, whole, [0], [4, 4])

    assert sorted(op for op, _ in unfit(mixed.get_concrete_function())) == [
        "CropAndResize",
        "PyFunc",
        "StatelessSampleDistortedBoundingBox",
    ]


@pytest.mark.parametrize("fastest", [0.3, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("num_source_frames", [50, 150, 180])
def test_the_longest_view_fits_and_one_more_step_of_speed_does_not(num_source_frames, fastest):
    num_frames = longest_view(num_source_frames, (0.2, fastest))
    Views(num_frames, 2, (0.2, fastest)).check_length(num_source_frames)
    if fastest >= 1:
        assert num_frames == int(num_source_frames / fastest + 1e-6)
    else:
        assert fastest * num_frames > num_source_frames - 1  # One frame more would leave the clip.


def test_clips_shorter_than_the_fastest_view_are_refused_with_the_longest_that_fits():
    views = Views(num_frames=30, num_views=2, speed_range=(0.5, 2.0))
    views.check_length(59)
    with pytest.raises(ValueError, match=r"30 frames at speed 2 spans 59 frames, but the clips have 58.* at most 29"):
        views(tf.zeros([1, 58, 4, 4, 1], tf.uint8), SEED)


def test_a_fraction_of_a_frame_needs_the_next_one():
    views = Views(num_frames=10, num_views=2, speed_range=(0.5, 1.5))  # Nine steps of 1.5 end between two frames.
    views.check_length(15)
    with pytest.raises(ValueError, match=r"10 frames at speed 1.5 spans 15 frames, but the clips have 14"):
        views.check_length(14)


def test_speeds_that_would_alias_are_refused_with_the_fastest_that_does_not():
    check_sampling((0.5, 3.0), 5.0, 30.0)
    with pytest.raises(ValueError, match=r"At speed 3.5 a clip of 5 Hz runs at 17.5 Hz.*30 / 2 = 15 Hz.*at most 3,"):
        check_sampling((0.5, 3.5), 5.0, 30.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_views": 0}, "at least 1 view a set.*num_views=0"),
        ({"num_frames": 7}, "at least 8 frames.*num_frames=7"),
        ({"speed_range": (0.0, 2.0)}, r"`speed_range` must be \(low, high\).*\(0.0, 2.0\)"),
        ({"speed_range": (2.0, 0.5)}, "`speed_range`"),
        ({"crop_area": (0.5, 1.2)}, "share of the frame, at most 1"),
        ({"crop_aspect": (1.5, 0.5)}, "`crop_aspect`"),
        ({"brightness": (-1.0, 1.0)}, "`brightness`"),
        ({"contrast": (2.0, 1.0)}, "`contrast`"),
        ({"saturation": (0.0, 1.0)}, "`saturation`"),
        ({"blur_sigma": (2.0, 1.0)}, "`blur_sigma`"),
    ],
)
def test_attributes_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(Views(num_frames=16), **arguments)
