"""Sets of repetitions, drawn as films and made as series."""

import numpy as np
import pytest

from benchmarks import sets


@pytest.mark.parametrize("kind", sets.KINDS)
def test_sets_of_a_series_are_counted_to_the_last_one(kind):
    assert sets.outcome(sets.read(sets.Set(kind, 1), "series"), sets.Set(kind, 1).count) == sets.EXACT


@pytest.mark.parametrize("kind", [sets.EVEN, sets.RESTING])
def test_sets_of_a_film_are_counted_to_the_last_one(kind):
    assert sets.outcome(sets.read(sets.Set(kind, 3), "film"), sets.Set(kind, 3).count) == sets.EXACT


def test_a_made_set_goes_out_as_often_as_it_says():
    for kind in sets.KINDS:
        made = sets.Set(kind, 0)
        out = made.values > 0.7
        assert np.count_nonzero(out[1:] & ~out[:-1]) == made.count
        assert made.values[0] == 0
