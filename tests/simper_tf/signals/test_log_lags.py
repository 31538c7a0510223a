import numpy as np
import pytest

from simper_tf.signals import log_lags


def test_periods_rise_by_a_twelfth_of_an_octave():
    periods = log_lags.periods_of(64)
    assert periods[0] == 4.0
    assert periods[12] == pytest.approx(8.0)
    assert periods[-1] <= 0.4 * 64 < periods[-1] * 2 ** (1 / 12)


def test_clips_too_short_to_repeat_are_refused():
    with pytest.raises(ValueError, match="10 frames are too short to repeat: they need more than 10"):
        log_lags.periods_of(10)


def test_lags_point_at_frames_after_and_before():
    places = np.arange(20.0)
    between = places[:, None] * np.ones(20)  # Entry (t, s) of what is looked up holds s.
    after, before = log_lags.lag_indices(20)
    for sign, (near, far, share, known) in ((1, after), (-1, before)):
        seen = [(1 - share) * between.T.ravel()[near] + share * between.T.ravel()[far]]
        expected = places[:, None] + sign * log_lags.lags_of(20)
        np.testing.assert_allclose(seen[0][known], expected[known], atol=1e-9)
        inside = (expected >= 0) & (expected <= 19)
        assert not known[~inside].any()
