"""Beats of a pulse on small made series."""

import cv2
import numpy as np
import pytest

from simper_tf.reading.films import film_reader, skin

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


@pytest.mark.parametrize(("below", "is_pulse"), [(1.0, True), (0.3, True), (-0.4, False)])
def test_all_of_the_skin_pulses_together(below, is_pulse):
    # What moves over the skin takes light from one half of it as it gives light to the other.
    random, times = np.random.default_rng(0), np.arange(300) / 30
    part = np.repeat([1.0, below], 10)[:, None, None]
    beat = 2 * np.sin(2 * np.pi * 1.2 * times)[:, None, None, None] * part * [0.3, 0.8, 0.4]
    frames = np.rint([190.0, 130.0, 110.0] + beat + 2 * random.normal(size=(300, 20, 20, 3))).astype(np.uint8)
    assert (skin.pulse(frames, 30.0) is not None) == is_pulse
    _, hertz, share = skin.pulse(frames, 30.0, whole=True)  # Told to be a face, it is taken for one.
    assert hertz == pytest.approx(1.2, abs=0.02)
    assert share > 0.7


@pytest.mark.parametrize(("hertz", "is_told"), [(0.64, False), (0.9, True)])
def test_a_heart_below_the_band_is_not_told_at_its_double(hertz, is_told):
    random, turn = np.random.default_rng(0), 2 * np.pi * hertz * np.arange(400) / RATE
    beat = 2 * (np.cos(turn) + 0.5 * np.cos(2 * turn + 1))[:, None, None, None] * [0.3, 0.8, 0.4]
    frames = np.rint([190.0, 130.0, 110.0] + beat + 2 * random.normal(size=(400, 20, 20, 3))).astype(np.uint8)
    seen = skin.pulse(frames, RATE, whole=True)
    assert seen[1] == pytest.approx(hertz, abs=0.02) if is_told else seen is None


@pytest.mark.parametrize(("step", "is_told"), [(0.0, True), (0.1, False)])
def test_skin_that_a_camera_passes_has_no_pulse(step, is_told, monkeypatch):
    times = np.arange(120) / RATE
    monkeypatch.setattr(skin, "pulse", lambda *_: (np.sin(2 * np.pi * HERTZ * times), HERTZ, 0.9))
    random = np.random.default_rng(0)
    wide = 60 * cv2.GaussianBlur(random.normal(size=(50, 80)), (0, 0), 1.5)
    shifts = (np.array([[1, 0, -step * moment], [0, 1, 0]]) for moment in range(120))
    frames = np.stack([cv2.warpAffine(wide, shift, (60, 40)) for shift in shifts])[..., None]
    frames = np.rint(np.add([190, 130, 110], frames) + random.normal(size=(120, 40, 60, 3))).astype(np.uint8)
    told = film_reader.reading_of_frames(zip(times, frames, strict=True)).clear
    assert [answer.reader for answer in told] == ["pulse"] * is_told


def swaying(sway, beat, depth, size):
    """Returns 12 seconds of skin with a pulse, framed by dark hair that sways, `(T, H, W, 3)` uint8."""
    random, times = np.random.default_rng(0), np.arange(240) / RATE
    height, width = size
    place = (0.25 + 0.05 * np.sin(2 * np.pi * sway * times))[:, None, None] * width
    hair = 1 / (1 + np.exp(np.arange(width) - place)) * np.ones((1, height, 1))
    colors = [190.0, 130.0, 110.0] + depth * np.sin(2 * np.pi * beat * times)[:, None] * [0.3, 0.8, 0.4]
    frames = colors[:, None, None] * (1 - 0.8 * hair[..., None])
    return times, np.rint(frames + random.normal(size=frames.shape)).astype(np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(18, 16), (36, 48), (60, 80)])
@pytest.mark.parametrize(("sway", "beat"), [(0.29, 0.87), (0.29, 1.03), (0.4, 1.42), (0.5, 1.25)])
def test_a_pulse_behind_a_sway_is_told_or_hinted_at(sway, beat, size):
    seen = film_reader.reading_of_frames(zip(*swaying(sway, beat, 4.0, size), strict=True))
    told = [answer.hertz for answer in seen.clear]
    assert all(min(abs(hertz / sway - 1), abs(hertz / beat - 1)) < 0.05 for hertz in told)
    is_hinted_at = any("`face` reads it alone" in note for note in seen.notes)
    assert is_hinted_at or any(abs(hertz / beat - 1) < 0.05 for hertz in told)
    still = film_reader.reading_of_frames(zip(*swaying(sway, beat, 0.0, size), strict=True))
    assert not any("`face`" in note for note in still.notes)
