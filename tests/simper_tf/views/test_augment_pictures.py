"""Where views are cut out of the frame, and how they are stretched, blurred and colored; times: `test_augment.py`."""

import numpy as np
import pytest
import scipy.ndimage
import tensorflow as tf

from simper_tf.views import augment

RNG = np.random.default_rng(3)
SEED = tf.constant([4, 2])


def test_boxes_lie_in_the_frame_with_areas_and_aspects_in_range():
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


def test_boxes_lie_anywhere_across_and_independently_down():
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


def test_the_whole_line_is_the_identity_and_backwards_its_mirror():
    np.testing.assert_allclose(matrix(augment.resize_matrix, 7, 0.0, 1.0), np.eye(7), atol=1e-6)
    np.testing.assert_allclose(matrix(augment.resize_matrix, 7, 1.0, 0.0), np.eye(7)[::-1], atol=1e-6)
    forwards = matrix(augment.resize_matrix, 7, 0.1, 0.8)
    np.testing.assert_allclose(matrix(augment.resize_matrix, 7, 0.8, 0.1), forwards[::-1], atol=1e-6)


@pytest.mark.parametrize(("start", "stop"), [(0.1, 0.83), (0.3, 0.91), (0.71, 0.2), (0.05, 0.95)])
def test_resize_matrix_equals_crop_and_resize(start, stop):
    line = RNG.normal(size=13).astype(np.float32)
    resized = tf.image.crop_and_resize(line[None, :, None, None], [[start, 0.0, stop, 1.0]], [0], [13, 1])[0, :, 0, 0]
    np.testing.assert_allclose(matrix(augment.resize_matrix, 13, start, stop) @ line, resized, atol=1e-5)


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


def color_matrix(brightness=1.0, saturation=1.0, hue=0.0, channels=3):
    return augment.color_matrix(channels, *(tf.constant([value]) for value in (brightness, saturation, hue)))[0].numpy()


def test_no_saturation_is_gray_that_weighs_green_most():
    expected = np.tile([0.299, 0.587, 0.114], (3, 1))
    np.testing.assert_allclose(color_matrix(saturation=0.0), expected, atol=1e-6)


def test_saturation_mixes_with_gray_and_brightness_multiplies():
    gray, half = color_matrix(saturation=0.0), color_matrix(brightness=3.0, saturation=0.5)
    np.testing.assert_allclose(half, 3 * (0.5 * np.eye(3) + 0.5 * gray), atol=1e-5)
    np.testing.assert_allclose(color_matrix(brightness=0.7, channels=2), 0.7 * np.eye(2), atol=1e-6)


def test_hue_turns_add_up_and_leave_gray_and_luminance_alone():
    turned = color_matrix(hue=0.1)
    np.testing.assert_allclose(turned @ turned, color_matrix(hue=0.2), atol=1e-5)
    np.testing.assert_allclose(color_matrix(hue=1.0), np.eye(3), atol=1e-5)
    np.testing.assert_allclose(turned @ [0.4, 0.4, 0.4], 0.4, atol=1e-5)
    red, weights = np.array([1.0, 0, 0]), [0.299, 0.587, 0.114]
    assert weights @ turned @ red == pytest.approx(weights @ red, abs=1e-5)
    assert np.abs(turned @ red - red).max() > 0.2


def test_hue_turns_red_a_quarter_and_leaves_gray_alone():
    # Red is Y 0.299, I 0.596, Q 0.211; turned, I -0.211 and Q 0.596. Back by the published inverse, of three digits.
    expected = [
        0.299 - 0.956 * 0.211 + 0.621 * 0.596,
        0.299 + 0.272 * 0.211 - 0.647 * 0.596,
        0.299 + 1.106 * 0.211 + 1.703 * 0.596,
    ]
    np.testing.assert_allclose(color_matrix(hue=0.25) @ [1.0, 0, 0], expected, atol=0.01)
    np.testing.assert_allclose(color_matrix(saturation=0.0, hue=0.2), color_matrix(saturation=0.0), atol=1e-6)


def test_contrast_scales_around_the_mean_of_view_and_channel():
    views = RNG.uniform(size=(2, 3, 4, 5, 3)).astype(np.float32)
    changed = augment.change_contrast(views, tf.constant([0.5, 2.0])).numpy()
    means = views.mean(axis=(1, 2, 3), keepdims=True)
    np.testing.assert_allclose(changed - means, (views - means) * np.reshape([0.5, 2.0], (2, 1, 1, 1, 1)), atol=1e-6)


def test_each_set_of_views_shows_the_half_that_the_other_hides():
    views = tf.constant(RNG.uniform(size=(3, 4, 2, 6, 8, 1)), tf.float32)
    split = augment.split_pixels(views, tf.constant([0.0, 0.3, 0.9])).numpy()
    shown = np.isclose(split, views, atol=1e-6).all(axis=2)[..., 0]  # (3, 4, 6, 8), alike in all frames.
    assert (shown.sum(axis=(2, 3)) == 24).all()
    np.testing.assert_array_equal(shown[:, :2], np.repeat(shown[:, :1], 2, axis=1))
    np.testing.assert_array_equal(shown[:, 2:], ~shown[:, :2])
    assert (shown[0] != shown[1]).any()
    hidden = split[0, 0, 0][~shown[0, 0]]
    np.testing.assert_allclose(hidden, views.numpy()[0, 0, 0][shown[0, 0]].mean(), rtol=1e-5)
