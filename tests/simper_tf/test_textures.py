"""What generated frames are made of, against values by hand and against SciPy."""

import numpy as np
import pytest
import scipy.fft
import tensorflow as tf

from simper_tf import textures


def test_blocks_are_rounded_as_a_transform_of_another_library_has_it():
    frames = np.random.default_rng(0).uniform(0, 255, (2, 16, 8, 3)).astype(np.float32)
    found = textures.compressed(tf.constant(frames), 16.0).numpy()
    steps = 16.0 * (1 + 7 * np.add.outer(np.arange(8), np.arange(8)) / 14)
    block = scipy.fft.dctn(frames[1, 8:16, :, 2], norm="ortho")
    expected = scipy.fft.idctn(steps * np.round(block / steps), norm="ortho")
    assert found[1, 8:16, :, 2] == pytest.approx(expected, abs=1e-2)


def test_fine_steps_change_nothing_and_odd_sizes_keep_their_shape():
    frames = np.random.default_rng(1).uniform(0, 255, (1, 11, 13, 3)).astype(np.float32)
    found = textures.compressed(tf.constant(frames), 0.01).numpy()
    assert found == pytest.approx(frames, abs=0.2)


def test_a_picture_is_shifted_turned_and_enlarged_as_told():
    picture = np.zeros((9, 9, 1), np.float32)
    picture[4, 6] = 1
    still = np.zeros((4, 2), np.float32)
    shifts = still + np.float32([[1, 2], [0, 0], [0, 0], [0, 0]])
    angles, scales = np.float32([0, np.pi / 2, 0, 0]), np.float32([1, 1, 2, 1])
    found = textures.moved(tf.constant(picture), angles, scales, tf.constant([4.0, 4.0]), shifts).numpy()[..., 0]
    places = [np.unravel_index(frame.argmax(), frame.shape) for frame in found]
    assert places == [(6, 7), (6, 4), (4, 8), (4, 6)]
    assert np.array_equal(found[3], picture[..., 0])


def test_what_wanders_keeps_its_deviation_and_forgets_as_told():
    series = textures.wandering([3, 4], 200, 400, 0.1, 0.5).numpy()
    assert series.std(axis=1) == pytest.approx(np.ones(200), abs=0.15)
    assert np.mean(series[5:] * series[:-5]) == pytest.approx(np.exp(-1), abs=0.05)


def test_textures_have_levels_and_detail():
    for seed in range(5):
        picture = textures.textured([seed, 0], 24, 32).numpy()
        assert picture.shape == (24, 32, 3)
        assert picture.std() > 15
        assert 40 < picture.mean() < 200


def test_a_bar_is_where_it_is_put():
    bar = textures.bars(tf.constant([0.0, 4.0]), 0.0, 2.0, 6, 16).numpy()[..., 0]
    assert bar[0, 3, 5:12].tolist() == [0, 0.5, 1, 1, 1, 0.5, 0]
    assert bar[1, 0, 12] == 1
    assert bar[1, 0, 5] == 0
