"""Films that are learned from and tested on."""

import numpy as np

from benchmarks import alike


def test_copies_of_a_film_are_found_and_others_are_not():
    one, other, third = (np.random.default_rng(seed).integers(0, 256, (20, 32, 32)) for seed in range(3))
    learned = [("one", one), ("other", other)]
    tested = [("copy", one // 2 + 40), ("third", third)]
    ((likeness, *names),) = alike.pairs(learned, tested)
    assert likeness > 0.99
    assert names == ["one", "copy"]
