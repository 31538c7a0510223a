"""Features read by harmonic patterns, as clients of an exported model see it."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.export import saved_model
from simper_tf.signals import patterns

RATE, BAND, T = 30.0, (0.5, 5.0), 120
FRAME = (1, 1, 2)
RNG = np.random.default_rng(11)


def series_of(hertz, frames=T):
    """Returns `(N, T, 1, 1, 2)` swings of one channel in noise, and noise of another."""
    turns = 2 * np.pi * np.multiply.outer(hertz, np.arange(frames) / RATE) + RNG.uniform(0, 6, (len(hertz), 1))
    values = np.stack((np.sin(turns), 0 * turns), axis=2) + RNG.normal(0, 0.5, (len(hertz), frames, 2))
    return np.float32(values)[:, :, None, None]


def same():
    clips = keras.Input((None, *FRAME))
    return keras.Model(clips, clips[:, :, 0, 0])


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Returns what is known of the features, and the loaded model; they are the series, each channel standardized."""
    features = series_of(RNG.uniform(0.8, 4.5, 60))[:, :, 0, 0]
    features = (features - features.mean(1, keepdims=True)) / features.std(1, keepdims=True)
    known = patterns.learn(features, np.full(60, RATE), BAND, confident=True)
    folder = tmp_path_factory.mktemp("served")
    version = saved_model.export_patterns(same(), folder, FRAME, known, unit="bpm")
    return known, tf.saved_model.load(str(version))


def said_of(loaded, frames, name="answer_float32", **more):
    rates = tf.constant([RATE] * len(frames), tf.float32)
    said = loaded.signatures[name](frames=tf.constant(frames), rate=rates, **more)
    return {key: value.numpy() for key, value in said.items()}


@pytest.mark.parametrize("frames", [T, 150, 301])
def test_clips_of_any_length_are_answered_as_patterns_read_them(exported, frames):
    known, loaded = exported
    hertz = np.linspace(1.0, 4.0, 7)
    series = series_of(hertz, frames)
    said = said_of(loaded, series, "serving_default_float32")
    np.testing.assert_allclose(said["frequency_hz"], hertz, atol=0.06)
    np.testing.assert_allclose(said["heart_rate_bpm"], 60 * said["frequency_hz"], rtol=1e-6)
    read = patterns.read(said["features"], known, np.full(7, RATE))
    np.testing.assert_allclose(said["frequency_hz"], read, rtol=1e-5)
    assert (said["confidence"] >= 0.5).all()
    shuffled = said_of(loaded, RNG.permuted(series, axis=1))
    assert (shuffled["confidence"] < 0.5).mean() > 0.7


def test_windows_of_a_recording_are_answered_each(exported):
    _, loaded = exported
    parts = series_of([1.2]), series_of([3.1]), np.zeros((1, T, *FRAME), np.float32)
    lengths = {name: tf.constant([T], tf.int32) for name in ("window_frames", "hop_frames")}
    said = said_of(loaded, np.concatenate(parts, axis=1), "frequency_over_time_float32", **lengths)
    np.testing.assert_allclose(said["frequency_hz"][0, :2], [1.2, 3.1], atol=0.05)
    np.testing.assert_allclose(said["middle_s"], [[2, 6, 10]])
    assert (said["confidence"][0] >= 0.5).tolist() == [True, True, False]


def test_its_metadata_have_its_band_and_least_confidence(exported):
    _, loaded = exported
    (text,) = loaded.signatures["metadata"]().values()
    facts = json.loads(text.numpy())
    assert (facts["band_hz"], facts["least_rate"], facts["least_seconds"]) == ([0.5, 5.0], 10.0, 4.0)
    assert (facts["least_confidence"], facts["num_frames"], facts["answer"]) == (0.5, None, "heart_rate_bpm")
    assert "harmonic" not in facts


def test_a_clip_of_less_than_two_periods_is_refused(exported):
    _, loaded = exported
    with pytest.raises(tf.errors.InvalidArgumentError, match="must last 4 s, 2 periods of the lower end"):
        said_of(loaded, series_of([2.0], 100))
