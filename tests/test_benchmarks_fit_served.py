"""The confidence of the network as it is served: its table, its two numbers, and how films are told by it."""

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import films, fit_served, real, startup
from simper_tf.methods import rhythm_scales
from simper_tf.signals import samples


def clip(film, hertz, outcome, chance, group="A"):
    return {"film": film, "group": group, "source": "one", "hertz": hertz, "outcome": outcome, "chance": chance}


def test_the_numbers_of_the_module_are_what_the_table_gives():
    assert fit_served.fitted(fit_served.table()) == (rhythm_scales.EVEN, rhythm_scales.STEEP)


def test_half_are_right_at_even_and_more_above():
    confidence = rhythm_scales.confidence(tf.constant([0.0, 0.1, rhythm_scales.EVEN, 0.5, 1.0])).numpy()
    assert confidence[2] == pytest.approx(samples.SURE)
    assert confidence[0] < 1e-6
    assert np.all(np.diff(confidence) > 0)


def test_a_film_is_told_by_its_sure_clips_and_silent_without():
    rows = [
        clip("a", 1.0, real.RIGHT, 0.9), clip("a", 2.0, films.OCTAVE, 0.3),
        clip("b", 3.0, real.WRONG, 0.1), clip("c", 1.0, real.ANSWERED, 0.9), clip("d", 1.0, real.ANSWERED, 0.0),
    ]  # fmt: skip
    assert fit_served.outcomes(rows) == {real.RIGHT: 1, real.SILENT: 1, real.ANSWERED: 1, real.REFUSED: 1}


def test_what_is_fitted_and_what_tests_it_share_no_group():
    named = [group for groups in fit_served.PARTS.values() for group in groups]
    assert len(named) == len(set(named))
    assert {row["group"] for row in fit_served.table()} == set(named)


@pytest.mark.slow
def test_a_clip_of_a_drawn_film_is_read_at_its_tempo(tmp_path):
    startup.film(tmp_path / "disc.mp4", seconds=8)  # A disc that swings at 0.8 Hz.
    (row,) = fit_served.rows_of(films.Film("A", "disc", "drawn", tmp_path / "disc.mp4", (0.8,)))
    assert (row["outcome"], float(row["hertz"])) == (real.RIGHT, pytest.approx(0.8, rel=0.02))
    assert float(row["chance"]) > rhythm_scales.EVEN
