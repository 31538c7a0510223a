"""Counters drawn into films, and things as small that repeat."""

import pytest

from benchmarks import counters


@pytest.mark.slow
@pytest.mark.parametrize(("beside", "seed"), [("nothing", 0)])
def test_a_counter_is_told_without_its_rule_alone(beside, seed):
    assert counters.outcomes(counters.Film("counter", beside, seed)) == [counters.RIGHT, counters.WRONG]


@pytest.mark.slow
@pytest.mark.parametrize("kind", counters.REPEATING)
def test_what_is_as_small_and_repeats_stays_read(kind):
    assert counters.outcomes(counters.Film(kind, "nothing", 0))[0] == counters.RIGHT
