import numpy as np
import pytest

from simper_tf import units


@pytest.mark.parametrize(("unit", "expected"), [("Hz", 1.5), ("bpm", 90.0), ("count", 12.0)])
def test_one_and_a_half_hertz_for_eight_seconds_are_ninety_beats_a_minute_and_twelve_repetitions(unit, expected):
    assert 1.5 * units.per_hertz(unit, 8.0) == expected
    assert units.is_frequency(unit)


def test_each_clip_may_have_its_own_duration():
    np.testing.assert_array_equal(2.0 * units.per_hertz("count", np.array([6.0, 10.0])), [12.0, 20.0])


@pytest.mark.parametrize("unit", ["°C", "hz", "", None])
def test_another_unit_is_no_frequency_and_refused_with_the_known_ones(unit):
    assert not units.is_frequency(unit)
    with pytest.raises(ValueError, match=r"one of \['Hz', 'bpm', 'count'\].*Received"):
        units.per_hertz(unit, 1.0)


def test_a_range_becomes_zero_to_one_and_what_lies_beyond_is_cut():
    values = np.float32([-60.0, 5.0, 70.0, -100.0, 100.0])
    np.testing.assert_allclose(units.rescale(values, (-60.0, 70.0)), [0.0, 0.5, 1.0, 0.0, 1.0])
    assert units.rescale(values.astype(np.float64), (-60.0, 70.0)).dtype == np.float32


def test_what_is_not_a_number_stays_so_and_can_be_refused_later():
    assert np.isnan(units.rescale(np.float32([np.nan]), (0.0, 1.0))).all()
