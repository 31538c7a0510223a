import numpy as np
import pytest
import tensorflow as tf
from made_up_features import in_hertz

from simper_tf.signals import octave, readout, spectrum, votes

RNG = np.random.default_rng(23)
RATE, BAND = 30.0, (0.4, 5.5)


def moving(frequency, heights, num_frames=150, rate=RATE):
    """Returns the `(1, F)` pixel spectrum of a movement whose k-th harmonic has `heights[k - 1]` of the amplitude.

    The harmonics are sampled, so those above half the rate fold back as in any video.
    """
    rng = np.random.default_rng(3)
    times = np.arange(num_frames) / rate
    clip = np.full((num_frames, 6, 6, 1), 100.0)
    for k, height in enumerate(heights, start=1):
        angle = 2 * np.pi * k * frequency * times[:, None, None, None] + rng.uniform(0, 6.28, (1, 6, 6, 1))
        clip += 30 * height * np.sin(angle)
    return spectrum.pixel_power(clip[None].astype(np.float32))


@pytest.mark.slow
@pytest.mark.parametrize("multiple", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("frequency", [0.55, 1.03, 1.9])
def test_features_at_a_multiple_step_down_to_the_line_of_pixels(multiple, frequency):
    pixels = moving(frequency, [1.0, 0.7])
    features = in_hertz(RNG, [multiple * frequency])
    np.testing.assert_array_equal(octave.octave_votes(features, pixels), [multiple])
    read = octave.resolve_octave(features, pixels, RATE)
    np.testing.assert_allclose(read, [frequency], atol=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("frequency", [0.85, 0.95])
def test_short_clips_step_down_below_two_cycles(frequency):
    pixels = moving(frequency, [1.0, 0.7], num_frames=60)
    read = octave.resolve_octave(in_hertz(RNG, [2 * frequency], num_frames=60), pixels, RATE)
    np.testing.assert_allclose(read, [frequency], atol=0.03)


def spectrum_with(heights):
    """Returns the `(1, F)` pixel spectrum of 150 frames with lines: Hz -> height."""
    power = np.full((1, 301), 1e-3, np.float32)
    for hertz, height in heights.items():
        power[0, round(20 * hertz)] = height
    return power


@pytest.mark.slow
@pytest.mark.parametrize(
    ("peak", "heights", "votes"),
    [
        (6.0, {6.0: 1.0, 3.0: 0.3}, 2),
        (6.0, {6.0: 1.0, 4.0: 0.3}, 0),  # A third of it is hardly better than the half of it: not sure.
        (0.38, {0.4: 1.0, 0.55: 0.5}, 1),  # Half of it would be less than 1.25 cycles a clip.
        (9.2, {4.6: 1.0, 9.2: 0.9, 11.6: 0.45}, 2),  # 4 times 4.6 folds to 11.6.
        (11.0, {11.0: 1.0, 15.0: 0.5}, 1),  # Three halves of 11 are above half the rate.
        (4.0, {2.1: 1.0}, 2),  # The same frequency is half a cycle a clip, 0.1 Hz, to either side.
        (4.0, {2.15: 1.0}, 0),
        (4.0, {13.3: 1.0}, 0),  # Ten thirds are not looked at.
    ],
)
def test_steps_down_by_hand(peak, heights, votes):
    features, pixels = in_hertz(RNG, [peak], phases=[0.5]), spectrum_with(heights)
    np.testing.assert_array_equal(octave.octave_votes(features, pixels), [votes])
    if votes:
        np.testing.assert_allclose(octave.resolve_octave(features, pixels, RATE), [peak / votes], rtol=0.02)


def test_peaks_lie_between_one_cycle_a_clip_and_half_the_rate():
    cycles = np.array([0.3, 1.2, 1.6, 20, 75])
    peaks = 150 * octave.wide_peak(in_hertz(RNG, RATE * cycles / 150, phases=np.full(5, np.pi / 2))).numpy()
    assert peaks[0] == pytest.approx(1, abs=0.01)
    np.testing.assert_allclose(peaks[1:], cycles[1:], atol=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hertz", "shown", "factor"),
    [
        (4.0, (2.0, [0.1, 1.0, 0.8]), 2),
        # A way back that looks the same: pixels with even harmonics only hold nothing of the fundamental.
        (4.0, (4.0, [1.0, 0.5]), 1),
        (1.0, (2.0, [1.0, 0.5]), 1),  # Features at a part of the frequency are not stepped up.
    ],
)
def test_a_line_at_three_halves_alone_tells_a_hidden_fundamental(hertz, shown, factor):
    features, pixels = in_hertz(RNG, [hertz]), moving(*shown)
    np.testing.assert_array_equal(octave.octave_votes(features, pixels), [factor])
    np.testing.assert_allclose(octave.resolve_octave(features, pixels, RATE), [hertz / factor], atol=0.005)


@pytest.mark.slow
def test_harmonics_that_fold_at_half_the_rate_are_no_octave():
    # At 30 frames per second the 4th harmonic of 4.6 Hz, 18.4, shows at 11.6: 5 times 2.3, an odd multiple of half.
    pixels = moving(4.6, [0.9, 1.0, 0.8, 0.6])
    assert spectrum.lines(pixels).numpy()[0, round(11.6 * 20) - 2 : round(11.6 * 20) + 3].max() > 0.25
    np.testing.assert_array_equal(octave.octave_votes(in_hertz(RNG, [9.2]), pixels), [2])
    read = octave.resolve_octave(in_hertz(RNG, [9.2]), pixels, RATE)
    np.testing.assert_allclose(read, [4.6], atol=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("multiple", [1, 2, 3])
@pytest.mark.parametrize("frequency", [2.31, 4.0, 4.62, 4.74])
def test_where_harmonics_fold_onto_others_the_lower_are_stronger(frequency, multiple):
    # Of 4.62 Hz at 30 frames per second the fifth harmonic shows at 6.9 and the seventh at 2.34: where 2.31 has lines.
    pixels = moving(frequency, [1.0, 0.9, 0.75, 0.6, 0.5, 0.4, 0.35, 0.3])
    read = octave.resolve_octave(in_hertz(RNG, [multiple * frequency]), pixels, RATE)
    np.testing.assert_allclose(read, [frequency], atol=0.01)


def test_lines_on_a_steep_background_are_seen():
    rng = np.random.default_rng(8)
    times = np.arange(150) / RATE
    walks = np.cumsum(rng.normal(0, 10, (150, 36)), axis=0)
    wave = 30 * np.sin(2 * np.pi * 2.0 * times) + 25 * np.sin(2 * np.pi * 4.0 * times)
    pixels = spectrum.pixel_power((walks + wave[:, None]).reshape(1, 150, 6, 6, 1).astype(np.float32))
    assert int(tf.argmax(pixels[0])) < 6  # The walks are the strongest.
    np.testing.assert_allclose(octave.resolve_octave(in_hertz(RNG, [4.0]), pixels, RATE), [2.0], atol=0.01)


@pytest.mark.slow
def test_pixels_without_a_line_decide_nothing():
    rng = np.random.default_rng(4)
    noise = spectrum.pixel_power(rng.normal(100, 30, (1, 150, 8, 8, 1)))
    still = spectrum.pixel_power(np.full((1, 150, 8, 8, 1), 100.0))
    features, pixels = in_hertz(RNG, [4.0, 4.0]), tf.concat([noise, still], axis=0)
    np.testing.assert_array_equal(octave.octave_votes(features, pixels), [0, 0])
    np.testing.assert_allclose(octave.resolve_octave(features, pixels, RATE), [4.0, 4.0], atol=0.005)


def test_a_peak_of_features_far_from_any_line_does_not_mislead():
    # A feature's own harmonic that folds back, higher than the one at twice the frequency.
    features = in_hertz(RNG, [13.7]) + 0.6 * in_hertz(RNG, [4.0])
    read = octave.resolve_octave(features, moving(2.0, [1.0, 0.7]), RATE)
    np.testing.assert_allclose(read, [2.0], atol=0.005)


@pytest.mark.slow
def test_a_common_multiple_reads_what_noise_drowned():
    rng = np.random.default_rng(5)
    frequencies = rng.uniform(0.6, 3.4, 30)
    clear = [moving(frequency, [1.0, 0.7]) for frequency in frequencies[:10]]
    drowned = [spectrum.pixel_power(rng.normal(100, 30, (1, 150, 8, 8, 1))) for _ in frequencies[10:]]
    features = in_hertz(RNG, 2 * frequencies)
    pixels = tf.concat(clear + drowned, axis=0)
    read = octave.resolve_octave(features, pixels, RATE)
    assert np.mean(np.abs(read - frequencies) > 0.1) > 0.5
    divisor, agreement = votes.most_voted(octave.octave_votes(features, pixels))
    assert (divisor, agreement) == (2, 1.0)
    np.testing.assert_allclose(RATE * octave.wide_peak(features) / divisor, frequencies, atol=0.01)


@pytest.mark.slow
def test_the_octave_is_resolved_in_a_graph_of_unknown_length():
    features = in_hertz(RNG, [2.2, 4.6], num_frames=120)
    pixels = tf.concat([moving(1.1, [1, 0.7], 120), moving(2.3, [1, 0.7], 120)], axis=0)
    rates = np.float32([30, 15])
    read = octave.resolve_octave(features, pixels, rates)
    np.testing.assert_allclose(read, [1.1, 2.3 / 2], atol=0.01)
    signature = [tf.TensorSpec([None, None]), tf.TensorSpec([None, None]), tf.TensorSpec([None])]
    graph = tf.function(octave.resolve_octave, input_signature=signature)
    np.testing.assert_allclose(graph(features, pixels, rates), read, rtol=1e-4)


@pytest.mark.parametrize("rate", [0.0, -30.0, np.nan, np.float32([np.inf])])
def test_the_octave_is_not_resolved_at_an_impossible_rate(rate):
    pixels = moving(2.0, [1.0, 0.7])
    with pytest.raises(ValueError, match="`rate` must be positive frames per second"):
        octave.resolve_octave(in_hertz(RNG, [4.0]), pixels, rate)
    with pytest.raises(ValueError, match="`rate` must be positive frames per second"):
        octave.pixel_frequency(pixels, rate, 150)


@pytest.mark.parametrize("features", [in_hertz(RNG, [4.0], 120), in_hertz(RNG, [4.0, 2.0])])
def test_pixels_of_other_clips_are_refused_with_both_shapes(features):
    message = r"`pixels` must be `pixel_power` of the same clips .* shape \(\d, 1[25]0\): .*Received: shape \(1, 301\)"
    with pytest.raises(ValueError, match=message):
        octave.resolve_octave(features, moving(2.0, [1.0, 0.7]), RATE)


@pytest.mark.parametrize("num_frames", [8, 61, 150])
def test_what_flickers_each_frame_is_read_at_half_the_rate(num_frames):
    flicker = np.resize([0, 1], num_frames).astype(np.float32)
    pixels = spectrum.pixel_power(np.tile(flicker[None, :, None, None, None], (1, 1, 4, 4, 1)))
    np.testing.assert_array_equal(octave.pixel_frequency(pixels, RATE, num_frames), [RATE / 2])
    np.testing.assert_allclose(octave.resolve_octave(flicker[None], pixels, RATE), [RATE / 2], rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0.0, 300.0])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 4, 3)])
@pytest.mark.parametrize("num_frames", [61, 150])
def test_shape_length_and_unit_of_clips_do_not_move_the_octave(num_frames, shape, offset):
    times = np.arange(num_frames) / RATE
    wave = np.sin(2 * np.pi * 2.0 * times) + 0.7 * np.sin(2 * np.pi * 4.0 * times)
    clips = (offset + 0.1 * wave[None, :, None, None, None] * np.ones(shape)).astype(np.float32)
    pixels = spectrum.pixel_power(clips)
    read = octave.resolve_octave(in_hertz(RNG, [4.0], num_frames), pixels, RATE)
    np.testing.assert_allclose(read, [2.0], atol=0.01)
    np.testing.assert_allclose(octave.pixel_frequency(pixels, RATE, num_frames), [2.0], atol=0.05)


@pytest.mark.slow
def test_a_brightening_scene_hides_no_line_from_pixels():
    times = np.arange(150) / RATE
    series = np.sin(2 * np.pi * 1.3 * times) + 5 * times / times[-1]
    pixels = spectrum.pixel_power(series[None, :, None, None, None])
    assert int(tf.argmax(pixels[0])) < 6  # The drift is the strongest.
    np.testing.assert_allclose(octave.pixel_frequency(pixels, RATE, 150), [1.3], atol=0.02)


def test_pixels_alone_are_read_at_their_fundamental():
    pixels = tf.concat([moving(1.2, [0.8, 1.0]), moving(3.1, [1.0, 0.4])], axis=0)
    np.testing.assert_allclose(octave.pixel_frequency(pixels, RATE, 150), [1.2, 3.1], atol=0.01)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e15, 1e20])
def test_neither_frequency_nor_confidence_depend_on_the_scale(scale):
    series = in_hertz(RNG, [2.4], phases=[0.3]) + 0.5 * np.random.default_rng(2).normal(size=(1, 150))
    expected, sure = readout.fft_frequency(series, RATE, BAND)
    read, confidence = readout.fft_frequency(scale * series, RATE, BAND)
    np.testing.assert_allclose(read, expected, rtol=1e-5)
    np.testing.assert_allclose(confidence, sure, rtol=1e-4)


def test_rates_that_are_not_one_for_each_clip_are_refused():
    series, pixels = in_hertz(RNG, [1.0, 2.0, 3.0]), tf.zeros([3, 301])
    for read in (
        lambda rate: readout.fft_frequency(series, rate, BAND),
        lambda rate: octave.resolve_octave(series, pixels, rate),
        lambda rate: octave.pixel_frequency(pixels, rate, 150),
    ):
        for rate in ([30.0, 30.0], []):
            with pytest.raises(ValueError, match="`rate` must be one number, or one for each of 3 clips"):
                read(np.float32(rate))


def test_a_harmonic_is_sought_below_half_of_the_slowest_rate():
    # Features at 3 f: 9 Hz at 30 frames per second, 4.5 Hz at 15. A band of up to 4 Hz would reach to 12.
    read = readout.harmonic_frequency(in_hertz(RNG, [9.0, 9.0]), np.float32([30, 15]), (1.0, 4.0), 1 / 3)
    np.testing.assert_allclose(read[1], 1.5, atol=0.01)
    assert 1.0 <= read[0] <= 2.5


def test_pixels_without_a_line_are_read_above_one_cycle_a_clip():
    rng = np.random.default_rng(6)
    drift = 0.5 * np.arange(150)[:, None, None, None]
    clips = rng.normal(100, 30, (5, 150, 8, 8, 1)) + drift
    pixels = spectrum.pixel_power(clips.astype(np.float32))
    assert not np.any(spectrum.lines(pixels))
    assert np.min(octave.pixel_frequency(pixels, RATE, 150)) >= RATE / 150 - 0.1


@pytest.mark.slow
@pytest.mark.parametrize("rate", [20.0, np.float32([20.0])])
def test_what_features_do_below_the_lowest_frequency_is_drift(rate):
    times = np.arange(100) / 20
    features = (np.sin(2 * np.pi * 3.0 * times) + 3 * np.sin(2 * np.pi * 0.3 * times))[None]
    pixels = spectrum.pixel_power((0.5 + 0.4 * np.sin(2 * np.pi * 1.5 * times))[None, :, None, None, None])
    assert octave.resolve_octave(features, pixels, rate).numpy() == pytest.approx(0.27, abs=0.03)
    assert octave.resolve_octave(features, pixels, rate, 0.6).numpy() == pytest.approx(1.5, abs=0.01)
    assert votes.find_octave(features, pixels, 0.03).divisor == 2
