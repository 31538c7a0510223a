"""Learning from a recording itself."""

import numpy as np

from simper_tf.reading import adapted


def test_what_changes_is_seen_at_any_contrast_and_background():
    random = np.random.default_rng(0)
    frames = random.uniform(50, 200, (20, 40, 60, 3)).astype(np.float32)
    faint = 120 + 0.01 * frames + random.uniform(0, 50, frames.shape[1:]).astype(np.float32)
    seen = adapted.contrast(frames)
    assert (seen.shape, seen.dtype) == ((20, 16, 24, 3), np.float32)
    np.testing.assert_allclose(seen.mean(), 0.5, atol=1e-3)
    np.testing.assert_allclose(seen.std(), 1 / 8, atol=1e-3)
    np.testing.assert_allclose(adapted.contrast(faint), seen, atol=2e-3)
    np.testing.assert_array_equal(adapted.contrast(np.full((20, 40, 60, 3), 7, np.uint8)), 0.5)
