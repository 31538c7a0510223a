import numpy as np
import pytest

from simper_tf.encoders import linear

RNG = np.random.default_rng(3)


def test_a_feature_is_a_weighted_sum_of_all_pixels():
    encoder, clips = linear((3, 4, 2), outputs=5), RNG.uniform(size=(2, 6, 3, 4, 2)).astype(np.float32)
    (weights,) = encoder.get_weights()
    expected = np.einsum("btp,pd->btd", clips.reshape(2, 6, 24), weights)
    np.testing.assert_allclose(encoder(clips), expected, atol=1e-5)


def test_one_output_has_no_axis_of_series():
    assert linear((3, 4, 1), outputs=1)(np.zeros((2, 6, 3, 4, 1), np.float32)).shape == (2, 6)


def test_light_that_changes_is_not_seen_at_equal_contrast():
    encoder, clips = linear((8, 8, 1), equal_contrast=True), RNG.uniform(0.2, 0.6, (1, 9, 8, 8, 1)).astype(np.float32)
    light, strength = RNG.uniform(0, 0.2, (1, 9, 1, 1, 1)), RNG.uniform(0.9, 1.1, (1, 9, 1, 1, 1))
    np.testing.assert_allclose(encoder(clips), encoder(np.float32(clips * strength + light)), atol=0.05)
    plain = linear((8, 8, 1))
    assert np.abs(plain(clips) - plain(np.float32(clips * strength + light))).max() > 0.1


def test_frames_of_any_size_are_refused():
    with pytest.raises(ValueError, match=r"frame_shape.*None"):
        linear((None, None, 1))
