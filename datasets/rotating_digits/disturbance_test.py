"""Disturbances of a clip: light, spots and noise that do not repeat."""

import numpy as np
import pytest

from datasets.rotating_digits import digits, disturbance, handwriting
from simper_tf.signals import octave, spectrum

FRAMES = np.zeros((150, 28, 28))


@pytest.fixture
def only(monkeypatch):
    """Returns a function that disturbs frames by one strength of light, noise and spots alone."""

    def disturbed(frames, *strength, seed=0):
        monkeypatch.setitem(disturbance.STRENGTHS, "mine", strength)
        return disturbance.disturb(frames, "mine", np.random.default_rng(seed))

    return disturbed


def test_noise_has_its_deviation_and_differs_by_pixel_and_frame(only):
    noise = only(FRAMES, 0.0, 40.0, 0)
    assert noise.std() == pytest.approx(40, rel=0.01)
    assert abs(np.corrcoef(noise[1:].ravel(), noise[:-1].ravel())[0, 1]) < 0.02


def test_light_scales_whole_frames_by_its_log_deviation(only):
    lit = only(FRAMES + 100.0, 0.3, 0.0, 0)
    assert np.ptp(lit, axis=(1, 2)).max() < 1e-9
    assert np.log(lit[:, 0, 0] / 100).std() == pytest.approx(0.3, rel=1e-6)


def test_spots_have_their_brightness_walk_in_steps_and_stay(only):
    for seed in range(20):
        spot = only(FRAMES, 0.0, 0.0, 1, seed=seed)
        peaks = np.stack(np.unravel_index(spot.reshape(150, -1).argmax(axis=1), (28, 28)), axis=1)
        assert 80 < spot.max(axis=(1, 2)).min() <= spot.max() <= 255
        assert np.abs(np.diff(peaks, axis=0)).max() <= 4


@pytest.mark.slow
def test_what_disturbs_has_no_line_in_its_mean_spectrum(only):
    for strength in ((0.3, 0.0, 0), (0.0, 0.0, 3)):
        series = np.stack([only(FRAMES + 1.0, *strength, seed=seed).mean(axis=(1, 2)) for seed in range(200)])
        series -= series.mean(axis=1, keepdims=True)
        power = np.mean(np.abs(np.fft.rfft(series * np.hanning(150))) ** 2, axis=0)[3:40]
        assert np.max(power[1:-1] / ((power[:-2] + power[2:]) / 2)) < 1.6  # Falls, without a peak of its own.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("look", "missed"),
    [({}, 0.0), ({"disturbance": "low"}, 0.0), ({"disturbance": "middle"}, 0.12), ({"disturbance": "high"}, 0.76),
     ({"spin": True}, 0.14)],
    ids=str,
)  # fmt: skip
def test_pixels_alone_miss_as_many_clips_as_the_readme_says(look, missed):
    images = handwriting.by_digit(*handwriting.embedded_digits("validation"), "validation")
    records = list(digits.clip_records(images, "validation", 100, **look))
    power = spectrum.pixel_power(np.stack([record["clip"] for record in records]))
    frequencies = octave.pixel_frequency(power, digits.RATE, digits.NUM_FRAMES).numpy()
    off = np.abs(frequencies - [record["label"] for record in records]) > 0.1
    assert off.mean() == pytest.approx(missed, abs=0.015)  # A clip more or less by rounding.


@pytest.mark.parametrize("strength", disturbance.STRENGTHS)
def test_a_disturbed_clip_is_reproducible_and_keeps_its_truth(strength):
    images = handwriting.by_digit(*handwriting.embedded_digits("train"), "train")
    clean = digits.clip_record(images, "train", 12)
    first, again, other = (digits.clip_record(images, "train", k, disturbance=strength) for k in (12, 12, 22))
    np.testing.assert_array_equal(first["clip"], again["clip"])
    assert np.abs(first["clip"].astype(int) - other["clip"]).mean() > 10
    assert np.abs(first["clip"].astype(int) - clean["clip"]).mean() > 10
    for name in ("label", "phase", "angle", "digit", "id"):
        np.testing.assert_array_equal(first[name], clean[name])
