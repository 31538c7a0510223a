import re

import numpy as np
import pytest
import tensorflow as tf
from made_up_features import in_hertz

from simper_tf.signals import readout

RNG = np.random.default_rng(23)
RATE, BAND = 30.0, (0.4, 5.5)
# The share of the power that noise of 150 frames reaches in that band, 25.5 cycles wide: confidence 0.
NOISE_SHARE = 1 - np.exp(-2 * (9 + 2 * np.log(26.5) + 40 / 150) / 150)


# Float32 sinusoids, all phases. The two mirrored frequencies of a real series disturb each other's peak most at the
# lowest frequency, 2.5 periods a clip: the 0.005 Hz asked for is a fortieth of a bin there.
def test_fine_readout_recovers_pure_sinusoids():
    frequencies = np.repeat(np.linspace(0.5, 5.0, 46), 8)
    read, confidence = readout.fft_frequency(in_hertz(RNG, frequencies), RATE, BAND)
    np.testing.assert_allclose(read, frequencies, atol=0.005)
    assert np.all(confidence > 0.95)  # The mirrored lobe reaches over at the lowest frequencies.
    assert np.all(confidence <= 1 + 1e-6)


def test_paper_readout_is_the_largest_bin_of_numpy():
    series = RNG.normal(size=(50, 150)) + 0.3 * in_hertz(RNG, RNG.uniform(0.5, 5, 50))
    bins = np.fft.rfftfreq(150, 1 / RATE)
    power = np.abs(np.fft.rfft(series - series.mean(axis=1, keepdims=True)))
    power[:, (bins < BAND[0] - 1e-9) | (bins > BAND[1] + 1e-9)] = -1
    read, _ = readout.fft_frequency(series, RATE, BAND, mode="paper")
    np.testing.assert_allclose(read, bins[power.argmax(axis=1)], rtol=1e-6)


def test_paper_readout_counts_the_ends_of_the_band():
    read, confidence = readout.fft_frequency(in_hertz(RNG, [0.4, 2.0]), RATE, (0.4, 2.0), mode="paper")
    np.testing.assert_allclose(read, [0.4, 2.0], rtol=1e-6)
    np.testing.assert_allclose(confidence, 1, atol=1e-5)


@pytest.mark.parametrize("mode", ["fine", "paper"])
@pytest.mark.parametrize("value", [0.0, 1.0, -3.0])
def test_a_constant_reads_as_the_lower_end_without_confidence(mode, value):
    read, confidence = readout.fft_frequency(np.full((2, 150), value, np.float32), RATE, BAND, mode)
    # The first bin at or above it.
    np.testing.assert_allclose(read, BAND[0], atol=RATE / (16 * 150))
    np.testing.assert_array_equal(confidence, 0)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 7.3])
def test_a_large_constant_has_no_confidence_either(value):
    _, confidence = readout.fft_frequency(np.full((2, 150), value, np.float32), RATE, BAND)
    np.testing.assert_allclose(confidence, 0, atol=0.01)


@pytest.mark.parametrize("mode", ["fine", "paper"])
def test_readout_ignores_scale_and_offset_and_follows_the_rate(mode):
    series = in_hertz(RNG, [0.7, 1.9, 4.4])
    read, confidence = readout.fft_frequency(series, RATE, BAND, mode)
    scaled, scaled_confidence = readout.fft_frequency(4 * series + 2, RATE, BAND, mode)
    np.testing.assert_allclose(scaled, read, rtol=1e-4)
    np.testing.assert_allclose(scaled_confidence, confidence, atol=1e-4)
    doubled, _ = readout.fft_frequency(series, 2 * RATE, (2 * BAND[0], 2 * BAND[1]), mode)
    np.testing.assert_allclose(doubled, 2 * np.asarray(read), rtol=1e-6)


def test_each_clip_may_have_its_own_rate():
    series = in_hertz(RNG, [2.0, 2.0])
    read, _ = readout.fft_frequency(series, np.float32([30, 15]), (0.4, 5.5))
    np.testing.assert_allclose(read, [2.0, 1.0], atol=0.005)


def test_a_band_of_days_is_as_exact_as_one_of_seconds():
    # A frame an hour: all frequencies are 108,000 times smaller, and so must be the tolerance of the band's ends. Whole
    # periods, so that the stronger bin at 0.8 stays out of a band from 0.85.
    series = in_hertz(RNG, [2.0, 2.0]) + 3 * in_hertz(RNG, [0.8, 5.0])
    read, _ = readout.fft_frequency(series, 1 / 3600, (0.85 / 108_000, 4.0 / 108_000), mode="paper")
    np.testing.assert_allclose(108_000 * read, [2.0, 2.0], rtol=1e-6)
    read, _ = readout.fft_frequency(in_hertz(RNG, [0.4, 2.0]), 1 / 3600, (0.4 / 108_000, 2.0 / 108_000), mode="paper")
    np.testing.assert_allclose(108_000 * read, [0.4, 2.0], rtol=1e-6)


def test_spectra_of_channels_are_added():
    strong, weak = 2 * in_hertz(RNG, [1.5]), in_hertz(RNG, [4.0])
    read, confidence = readout.fft_frequency(np.stack([weak, strong], axis=-1), RATE, BAND)
    np.testing.assert_allclose(read, [1.5], atol=0.01)
    np.testing.assert_allclose(confidence, (2**2 / (2**2 + 1) - NOISE_SHARE) / (1 - NOISE_SHARE), atol=0.01)
    single, _ = readout.fft_frequency(strong[..., None], RATE, BAND)
    np.testing.assert_allclose(single, readout.fft_frequency(strong, RATE, BAND)[0], rtol=1e-6)


def test_a_bare_bin_has_the_power_of_its_neighbors():
    # Bins 0.2 Hz apart: that at 2.2 counts, that at 2.4 does not.
    series = in_hertz(RNG, [2.0]) + 0.5 * in_hertz(RNG, [2.2]) + 0.5 * in_hertz(RNG, [2.4])
    _, confidence = readout.fft_frequency(series, RATE, BAND, mode="paper")
    np.testing.assert_allclose(confidence, (1.25 / 1.5 - NOISE_SHARE) / (1 - NOISE_SHARE), atol=1e-4)


def test_peaks_outside_the_band_are_not_read():
    series = 10 * in_hertz(RNG, [8.0]) + in_hertz(RNG, [2.0])
    np.testing.assert_allclose(readout.fft_frequency(series, RATE, BAND)[0], [2.0], atol=0.01)


def test_noise_is_less_sure_than_a_sinusoid():
    wave, noise = in_hertz(RNG, [2.0] * 20), RNG.normal(size=(20, 150))
    pure, mixed, none = [
        np.mean(readout.fft_frequency(series, RATE, BAND)[1]) for series in (wave, wave + noise, noise)
    ]
    assert none < 0.15 < mixed < 0.6 < pure


@pytest.mark.slow
def test_the_readout_runs_in_a_graph_of_unknown_shape():
    series = in_hertz(RNG, [1.1, 3.3])
    signature = [tf.TensorSpec([None, None]), tf.TensorSpec([])]
    graph = tf.function(lambda x, rate: readout.fft_frequency(x, rate, BAND), input_signature=signature)
    np.testing.assert_allclose(graph(series, RATE), readout.fft_frequency(series, RATE, BAND), rtol=1e-4)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match=r"`mode` must be 'fine' or 'paper'. Received: 'coarse'"):
        readout.fft_frequency(in_hertz(RNG, [1.0]), RATE, BAND, mode="coarse")


@pytest.mark.parametrize("harmonic", readout.HARMONICS)
def test_features_at_a_harmonic_are_calibrated(harmonic):
    # Features run at f / h; at h = 1/3 the fastest, 3 f = 12 Hz, still is below half the rate.
    frequencies, few = RNG.uniform(1.6, 4.0, 40), 8
    features = in_hertz(RNG, frequencies / harmonic)
    calibrated = readout.calibrate_harmonic(features[:few], frequencies[:few], RATE, (1.5, 4.2))
    assert calibrated == harmonic
    recovered = readout.harmonic_frequency(features, RATE, (1.5, 4.2), calibrated)
    np.testing.assert_allclose(recovered, frequencies, atol=0.01 * harmonic + 0.005)


@pytest.mark.parametrize("num_frames", [8, 16, 30, 60, 150, 600])
def test_noise_has_next_to_no_confidence_at_any_length(num_frames):
    noise = np.random.default_rng(1).normal(size=(400, num_frames))
    _, confidence = readout.fft_frequency(noise, RATE, BAND)
    assert np.mean(confidence) < 0.02
    assert np.mean(np.asarray(confidence) > 0.3) < 0.03


@pytest.mark.parametrize("num_frames", [60, 150, 600])
def test_a_sinusoid_has_high_confidence_at_any_length(num_frames):
    _, confidence = readout.fft_frequency(in_hertz(RNG, np.linspace(1.5, 5, 30), num_frames), RATE, BAND)
    assert np.min(confidence) > 0.95


def test_a_peak_that_is_higher_outside_the_band_is_no_answer():
    # A slow swing and a fast one whose flanks reach into the band.
    read, confidence = readout.fft_frequency(in_hertz(RNG, [0.1, 0.25, 5.7]), RATE, BAND)
    np.testing.assert_array_equal(confidence, 0)
    assert np.all((np.asarray(read) >= BAND[0]) & (np.asarray(read) <= BAND[1]))


def test_more_power_below_the_band_leaves_no_confidence():
    slow, wave = in_hertz(RNG, [0.5]), in_hertz(RNG, [5.0])
    band = (2.0, 6.0)
    assert readout.fft_frequency(wave + 0.5 * slow, RATE, band)[1][0] > 0.5
    assert readout.fft_frequency(wave + 1.1 * slow, RATE, band)[1][0] == 0


@pytest.mark.parametrize(
    ("rate", "band", "message"),
    [
        (30.0, (5.5, 0.4), r"`band` must be \(low, high\).*Received: \(5.5, 0.4\)"),
        (8.5, (0.4, 5.5), r"half the rate, 4.25 Hz. Received: \(0.4, 5.5\)"),
        (30.0, (-1.0, 5.5), r"Received: \(-1, 5.5\)"),
        (0.0, (0.4, 5.5), "`rate` must be positive frames per second. Received: 0"),
        (np.float32([30, np.nan]), (0.4, 5.5), "`rate` must be positive frames per second. Received: nan"),
    ],
)
def test_a_band_or_rate_that_makes_no_sense_is_refused(rate, band, message):
    with pytest.raises(ValueError, match=message):
        readout.fft_frequency(in_hertz(RNG, [1.0, 2.0]), rate, band)


def fundamental(features, band):
    return float(readout.fundamental_frequency(features, 30, band)[0])


def waves(first, second, frequency=1.2, noise=0.0):
    """Returns `(1, 300)` of 10 seconds with a fundamental and a second harmonic of these heights."""
    turns = 2 * np.pi * frequency * np.arange(300) / 30
    wave = first * np.sin(turns) + second * np.sin(2 * turns + 1)
    return np.float32(wave + noise * np.random.default_rng(0).standard_normal(300))[None]


def test_a_stronger_second_harmonic_is_read_at_its_fundamental():
    # A quarter of the power is half the height.
    for first, second, expected in ((1, 1.9, 1.2), (1, 2.1, 2.4), (1, 0, 1.2), (0, 1, 2.4), (1, 0.9, 1.2)):
        read = fundamental(waves(first, second, noise=0.01), (0.7, 4))
        assert read == pytest.approx(expected, abs=0.01), (first, second)


def test_no_fundamental_is_sought_below_the_band_or_off_half():
    assert fundamental(waves(1, 1.5), (1.5, 4)) == pytest.approx(2.4, abs=0.01)
    assert fundamental(waves(1, 1.5), (1.3, 4)) == pytest.approx(2.4, abs=0.01)
    other = waves(1, 0, 1.4) + waves(0, 1.5, 1.2)  # 0.2 Hz off: two cycles a clip.
    assert fundamental(other, (0.7, 4)) == pytest.approx(2.4, abs=0.02)


@pytest.mark.slow
def test_fundamentals_are_read_in_a_graph_of_unknown_shape():
    features = np.concatenate([waves(1, 1.5), waves(1, 0, 3.0), np.full((1, 300), 0.3, np.float32)])
    spec = [tf.TensorSpec([None, None], tf.float32), tf.TensorSpec([None], tf.float32)]
    read = tf.function(lambda x, rate: readout.fundamental_frequency(x, rate, (0.7, 4.0)), input_signature=spec)
    rates = np.float32([30, 15, 30])
    np.testing.assert_allclose(read(features, rates), [1.2, 1.5, 0.7], atol=0.01)  # A constant: the lower end.
    np.testing.assert_allclose(read(features, rates), readout.fundamental_frequency(features, rates, (0.7, 4.0)))


def test_features_that_are_not_finite_are_refused_by_number():
    series = in_hertz(RNG, [1.0, 2.0, 3.0])
    series[1, 70] = np.nan
    with pytest.raises(ValueError, match="The features of clip 1 are not finite"):
        readout.fft_frequency(series, RATE, BAND)


@pytest.mark.parametrize("shape", [(150,), (1, 150, 1, 1), (0, 150), (2, 0), (2, 150, 0)])
def test_features_of_another_shape_are_refused_with_it(shape):
    with pytest.raises(ValueError, match=rf"\(clips, frames, channels\), .*Received: shape {re.escape(str(shape))}"):
        readout.fft_frequency(np.zeros(shape, np.float32), RATE, BAND)


def test_constant_features_calibrate_to_no_harmonic():
    assert readout.calibrate_harmonic(np.full((4, 150, 2), 0.7, np.float32), np.full(4, 3.0), RATE, BAND) == 1.0


@pytest.mark.parametrize(
    ("frequencies", "message"),
    [
        ([0.8, 1.2], r"one number for each of 3 clips\. Received: shape \(2,\)"),
        (1.2, r"Received: shape \(\)"),
        ([0.8, np.nan, 2.0], r"Received: nan for clip 1\. Leave out clips that nobody has labeled"),
        ([0.8, 1.2, 72.0], r"Received: 72 for clip 2\. .*; divide what is per minute by 60"),
        ([0.0, 1.2, 2.0], "Received: 0 for clip 0"),
    ],
)
def test_labels_that_cannot_calibrate_are_refused(frequencies, message):
    with pytest.raises(ValueError, match=message):
        readout.calibrate_harmonic(in_hertz(RNG, [0.8, 1.2, 2.0]), frequencies, RATE, BAND)
