"""Series are read in stretches: at the right rate, on the channel that beats, and not where nothing does."""

import numpy as np
import pytest

from simper_tf.reading import series

RNG = np.random.default_rng(3)


def pulse(times, hertz):
    return np.cos(2 * np.pi * hertz * times) + 0.6 * np.sin(4 * np.pi * hertz * times)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_course_is_of_the_channel_on_which_beats_are(place):
    times = np.arange(0, 20, 0.02)
    values = RNG.normal(size=(len(times), 3))
    values[:, place] = 5 * pulse(times, 1.2)
    answer = series.read(times, values, band=(0.6, 3.5)).answers[0]
    shown = np.interp(answer.times, times, values[:, place])
    assert abs(np.corrcoef(shown, answer.course)[0, 1]) > 0.9
