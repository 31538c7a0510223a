import numpy as np

from simper_tf.utils import units


def test_a_range_becomes_zero_to_one_and_what_lies_beyond_is_cut():
    values = np.float32([-60.0, 5.0, 70.0, -100.0, 100.0])
    np.testing.assert_allclose(units.rescale(values, (-60.0, 70.0)), [0.0, 0.5, 1.0, 0.0, 1.0])
    assert units.rescale(values.astype(np.float64), (-60.0, 70.0)).dtype == np.float32


def test_what_is_not_a_number_stays_so_and_can_be_refused_later():
    assert np.isnan(units.rescale(np.float32([np.nan]), (0.0, 1.0))).all()
