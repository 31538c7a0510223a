"""Frame-wise features -> frequencies: by Fourier transform in a band, and up to a harmonic that a few labels tell.

Written in TensorFlow with dynamic shapes, because the exported model runs it too. `octave` needs no label.
"""

import numpy as np
import tensorflow as tf
from numpy.typing import ArrayLike

from simper_tf.signals import spectrum

# A pendulum looks the same twice a period, so features may run at a multiple of the frequency, or at a part of it.
HARMONICS = (1 / 3, 1 / 2, 1.0, 2.0, 3.0)
# A line at half of the strongest frequency is the fundamental if it has this share of the power there, or more. Chosen
# on validation clips of drawn faces, of long clips with the prior, where shares of 0.2 to 0.3 are equally good.
FUNDAMENTAL_SHARE = 0.25
# In place of a harmonic, where that readout is meant.
FUNDAMENTAL = "fundamental"


def fft_frequency(features: ArrayLike, rate: ArrayLike, band: tuple[float, float], mode: str = "fine") -> tf.Tensor:
    """Reads the frequency of each clip off the spectrum of its features.

    Args:
        features: `(N, T)` or `(N, T, D)` floats; the spectra of D channels are added.
        rate: Frames per second, a number or `(N,)`.
        band: `(low, high)` in Hz in which the peak is sought.
        mode: `fine`: Hann window, 16-fold zero-padding, the peak refined by a parabola through three log powers.
            `paper`: the bare bin of the unpadded transform, whose spacing is `rate / T` Hz. The paper does not state
            its readout; a bare bin is the plainest reading.

    Returns:
        frequency: `(N,)` float32 in Hz, in the band. For a constant feature, the lower end of the band.
        confidence: `(N,)` float32 in [0, 1], the share of all power within one main lobe of the peak, on a scale on
            which the share that noise of the same length reaches is 0; so it means the same at every length. 0 too for
            a constant feature, for a peak at an end of the band that is higher still outside, and where more power
            lies below the band than in the peak.

    Raises:
        ValueError: `mode` is unknown, the band is empty or reaches above half the rate, features are of another shape
            or not finite. In a graph only the mode is checked, as values are not known there.

    Example:
        >>> features = np.sin(2 * np.pi * 1.3 * np.arange(100) / 20)[None]
        >>> frequency, confidence = simper_tf.fft_frequency(features, 20.0, (0.5, 4.0))
        >>> frequency.numpy().round(2), bool(confidence[0] > 0.9)
        (array([1.3], dtype=float32), True)
    """
    if mode not in ("fine", "paper"):
        raise ValueError(f"`mode` must be 'fine' or 'paper'. Received: {mode!r}.")
    fine = mode == "fine"
    if tf.executing_eagerly():
        _check(features, rate, band)
    power, spacing = power_in_hertz(features, rate, padding=spectrum.PADDING if fine else 1, window=fine)
    _, low, high, inside = _bins_of(power, spacing, band)
    peak, position = spectrum.peak(power, inside)
    lobe = spectrum.PADDING * spectrum.HANN_LOBE if fine else 1.0
    confidence = _confidence(power, peak, low, high, lobe, num_frames=tf.shape(features)[1])
    position = tf.clip_by_value(position if fine else tf.cast(peak, tf.float32), low[:, 0], high[:, 0])
    return position * spacing[:, 0], confidence


def fundamental_frequency(features, rate, band):
    """Reads the frequency of each clip off the spectrum of its features where the second harmonic may be the stronger.

    A wave that is not a sine repeats as often as its fundamental, which may have less power than the second harmonic,
    as of a pulse. So this goes from the strongest frequency in the band to half of it if the band reaches so far down
    and a line stands there too, of `FUNDAMENTAL_SHARE` of the power or more, within half a cycle a clip. It takes noise
    for such a line where features are noisy, and cannot step down to a fundamental that they do not have at all; see
    `octave.resolve_octave`.

    Args:
        features, rate, band: As in `fft_frequency`.

    Returns:
        `(N,)` float32 in Hz, in the band.

    Raises:
        ValueError: as `fft_frequency`.

    Example:
        >>> series = np.sin(2 * np.pi * 1.5 * np.arange(120) / 30)[None]
        >>> fundamental_frequency(series, 30.0, (0.5, 4.0)).numpy().round(2)
        array([1.5], dtype=float32)
    """
    if tf.executing_eagerly():
        _check(features, rate, band)
    power, spacing = power_in_hertz(features, rate)
    bins, low, high, inside = _bins_of(power, spacing, band)
    peak, position = spectrum.peak(power, inside)
    near_half = tf.abs(bins - position[:, None] / 2.0) <= spectrum.PADDING / 2
    half, half_position = spectrum.peak(power, inside & near_half)
    first, second = (tf.gather(power, top, batch_dims=1) for top in (half, peak))
    # Without a bin near half of it inside the band there is no line there.
    has_line = tf.reduce_any(inside & near_half, axis=-1) & (first >= FUNDAMENTAL_SHARE * second) & (half < peak)
    return tf.clip_by_value(tf.where(has_line, half_position, position), low[:, 0], high[:, 0]) * spacing[:, 0]


def calibrate_harmonic(features, frequencies, rate, band):
    """Finds which harmonic of the true frequency the features run at, from a few labeled clips.

    For each h of `HARMONICS` the peak is sought in the band that a feature at `frequency / h` can take and h times
    the peak is compared with the truth.

    Args:
        features: `(N, T)` or `(N, T, D)` floats, of the labeled clips.
        frequencies: `(N,)` true frequencies in Hz.
        rate, band: As in `fft_frequency`.

    Returns:
        The h with the smallest mean absolute error; pass it to `harmonic_frequency`. 1 for features that are constant
        in every clip: they run at no harmonic.

    Raises:
        ValueError: there is not one frequency for each clip, positive and below half the rate; and as `fft_frequency`.

    Example:
        >>> series = np.sin(2 * np.pi * 3.0 * np.arange(120) / 30)[None]  # At twice the label.
        >>> float(calibrate_harmonic(series, np.array([1.5]), 30.0, (0.5, 4.0)))
        0.5
    """
    features, frequencies = np.asarray(features), np.asarray(frequencies, np.float64)
    if frequencies.shape != features.shape[:1]:
        raise ValueError(
            f"`frequencies` must be one number for each of {len(features)} clips. Received: shape {frequencies.shape}."
        )
    check_rate(rate, len(features))
    wrong = ~((frequencies > 0) & (frequencies <= np.asarray(rate, np.float64) / 2))
    if wrong.any():
        raise ValueError(
            f"`frequencies` must be in Hz, above 0 and at most half the rate. Received: {frequencies[wrong][0]:g} for "
            f"clip {wrong.argmax()}. Leave out clips that nobody has labeled; divide what is per minute by 60."
        )
    if not np.any(np.ptp(features, axis=1) > 1e-6 * np.abs(features).max(axis=1)):
        return 1.0
    errors = [np.mean(np.abs(harmonic_frequency(features, rate, band, h) - frequencies)) for h in HARMONICS]
    return HARMONICS[int(np.argmin(errors))]


def harmonic_frequency(features, rate, band, harmonic):
    """Returns `(N,)` frequencies in Hz of features known to run at `1 / harmonic` times the frequency.

    Arguments are those of `fft_frequency`, and a harmonic of `calibrate_harmonic`.

    Example:
        >>> series = np.sin(2 * np.pi * 3.0 * np.arange(120) / 30)[None]
        >>> np.round(harmonic_frequency(series, 30.0, (0.5, 4.0), 0.5), 2)
        array([1.5], dtype=float32)
    """
    slowest = float(np.min(rate))
    low, high = band[0] / harmonic, min(band[1] / harmonic, slowest / 2)
    # Features cannot run above half the rate, and a band that lies there whole holds no answer but its end.
    return harmonic * fft_frequency(features, rate, (min(low, high), high))[0].numpy()


def _check(features, rate, band):
    check_rate(rate, len(features))
    half, edges = np.min(rate) / 2, (float(np.min(band[0])), float(np.max(band[1])))
    if not 0 <= edges[0] <= edges[1] <= half * (1 + 1e-6):
        raise ValueError(
            f"`band` must be (low, high) with 0 <= low <= high <= half the rate, {half:g} Hz. Received: "
            f"({edges[0]:g}, {edges[1]:g})."
        )
    features = np.asarray(features)
    if features.ndim not in (2, 3) or 0 in features.shape:
        raise ValueError(
            "Features must be (clips, frames) or (clips, frames, channels), at least one of each. Received: shape "
            f"{features.shape}."
        )
    broken = ~np.isfinite(features).all(axis=tuple(range(1, features.ndim)))
    if broken.any():
        raise ValueError(f"The features of clip {broken.argmax()} are not finite: a frequency cannot be read off them.")


def check_rate(rate, num_clips):
    """Refuses a rate that is no positive number, or not one for each clip, with a ValueError."""
    rates = np.asarray(rate, np.float64)
    if rates.shape not in ((), (num_clips,)):
        raise ValueError(
            f"`rate` must be one number, or one for each of {num_clips} clips. Received: shape {rates.shape}."
        )
    rates = np.atleast_1d(rates)
    wrong = ~(np.isfinite(rates) & (rates > 0))
    if wrong.any():
        raise ValueError(f"`rate` must be positive frames per second. Received: {rates[wrong][0]:g}.")


def _bins_of(power, spacing, band):
    """Returns `(F,)` numbers of bins, the `(N, 1)` ends of a band in bins, and `(N, F)`, which bins lie inside."""
    bins = tf.cast(tf.range(tf.shape(power)[-1]), tf.float32)
    low, high = (tf.reshape(tf.cast(edge, tf.float32), [-1, 1]) / spacing for edge in band)
    # Tolerance: the end of a band often lies exactly on a bin. In bins, for a band may be a thousand or 1e-5 Hz.
    return bins, low, high, (bins >= low - 1e-3) & (bins <= high + 1e-3)


def power_in_hertz(features, rate, padding=spectrum.PADDING, window=True):
    """Returns `(N, F)` power added over channels, and `(N, 1)` Hz from one bin to the next."""
    features = tf.convert_to_tensor(features)
    features = features[..., None] if features.shape.rank == 2 else features
    power = spectrum.channel_power(features, padding, window)
    rate = tf.broadcast_to(tf.cast(rate, tf.float32), tf.shape(power)[:1])
    return power, rate[:, None] / tf.cast(padding * tf.shape(features)[1], tf.float32)


def _confidence(power, peak, low, high, lobe, num_frames):
    bins = tf.cast(tf.range(tf.shape(power)[-1]), tf.float32)
    distance = bins - tf.cast(peak, tf.float32)[:, None]
    in_peak = tf.reduce_sum(tf.where(tf.abs(distance) <= lobe, power, 0.0), axis=-1)
    below = tf.reduce_sum(tf.where((bins < low) & (distance < -lobe), power, 0.0), axis=-1)
    share = in_peak / tf.maximum(tf.reduce_sum(power, axis=-1), 1e-12)
    num_frames = tf.cast(num_frames, tf.float32)
    num_cycles = (high - low)[:, 0] * num_frames / (2.0 * tf.cast(tf.shape(power)[-1] - 1, tf.float32))
    expected = spectrum.noise_share(num_frames, num_cycles)
    neighbors = tf.gather(power, tf.clip_by_value(peak[:, None] + [-1, 1], 0, tf.shape(power)[-1] - 1), batch_dims=1)
    top = tf.gather(power, peak, batch_dims=1)
    is_answer = (top >= tf.reduce_max(neighbors, axis=-1)) & (below < in_peak)
    return tf.where(is_answer, tf.maximum((share - expected) / (1.0 - expected), 0.0), 0.0)
