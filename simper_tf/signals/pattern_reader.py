"""Frequencies of clips by harmonic patterns that `patterns` has learned, in graphs of any batch and length.

A clip has the frequency that is likeliest: its harmonics rise above noise in the directions that are theirs. Then it is
refined by their power in the series, less noise by a Wiener filter.
"""

from collections.abc import Mapping

import numpy as np
import tensorflow as tf

# Harmonics that have patterns: with ten, validation clips of digits are read alike.
HARMONICS = 4
# Bins to a cycle a clip, in which frequencies are sought before one is refined.
_PADDING = 8
# Power of a clip's harmonics beside what is usual: a likelihood needs one, and takes that which fits best.
_AMPLITUDES = (0.1, 0.2, 0.35, 0.6, 1.0, 1.7, 3.0)
# Neighboring bins of a Hann window share noise: so many bins hold one independent value.
_HANN_BINS = 1.5
# Share of a clip that patterns explain at most: a clip without noise would be infinitely likely.
_EXPLAINED = 0.999
# Cycles a clip that refined harmonics stay below half the rate, where a line runs into its mirror image.
_CLEAR = 2
# Odds that a frequency has less where it is no top: more than any clip has.
NO_TOP = 1e9


def cycles_of(known: Mapping[str, np.ndarray | tf.Variable], series: tf.Tensor, rates: tf.Tensor) -> tf.Tensor:
    """Returns the likeliest frequency of `(B, T, D)` clips in cycles a frame, `(B,)` float64 within the band.

    It is refined by the power of its harmonics in the series, less the noise by a Wiener filter.

    Args:
        known: What `patterns.learn` returns, of clips of any length.
        series: Float32.
        rates: `(B,)` frames per second.
    """
    return read(known, series, rates)[0]


def answers_of(known, series: tf.Tensor, rates: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns what `cycles_of` does, and how likely the frames are in their order, and not shuffled, `(B,)` float32.

    Shuffled frames have the same noise and light, and repeat nothing. So from a confidence of 0.5 on something repeats.

    Args:
        known, series, rates: As of `cycles_of`; `known` with a confidence.

    Example:
        >>> from simper_tf.signals import patterns
        >>> rng = np.random.default_rng(0)
        >>> turns = 2 * np.pi * np.multiply.outer(np.linspace(1.0, 4.0, 40), np.arange(90) / 30)
        >>> clips = np.float32(np.sin(turns)[..., None] + rng.normal(0, 0.5, (40, 90, 1)))
        >>> rates = np.full(40, 30.0)
        >>> known = patterns.learn(clips, rates, (0.5, 5.0), confident=True)
        >>> noise = np.float32(rng.normal(0, 1, (1, 90, 1)))
        >>> answers_of(known, np.concatenate((clips[:1], noise)), rates[:2])[1].numpy().round()
        array([1., 0.], dtype=float32)
    """
    cycles, odds = read(known, series, rates)
    bias, weight = tf.unstack(tf.convert_to_tensor(known["sure"]))
    return cycles, tf.sigmoid(bias + weight * tf.cast(tf.math.log1p(odds), tf.float32))


def read(known, series, rates):
    """Returns what `cycles_of` does, and the logarithm of its odds where it is a top, 0 elsewhere, `(B,)` float64."""
    clips = centered(tf.convert_to_tensor(series)) @ tf.convert_to_tensor(known["axes"])
    band = tf.cast(known["band"], tf.float64) / tf.cast(rates, tf.float64)[:, None]
    found, odds, is_top = likeliest(known, clips, band)
    return _refined(found, _lags(known, clips, found), band), tf.where(is_top, tf.maximum(odds, 0.0), 0.0)


def likeliest(known, clips, band):
    """Returns the likeliest frequency of each clip in `(B, 2)` cycles a frame, to a bin; its odds; whether it is a top.

    The end of a slope at an edge of the band counts only where there is no top: what drifts is likelier the slower.
    """
    length = tf.cast(_PADDING * tf.shape(clips)[1], tf.float64)
    low, high = tf.unstack(tf.cast(band, tf.float64) * length, axis=1)
    low = tf.math.ceil(low)
    high = tf.maximum(low, tf.math.floor(high))
    places = tf.range(tf.cast(tf.reduce_min(low), tf.int32), tf.cast(tf.reduce_max(high), tf.int32) + 1)
    around = _odds(known, tf.convert_to_tensor(clips), tf.concat([places[:1] - 1, places, places[-1:] + 1], 0))
    odds, at = around[:, 1:-1], tf.cast(places, tf.float64)
    is_top = (odds > around[:, :-2]) & (odds >= around[:, 2:])
    inside = (at >= low[:, None]) & (at <= high[:, None])
    best = tf.argmax(tf.where(inside, tf.where(is_top, odds, odds - NO_TOP), odds.dtype.min), axis=1)
    found = tf.clip_by_value(tf.gather(at, best) / length, band[:, 0], band[:, 1])
    return found, tf.gather(odds, best, batch_dims=1), tf.gather(is_top, best, batch_dims=1)


def _odds(known, clips, places):
    """Returns the logarithm of the odds of each bin to be the fundamental, `(B, places)`, by the amplitude that fits.

    The strength of noise differs between clips and is unknown: what matters is the share of a clip that is explained.
    """
    num_frames = tf.shape(clips)[1]
    windowed, whitening = clips * window(num_frames), tf.convert_to_tensor(known["whitening"])
    spectra = tf.signal.rfft(tf.linalg.matrix_transpose(windowed), [_PADDING * num_frames])  # (B, K, F)
    num_bins = tf.shape(spectra)[2]
    nearest = tf.cast(tf.round(tf.range(tf.cast(num_bins, tf.float64)) / _PADDING / _longer(known, clips)), tf.int32)
    whitening = tf.gather(whitening, tf.minimum(nearest, tf.shape(whitening)[0] - 1))
    white = tf.cast(whitening, tf.complex64) @ tf.transpose(spectra, [2, 1, 0])  # (F, K, B)
    white = tf.transpose(white, [2, 0, 1])
    explained = costs = 0.0
    for harmonic, (directions, powers) in enumerate(_looks(known, clips), start=1):
        seen = (harmonic * places < num_bins) & (places > 0)
        at = tf.where(seen, harmonic * places, 0)
        ratios = powers[:, None] * tf.constant(_AMPLITUDES)
        lines = tf.abs(tf.gather(white, at, axis=1) @ tf.cast(directions, tf.complex64)) ** 2
        is_seen = tf.cast(seen, tf.float32)[:, None]
        explained += is_seen * tf.tensordot(lines, ratios / (1 + ratios), 1)
        costs += is_seen * tf.reduce_sum(tf.math.log1p(ratios), axis=0)
    independent = tf.abs(white[:, _PADDING::_PADDING]) ** 2
    energy = tf.reduce_sum(independent, axis=(1, 2))[:, None, None] / _HANN_BINS
    shares = tf.minimum(tf.math.divide_no_nan(explained, energy), _EXPLAINED)
    number = tf.cast(tf.reduce_prod(tf.shape(independent)[1:]), tf.float32) / _HANN_BINS
    return tf.cast(tf.reduce_max(-number * tf.math.log1p(-shares) - costs, axis=2), tf.float64)


def _longer(known, clips):
    """Returns how many times as long clips are as those that taught patterns, a float64."""
    return tf.cast(tf.shape(clips)[1], tf.float64) / tf.cast(known["frames"], tf.float64)


def _looks(known, clips):
    """Returns the patterns of each harmonic and their powers: lines rise above noise as clips get longer."""
    directions, powers = (tf.convert_to_tensor(known[name]) for name in ("directions", "powers"))
    powers *= tf.cast(_longer(known, clips), tf.float32)
    return list(zip(tf.unstack(directions), tf.unstack(powers), strict=True))


def _lags(known, clips, cycles):
    """Returns the autocorrelation of what `(B, T, K)` clips have of each harmonic, `(B, 4, T)` in float64."""
    num_frames, frames, found = tf.shape(clips)[1], tf.cast(known["frames"], tf.float64), []
    inner = tf.convert_to_tensor(known["whitening"])
    for harmonic, (directions, powers) in enumerate(_looks(known, clips), start=1):
        # Frequencies lie on eighths of a bin: rounding must not decide where one lies between two.
        near = tf.cast(tf.math.floor(harmonic * cycles * frames + 0.501), tf.int32)
        whitening = tf.gather(inner, tf.minimum(near, tf.shape(inner)[0] - 1))
        filters = tf.linalg.matmul(whitening, (directions * (powers / (1 + powers))) @ tf.transpose(directions), True)
        filters @= tf.linalg.matrix_transpose(tf.linalg.inv(whitening))
        shown = tf.cast(clips @ (filters * tf.convert_to_tensor(known["deviations"])), tf.float64)
        power = tf.abs(tf.signal.rfft(tf.linalg.matrix_transpose(shown), [2 * num_frames])) ** 2
        lags = tf.signal.irfft(tf.cast(tf.reduce_sum(power, axis=1), tf.complex128), [2 * num_frames])
        found.append(tf.concat((lags[:, :1], 2.0 * lags[:, 1:num_frames]), axis=1))
    return tf.stack(found, axis=1)


def _refined(cycles, lags, band):
    """Returns the highest power of all harmonics together within half a cycle a clip, in cycles a frame."""
    num_frames = tf.cast(tf.shape(lags)[2], tf.float64)
    order = tf.range(1.0, HARMONICS + 1, dtype=tf.float64)
    turns = 2 * np.pi * order[:, None] * tf.range(num_frames)
    is_clear = (order == 1) | (order * cycles[:, None] <= 0.5 - _CLEAR / num_frames)
    lags = tf.where(is_clear[..., None], lags, 0.0)
    for reach in 0.5 / 12.0 ** np.arange(4):  # The last step is a millionth of a cycle a clip.
        near = cycles[:, None] + np.linspace(-reach, reach, 33) / num_frames  # Of which 12 fall into the next reach.
        near = tf.clip_by_value(near, band[:, :1], band[:, 1:])
        power = tf.einsum("bnht,bht->bn", tf.cos(near[:, :, None, None] * turns), lags)
        cycles = tf.gather(near, tf.argmax(power, axis=1), batch_dims=1)
    return cycles


def window(num_frames):
    """Returns a Hann window, `(T, 1)`, after which noise of variance 1 has a power of 1 at each frequency."""
    window = tf.cast(tf.signal.hann_window(num_frames, periodic=False, dtype=tf.float64), tf.float32)[:, None]
    return window / tf.norm(window)


def centered(clips):
    """Returns `(..., T, D)` clips less the mean of each series, over the deviation of all: clips count alike."""
    clips -= tf.reduce_mean(clips, axis=-2, keepdims=True)
    scale = tf.sqrt(tf.reduce_mean(tf.square(clips), axis=(-2, -1), keepdims=True))
    return tf.math.divide_no_nan(clips, scale)
