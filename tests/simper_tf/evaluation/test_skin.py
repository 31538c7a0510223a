"""`green`, `chrom` and `pos`, which are there for heart rates of color clips alone, and look at no label."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from made_up_features import perfect

from simper_tf.evaluation import features, protocols
from simper_tf.evaluation.tasks import Frequency

BPM = Frequency("bpm", band=(0.6667, 4.1667))
NAMES = {"green", "chrom", "pos", "chrom_fundamental", "pos_fundamental", "chrom_harmonics", "pos_harmonics"}
RATES = np.float32([30.0, 28.5, 24.0])
HERTZ = np.array([0.9, 1.4, 2.6])


def clips(channels=3):
    """Clips of even skin with a pulse in green, at rates that differ."""
    angles = 2 * np.pi * HERTZ[:, None] * np.arange(120) / RATES[:, None]
    depth = np.array([1.0, 4.0, 2.0])[:channels]
    levels = np.array([200.0, 130.0, 100.0])[:channels] - depth * np.sin(angles)[..., None]
    grain = np.random.default_rng(0).uniform(-0.5, 0.5, (3, 120, 12, 12, channels))
    return np.rint(levels[:, :, None, None] + grain).astype(np.uint8)


def extracted(task, channels=3):
    fields = {"clip": clips(channels), "label": np.full(3, 5, np.float32), "rate": RATES, "id": ["a", "b", "c"]}
    functions = {"series": lambda batch: tf.cast(batch[..., 0, 0, 0], tf.float32)}
    dataset = tf.data.Dataset.from_tensor_slices(fields)
    return features.extract({**functions, **features.extras(task, None, (None, None, channels))}, dataset)


@pytest.mark.slow
def test_each_clip_is_read_at_its_own_rate_without_labels():
    found = extracted(BPM)
    predictions = protocols.predict(found, found, found, BPM)
    for name in NAMES:
        np.testing.assert_allclose(predictions[name].values, 60 * HERTZ, atol=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chrom", "pos"])
def test_a_strong_second_harmonic_is_read_by_its_fundamental(name):
    angles = 2 * np.pi * HERTZ[:, None] * np.arange(240) / RATES[:, None]
    wave = 0.7 * np.sin(angles) + np.sin(2 * angles)
    even = perfect(np.random.default_rng(0), HERTZ)
    colors = 0.5 - 0.01 * np.array([0.3, 1.0, 0.5]) * wave[..., None]
    found = dataclasses.replace(even, colors=colors.astype(np.float32), rates=RATES)
    wide = Frequency("bpm", band=(0.6667, 6.0))
    predictions = protocols.predict(found, found, found, wide)
    np.testing.assert_allclose(predictions[name].values, 120 * HERTZ, atol=1.5)
    # CHROM filters windows of 1.6 seconds, which takes most of what is slower than a beat in each.
    seen = slice(1, None) if name == "chrom" else slice(None)
    for way in ("fundamental", "harmonics"):
        np.testing.assert_allclose(predictions[f"{name}_{way}"].values[seen], 60 * HERTZ[seen], atol=1.5)


def test_colors_are_the_means_of_each_channel_in_each_frame():
    np.testing.assert_allclose(extracted(BPM).colors, clips().mean(axis=(2, 3)) / 255, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("task", "channels"), [(BPM, 1), (Frequency("Hz", band=(0.4, 5.5)), 3)], ids=["gray", "Hz"])
def test_gray_clips_and_other_frequencies_have_no_skin_to_read(task, channels):
    found = extracted(task, channels)
    assert found.colors is None
    assert not NAMES & protocols.predict(found, found, found, task).keys()


def test_clips_without_change_read_as_the_low_end_of_the_band():
    found = perfect(np.random.default_rng(0), HERTZ)
    still = dataclasses.replace(found, colors=np.zeros((3, 120, 3), np.float32))
    predictions = protocols.predict(still, still, still, BPM)
    for name in NAMES:
        np.testing.assert_allclose(predictions[name].values, 60 * BPM.band[0], atol=0.5)  # To a bin.
