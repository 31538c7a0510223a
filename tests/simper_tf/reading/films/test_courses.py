"""Principal components of hard matrices."""

import numpy as np
import pytest

from simper_tf.reading.films import courses


def nearly_one(seed):
    """A symmetric matrix of one large eigenvalue, ten that differ by 1e-7 of themselves, and none."""
    rng = np.random.default_rng(seed)
    rng.normal(size=(12, 12)), rng.normal(size=11), rng.normal(size=300), rng.normal(size=(300, 10))
    powers = np.r_[17.66, np.full(10, 1.8e-7) * (1 + 1e-7 * rng.normal(size=10)), 0]
    modes = np.linalg.qr(np.eye(12) + 1e-5 * rng.normal(size=(12, 12)))[0]
    matrix = ((modes * powers) @ modes.T).astype(np.float32)
    return (matrix + matrix.T) / 2


# LAPACK's solver for some eigenvalues gives up on these in float32.
@pytest.mark.parametrize("seed", [95, 251, 337, 477])
def test_eigenvalues_that_are_nearly_one_are_found(seed):
    matrix = nearly_one(seed)
    powers, modes = courses._strongest(matrix, 4)
    assert powers[0] == pytest.approx(17.66, rel=1e-4)
    np.testing.assert_allclose(modes.T @ modes, np.eye(4), atol=1e-5)
    np.testing.assert_allclose(matrix @ modes, powers * modes, atol=1e-5)


@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e15])
def test_extreme_series_have_finite_components(scale):
    series = scale * np.random.default_rng(0).normal(size=(40, 12)).astype(np.float32)
    assert np.isfinite(courses.components(series, 4)).all()
    assert np.isfinite(courses.components(series[:6], 4)).all()
