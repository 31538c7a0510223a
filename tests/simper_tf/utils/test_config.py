import math

import pytest

from simper_tf.utils import config


@pytest.mark.parametrize("value", [(0.5, 1.0), (1e-3, 1e-3), (1, 1e9)])
def test_ranges_of_positive_numbers_pass(value):
    config.check_range("band", value)


@pytest.mark.parametrize("value", [(0, 1), (-1, 1), (2, 1), (1, math.inf), (1, math.nan), (1,), (1, 2, 3)])
def test_what_is_no_range_is_refused_by_name(value):
    with pytest.raises(ValueError, match=r"^`band` must be \(low, high\) with 0 < low <= high, both finite. Received"):
        config.check_range("band", value)
