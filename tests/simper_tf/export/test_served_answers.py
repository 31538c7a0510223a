"""What an exported model computes, by hand: encoders that hand on what one pixel does."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from simper_tf.export.served_frequency import FrequencyModel

RATE, BAND, FRAME = 30.0, (0.4, 5.0), (2, 3, 1)


def model_of(features, band=BAND, **more):
    """Returns the model of an encoder whose features are a function of `(B, T)`, the values of a pixel."""
    layers = [keras.Input((None, *FRAME)), keras.layers.Lambda(lambda clips: features(clips[:, :, 0, 0, 0]))]
    return FrequencyModel(keras.Sequential(layers), FRAME, band, **more)


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


@pytest.mark.parametrize("features", [as_they_are, at_double])
def test_the_answer_is_the_frequency_of_the_pixels_whatever_multiple_features_run_at(features):
    frequency, confidence = ask(model_of(features), swings(0.6, 1.1, 2.4))
    np.testing.assert_allclose(frequency, [0.6, 1.1, 2.4], atol=0.01)
    assert np.all(confidence > 0.9)


def test_features_at_a_multiple_above_the_band_are_still_its_answer():
    frequency, confidence = ask(model_of(at_double), swings(4.2))
    np.testing.assert_allclose(frequency, [4.2], atol=0.01)
    assert confidence[0] > 0.9


def test_what_pixels_show_outside_the_band_is_answered_by_its_end_without_confidence():
    frequency, confidence = ask(model_of(as_they_are), swings(0.25, 6.0))
    np.testing.assert_allclose(frequency, BAND, rtol=1e-6)
    np.testing.assert_array_equal(confidence, 0)


def test_where_pixels_show_no_line_features_are_read_in_the_band_and_pixels_do_not_vouch_for_it():
    still = np.full((1, 300, *FRAME), 90, np.uint8)
    for beside in (0.3, 2.0):
        frequency, confidence = ask(model_of(of_time((1.0, 3.0), (beside, 9.0))), still)
        np.testing.assert_allclose(frequency, [3.0], atol=0.01)
        assert confidence == 0


def test_a_common_harmonic_is_trusted_as_far_as_features_come_back():
    still = np.full((1, 300, *FRAME), 90, np.uint8)
    assert ask(model_of(of_time((1.0, 3.0)), harmonic=1.0), still)[1] > 0.999
    # After 10 frames the one is back and the other half a period on: all that is left is 4 x 0.09 of 4 x 1.09.
    confidence = ask(model_of(of_time((1.0, 3.0), (0.3, 4.5)), harmonic=1.0), still)[1]
    np.testing.assert_allclose(confidence, [1 - 4 * 0.09 / 3.97], atol=0.03)
    # Three periods of features within one of the answer.
    assert ask(model_of(of_time((1.0, 3.0)), (0.8, 3.0), harmonic=1 / 3), still)[1] > 0.999
    # A peak at an end of the band, higher outside.
    assert ask(model_of(of_time((1.0, 0.3)), harmonic=1.0), still)[1] == 0


def test_noise_shuffled_frames_and_slow_drifts_have_a_confidence_below_a_half():
    random, swing = np.random.default_rng(1), swings(1.3)
    others = np.concatenate([random.integers(0, 256, swing.shape, np.uint8), random.permutation(swing, axis=1)])
    drift = np.uint8(np.linspace(20, 220, 300))[None, :, None, None, None] * np.ones(FRAME, np.uint8)
    assert np.all(ask(model_of(at_double), np.concatenate([others, drift]))[1] < 0.5)
    assert ask(model_of(at_double), swing)[1] > 0.9


@pytest.mark.parametrize(("harmonic", "multiple"), [(0.5, 2), (1.0, 1), (2.0, 0.5)])
def test_a_common_harmonic_is_sought_in_its_band_and_pixels_are_not_asked(harmonic, multiple):
    # Stronger waves on either side of the band from 0.8 to 3 Hz.
    features = of_time((1.0, 2.0 * multiple), (3.0, 0.5 * multiple), (3.0, 3.6 * multiple))
    model = model_of(features, (0.8, 3.0), harmonic=harmonic)
    np.testing.assert_allclose(ask(model, swings(1.4))[0], [2.0], atol=0.02)


def test_features_that_a_prior_kept_in_the_band_are_read_at_their_fundamental_there():
    # A pulse: the second harmonic is the stronger. Stronger still, outside of the band, is a breath, which pixels show.
    features = of_time((1.0, 1.2), (1.5, 2.4), (3.0, 0.3))
    clips = swings(0.3)
    frequency, confidence = ask(model_of(features, (0.8, 3.0), harmonic="fundamental"), clips)
    np.testing.assert_allclose(frequency, [1.2], atol=0.02)
    assert np.isfinite(confidence).all()
    assert ask(model_of(features, (0.8, 3.0), harmonic=1.0), clips)[0][0] == pytest.approx(2.4, abs=0.02)
    assert model_of(features, (0.8, 3.0), harmonic="fundamental").facts()["harmonic"] == "fundamental"


def test_a_clip_holds_two_periods_of_features_that_run_slower_than_what_they_see():
    model = model_of(of_time((1.0, 1.0)), (0.8, 3.0), harmonic=2.0)
    ask(model, swings(2.0))
    assert model.facts()["least_seconds"] == 5
    message = (
        r"`frames` must last 5 s, 2 periods of the lower end of the band of 0\.8 to 3 Hz, at 0\.5 of which features"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        ask(model, swings(2.0)[:, :100])


def test_each_clip_is_read_at_its_own_rate():
    frequency, _ = ask(model_of(as_they_are), swings(2.0, 2.0), [30.0, 15.0])
    np.testing.assert_allclose(frequency, [2.0, 1.0], atol=0.01)


def test_bytes_and_floats_in_the_value_range_become_what_the_encoder_was_trained_on():
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
def test_the_least_rate_is_twice_what_features_run_at_up_to_rounding(harmonic, least):
    model, clips = model_of(as_they_are, harmonic=harmonic), swings(2.0)
    ask(model, clips, np.float32(least) * np.float32(1 - 5e-7))
    said = refusal(model, clips, least * (1 - 1e-5))
    assert f"at least {least:g} frames per second, twice the frequency up to which features run" in said


def test_a_clip_lasts_two_periods_of_the_lower_end_but_for_a_hundredth():
    model = model_of(as_they_are)
    ask(model, swings(2.0, num_frames=149))
    assert "must last 5 s, 2 periods" in refusal(model, swings(2.0, num_frames=148))
    # The fastest clip of a batch is the shortest.
    ask(model, swings(2.0, 2.0, num_frames=150), [12.0, 30.0])
    assert "150 frames at a `rate` of 31 per second" in refusal(model, swings(2.0, 2.0, num_frames=150), [31.0, 12.0])


@pytest.mark.parametrize(("value", "fits"), [(-61.29, True), (-61.31, False), (71.29, True), (71.31, False)])
def test_floats_may_leave_the_range_by_a_hundredth_of_its_width(value, fits):
    model, frames = model_of(as_they_are, value_range=(-60.0, 70.0)), np.zeros((1, 8, *FRAME), np.float32)
    frames[0, 3, 1, 2, 0] = value
    if fits:
        model.features(tf.constant(frames))
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must lie in \[-60, 70\]\. Received: values from"):
            model.features(tf.constant(frames))


def test_no_weight_of_the_encoder_is_left_out():
    encoder = keras.Sequential([keras.Input((None, *FRAME)), keras.layers.BatchNormalization()])
    assert len(FrequencyModel(encoder, FRAME, BAND).weights) == 4


@pytest.mark.parametrize("harmonic", [0.0, -1.0, np.nan, np.inf, "half"])
def test_a_harmonic_that_is_none_is_refused_at_export(harmonic):
    with pytest.raises(ValueError, match=r"`harmonic` must be a positive number, 'fundamental' or None\. Received: "):
        model_of(as_they_are, harmonic=harmonic)


def test_a_frame_shape_or_band_of_another_form_is_refused_at_export():
    with pytest.raises(ValueError, match=r"`frame_shape` must be \(H, W, C\), .* Received: \(None, 8, 1\)"):
        FrequencyModel(keras.Sequential(), (None, 8, 1), (0.4, 5.0))
    for band in ((1, 2, 3), (2, 2), (0, 2)):
        with pytest.raises(ValueError, match=r"`band` must be two finite, rising numbers above 0\. Received: \("):
            FrequencyModel(keras.Sequential(), (8, 8, 1), band)
