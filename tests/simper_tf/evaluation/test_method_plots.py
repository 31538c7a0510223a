"""Figures of the method: what their axes show."""

import numpy as np
import pytest

from simper_tf.evaluation import method_plots


def test_spectra_are_blind_to_shifts_and_frames_are_not():
    shifted, faster, labels = method_plots.similarities().axes
    correlation, spectra, frames = (line.get_ydata() for line in shifted.lines)
    np.testing.assert_allclose(spectra, 1, atol=1e-3)
    assert frames.min() < -0.99
    assert correlation.min() > 0.9
    # All three are highest at the speed itself, and labels at the view's own.
    for line in faster.lines:
        assert line.get_xdata()[np.argmax(line.get_ydata())] == pytest.approx(1, abs=0.01)
    for line, speed in zip(labels.lines, (0.5, 0.5 + 1.5 * 4 / 9, 2.0), strict=True):
        assert line.get_xdata()[np.argmax(line.get_ydata())] == pytest.approx(speed, abs=1e-3)
        assert line.get_ydata().sum() == pytest.approx(1, abs=1e-5)


def test_views_stand_beside_those_of_the_same_speed():
    made = np.random.default_rng(0).random((4, 30, 8, 8, 1))
    figure = method_plots.views((255 * made[0]).astype(np.uint8), made, np.array([0.5, 2.0, 0.5, 2.0]))
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[2:] == ["0.50 x, set A", "0.50 x, set B", "2.00 x, set A", "2.00 x, set B"]
    # The strip of set B at 2 x begins with the first frame of the fourth view.
    np.testing.assert_allclose(np.asarray(figure.axes[5].images[0].get_array())[:, :8], made[3, 0, :, :, 0])


def test_a_clip_without_a_course_shows_its_brightness():
    frames = np.linspace(0, 1, 20)[:, None, None, None] * np.ones((20, 4, 4, 3))
    clips = {"a": (frames, {}, 10.0), "b": (frames, {"ppg": np.arange(20.0)}, 10.0)}
    figure = method_plots.examples(clips)
    first, second = figure.axes[1], figure.axes[3]
    assert (first.get_ylabel(), second.get_ylabel()) == ("brightness", "ppg")
    np.testing.assert_allclose(first.lines[0].get_ydata(), np.linspace(0, 1, 20))
    assert second.lines[0].get_xdata()[-1] == pytest.approx(1.9)
