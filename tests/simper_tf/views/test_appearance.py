import dataclasses
import itertools

import numpy as np
import pytest
import scipy.ndimage
import tensorflow as tf
from made_views import PLAIN, SEED, TOLERANCE, made, noise, still_changes, views_of

from simper_tf.views import augment
from simper_tf.views.appearance import UNCHANGED, Appearance
from simper_tf.views.times import SameSpeed
from simper_tf.views.views import Views

RNG = np.random.default_rng(17)


def test_defaults_are_the_numbers_of_the_authors_code():
    chosen = {name: value for name, value in dataclasses.asdict(Appearance()).items() if value}
    assert chosen == {
        "crop_area": (0.5, 1.0),
        "crop_aspect": (3 / 4, 4 / 3),
        "brightness": (0.7, 1.3),
        "contrast": (1.0, 1.0),
        "saturation": (1.0, 1.0),
        "jitter_probability": 1.0,
        "flip_probability": 0.5,
        "blur_probability": 0.2,
        "blur_sigma": (0.1, 2.0),
    }


def test_a_crop_of_all_of_the_area_keeps_what_its_aspect_allows():
    boxes = Appearance(crop_area=(1.0, 1.0)).draw(100, 50, SEED)["boxes"].numpy()
    height, width = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
    np.testing.assert_allclose(np.maximum(height, width), 1, atol=1e-6)
    for side in (height, width):
        assert np.sqrt(3 / 4) - 1e-6 <= side.min() < np.sqrt(3 / 4) + 0.01


def test_one_draw_serves_all_frames_of_a_view():
    image = noise(RNG, (12, 12, 1))
    clips = tf.repeat(tf.constant(image)[None, None], 40, axis=1)
    views = made(views_of(16, 4), clips)[0].numpy()
    np.testing.assert_allclose(views, np.repeat(views[:, :, :1], 16, axis=2), atol=1e-5)


def test_shared_draws_are_equal_within_a_set_and_differ_between():
    image = noise(RNG, (12, 12, 1))
    frames = still_changes(views_of(16, 4, share_spatial=True), image)
    np.testing.assert_allclose(frames[:4], np.repeat(frames[:1], 4, axis=0), atol=1e-6)
    np.testing.assert_allclose(frames[4:], np.repeat(frames[4:5], 4, axis=0), atol=1e-6)
    assert np.abs(frames[0] - frames[4]).mean() > 0.02
    own = still_changes(views_of(16, 4), image)
    assert np.abs(own[1:4] - own[0]).mean(axis=(1, 2, 3)).min() > 0.02


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_a_set_changed_as_a_whole_is_its_views_changed_alone(dtype):
    clips = tf.constant((noise(RNG) / (255 if dtype == np.float32 else 1)).astype(dtype))
    # Not brighter: what is cut at white before frames are mixed differs from what is cut afterwards.
    shared = views_of(16, 3, brightness=(0.7, 1.0), saturation=(0.5, 1.0), blur_probability=0.5, share_spatial=True)
    draws = shared.draw(2, 40, SEED)
    assert 0 < np.mean(draws["appearance"]["sigmas"] > 0) < 1
    repeated = {name: tf.repeat(draw, 3, axis=1) for name, draw in draws["appearance"].items()}
    each = dataclasses.replace(shared, appearance=dataclasses.replace(shared.appearance, share_spatial=False))
    expected = each.apply(clips, {**draws, "appearance": repeated})["views"]
    np.testing.assert_allclose(
        shared.apply(clips, draws)["views"], expected, atol=2 * 40e-6
    )  # Borders are read a millionth of 40 frames away.


def test_a_share_of_the_views_is_mirrored_and_the_others_are_not():
    image = noise(RNG, (8, 8, 1))
    frames = still_changes(views_of(8, 200, **{**PLAIN, "flip_probability": 0.3}), image)
    mirrored = np.isclose(frames, image[:, ::-1] / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    straight = np.isclose(frames, image / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    assert np.all(mirrored ^ straight)
    assert mirrored.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / 400))


def test_brightness_is_one_factor_a_view_and_white_is_cut():
    image = np.full((4, 4, 1), 128, np.uint8)
    frames = still_changes(views_of(8, 400, **{**PLAIN, "brightness": (0.7, 1.3)}), image)
    factors = frames * 255 / 128
    np.testing.assert_allclose(factors, np.broadcast_to(factors[:, :1, :1], factors.shape), rtol=1e-5)
    assert 0.7 <= factors.min() < 0.71
    assert 1.29 < factors.max() <= 1.3 + 1e-5
    assert factors.mean() == pytest.approx(1.0, abs=5 * 0.6 / np.sqrt(12 * 800))
    bright = still_changes(views_of(8, 50, **{**PLAIN, "brightness": (1.2, 1.3)}), np.full((4, 4, 1), 250, np.uint8))
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


def test_blur_reaches_28_pixels_in_the_promised_share_of_views():
    image = noise(RNG, (28, 28, 1))
    views = views_of(8, 100, **{**PLAIN, "blur_probability": 0.23}, blur_sigma=(1.5, 1.5))
    frames = still_changes(views, image)
    sharp = np.isclose(frames, image / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    blurred = np.isclose(frames, blurred_by_scipy(image / 255, 1.5), atol=TOLERANCE).all(axis=(1, 2, 3))
    assert np.all(sharp ^ blurred)
    assert blurred.mean() == pytest.approx(0.23, abs=5 * np.sqrt(0.23 * 0.77 / 200))


@pytest.mark.slow
def test_blurred_views_are_drawn_anew_for_every_clip_and_seed():
    clips = tf.repeat(tf.constant(noise(RNG, (1, 1, 12, 12, 1))), 40, axis=1)
    views = views_of(8, 4, **{**PLAIN, "blur_probability": 0.25}, blur_sigma=(1.5, 1.5))
    counts = np.zeros(8)
    for k in range(100):
        frames = made(views, clips, tf.constant([k, 0]))[0].numpy()[0, :, 0, ..., 0]
        blurred = np.abs(frames - clips.numpy()[0, 0, ..., 0] / 255).max(axis=(1, 2)) > 0.05
        counts += blurred
    assert np.abs(counts - 25).max() < 5 * np.sqrt(100 * 0.25 * 0.75)


def test_shared_blur_falls_on_whole_sets_with_its_probability():
    image = noise(RNG, (12, 12, 1))
    views = views_of(8, 2, **{**PLAIN, "share_spatial": True, "blur_probability": 0.3}, blur_sigma=(1.5, 1.5))
    clips = tf.repeat(tf.constant(image)[None, None], 200, axis=0)
    frames = made(views, tf.repeat(clips, 40, axis=1))[0].numpy()[:, :, 0]
    blurred = np.abs(frames - image / 255).max(axis=(2, 3, 4)) > 0.05
    np.testing.assert_array_equal(blurred[:, [0, 2]], blurred[:, [1, 3]])
    assert blurred.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.3 * 0.7 / 400))


def test_gray_takes_color_from_a_share_of_color_views_alone():
    image = noise(RNG, (6, 6, 3))
    frames = still_changes(views_of(8, 200, gray_probability=0.2, **PLAIN), image)
    gray = np.ptp(frames, axis=-1).max(axis=(1, 2)) < 1e-6
    assert gray.mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 400))
    np.testing.assert_allclose(frames[gray][0][..., 0], image / 255 @ [0.299, 0.587, 0.114], atol=TOLERANCE)
    two = noise(RNG, (6, 6, 2))
    np.testing.assert_allclose(
        still_changes(views_of(8, 3, gray_probability=1.0, **PLAIN), two), np.stack([two / 255] * 6), atol=TOLERANCE
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hue", "saturation", "contrast", "brightness"])
def test_a_view_is_cropped_mirrored_blurred_colored_cut_in_order(name):
    image = noise(RNG, (14, 12, 3))
    change = {"hue": 0.3, "saturation": (1.5, 3.0), "contrast": (1.5, 3.0), "brightness": (1.2, 1.4)}[name]
    views = views_of(8, 10, **{"brightness": (1.0, 1.0), "blur_probability": 0.7, name: change})
    clips = tf.repeat(tf.constant(image)[None, None], 40, axis=1)
    draws = views.draw(1, 40, SEED)
    frames = views.apply(clips, draws)["views"][0, :, 0].numpy()
    draws = {key: draw[0].numpy() for key, draw in draws["appearance"].items()}
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


def test_every_change_is_drawn_by_itself_over_its_whole_range():
    ranges = {"brightness": (0.6, 1.4), "contrast": (0.5, 1.5), "saturation": (0.4, 1.6), "blur_sigma": (0.1, 2.0)}
    chances = {"blur_probability": 0.5, "gray_probability": 0.5, "solarize_probability": (0.5, 0.5)}
    draws = Appearance(hue=0.1, **ranges, **chances).draw(2000, 4, SEED)
    draws = {name: np.reshape(draw, [8000, -1]) for name, draw in draws.items()}
    colorful, blurred = draws["saturation"] > 0, draws["sigmas"] > 0
    values = {
        "brightness": draws["brightness"],
        "contrast": draws["contrast"],
        "saturation": np.where(colorful, draws["saturation"], np.nan),
        "blur_sigma": np.where(blurred, draws["sigmas"], np.nan),
        "hue": draws["hue"],
    }
    for name, (low, high) in {**ranges, "hue": (-0.1, 0.1)}.items():
        found = values[name][np.isfinite(values[name])]
        assert low <= found.min() < found.max() <= high
        deviation = (high - low) / np.sqrt(12)
        assert found.mean() == pytest.approx((low + high) / 2, abs=5 * deviation / np.sqrt(len(found)))
        assert found.std() == pytest.approx(deviation, rel=0.05)
    columns = [*values.values(), colorful, blurred, draws["flips"], draws["solarized"]]
    columns = np.concatenate(columns, axis=1).astype(np.float64)
    for k, j in itertools.combinations(range(columns.shape[1]), 2):
        pair = columns[np.isfinite(columns[:, k] + columns[:, j])][:, [k, j]]
        if min(pair.std(axis=0)) > 0:  # A value that is there only with its own chance says nothing of it.
            assert abs(np.corrcoef(pair.T)[0, 1]) < 5 / np.sqrt(len(pair))


def test_color_jitter_changes_its_share_of_views_as_a_whole():
    image = noise(RNG, (6, 6, 3))
    jitter = {"brightness": (0.6, 0.8), "contrast": (0.4, 0.6), "saturation": (0.2, 0.4), "hue": 0.2}
    frames = still_changes(views_of(8, 200, jitter_probability=0.8, **{**PLAIN, **jitter}), image)
    untouched = np.isclose(frames, image / 255, atol=TOLERANCE).all(axis=(1, 2, 3))
    assert untouched.mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / 400))
    darker = frames[~untouched].mean(axis=(1, 2, 3)) / (image / 255).mean()
    assert darker.min() > 0.55
    assert darker.max() < 0.85
    assert np.all(frames[~untouched].std(axis=(1, 2)) < 0.6 * (image / 255).std(axis=(0, 1)))


def test_solarizing_inverts_bright_pixels_in_its_share_of_a_set():
    image = noise(RNG, (6, 6, 1))
    frames = still_changes(views_of(8, 200, solarize_probability=(0.0, 0.3), **PLAIN), image)
    inverted = np.isclose(frames, np.where(image > 127.5, 255.0 - image, image) / 255, atol=2 * TOLERANCE)
    inverted = inverted.all(axis=(1, 2, 3))
    assert not inverted[:200].any()
    assert inverted[200:].mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 200))


def test_a_pair_of_chances_blurs_each_set_by_its_own():
    image = noise(RNG, (12, 12, 1))
    views = views_of(8, 200, **{**PLAIN, "blur_probability": (1.0, 0.1)}, blur_sigma=(1.5, 1.5))
    blurred = np.abs(still_changes(views, image) - image / 255).max(axis=(1, 2, 3)) > 0.05
    assert blurred[:200].all()
    assert blurred[200:].mean() == pytest.approx(0.1, abs=5 * np.sqrt(0.09 / 200))


@pytest.mark.parametrize("shape", [(1, 40, 12, 4, 3), (1, 40, 7, 12, 1)], ids=["H = W C", "wide"])
def test_frames_of_any_proportion_are_changed(shape):
    image = np.full(shape[2:], 100, np.uint8)
    frames = still_changes(views_of(8, 4, **{**PLAIN, "crop_area": (0.5, 0.6)}), image)
    np.testing.assert_allclose(frames, 100 / 255, atol=1e-5)


def test_a_view_shows_one_of_its_regions_stretched_to_the_frame():
    rows, columns = np.mgrid[:9, :13]
    image = np.stack([10 * rows, 10 * columns], axis=-1).astype(np.uint8)
    clips = tf.constant(np.broadcast_to(image, (30, 20, 9, 13, 2)))
    boxes = ((0.0, 0.0, 1.0, 1.0), (0.5, 0.25, 1.0, 0.75), (0.0, 0.0, 0.5, 1.0))
    batch = Views(8, SameSpeed(), dataclasses.replace(UNCHANGED, regions=boxes))(clips, SEED)
    for b, v in np.ndindex(30, 2):
        view, (top, left, bottom, right) = 255 * batch["views"][b, v].numpy(), boxes[batch["regions"][b, v]]
        np.testing.assert_allclose(view[0, :, 0, 0], np.linspace(80 * top, 80 * bottom, 9), atol=0.01)
        np.testing.assert_allclose(view[0, 0, :, 1], np.linspace(120 * left, 120 * right, 13), atol=0.01)
    shares = np.bincount(np.ravel(dataclasses.replace(UNCHANGED, regions=boxes).draw(3000, 2, SEED)["regions"])) / 6000
    np.testing.assert_allclose(shares, 1 / 3, atol=5 * np.sqrt(2 / 9 / 6000))


def test_of_one_view_the_first_of_a_pair_of_chances_holds():
    draws = Appearance(blur_probability=(1.0, 0.0), solarize_probability=(0.0, 1.0)).draw(50, 1, SEED)
    assert np.all(draws["sigmas"] > 0)
    assert not np.any(draws["solarized"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"crop_area": (0.5, 1.2)}, "`crop_area` must be at least 0 and at most 1. Received: 1.2"),
        ({"crop_aspect": (1.5, 0.5)}, r"`crop_aspect` must be \(low, high\).*Received: \(1.5, 0.5\)"),
        ({"brightness": (-1.0, 1.0)}, "`brightness`"),
        ({"contrast": (2.0, 1.0)}, "`contrast`"),
        ({"contrast": (1.0, np.inf)}, "`contrast` .*both finite"),
        ({"saturation": (0.0, 1.0)}, "`saturation`"),
        ({"saturation": (0.5, np.nan)}, "`saturation`"),
        ({"blur_sigma": (2.0, 1.0)}, "`blur_sigma`"),
        ({"blur_sigma": (0.1, 0.2, 0.3)}, "`blur_sigma`"),
        ({"hue": 0.6}, "`hue` must be at least 0 and at most 0.5. Received: 0.6"),
        ({"flip_probability": np.nan}, "`flip_probability` must be at least 0 and at most 1. Received: nan"),
        ({"jitter_probability": 1.1}, "`jitter_probability`"),
        ({"gray_probability": -0.1}, "`gray_probability`"),
        ({"blur_probability": (0.5, 1.5)}, "`blur_probability` .* Received: 1.5"),
        ({"blur_probability": (0.1, 0.2, 0.3)}, r"`blur_probability` must be one chance or a pair .*\(0.1, 0.2, 0.3\)"),
        ({"solarize_probability": (0.1,)}, r"`solarize_probability` must be one chance or a pair .*\(0.1,\)"),
        ({"flip_probability": (0.1, 0.2)}, r"`flip_probability` must be one chance\. Received: \(0.1, 0.2\)"),
        ({"solarize_probability": 2.0}, "`solarize_probability`"),
        ({"crop_area": (1.0, 1.0), "regions": ((0.5, 0.0, 0.5, 1.0),)}, "`regions` must be boxes"),
        ({"regions": ((0.0, 0.0, 1.0, 1.0),)}, r"in place of random crops, so `crop_area` .* Received: \(0.5, 1.0\)"),
    ],
)
def test_attributes_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Appearance(**arguments)
