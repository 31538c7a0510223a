"""Answers of an exported model, by hand: encoders that hand on what one pixel does."""

import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.encoders.frame_mean import frame_mean
from simper_tf.evaluation.tasks import Scalar
from simper_tf.export.served_frequency import FrequencyModel
from simper_tf.export.served_head import HeadModel, ServedHead

pytestmark = pytest.mark.usefixtures("eagerly")
RATE, BAND, FRAME = 30.0, (0.4, 5.0), (2, 3, 1)


def encoder_of(features):
    """Returns an encoder whose features are a function of `(B, T)`, the values of a pixel."""
    layers = [keras.Input((None, *FRAME)), keras.layers.Lambda(lambda clips: features(clips[:, :, 0, 0, 0]))]
    return keras.Sequential(layers)


def model_of(features, band=BAND, **more):
    """Returns the model of such an encoder."""
    return FrequencyModel(encoder_of(features), FRAME, band, **more)


def as_they_are(pixel):
    return pixel


def at_double(pixel):
    return tf.square(pixel - 0.5)


def of_time(*waves):
    """Returns an encoder that sees nothing: the sum of waves, each `(amplitude, Hz)`."""

    def features(pixel):
        times = tf.range(tf.cast(tf.shape(pixel)[1], tf.float32)) / RATE
        return 0.0 * pixel + sum(height * tf.sin(2 * np.pi * hertz * times) for height, hertz in waves)

    return features


def swings(*frequencies, num_frames=300, rate=RATE):
    """Returns uint8 clips all of whose pixels swing at a frequency in Hz, a clip each."""
    angles = 2 * np.pi * np.array(frequencies)[:, None] * np.arange(num_frames) / rate
    levels = np.round(127.5 + 100 * np.sin(angles)).astype(np.uint8)
    return np.broadcast_to(levels[:, :, None, None, None], (*levels.shape, *FRAME))


def ask(model, frames, rate=RATE):
    """Returns frequencies and confidences."""
    answer = model.frequency(tf.constant(frames), tf.constant(np.broadcast_to(rate, len(frames)), tf.float32))
    return answer["frequency_hz"].numpy(), answer["confidence"].numpy()


def unread(features, **more):
    """Returns a model that checks a request and then answers 1 Hz, whatever is in it: reading takes a second."""
    model = model_of(features, **more)
    model._read = lambda features, frames, rate: (tf.ones_like(rate), tf.ones_like(rate))
    return model


@pytest.mark.slow
@pytest.mark.parametrize("features", [as_they_are, at_double])
def test_the_answer_is_the_frequency_of_the_pixels_at_their_rate(features):
    # The features of the fourth may run above the band.
    frequency, confidence = ask(model_of(features), swings(0.6, 1.1, 2.4, 4.2, 2.0), [30.0] * 4 + [15.0])
    np.testing.assert_allclose(frequency, [0.6, 1.1, 2.4, 4.2, 1.0], atol=0.01)
    assert np.all(confidence > 0.9)


def test_pixels_outside_the_band_are_answered_without_confidence():
    frequency, confidence = ask(model_of(as_they_are), swings(0.25, 6.0))
    np.testing.assert_allclose(frequency, BAND, rtol=1e-6)
    np.testing.assert_array_equal(confidence, 0)


@pytest.mark.slow
def test_without_a_line_features_are_read_without_confidence():
    still = np.full((1, 300, *FRAME), 90, np.uint8)
    for beside in (0.3, 2.0):
        frequency, confidence = ask(model_of(of_time((1.0, 3.0), (beside, 9.0))), still)
        np.testing.assert_allclose(frequency, [3.0], atol=0.01)
        assert confidence == 0


@pytest.mark.slow
def test_a_common_harmonic_is_trusted_as_far_as_features_return():
    still = np.full((1, 300, *FRAME), 90, np.uint8)
    assert ask(model_of(of_time((1.0, 3.0)), harmonic=1.0), still)[1] > 0.999
    # After 10 frames the one is back and the other half a period on: all that is left is 4 x 0.09 of 4 x 1.09.
    confidence = ask(model_of(of_time((1.0, 3.0), (0.3, 4.5)), harmonic=1.0), still)[1]
    np.testing.assert_allclose(confidence, [1 - 4 * 0.09 / 3.97], atol=0.03)
    # Three periods of features within one of the answer.
    assert ask(model_of(of_time((1.0, 3.0)), (0.8, 3.0), harmonic=1 / 3), still)[1] > 0.999
    # A peak at an end of the band, higher outside.
    assert ask(model_of(of_time((1.0, 0.3)), harmonic=1.0), still)[1] == 0


@pytest.mark.parametrize(("features", "harmonic", "told", "is_sure"), [
    (as_they_are, 0.5, 0.75, False), (at_double, 0.5, 1.5, True), (as_they_are, 1.0, 1.5, True),
    (at_double, 1.0, 3.0, False),
])  # fmt: skip
def test_no_harmonic_is_trusted_that_the_pixels_deny(features, harmonic, told, is_sure):
    frequency, confidence = ask(model_of(features, harmonic=harmonic), swings(1.5))
    np.testing.assert_allclose(frequency, [told], atol=0.02)
    np.testing.assert_allclose(confidence, [float(is_sure)], atol=0.01)


def test_pixels_overrule_a_multiple_that_all_clips_agreed_on():
    model = model_of(as_they_are, harmonic=0.5, is_overruled=True)
    frequency, confidence = ask(model, np.concatenate([swings(1.5), np.full((1, 300, *FRAME), 90, np.uint8)]))
    np.testing.assert_allclose(frequency[0], 1.5, atol=0.02)
    assert confidence[0] > 0.99
    assert confidence[1] == 0
    assert model.facts()["is_overruled"] is True
    # What the pixels show may lie outside of the band.
    frequency, confidence = ask(model_of(as_they_are, (0.5, 1.2), harmonic=0.5, is_overruled=True), swings(1.5))
    np.testing.assert_allclose([frequency[0], confidence[0]], [1.2, 0])


def test_pixels_deny_no_features_at_half_the_frequency():
    frequency, confidence = ask(model_of(of_time((1.0, 0.75)), harmonic=2.0), swings(1.5))
    np.testing.assert_allclose(frequency, [1.5], atol=0.02)
    assert confidence[0] > 0.99


@pytest.mark.parametrize(("harmonic", "hertz"), [(2.0, 0.5), (1.0, 1.0), (0.5, 2.0), (1 / 3, 3.0)])
def test_confidence_is_that_of_the_period_of_features(harmonic, hertz):
    model = model_of(of_time((1.0, hertz)), (0.8, 3.0), harmonic=harmonic)
    frequency, confidence = ask(model, swings(1.4))
    np.testing.assert_allclose(frequency, [1.0], atol=0.02)
    assert confidence[0] > 0.99
    # After the 10 to 60 frames of their period the one wave is back and the other, of 0.3, half a period on.
    beside = model_of(of_time((1.0, hertz), (0.3, 1.5 * hertz)), (0.8, 3.0), harmonic=harmonic)
    np.testing.assert_allclose(ask(beside, swings(1.4))[1], [1 - 4 * 0.09 / 3.97], atol=0.05)


@pytest.mark.slow
def test_windows_are_read_as_clips_and_told_by_their_middle():
    model, clip = model_of(as_they_are, unit="count"), np.concatenate([swings(1.0), swings(2.0)], axis=1)
    frames, counts = tf.constant(np.concatenate([clip, clip])), tf.constant([300, 300])
    answer = model.frequency_over_time(frames, tf.constant([30.0, 15.0]), counts, tf.constant([150, 150]))
    np.testing.assert_allclose(answer["middle_s"], [[5, 10, 15], [10, 20, 30]])
    np.testing.assert_allclose(answer["frequency_hz"][:, ::2], [[1, 2], [0.5, 1]], atol=0.01)
    np.testing.assert_allclose(answer["count"], answer["frequency_hz"] * np.array([[10.0], [20.0]]), rtol=1e-6)
    assert answer["confidence"].shape == (2, 3)


@pytest.mark.parametrize(("unit", "name", "factor"), [("bpm", "heart_rate_bpm", 60), ("count", "count", 10)])
def test_answers_come_in_the_unit_of_the_task_too(unit, name, factor):
    clips = swings(1.0, 2.0)
    answer = unread(as_they_are, unit=unit).answer(tf.constant(clips), tf.constant([RATE, RATE]))
    assert set(answer) == {"frequency_hz", name, "confidence"}
    np.testing.assert_allclose(answer[name], factor * answer["frequency_hz"], rtol=1e-6)


@pytest.mark.slow
def test_requests_of_a_model_are_checked_before_they_are_read():
    model, frames, rate = unread(as_they_are, max_frames=400), tf.constant(swings(2.0)), tf.constant([RATE])
    windows = {"window_frames": tf.constant([200]), "hop_frames": tf.constant([1])}
    for call, message in {
        lambda: model.answer(frames[:, :, :1], rate): "must have the shape",
        lambda: model.answer(tf.repeat(frames, 2, 0), rate): "at most 400 frames that are encoded at once",
        lambda: model.answer(frames, tf.constant([9.9])): "`rate` must be finite and at least 10",
        lambda: model.features(tf.repeat(frames, 2, 0)): "at most 400 frames that are encoded at once",
        lambda: model.frequency_over_time(frames[..., :0], rate, **windows): "must have the shape",
        lambda: model.frequency_over_time(frames, rate, **windows): "windows hold at most 1200 frames in all",
        lambda: model.frequency_over_time(frames, rate * 10, *windows.values()): "`hop_frames` must be so large",
    }.items():
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            call()
    model.frequency_over_time(frames, rate, tf.constant([200]), tf.constant([50]))


def test_encoders_answer_in_inference_and_in_float32():
    layers = [keras.Input((None, *FRAME)), keras.layers.Dropout(0.9), keras.layers.Lambda(lambda x: x[:, :, 0, 0])]
    frames = tf.constant(swings(2.0))
    encoder = keras.Sequential([*layers, keras.layers.Lambda(lambda x: tf.cast(x, tf.bfloat16))])
    features = FrequencyModel(encoder, FRAME, BAND).features(frames)["features"]
    assert features.dtype == tf.float32
    np.testing.assert_allclose(features, tf.cast(frames, tf.float32)[:, :, 0, 0] / 255, atol=0.004)


@pytest.mark.parametrize(
    ("frame_shape", "most"), [((28, 28, 1), 40_816), ((36, 36, 3), 8_230), ((128, 128, 3), 651), ((1, 1, 2), 1_000_000)]
)
def test_32_million_values_are_encoded_at_once_unless_told(frame_shape, most):
    encoder = frame_mean(frame_shape)
    assert FrequencyModel(encoder, frame_shape, BAND).max_frames == most
    assert FrequencyModel(encoder, frame_shape, BAND, max_frames=1).max_frames == 1


def test_facts_say_what_a_client_must_know():
    expected = {
        "frame_shape": [2, 3, 1], "value_range": [0.0, 1.0], "num_frames": None, "max_frames": 7, "band_hz": [0.4, 5.0],
        "least_rate": 20.0, "least_seconds": 5.0, "harmonic": 0.5, "is_overruled": False, "answer": "heart_rate_bpm",
    }  # fmt: skip
    assert model_of(as_they_are, harmonic=0.5, unit="bpm", max_frames=7).facts() == expected
    assert model_of(as_they_are, harmonic=2).facts()["least_seconds"] == 10


def test_noise_and_slow_drifts_have_a_confidence_below_a_half():
    random, swing = np.random.default_rng(1), swings(1.3)
    others = np.concatenate([random.integers(0, 256, swing.shape, np.uint8), random.permutation(swing, axis=1)])
    drift = np.uint8(np.linspace(20, 220, 300))[None, :, None, None, None] * np.ones(FRAME, np.uint8)
    *unsure, sure = ask(model_of(at_double), np.concatenate([others, drift, swing]))[1]
    assert max(unsure) < 0.5
    assert sure > 0.9


@pytest.mark.parametrize(("harmonic", "multiple"), [(0.5, 2), (1.0, 1), (2.0, 0.5)])
def test_a_common_harmonic_is_sought_in_its_band(harmonic, multiple):
    # Stronger waves on either side of the band from 0.8 to 3 Hz.
    features = of_time((1.0, 2.0 * multiple), (3.0, 0.5 * multiple), (3.0, 3.6 * multiple))
    model = model_of(features, (0.8, 3.0), harmonic=harmonic)
    np.testing.assert_allclose(ask(model, swings(1.4))[0], [2.0], atol=0.02)


def test_features_kept_in_the_band_are_read_at_their_fundamental():
    # A pulse: the second harmonic is the stronger. Stronger still, outside of the band, is a breath, which pixels show.
    features = of_time((1.0, 1.2), (1.5, 2.4), (3.0, 0.3))
    clips = swings(0.3)
    frequency, confidence = ask(model_of(features, (0.8, 3.0), harmonic="fundamental"), clips)
    np.testing.assert_allclose(frequency, [1.2], atol=0.02)
    assert np.isfinite(confidence).all()
    assert ask(model_of(features, (0.8, 3.0), harmonic=1.0), clips)[0][0] == pytest.approx(2.4, abs=0.02)
    assert model_of(features, (0.8, 3.0), harmonic="fundamental").facts()["harmonic"] == "fundamental"


def test_a_clip_holds_two_periods_of_features_that_run_slower():
    model = unread(of_time((1.0, 1.0)), band=(0.8, 3.0), harmonic=2.0)
    ask(model, swings(2.0))
    assert model.facts()["least_seconds"] == 5
    message = (
        r"`frames` must last 5 s, 2 periods of the lower end of the band of 0\.8 to 3 Hz, at 0\.5 of which features"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        ask(model, swings(2.0)[:, :100])


def test_bytes_and_floats_become_what_the_encoder_was_trained_on():
    levels = np.array([[0, 51, 255] * 3], np.uint8)[:, :, None, None, None] * np.ones(FRAME, np.uint8)
    celsius = np.float32(levels / 255 * 130 - 60)
    celsius[levels == 255] += 1  # Overshoot is cut.
    physical, plain = model_of(as_they_are, value_range=(-60.0, 70.0)), model_of(as_they_are)
    for model, frames in ((physical, levels), (physical, celsius), (plain, levels), (plain, np.float32(levels / 255))):
        np.testing.assert_allclose(model.features(tf.constant(frames))["features"], [[0, 0.2, 1] * 3], atol=1e-6)


def refusal(model, frames, rate=RATE):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        ask(model, frames, rate)
    return str(caught.value)


@pytest.mark.parametrize(("harmonic", "least"), [(None, 10.0), (1.0, 10.0), (2.0, 10.0), (0.5, 20.0), (1 / 3, 30.0)])
def test_the_least_rate_is_twice_the_frequency_of_features(harmonic, least):
    model, clips = unread(as_they_are, harmonic=harmonic), swings(2.0)
    ask(model, clips, np.float32(least) * np.float32(1 - 5e-7))
    said = refusal(model, clips, least * (1 - 1e-5))
    assert f"at least {least:g} frames per second, twice the frequency up to which features run" in said


def test_a_head_answers_labels_of_clips_of_its_own_length():
    doubled = tf.Variable(2.0)
    method = types.SimpleNamespace(
        encoder=encoder_of(as_they_are),
        head_weights=[types.SimpleNamespace(value=doubled, path="doubled", numpy=doubled.numpy)],
        labels_of=lambda features: doubled * tf.reduce_mean(features, axis=1),
        views=types.SimpleNamespace(num_frames=9),
    )
    head = ServedHead.own(method, Scalar("mmHg"))
    model, frames = HeadModel(method.encoder, FRAME, head, max_frames=20), np.full((2, 9, *FRAME), 51, np.uint8)
    frames[1] = 102
    labels = model.labels(tf.constant(frames))
    assert set(labels) == {"value", "features"}
    np.testing.assert_allclose(labels["value"], [0.4, 0.8], rtol=1e-6)
    np.testing.assert_array_equal(model.answer(tf.constant(frames))["value"], labels["value"])
    assert set(model.signatures()) == {"serving_default", "answer", "features"}
    assert model.facts()["answer"] == "value"
    assert (model.facts()["num_frames"], model.facts()["max_frames"]) == (9, 20)
    assert any(weight is doubled for weight in model.weights)
    for wrong, message in ((frames[:, :8], "time = 9, 2, 3, 1"), (np.repeat(frames, 2, 0), "at most 20 frames")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            model.labels(tf.constant(wrong))


def test_no_weight_of_the_encoder_is_left_out():
    layers = [keras.Input((None, *FRAME)), keras.layers.BatchNormalization(), keras.layers.Reshape((-1, 6))]
    encoder = keras.Sequential(layers)
    assert len(FrequencyModel(encoder, FRAME, BAND).weights) == 4


@pytest.mark.parametrize("harmonic", [0.0, -1.0, np.nan, np.inf, "half"])
def test_a_harmonic_that_is_none_is_refused_at_export(harmonic):
    with pytest.raises(ValueError, match=r"`harmonic` must be a positive number, 'fundamental' or None\. Received: "):
        model_of(as_they_are, harmonic=harmonic)


def test_a_malformed_frame_shape_or_band_is_refused_at_export():
    with pytest.raises(ValueError, match=r"`frame_shape` must be \(H, W, C\), .* Received: \(None, 8, 1\)"):
        FrequencyModel(frame_mean((8, 8, 1)), (None, 8, 1), (0.4, 5.0))
    for band in ((1, 2, 3), (2, 2), (0, 2)):
        with pytest.raises(ValueError, match=r"`band` must be two finite, rising numbers above 0\. Received: \("):
            FrequencyModel(frame_mean((8, 8, 1)), (8, 8, 1), band)
