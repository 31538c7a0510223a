"""Multiple of the frequency at which features run, told by the pixels with no label and no band.

A pendulum looks the same twice a period, so features may run at a multiple of the frequency. Pixels hold the frequency
itself. Written in TensorFlow with dynamic shapes, because the exported model runs it too.
"""

import math

import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.signals import spectrum
from simper_tf.signals.readout import check_rate, fft_frequency, power_in_hertz

# Two frequencies are the same where they lie within half a cycle a clip; in bins of `spectrum.pixel_power`.
_NEAR = spectrum.PIXEL_PADDING // 2
# A wave is expected to have so many harmonics, each with this share of the amplitude of the one before. Candidates are
# the peak of the features and its parts, down to a sixth. Chosen on training and validation clips of digits.
_HARMONICS, _FADING, _DIVISORS = 9, 0.8, 6
# Cycles a clip below which no part is a candidate. Of 300 MNIST clips of 60 frames, features at twice the frequency,
# 11.7 % are misread with 2, 4.3 % with 1.25 and 3.0 % with 1; of 90 frames 3.3, 0 and 0.7 %. At the frequency itself
# none is.
_FEWEST_CYCLES = 1.25
# Logarithm of the ratio up to which two parts of a peak are the same: a fifth and a sixth are 0.18 apart.
_SAME = 0.09
# By which share the likeness of the best candidate must exceed that of the next for a clip to vote.
_LEAD = 0.1


def resolve_octave(features: ArrayLike, pixels: ArrayLike, rate: ArrayLike, lowest: float = 0.0) -> tf.Tensor:
    """Reads frequencies with no label and no band: the peak of the features, stepped down as the pixels show.

    Features may run at a multiple of the frequency; pixels hold the frequency itself. The candidates are the highest
    peak above one cycle a clip and its parts, down to a sixth. Each would show in the pixels as a comb of harmonics
    that fade, and fold back above half the rate; the one most like the spectrum of the pixels is taken. If the pixels
    have lines, but none at any multiple of it (a harmonic of the features may fold back too), the highest peak near a
    line takes the place of the highest.

    It cannot see what pixels do not show: a frequency drowned in noise (see `votes.Octave`), or a movement whose two
    halves differ in nothing but what a mean over a grid of pixels removes. Nor does it step up: features at a part of
    the frequency are read as they are.

    Args:
        features: `(N, T)` or `(N, T, D)` floats.
        pixels: `(N, F)` of `spectrum.pixel_power` of the same clips.
        rate: Frames per second, a number or `(N,)`.
        lowest: In Hz, below which nothing is sought: what features do there is drift.

    Returns:
        `(N,)` float32 in Hz. Where the pixels have no line at all, the highest peak above one cycle a clip.

    Raises:
        ValueError: the rate is not positive, features are of another shape or not finite, or these are not the pixels
            of as many clips of as many frames. In a graph nothing is checked.

    Example:
        >>> times = np.arange(100) / 20
        >>> features = np.sin(2 * np.pi * 3.0 * times)[None]  # Twice as fast as the pixels.
        >>> clips = 0.5 + 0.4 * np.sin(2 * np.pi * 1.5 * times)[None, :, None, None, None]
        >>> simper_tf.resolve_octave(features, simper_tf.pixel_power(clips), 20.0).numpy().round(1)
        array([1.5], dtype=float32)
    """
    if tf.executing_eagerly():
        check_rate(rate, len(features))
        _check_pixels(np.shape(features), np.shape(pixels))
    num_frames, least = tf.shape(features)[1], lowest / tf.cast(rate, tf.float32)
    peaks = wide_peak(features, least)
    divisors, has_line, _ = _divisors(peaks, pixels, num_frames, least)
    near_line = _peak_near_a_line(features, spectrum.lines(pixels), least)
    instead, still_has_line, _ = _divisors(near_line, pixels, num_frames, least)
    instead = near_line / tf.where(still_has_line, instead, 1.0)
    return tf.cast(rate, tf.float32) * tf.where(has_line, peaks / divisors, instead)


def resolve_together(features: ArrayLike, pixels: ArrayLike, rate: float, lowest: float = 0.0) -> np.ndarray:
    """Reads frequencies of the clips of one recording, as `resolve_octave`, by the mean spectrum of their pixels.

    What repeats is the same in all of them, and their mean shows it where that of a clip alone does not. Each clip
    counts alike, however strong it changes.
    """
    shares = pixels / np.maximum(np.sum(pixels, axis=1, keepdims=True), 1e-12)
    together = np.broadcast_to(shares.mean(axis=0), np.shape(pixels))
    return resolve_octave(features, together, rate, lowest).numpy()


def octave_votes(features, pixels, lowest=0.0):
    """Returns by how much to divide the `wide_peak` of the features of each clip, as its pixels show.

    `(N,)` int32, 1 to 6; 0 where the pixels have no line at any multiple of the frequency, or two candidates are nearly
    as like, so that nothing is known. Arguments and errors are those of `resolve_octave`, with `lowest` in cycles per
    frame.
    """
    peaks = wide_peak(features, lowest)
    if tf.executing_eagerly():
        _check_pixels(np.shape(features), np.shape(pixels))
    divisors, has_line, is_sure = _divisors(peaks, pixels, tf.shape(features)[1], lowest)
    return tf.where(has_line & is_sure, tf.cast(divisors, tf.int32), 0)


def denials(features, pixels, frequency, rate, lowest):
    """Returns which clips' pixels clearly show another part of the peak of their features than was told.

    `(N,)` bool, False where the pixels show no line, or two parts are nearly as like; and `(N,)` float32 in Hz, the
    frequency that they show where it is True. `frequency` is `(N,)` in Hz, as it was told; other arguments are those of
    `resolve_octave`.
    """
    least = lowest / rate
    votes = tf.cast(octave_votes(features, pixels, least), tf.float32)
    seen = rate * wide_peak(features, least) / tf.maximum(votes, 1.0)
    return (votes > 0) & (tf.abs(tf.math.log(seen / frequency)) > _SAME), seen


def pixel_frequency(pixels: ArrayLike, rate: ArrayLike, num_frames: int) -> tf.Tensor:
    """Reads frequencies off the pixels alone: what needs no learning at all.

    Args:
        pixels: `(N, F)` of `spectrum.pixel_power`.
        rate: Frames per second, a number or `(N,)`.
        num_frames: T of the clips.

    Returns:
        `(N,)` float32 in Hz: the strongest line, or the part of it that `resolve_octave` would take. Where there is no
        line, the highest power from one cycle a clip.

    Raises:
        ValueError: the rate is not positive. In a graph nothing is checked.

    Example:
        >>> bright = 0.5 + 0.4 * np.sin(2 * np.pi * 1.5 * np.arange(100) / 20)  # 1.5 Hz at 20 frames per second.
        >>> clips = np.broadcast_to(bright[None, :, None, None, None], (1, 100, 4, 4, 1))
        >>> simper_tf.pixel_frequency(simper_tf.pixel_power(clips), 20.0, 100).numpy().round(1)
        array([1.5], dtype=float32)
    """
    if tf.executing_eagerly():
        check_rate(rate, len(pixels))
    scale = tf.cast(spectrum.PIXEL_PADDING * num_frames, tf.float32)
    # A line may be lower than a drift, which is none.
    is_line = spectrum.lines(pixels) > 0
    no_line = ~tf.reduce_any(is_line, axis=1, keepdims=True)
    repeats = tf.range(tf.shape(pixels)[-1]) >= spectrum.PIXEL_PADDING
    peaks = spectrum.peak(pixels, is_line | (no_line & repeats))[1] / scale
    return tf.cast(rate, tf.float32) * peaks / _divisors(peaks, pixels, num_frames)[0]


def wide_peak(features, lowest=0.0):
    """Returns `(N,)` peaks of spectra in cycles per frame, from one cycle a clip to half the rate.

    Below `lowest`, also in cycles per frame, a number or `(N,)`, no peak counts.
    """
    num_frames = tf.cast(tf.shape(features)[1], tf.float32)
    return fft_frequency(features, 1.0, (tf.maximum(1.0 / num_frames, lowest), 0.5))[0]


def _peak_near_a_line(features, lines, lowest):
    """Returns `(N,)` peaks in cycles per frame where pixels have a line too, or anywhere if they have none."""
    power, spacing = power_in_hertz(features, 1.0)
    fine, coarse = tf.range(tf.shape(power)[-1]), spectrum.PADDING // spectrum.PIXEL_PADDING
    near = tf.gather(_widened(lines) > 0, (fine + coarse // 2) // coarse, axis=1)
    near |= ~tf.reduce_any(near, axis=1, keepdims=True)
    counts = tf.cast(fine, tf.float32) * spacing >= tf.reshape(lowest, [-1, 1])
    return spectrum.peak(power, near & counts & (fine >= spectrum.PADDING))[1] * spacing[:, 0]


def _divisors(peaks, pixels, num_frames, least=0.0):
    """Returns by how much to divide `(N,)` peaks in cycles per frame, whether a line agrees, and whether it is sure."""
    scale = tf.cast(spectrum.PIXEL_PADDING * num_frames, tf.float32)
    seen = _above_surroundings(pixels)
    parts = [peaks / divisor for divisor in range(2, _DIVISORS + 1)]
    lowest = tf.maximum(_FEWEST_CYCLES * spectrum.PIXEL_PADDING, least * scale)
    likeness = [tf.where(part * scale >= lowest, _likeness(seen, part, scale), 0.0) for part in parts]
    likeness = [_likeness(seen, peaks, scale), *likeness]
    highest, best = tf.math.top_k(tf.stack(likeness, axis=1), 2)
    divisors = tf.cast(best[:, 0] + 1, tf.float32)
    is_sure = (1 - _LEAD) * highest[:, 0] >= highest[:, 1]
    return divisors, _has_line(pixels, peaks / divisors, scale), is_sure


def _above_surroundings(pixels):
    """Returns `(N, F)` spectra, of norm 1, of what rises above the mean around it; as cube roots, for faint lines."""
    lobe = 2 * spectrum.HANN_LOBE * spectrum.PIXEL_PADDING + 1
    mean = tf.nn.avg_pool1d(pixels[..., None], lobe, 1, "SAME")[..., 0]
    counted = spectrum.without_drift(tf.nn.relu(pixels - mean))
    largest = tf.reduce_max(counted, axis=1, keepdims=True)
    return tf.math.l2_normalize(tf.math.divide_no_nan(counted, largest) ** (1 / 3), axis=1)


def _likeness(seen, frequencies, scale):
    """Returns the cosines of spectra and of those of waves at `(N,)` frequencies in cycles per frame."""
    # Harmonics above half the rate fold back, and a wave at a part of the frequency has lines wherever the frequency
    # has some. The right one is told by which of its harmonics are strong: the lower ones.
    harmonics = frequencies[:, None] * tf.range(1.0, _HARMONICS + 1)
    folded = tf.abs(harmonics - tf.round(harmonics)) * scale
    bins = tf.cast(tf.range(tf.shape(seen)[-1]), tf.float32)
    cycles = tf.abs(bins - folded[..., None]) / spectrum.PIXEL_PADDING
    # The main lobe of a Hann window, nearly.
    lobes = tf.square(tf.cos(math.pi / 4 * tf.minimum(cycles, spectrum.HANN_LOBE)))
    heights = _FADING ** tf.range(float(_HARMONICS))
    wave = tf.math.l2_normalize(tf.norm(heights[:, None] * lobes, axis=1), axis=1)
    return tf.reduce_sum(seen * wave, axis=1)


def _has_line(pixels, frequencies, scale):
    """Returns `(N,)` bool, whether there is a line near a multiple of a frequency, below half the rate."""
    multiples = frequencies[:, None] * tf.range(1.0, _HARMONICS + 1)
    lines = _widened(spectrum.lines(pixels))
    bins = tf.minimum(tf.cast(tf.round(multiples * scale), tf.int32), tf.shape(lines)[-1] - 1)
    return tf.reduce_any((tf.gather(lines, bins, batch_dims=1) > 0) & (multiples <= 0.5), axis=1)


def _widened(lines):
    """Returns at each bin the highest of the lines that count as the same frequency."""
    return tf.nn.max_pool1d(lines[..., None], 2 * _NEAR + 1, 1, "SAME")[..., 0]


def _check_pixels(features, pixels):
    expected = (features[0], spectrum.PIXEL_PADDING * features[1] // 2 + 1)
    if pixels != expected:
        raise ValueError(
            f"`pixels` must be `pixel_power` of the same clips as the features, which are of shape {features}: "
            f"{expected}. Received: shape {pixels}."
        )
