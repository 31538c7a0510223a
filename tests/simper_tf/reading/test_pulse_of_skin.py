"""Beats of a pulse on small made series."""

import numpy as np
import pytest

from simper_tf.reading import skin

RATE, HERTZ = 20.0, 1.25


def test_beats_are_told_from_the_first_even_one_to_the_last():
    times = np.arange(0, 16, 1 / RATE)
    beating = (times > 4) & (times < 12)
    series = np.where(beating, np.sin(2 * np.pi * HERTZ * times), 1e-3 * np.sin(2 * np.pi * 0.9 * times))
    marks = skin.beats(series, RATE, HERTZ) / RATE
    assert marks[0] > 3
    assert marks[-1] < 13
    assert np.diff(marks).mean() == pytest.approx(1 / HERTZ, abs=0.02)


def test_uneven_beats_alone_are_none():
    times = np.arange(0, 10, 1 / RATE)
    assert len(skin.beats(np.sin(2 * np.pi * 0.8 * times), RATE, 1.25)) == 0
