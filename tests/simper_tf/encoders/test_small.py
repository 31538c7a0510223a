"""The small CNN: what its two ways over space can tell."""

import numpy as np
import pytest

from simper_tf.encoders import small
from simper_tf.encoders.small import EqualContrast


def bars():
    """Returns two clips of an upright bar, 16 pixels apart: two steps of the convolutions."""
    clips = np.zeros((2, 9, 48, 48, 1), np.float32)
    clips[0, :, 16:32, 14:18] = 1
    clips[1, :, 16:32, 30:34] = 1
    return clips


def test_the_mean_over_space_cannot_tell_where_a_bar_is():
    left, right = small((48, 48, 1))(bars()).numpy()
    np.testing.assert_allclose(left, right, atol=1e-6)


def test_a_kept_place_tells_where_a_bar_is():
    left, right = small((48, 48, 1), keep_place=True)(bars()).numpy()
    assert np.abs(left - right).max() > 1e-3


def test_a_kept_place_needs_frames_of_one_size():
    with pytest.raises(ValueError, match=r"`keep_place` needs frames of one size. Received: .*\(None, None, 1\)"):
        small((None, None, 1), keep_place=True)


def test_at_equal_contrast_changing_light_is_not_seen():
    clips = np.random.default_rng(0).uniform(0.2, 0.5, (2, 9, 28, 28, 1)).astype(np.float32)
    gains = np.linspace(0.5, 2.0, 9, dtype=np.float32).reshape(1, -1, 1, 1, 1)
    for is_equal, bounds in ((True, (0.0, 0.05)), (False, (0.2, np.inf))):
        still, changing = map(small((28, 28, 1), equal_contrast=is_equal), (clips, gains * clips - 0.1))
        assert bounds[0] <= np.abs(changing - still).max() / np.abs(still).max() <= bounds[1]


def test_at_equal_contrast_a_frame_of_one_color_is_nothing():
    layer = EqualContrast()
    assert not layer(np.full((1, 8, 4, 4, 3), 0.7, np.float32)).numpy().any()
    halves = np.tile(np.float32([0.2, 0.6]), (1, 8, 4, 2))[..., None]
    np.testing.assert_allclose(layer(halves)[0, 0, 0, :, 0], [-1, 1, -1, 1], rtol=2e-3)
