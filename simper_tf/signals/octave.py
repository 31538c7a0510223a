"""Multiple of the frequency at which features run, told by the pixels with no label and no band.

A pendulum looks the same twice a period, so features may run at a multiple of the frequency. Pixels hold the frequency
itself. Written in TensorFlow with dynamic shapes, because the exported model runs it too.
"""

import dataclasses

import numpy as np
import tensorflow as tf

from simper_tf.signals import spectrum
from simper_tf.signals.readout import check_rate, fft_frequency, power_in_hertz

# Two frequencies are the same where they lie within half a cycle a clip; in bins of `spectrum.pixel_power`.
_NEAR = spectrum.PIXEL_PADDING // 2
# Multiples of a candidate at which lines are sought, and multiples of the frequency so far whose aliases are known.
_MULTIPLES = 9
# A line where such an alias falls counts only if it is higher than an alias is likely to be.
_ALIAS_HEIGHT = 0.4
# One multiple is taken for all clips where so many of the votes agree, unless told otherwise, and so many of the clips
# vote.
_AGREEMENT, _VOTING = 2 / 3, 1 / 4


def resolve_octave(features, pixels, rate):
    """Reads frequencies with no label and no band: the peak of the features, stepped down as the pixels show.

    Features may run at a multiple of the frequency; pixels hold the frequency itself. From the highest peak above one
    cycle a clip, this goes down to its half or third as long as the pixels have a line at a multiple of that half or
    third which is no multiple of the peak. Harmonics above half the rate fold back and look like such lines, so one
    where a fold is to be expected must be higher than others. If the pixels have lines, but none at any multiple of
    what was found (a harmonic of the features may fold back too), the highest peak near a line takes its place.

    It cannot see what pixels do not show: a frequency drowned in noise (see `Octave`), or a movement whose two
    halves differ in nothing but what a mean over a grid of pixels removes. Nor does it step up: features at a part of
    the frequency are read as they are.

    Args:
        features: `(N, T)` or `(N, T, D)` floats.
        pixels: `(N, F)` of `spectrum.pixel_power` of the same clips.
        rate: Frames per second, a number or `(N,)`.

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
    num_frames = tf.shape(features)[1]
    peaks, votes = wide_peak(features), octave_votes(features, pixels)
    near_line = _peak_near_a_line(features, spectrum.lines(pixels))
    peaks = tf.where(votes > 0, peaks, near_line)
    divisors = tf.maximum(tf.where(votes > 0, votes, _divisors(near_line, pixels, num_frames)), 1)
    return tf.cast(rate, tf.float32) * peaks / tf.cast(divisors, tf.float32)


def octave_votes(features, pixels):
    """Returns at which multiple of the frequency the features of each clip run, as its pixels show.

    Args:
        features, pixels: As in `resolve_octave`.

    Returns:
        `(N,)` int32, by how much `wide_peak` is to be divided: 1, 2, 3, 4, 6 or 9; 0 where the pixels have no line at
        any multiple of the frequency, so that nothing is known.

    Raises:
        ValueError: As in `resolve_octave`.
    """
    peaks = wide_peak(features)
    if tf.executing_eagerly():
        _check_pixels(np.shape(features), np.shape(pixels))
    return _divisors(peaks, pixels, tf.shape(features)[1])


def pixel_frequency(pixels, rate, num_frames):
    """Reads frequencies off the pixels alone: what needs no learning at all.

    Args:
        pixels: `(N, F)` of `spectrum.pixel_power`.
        rate: Frames per second, a number or `(N,)`.
        num_frames: T of the clips.

    Returns:
        `(N,)` float32 in Hz: the strongest line, stepped down as `resolve_octave` does. Where there is none, the
        highest power from one cycle a clip.

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
    divisors = tf.maximum(_divisors(peaks, pixels, num_frames), 1)
    return tf.cast(rate, tf.float32) * peaks / tf.cast(divisors, tf.float32)


def wide_peak(features):
    """Returns where the spectra of features peak, in cycles per frame, between one cycle a clip and half the rate.

    Args:
        features: `(N, T)` or `(N, T, D)` floats.

    Returns:
        `(N,)` float32.
    """
    num_frames = tf.cast(tf.shape(features)[1], tf.float32)
    return fft_frequency(features, 1.0, (1.0 / num_frames, 0.5))[0]


def _peak_near_a_line(features, lines):
    """Returns `(N,)` peaks in cycles per frame where pixels have a line too, or anywhere if they have none."""
    power, spacing = power_in_hertz(features, 1.0)
    fine, coarse = tf.range(tf.shape(power)[-1]), spectrum.PADDING // spectrum.PIXEL_PADDING
    near = tf.gather(_widened(lines) > 0, (fine + coarse // 2) // coarse, axis=1)
    near |= ~tf.reduce_any(near, axis=1, keepdims=True)
    return spectrum.peak(power, near & (fine >= spectrum.PADDING))[1] * spacing[:, 0]


def _divisors(peaks, pixels, num_frames):
    """Returns by how much to divide `(N,)` peaks in cycles per frame; 0 where no line decides."""
    lines, scale = spectrum.lines(pixels), tf.cast(spectrum.PIXEL_PADDING * num_frames, tf.float32)
    divisors = tf.ones_like(peaks)
    for _ in range(2):
        current = peaks / divisors
        evidence = _without_aliases(lines, current, scale)
        steps = tf.ones_like(divisors)
        for part in (3, 2):  # A half found overrules a third.
            multiples = [k for k in range(1, _MULTIPLES + 1) if k % part]
            has_line = tf.reduce_any(_at(evidence, current[:, None] / part * multiples, scale) > 0, axis=1)
            # Less than a cycle a clip is no repetition.
            steps = tf.where(has_line & (current / part * scale >= spectrum.PIXEL_PADDING), float(part), steps)
        divisors *= steps
    multiples = tf.range(1.0, _MULTIPLES + 1)
    seen = tf.reduce_any(_at(lines, (peaks / divisors)[:, None] * multiples, scale) > 0, axis=1)
    return tf.where(seen, tf.cast(divisors, tf.int32), 0)


def _without_aliases(lines, frequency, scale):
    """Takes out the lines, unless they are high, where multiples above half the rate of `(N,)` frequencies fold to."""
    multiples = frequency[:, None] * tf.range(2.0, _MULTIPLES + 1)
    folded = tf.where(multiples > 0.5, tf.abs(multiples - tf.round(multiples)), -1.0) * scale
    bins = tf.cast(tf.range(tf.shape(lines)[-1]), tf.float32)
    expected = tf.reduce_any(tf.abs(bins - folded[..., None]) <= _NEAR + 0.5, axis=1)
    return tf.where(expected & (lines < _ALIAS_HEIGHT), 0.0, lines)


def _at(lines, frequencies, scale):
    """Returns the highest of `(N, F)` lines near each of `(N, K)` frequencies, 0 above half the rate."""
    bins = tf.cast(tf.round(frequencies * scale), tf.int32)
    heights = tf.gather(_widened(lines), tf.minimum(bins, tf.shape(lines)[-1] - 1), batch_dims=1)
    return tf.where(frequencies <= 0.5, heights, 0.0)


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


@dataclasses.dataclass(frozen=True)
class Octave:
    """At which multiple of the frequency features run, by the pixels of unlabeled clips.

    Which multiple it is belongs to the encoder, once training has made it consistent. So the votes of clips whose
    pixels show it hold for those whose pixels are drowned in noise.

    Attributes:
        divisor: The multiple with most votes, 1 without any.
        agreement: Its share of the votes, in [0, 1].
        voting: The share of clips whose pixels show a line by which to vote, in [0, 1].
        needed: The share of the votes from which on one multiple is taken for all clips.
    """

    divisor: int
    agreement: float
    voting: float
    needed: float = _AGREEMENT

    @property
    def shows(self) -> bool:
        """Whether the pixels of enough clips show a line."""
        return self.voting >= _VOTING

    @property
    def is_common(self) -> bool:
        """Whether one multiple is to be taken for all clips: few disagree, and not just a few have voted."""
        return self.agreement >= self.needed and self.shows

    @property
    def harmonic(self) -> float | None:
        """The frequency over that at which features run; None where each clip is to be read by its own pixels."""
        return 1 / self.divisor if self.is_common else None

    def frequency(self, features, pixels, rate) -> np.ndarray:
        """Reads frequencies by the common multiple, or clip by clip where there is none.

        Args:
            features, pixels, rate: As in `resolve_octave`.

        Returns:
            `(N,)` float32 in Hz.
        """
        if self.is_common:
            return wide_peak(features).numpy() * np.float32(rate) / self.divisor
        return resolve_octave(features, pixels, rate).numpy()

    def __str__(self):
        if not self.shows:
            return (
                f"The pixels of {self.voting:.0%} of the clips show a line: too few to tell at which multiple of the "
                "frequency features run. Each clip is read by its own pixels."
            )
        times = "the frequency" if self.divisor == 1 else f"{self.divisor} times the frequency"
        if self.is_common:
            return f"Features run at {times}: so say {self.agreement:.0%} of the clips whose pixels show it."
        return (
            f"Features do not run at one multiple of the frequency: {self.agreement:.0%} of the clips whose pixels "
            f"show it say {times}, the others differ. Each clip is read by its own pixels."
        )


def find_octave(features, pixels, needed: float = _AGREEMENT) -> Octave:
    """Returns the `Octave` of an encoder.

    Args:
        features, pixels: Of unlabeled clips, as in `resolve_octave`.
        needed: As in `Octave`.
    """
    votes = np.asarray(octave_votes(features, pixels))
    return Octave(*most_voted(votes), voting=float(np.mean(votes > 0)), needed=needed)


def most_voted(votes) -> tuple[int, float]:
    """Returns the multiple with most votes, and its share of the votes, in [0, 1]; 1 and 0 if there is no vote.

    Args:
        votes: `(N,)` integers of `octave_votes`; zeros do not vote.
    """
    votes = np.asarray(votes)
    votes = votes[votes > 0]
    if not len(votes):
        return 1, 0.0
    multiples, counts = np.unique(votes, return_counts=True)
    return int(multiples[counts.argmax()]), float(counts.max() / len(votes))
