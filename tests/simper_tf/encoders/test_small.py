"""The small CNN: what its two ways over space can tell."""

import numpy as np
import pytest

from simper_tf.encoders import small


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
