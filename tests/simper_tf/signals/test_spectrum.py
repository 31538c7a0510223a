import numpy as np
import pytest
import tensorflow as tf
from made_up_features import sinusoids

from simper_tf.signals import spectrum

RNG = np.random.default_rng(29)


@pytest.mark.parametrize("num_frames", [20, 21])
@pytest.mark.parametrize("padding", [1, 16])
def test_power_equals_numpy(num_frames, padding):
    series = RNG.normal(size=(2, num_frames))
    centered = series - series.mean(axis=1, keepdims=True)
    expected = np.abs(np.fft.rfft(centered * np.hanning(num_frames), padding * num_frames)) ** 2
    np.testing.assert_allclose(spectrum.power(series, padding), expected, rtol=1e-3, atol=1e-4)
    assert spectrum.power(series).shape == (2, 8 * num_frames + 1)  # 16-fold, unless told.


def test_the_top_of_a_peak_is_that_of_the_log_parabola():
    log_power = -((np.arange(9) - 4.3) ** 2)
    found, position = spectrum.peak(np.exp(log_power)[None].astype(np.float32))
    np.testing.assert_array_equal(found, [4])
    np.testing.assert_allclose(position, [4.3], atol=1e-4)


def test_a_peak_is_sought_only_inside_and_may_lie_at_an_end():
    power = np.float32([[9, 1, 2, 5, 3, 8]])
    found, _ = spectrum.peak(power, np.array([False, False, True, True, True, False]))
    np.testing.assert_array_equal(found, [3])
    found, _ = spectrum.peak(power)
    np.testing.assert_array_equal(found, [0])


def test_a_peak_at_frequency_0_or_at_half_the_rate_lies_there():
    _, position = spectrum.peak(np.float32([[9, 1, 2, 5, 3, 8], [1, 1, 2, 5, 3, 8]]))
    np.testing.assert_array_equal(position, [0, 5])


@pytest.mark.parametrize("num_frames", [8, 30, 150, 600])
@pytest.mark.parametrize("share_of_all", [0.25, 1.0])
def test_noise_share_is_what_95_percent_of_noise_stays_below(num_frames, share_of_all):
    power = spectrum.power(RNG.normal(size=(1000, num_frames))).numpy()
    bins = np.arange(power.shape[1])
    inside = (bins >= 16) & (bins <= max(share_of_all * bins[-1], 32))
    peak = np.where(inside, power, -1).argmax(axis=1)
    lobe = np.abs(bins - peak[:, None]) <= 32
    shares = (power * lobe).sum(axis=1) / power.sum(axis=1)
    expected = float(spectrum.noise_share(num_frames, np.ptp(bins[inside]) / 16))
    assert expected == pytest.approx(np.quantile(shares, 0.95), abs=0.07)


def test_pixel_power_adds_the_spectra_of_all_pixels_and_channels():
    clips = RNG.normal(size=(2, 30, 5, 4, 3))
    series = np.moveaxis(clips, 1, -1).reshape(2, -1, 30)
    series = (series - series.mean(axis=-1, keepdims=True)) * np.hanning(30)
    expected = (np.abs(np.fft.rfft(series, 4 * 30)) ** 2).mean(axis=1)
    np.testing.assert_allclose(spectrum.pixel_power(clips), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("height", "width", "cell"), [(16, 15, (1, 1)), (32, 18, (2, 2)), (33, 8, (3, 1))])
def test_pixels_of_frames_above_16_a_side_are_averaged_to_a_grid(height, width, cell):
    frames = RNG.normal(size=(1, 20, height, width, 1)).astype(np.float32)
    rows, columns = cell
    cells = frames.reshape(1, 20, height // rows, rows, width // columns, columns, 1).mean(axis=(3, 5))
    series = np.moveaxis(cells, 1, -1).reshape(-1, 20)
    expected = spectrum.power(series, 4).numpy().mean(axis=0, keepdims=True)
    np.testing.assert_allclose(spectrum.pixel_power(frames), expected, rtol=1e-3)


def test_uint8_and_graphs_of_unknown_length_give_equal_spectra():
    clips = RNG.integers(0, 256, (3, 24, 6, 6, 1), dtype=np.uint8)
    graph = tf.function(spectrum.pixel_power, input_signature=[tf.TensorSpec([None, None, 6, 6, 1], tf.uint8)])
    np.testing.assert_allclose(graph(clips), spectrum.pixel_power(clips.astype(np.float32)), rtol=1e-4)


def test_lines_are_the_high_narrow_peaks_with_their_height():
    series = tf.constant([[1.0, 0.7, 0.2]]) @ sinusoids(RNG, [0.1, 0.2, 0.3], 150)
    lines = spectrum.lines(spectrum.power(series, spectrum.PIXEL_PADDING)).numpy()[0]
    # 0.7^2 is a line of about half the height; 0.2^2 is too low.
    np.testing.assert_array_equal(np.flatnonzero(lines), [60, 120])
    np.testing.assert_allclose(lines[[60, 120]], [1, 0.49], atol=0.02)


@pytest.mark.parametrize(
    ("peaks", "expected"),
    [
        ({12: 40.0, 20: 10.1, 28: 9.9}, {12: 1.0, 20: 10.1 / 40}),  # A quarter of the strongest.
        ({12: 4.1, 20: 3.9}, {12: 1.0}),  # Four times the median.
        ({5: 40.0, 12: 8.0}, {12: 1.0}),  # One and a half cycles in 20 frames are bin 6.
        ({6: 40.0, 12: 9.0}, {6: 1.0}),
        ({12: 40.0, 13: 30.0, 14: 20.0}, {12: 1.0}),  # The flank of a line is none.
    ],
)
def test_lines_by_hand(peaks, expected):
    power = np.ones((1, 41), np.float32)
    power[0, list(peaks)] = list(peaks.values())
    lines = spectrum.lines(power).numpy()[0]
    assert {k: lines[k] for k in np.flatnonzero(lines)} == pytest.approx(expected)


def test_noise_of_many_pixels_and_a_still_have_no_line():
    noise = RNG.normal(size=(20, 150, 12, 12, 1))
    assert not np.any(spectrum.lines(spectrum.pixel_power(noise)))
    assert not np.any(spectrum.lines(spectrum.pixel_power(np.full((1, 150, 12, 12, 1), 0.3))))


def test_drift_slower_than_a_clip_is_no_line():
    drift = np.linspace(0, 1, 150)[:, None, None, None] * RNG.normal(size=(1, 1, 6, 6, 1))
    wave = 0.2 * np.reshape(sinusoids(RNG, 0.1, 150), (1, 150, 1, 1, 1)) * np.ones((1, 1, 6, 6, 1))
    lines = spectrum.lines(spectrum.pixel_power(drift + wave)).numpy()[0]
    np.testing.assert_array_equal(np.flatnonzero(lines), [60])
