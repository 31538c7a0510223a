import dataclasses
import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from gpu_kernels import nodes_of, recorded, unfit, without_kernel
from made_views import PLAIN, SEED, TOLERANCE, made, noise, views_of

from simper_tf.views.appearance import UNCHANGED, Appearance
from simper_tf.views.times import DistantTimes, SameSpeed, SpeedSets, StretchedTimes, Strides, WholeClip
from simper_tf.views.views import INTERPOLATIONS, Views, check_views

RNG = np.random.default_rng(17)


def test_views_have_the_shape_range_and_speeds_promised():
    views, speeds = made(views_of(16, 3), tf.constant(noise(RNG)))
    assert views.shape == (2, 6, 16, 12, 10, 3)
    assert views.dtype == speeds.dtype == tf.float32
    assert tf.reduce_min(views) >= 0
    assert tf.reduce_max(views) <= 1
    assert np.all(np.diff(speeds[:, :3]) >= 0)
    np.testing.assert_array_equal(speeds[:, :3], speeds[:, 3:])


@pytest.mark.parametrize("share_spatial", [False, True])
def test_a_set_may_be_one_view_of_the_fewest_frames(share_spatial):
    clips = tf.constant(noise(RNG, (2, 15, 12, 10, 3)))
    views, speeds = made(views_of(8, 1, share_spatial=share_spatial), clips)
    assert views.shape == (2, 2, 8, 12, 10, 3)
    np.testing.assert_array_equal(speeds[:, 0], speeds[:, 1])


def test_the_two_sets_differ_in_everything_but_speed():
    views, _ = made(views_of(16, 3), tf.constant(noise(RNG)))
    first, second = tf.split(views, 2, axis=1)
    assert np.all(np.mean(np.abs(first - second), axis=(2, 3, 4, 5)) > 0.02)


@pytest.mark.parametrize("backwards", [0.0, 1.0])
def test_a_plain_view_is_the_clip_at_its_speed_either_way(backwards):
    ramp = np.tile(np.arange(0, 200, 5, dtype=np.uint8)[None, :, None, None, None], (2, 1, 8, 8, 1))
    views, speeds = made(views_of(16, 4, reverse_probability=backwards, **PLAIN), tf.constant(ramp))
    steps = np.diff(255 * views.numpy()[:, :, :, 3, 3, 0])
    sign = -1 if backwards else 1
    np.testing.assert_allclose(steps, np.repeat(sign * 5 * speeds[..., None], 15, axis=-1), atol=1e-3)


@pytest.mark.slow
def test_float_clips_give_the_views_of_their_uint8_form():
    clips, views = noise(RNG), views_of(16, 3, gray_probability=0.5)
    of_bytes, of_floats = [made(views, tf.constant(x))[0] for x in (clips, clips / np.float32(255))]
    np.testing.assert_allclose(of_bytes, of_floats, atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("share_spatial", "interpolation"), [(False, "linear"), (True, "steady")])
def test_a_seed_gives_equal_views_eager_graphed_and_in_workers(share_spatial, interpolation):
    views = views_of(16, 3, gray_probability=0.3, share_spatial=share_spatial)
    views = dataclasses.replace(views, interpolation=interpolation)
    clips = noise(RNG, (6, 1, 40, 12, 10, 3))
    eager = [made(views, tf.constant(clip), tf.stack([7, k])) for k, clip in enumerate(clips)]
    in_graph = tf.function(views.__call__, autograph=False)
    dataset = tf.data.Dataset.from_tensor_slices(clips).enumerate()

    def draw(index, clip):
        return views(clip, tf.stack([7, tf.cast(index, tf.int32)]))

    one, eight = [list(dataset.map(draw, num_parallel_calls=workers)) for workers in (1, 8)]
    for k, (expected, speeds) in enumerate(eager):
        for other in (in_graph(tf.constant(clips[k]), tf.stack([7, k])), one[k], eight[k]):
            np.testing.assert_array_equal(other["speeds"], speeds)
            # Draws are equal to the bit. A compiler may fuse what computes the times, float32 shares of 42 frames,
            # which shifts them by 42 * 2^-23 of the step between two frames, itself at most 1.3.
            np.testing.assert_allclose(other["views"], expected, atol=1.3 * 42 * 2**-23 + 2e-6)
    for a, b in zip(one, eight, strict=True):
        np.testing.assert_array_equal(a["views"], b["views"])


def test_a_seed_may_be_one_whole_number():
    clips, views = tf.constant(noise(RNG)), views_of(16, 2)
    np.testing.assert_array_equal(views(clips, 7)["views"], views(clips, (0, 7))["views"])


def test_another_seed_gives_other_views_in_either_of_its_numbers():
    clips, views = tf.constant(noise(RNG)), views_of(16, 3)
    base, speeds = made(views, clips)
    for seed in ([7, 2], [8, 1]):
        others, other_speeds = made(views, clips, tf.constant(seed))
        assert np.abs(others - base).mean() > 0.02
        assert np.abs(other_speeds - speeds).min(axis=None) > 0


@pytest.mark.slow
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_parts_of_a_batch_made_alone_are_those_of_the_whole(interpolation):
    clips, views = tf.constant(noise(RNG, (4, 40, 12, 10, 3))), views_of(16, 3, contrast=(0.5, 1.5), hue=0.2)
    views = dataclasses.replace(views, interpolation=interpolation, split_pixels=interpolation == "steady")
    whole, speeds = made(views, clips)
    draws = views.draw(4, 40, SEED)
    for part in (slice(0, 1), slice(1, 4)):
        alone = views.apply(clips[part], tf.nest.map_structure(lambda draw, part=part: draw[part], draws))
        np.testing.assert_array_equal(alone["speeds"], speeds[part])
        np.testing.assert_allclose(alone["views"], whole[part], atol=1e-5)


@pytest.mark.parametrize(
    "views",
    [
        views_of(16, 3, crop_area=(0.6, 0.9), blur_probability=(1.0, 0.1), hue=0.2),
        Views(16, StretchedTimes(num_windows=3), None, "steady"),
        Views(16, WholeClip(), dataclasses.replace(UNCHANGED, regions=((0.0, 0.0, 0.5, 1.0),))),
    ],
)
def test_views_come_back_from_json_as_they_were(views):
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(views)))
    assert keras.saving.deserialize_keras_object(config) == views


@pytest.mark.parametrize("num_source_frames", [37, 40, 77])
def test_no_draw_leaves_the_clip(num_source_frames):
    white = tf.fill([4, num_source_frames, 4, 4, 1], tf.constant(255, tf.uint8))
    num_frames = SpeedSets().longest_view(num_source_frames)
    views = views_of(num_frames, 50, **{**PLAIN, "crop_area": (0.5, 1.0), "blur_probability": 0.5})
    for k in range(3):
        np.testing.assert_allclose(made(views, white, tf.stack([k, 0]))[0], 1, atol=1e-5)


@pytest.mark.slow
# Every op of the other two pairs is in the graph of one of these.
@pytest.mark.parametrize(("dtype", "channels"), [(tf.uint8, 3), (tf.float32, 1)])
@pytest.mark.parametrize(("share_spatial", "interpolation"), [(False, "steady"), (True, "linear"), (True, "steady")])
def test_every_op_of_the_views_has_a_gpu_kernel(dtype, channels, share_spatial, interpolation):
    views = views_of(
        16,
        3,
        gray_probability=0.2,
        contrast=(0.5, 1.5),
        hue=0.1,
        solarize_probability=(0.0, 0.2),
        share_spatial=share_spatial,
    )
    views = dataclasses.replace(views, interpolation=interpolation)
    clips = tf.TensorSpec([None, 40, 12, 10, channels], dtype)
    made = tf.function(views.__call__).get_concrete_function(clips, tf.TensorSpec([2], tf.int32))
    ops = {node.op for node in nodes_of(made)}
    assert {"CropAndResize", "BatchMatMulV2", "StatelessRandomUniformV2"} <= ops  # The walk saw the work.
    assert not unfit(made)
    assert not {op for op in ops if "PyFunc" in op}


def test_the_walk_over_ops_finds_those_without_a_gpu_kernel():
    @tf.function(input_signature=[tf.TensorSpec([1, 4, 4, 3]), tf.TensorSpec([], tf.bool)])
    def mixed(images, flag):
        box = tf.image.stateless_sample_distorted_bounding_box([4, 4, 3], [[[0.0, 0.0, 1.0, 1.0]]], [1, 2])[0]
        whole = tf.constant([[0.0, 0.0, 1.0, 1.0]])
        of_bytes = tf.image.crop_and_resize(tf.cast(images, tf.uint8), whole, [0], [4, 4])
        sorted_or_not = tf.cond(flag, lambda: tf.numpy_function(np.sort, [images], tf.float32), lambda: images)
        return sorted_or_not, box, of_bytes, tf.image.crop_and_resize(images, whole, [0], [4, 4])

    assert sorted(op for op, _ in unfit(mixed.get_concrete_function())) == [
        "CropAndResize",
        "PyFunc",
        "StatelessSampleDistortedBoundingBox",
    ]


def test_the_record_of_ops_finds_those_without_a_gpu_kernel():
    images, whole = tf.ones([1, 4, 4, 3]), tf.constant([[0.0, 0.0, 1.0, 1.0]])
    with recorded() as seen:
        for dtype in (tf.uint8, tf.float32):
            tf.image.crop_and_resize(tf.cast(images, dtype), whole, [0], [4, 4])
    ((op, types),) = without_kernel(seen)
    assert (op, dict(types)["T"]) == ("CropAndResize", tf.uint8.as_datatype_enum)
    assert len(seen) == 3  # Two crops, and the cast of one.


def test_a_series_is_standardized_where_only_time_changes():
    series = 40 + 3 * np.sin(0.3 * np.arange(40) + np.zeros((3, 1)))[:, :, None, None, None]
    batch = Views(16, SpeedSets(3), None)(tf.constant(series, tf.float32), SEED)
    assert batch["views"].shape == (3, 6, 16, 1, 1, 1)
    draws = Views(16, SpeedSets(3), None).draw(3, 40, SEED)["times"]
    for b, v in np.ndindex(3, 6):
        times = draws["starts"][b, v] + draws["steps"][b, v] * np.arange(16)
        wave = series[b, :, 0, 0, 0]
        expected = np.interp(times, np.arange(40), 0.5 + 0.1 * (wave - wave.mean()) / wave.std())
        np.testing.assert_allclose(batch["views"][b, v, :, 0, 0, 0], expected, atol=1e-4)


def test_no_appearance_gives_the_views_of_an_unchanged_one():
    clips = noise(RNG)
    for images in (clips, clips / np.float32(255)):
        bare, unchanged = [Views(16, SpeedSets(3), look)(tf.constant(images), SEED) for look in (None, UNCHANGED)]
        np.testing.assert_allclose(bare["views"], unchanged["views"], atol=TOLERANCE)
        np.testing.assert_array_equal(bare["speeds"], unchanged["speeds"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "shape", "further"),
    [
        (SpeedSets(3), (2, 6), set()),
        (SameSpeed(), (2, 2), set()),
        (DistantTimes(), (2, 2), set()),
        (Strides(2), (2, 2), set()),
        (WholeClip(), (2, 1), set()),
        (StretchedTimes(), (2, 2), {"windows"}),
    ],
)
@pytest.mark.parametrize(
    "look", [None, Appearance(share_spatial=True), dataclasses.replace(UNCHANGED, regions=((0, 0, 1, 1),))]
)
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_any_times_go_with_any_appearance(times, shape, further, look, interpolation):
    batch = Views(16, times, look, interpolation)(tf.constant(noise(RNG)), SEED)
    regions = {"regions"} if look and look.regions else set()
    assert set(batch) == {"views", "speeds"} | further | regions
    assert batch["views"].shape == (*shape, 16, 12, 10, 3)
    assert batch["speeds"].shape == shape


@pytest.mark.parametrize("look", [None, UNCHANGED, dataclasses.replace(UNCHANGED, share_spatial=True)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_noise_is_even_in_steady_views_and_uneven_in_linear_ones(look, dtype):
    gray = np.clip(128 + 20 * np.random.default_rng(0).normal(size=(1, 40, 48, 48, 1)), 0, 255)
    clip = gray.astype(np.uint8) if dtype is np.uint8 else (gray / 255).astype(np.float32)
    spread = {}
    for name in INTERPOLATIONS:
        views, _ = made(Views(16, SpeedSets(8, (0.8, 1.2)), look, name), tf.constant(clip))
        variances = views.numpy().var(axis=(-3, -2, -1)) / (20 / 255) ** 2
        spread[name] = np.ptp(variances[..., 1:-1])  # The ends of a clip are nearly steady alone.
    # Of 2,304 pixels a variance of 0.75 has a deviation of 0.022.
    assert spread["steady"] < 0.2
    assert spread["linear"] > 0.4


@pytest.mark.parametrize("look", [None, UNCHANGED, dataclasses.replace(UNCHANGED, brightness=(1.2, 1.2))])
def test_steady_views_of_black_and_white_stay_between_them(look):
    flicker = tf.constant(np.tile(np.array([0, 255] * 20, np.uint8)[None, :, None, None, None], (1, 1, 2, 2, 1)))
    views, _ = made(Views(16, SpeedSets(4), look, "steady"), flicker)
    assert views.numpy().min() >= 0
    assert views.numpy().max() <= 1


def test_an_unknown_interpolation_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"must be one of linear, steady\. Received: 'cubic'"):
        Views(16, interpolation="cubic")


def test_split_views_of_noise_share_nothing_where_whole_ones_do():
    clips = tf.constant(RNG.integers(0, 256, (4, 16, 12, 12, 1)), tf.uint8)
    whole = Views(16, SpeedSets(2, (1.0, 1.0), reverse_probability=0.0), None)
    for views, expected in ((whole, 1.0), (dataclasses.replace(whole, split_pixels=True), 0.0)):
        first, second = np.split(made(views, clips)[0], 2, axis=1)
        assert np.corrcoef(first.ravel(), second.ravel())[0, 1] == pytest.approx(expected, abs=0.05)


def test_splitting_the_pixels_of_a_series_is_refused():
    with pytest.raises(ValueError, match=r"`split_pixels` needs frames of many pixels. Received: frames of \(1, 1"):
        Views(16, split_pixels=True)(np.zeros((2, 40, 1, 1, 3), np.float32), SEED)


def test_views_of_fewer_than_eight_frames_are_refused():
    with pytest.raises(ValueError, match="`num_frames` must be at least 8 and finite"):
        Views(7)


def test_ready_views_that_are_none_are_refused():
    good = Views(16)(tf.constant(noise(RNG)), SEED)
    check_views(good)
    with pytest.raises(ValueError, match=r"come with their speeds, in a dictionary .* Received: views\."):
        check_views({"views": good["views"]})
    with pytest.raises(ValueError, match=r"must be floats .* Received: uint8 of shape \(2, 20, 16, 12, 10, 3\)"):
        check_views({**good, "views": tf.cast(good["views"], tf.uint8)})
    with pytest.raises(ValueError, match=r"Received: float32 of shape \(2, 16, 12, 10, 3\)"):
        check_views({**good, "views": good["views"][:, 0]})
