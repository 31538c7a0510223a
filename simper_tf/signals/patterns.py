"""Harmonic patterns: where the harmonics of what repeats show in clips of one kind, learned without labels.

Each harmonic of a cycle has directions, patterns of pixels or channels, in which it usually shows, and noise at each
frequency has others. Clips without labels tell both by expectation maximization:

1. A sum of harmonics guesses the frequency of every clip: of the power of the series, and of their components.
2. Noise is what clips have beside the harmonics of their frequencies. Patterns are what they have at these, beyond it.
3. The likelihood of a clip under both tells its frequency again. Steps 2 and 3 take turns.

Of the two guesses that counts after which all clips together are likelier. Wrong ones do little harm, as patterns are
those of most clips. A clip is then read by what its kind looks like: noise that shows elsewhere counts for nothing, and
half of a frequency has patterns that no clip shows. Filters learned by the power in a band ([Nikulin et al.,
2011](https://doi.org/10.1016/j.neuroimage.2011.01.057)) are near relatives. They are told the frequency, and learn from
one recording.
"""

from collections.abc import Mapping

import numpy as np
import scipy.fft
import scipy.ndimage
import tensorflow as tf

from simper_tf.signals import harmonics

# Harmonics that have patterns: with ten, validation clips of digits are read alike.
_HARMONICS = 4
# Turns of both steps at most: guesses seldom change after three.
_ROUNDS = 6
# Principal components at most: 20 to 80 read validation clips of digits alike.
_MOST = 40
# Share of the largest variance below which a component is rounding.
_ROUNDING = 1e-6
# Bins to a cycle a clip, in which frequencies are sought before one is refined.
_PADDING = 8
# Cycles a clip on either side of a harmonic that a Hann window spreads it over: noise is measured beside these.
_SPREAD = 2.0
# Cycles a clip over which noise is smoothed: few clips tell little of each frequency.
_SMOOTHED = 2.0
# Least noise at any frequency, as a share of a component's variance. Clean clips would have none. 0.03 to 0.3 read
# validation clips of digits alike, and 0.01 misreads some that spin.
_LEAST_NOISE = 0.1
# Power of a clip's harmonics beside what is usual: a likelihood needs one, and takes that which fits best.
_AMPLITUDES = (0.1, 0.2, 0.35, 0.6, 1.0, 1.7, 3.0)
# Neighboring bins of a Hann window share noise: so many bins hold one independent value.
_HANN_BINS = 1.5
# Share of a clip that patterns explain at most: a clip without noise would be infinitely likely.
_EXPLAINED = 0.999
# Cycles a clip that refined harmonics stay below half the rate, where a line runs into its mirror image.
_CLEAR = 2
# Odds that a frequency has less where it is no top: more than any clip has.
_NO_TOP = 1e9
# Clips that are read at once.
_AT_ONCE = 25


def learn(series: np.ndarray, rates: np.ndarray, band: tuple[float, float]) -> dict[str, np.ndarray]:
    """Learns patterns from clips of unknown frequencies.

    Args:
        series: `(N, T, D)` of clips of one kind; some tens of them are enough.
        rates: `(N,)` frames per second.
        band: `(low, high)` in Hz of the fundamental.

    Returns:
        Arrays for `cycles_of`, float32: `axes` `(D, K)` bring series to components of variance 1, of which
        `deviations` `(K,)` are told in the unit of the series; `whitening` `(T // 2 + 1, K, K)` brings their noise at
        each frequency to variance 1; `directions` `(4, K, K)` have the patterns of each harmonic in their columns, and
        `powers` `(4, K)` what these usually have beside noise. With `band`, `(2,)`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> turns = 2 * np.pi * np.multiply.outer(np.linspace(1.0, 4.0, 40), np.arange(90) / 30)
        >>> clips = np.sin(turns)[..., None] * [1.0, 0.0] + rng.normal(0, [0.3, 30.0], (40, 90, 2))
        >>> rates = np.full(40, 30.0)
        >>> read(clips, learn(clips, rates, (0.5, 5.0)), rates)[[0, -1]].round(1)
        array([1., 4.])
    """
    rates, series = np.float64(rates), np.stack([_centered(np.float32(clip)) for clip in series])
    axes, deviations = _components(series)
    clips = series @ axes
    guesses = [harmonics.comb_peak(harmonics.total_power(seen), rates, band) / rates for seen in (series, clips)]
    learned = [_learned(clips, guess, rates, band) for guess in guesses]
    arrays, _ = max(learned, key=lambda each: each[1])
    return {"axes": axes, "deviations": deviations, "band": np.array(band, np.float32), **arrays}


def read(series: np.ndarray, known: Mapping[str, np.ndarray], rates: np.ndarray) -> np.ndarray:
    """Reads the likeliest frequency of `(N, T, D)` clips at `(N,)` rates by what was learned, `(N,)` float64 in Hz.

    Example:
        >>> clips = np.sin(2 * np.pi * 2 * np.arange(90) / 30)[None, :, None] * [1.0, 0.5]
        >>> known = learn(clips, np.array([30.0]), (0.5, 5.0))
        >>> read(clips, known, np.array([30.0])).round(1)
        array([2.])
    """
    parts = [slice(start, start + _AT_ONCE) for start in range(0, len(series), _AT_ONCE)]
    rates = np.float64(rates)
    cycles = [cycles_of(known, np.float32(series[part]), rates[part]).numpy() for part in parts]
    return rates * np.concatenate(cycles)


def cycles_of(known: Mapping[str, np.ndarray | tf.Variable], series: tf.Tensor, rates: tf.Tensor) -> tf.Tensor:
    """Returns the likeliest frequency of `(B, T, D)` clips in cycles a frame, `(B,)` float64 within the band.

    It is refined by the power of its harmonics in the series, less the noise by a Wiener filter.

    Args:
        known: What `learn` returns, of clips of as many frames.
        series: Float32; T is known.
        rates: `(B,)` frames per second.
    """
    clips = _centered(tf.convert_to_tensor(series)) @ tf.convert_to_tensor(known["axes"])
    band = tf.cast(known["band"], tf.float64) / tf.cast(rates, tf.float64)[:, None]
    found, _ = _likeliest(known, clips, band)
    return _refined(found, _lags(known, clips, found), band)


def _learned(clips, cycles, rates, band):
    """Returns the patterns to which guesses lead, in cycles a frame, and the odds of all clips together."""
    edges = np.divide.outer(1.0, rates)[:, None] * np.array(band)
    for _ in range(_ROUNDS):
        found, parts = _expected(clips, cycles), range(0, len(clips), _AT_ONCE)
        read_of = [_likeliest(found, clips[k : k + _AT_ONCE], edges[k : k + _AT_ONCE]) for k in parts]
        before = cycles
        cycles, odds = (np.concatenate(values) for values in zip(*read_of, strict=True))
        if np.array_equal(cycles, before):
            break  # Further turns would find the same.
    return found, odds.sum()


def _components(series):
    """Returns principal components of all clips together, less those that are rounding, and their deviations.

    Of constant clips it is any one component.
    """
    square = sum(clip.T @ clip for clip in map(np.float64, series)) / np.prod(series.shape[:2])
    variances, axes = np.linalg.eigh(square)
    kept = np.flatnonzero(variances >= _ROUNDING * variances[-1])[-_MOST:]
    kept, variances = (kept, variances) if variances[-1] > 0 else (kept[-1:], np.ones_like(variances))
    deviations = np.sqrt(variances[kept])
    return np.float32(axes[:, kept] / deviations), np.float32(deviations)


def _expected(clips, cycles):
    """Returns the patterns of `(N, T, K)` clips whose frequencies, `(N,)` cycles a frame, are taken for true."""
    num_frames = clips.shape[1]
    windowed = clips * _window(num_frames)
    whitening = _whitening(scipy.fft.rfft(windowed, axis=1), cycles * num_frames)
    directions, powers = [], []
    for harmonic in range(1, _HARMONICS + 1):
        at = harmonic * cycles
        seen = at < 0.5
        turns = np.exp(-2j * np.pi * np.multiply.outer(at[seen], np.arange(num_frames)))
        lines = np.einsum("nt,ntk->nk", turns, windowed[seen])
        lines = np.einsum("nk,njk->nj", lines, whitening[np.rint(at[seen] * num_frames).astype(int)])
        variances, axes = np.linalg.eigh((lines.T @ lines.conj()).real / max(len(lines), 1))
        directions.append(np.float32(axes))
        powers.append(np.float32(np.maximum(variances - 1.0, 0.0)))
    return {"whitening": whitening, "directions": np.array(directions), "powers": np.array(powers)}


def _whitening(spectra, cycles):
    """Returns `(F, K, K)` that bring to variance 1 what `(N, F, K)` spectra have beside harmonics of `(N,)` cycles."""
    beside = np.ones(spectra.shape[:2], np.float32)
    for harmonic in range(1, _HARMONICS + 1):
        beside[np.abs(np.arange(spectra.shape[1]) - harmonic * cycles[:, None]) < _SPREAD] = 0.0
    of_bins = (spectra * beside[..., None]).transpose(1, 2, 0) @ spectra.transpose(1, 0, 2).conj()
    sums = scipy.ndimage.gaussian_filter1d(of_bins.real, _SMOOTHED, axis=0)
    counts = scipy.ndimage.gaussian_filter1d(beside.sum(axis=0), _SMOOTHED)
    noise = sums / np.maximum(counts, 1.0)[:, None, None] + _LEAST_NOISE * np.eye(spectra.shape[2])
    return np.float32(np.linalg.inv(np.linalg.cholesky(noise)))


def _likeliest(known, clips, band):
    """Returns the likeliest frequency of each clip in `(B, 2)` cycles a frame, to a bin, and its odds; float64.

    The end of a slope at an edge of the band counts only where there is no top: what drifts is likelier the slower.
    """
    length = _PADDING * clips.shape[1]
    low, high = tf.unstack(tf.cast(band, tf.float64) * length, axis=1)
    low = tf.math.ceil(low)
    high = tf.maximum(low, tf.math.floor(high))
    places = tf.range(tf.cast(tf.reduce_min(low), tf.int32), tf.cast(tf.reduce_max(high), tf.int32) + 1)
    around = _odds(known, tf.convert_to_tensor(clips), tf.concat([places[:1] - 1, places, places[-1:] + 1], 0))
    odds, at = around[:, 1:-1], tf.cast(places, tf.float64)
    is_top = (odds > around[:, :-2]) & (odds >= around[:, 2:])
    inside = (at >= low[:, None]) & (at <= high[:, None])
    best = tf.argmax(tf.where(inside, tf.where(is_top, odds, odds - _NO_TOP), odds.dtype.min), axis=1)
    found = tf.clip_by_value(tf.gather(at, best) / length, band[:, 0], band[:, 1])
    return found, tf.gather(odds, best, batch_dims=1)


def _odds(known, clips, places):
    """Returns the logarithm of the odds of each bin to be the fundamental, `(B, places)`, by the amplitude that fits.

    The strength of noise differs between clips and is unknown: what matters is the share of a clip that is explained.
    """
    num_frames = clips.shape[1]
    length = _PADDING * num_frames
    whitening = tf.convert_to_tensor(known["whitening"])
    spectra = tf.signal.rfft(tf.linalg.matrix_transpose(clips * _window(num_frames)), [length])  # (B, K, F)
    num_bins = spectra.shape[2]
    nearest = np.minimum(np.rint(np.arange(num_bins) / _PADDING).astype(int), num_frames // 2)
    white = tf.cast(tf.gather(whitening, nearest), tf.complex64) @ tf.transpose(spectra, [2, 1, 0])  # (F, K, B)
    white = tf.transpose(white, [2, 0, 1])
    explained = costs = 0.0
    for harmonic in range(1, _HARMONICS + 1):
        directions, powers = (tf.convert_to_tensor(known[name])[harmonic - 1] for name in ("directions", "powers"))
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
    number = independent.shape[1] * tf.cast(tf.shape(independent)[2], tf.float32) / _HANN_BINS
    return tf.cast(tf.reduce_max(-number * tf.math.log1p(-shares) - costs, axis=2), tf.float64)


def _lags(known, clips, cycles):
    """Returns the autocorrelation of what `(B, T, K)` clips have of each harmonic, `(B, 4, T)` in float64."""
    num_frames, found = clips.shape[1], []
    for harmonic in range(1, _HARMONICS + 1):
        directions, powers = (tf.convert_to_tensor(known[name])[harmonic - 1] for name in ("directions", "powers"))
        # Frequencies lie on eighths of a bin: rounding must not decide where one lies between two.
        near = tf.cast(tf.math.floor(harmonic * cycles * num_frames + 0.501), tf.int32)
        whitening = tf.gather(tf.convert_to_tensor(known["whitening"]), tf.minimum(near, num_frames // 2))
        filters = tf.linalg.matmul(whitening, (directions * (powers / (1 + powers))) @ tf.transpose(directions), True)
        filters @= tf.linalg.matrix_transpose(tf.linalg.inv(whitening))
        shown = tf.cast(clips @ (filters * tf.convert_to_tensor(known["deviations"])), tf.float64)
        power = tf.abs(tf.signal.rfft(tf.linalg.matrix_transpose(shown), [2 * num_frames])) ** 2
        lags = tf.signal.irfft(tf.cast(tf.reduce_sum(power, axis=1), tf.complex128), [2 * num_frames])
        found.append(lags[:, :num_frames] * np.array([1.0] + [2.0] * (num_frames - 1)))
    return tf.stack(found, axis=1)


def _refined(cycles, lags, band):
    """Returns the highest power of all harmonics together within half a cycle a clip, in cycles a frame."""
    num_frames = lags.shape[2]
    order = np.arange(1.0, _HARMONICS + 1)
    turns = 2 * np.pi * np.multiply.outer(order, np.arange(num_frames))
    is_clear = (order == 1) | (order * cycles[:, None] <= 0.5 - _CLEAR / num_frames)
    lags = tf.where(is_clear[..., None], lags, 0.0)
    for reach in 0.5 / num_frames / 12.0 ** np.arange(4):  # The last step is a millionth of a cycle a clip.
        near = cycles[:, None] + np.linspace(-reach, reach, 33)  # Of which 12 fall into the next reach.
        near = tf.clip_by_value(near, band[:, :1], band[:, 1:])
        power = tf.einsum("bnht,bht->bn", tf.cos(near[:, :, None, None] * turns), lags)
        cycles = tf.gather(near, tf.argmax(power, axis=1), batch_dims=1)
    return cycles


def _window(num_frames):
    """Returns a Hann window, `(T, 1)`, after which noise of variance 1 has a power of 1 at each frequency."""
    window = np.hanning(num_frames).astype(np.float32)[:, None]
    return window / np.linalg.norm(window)


def _centered(clips):
    """Returns `(..., T, D)` clips less the mean of each series, over the deviation of all: clips count alike."""
    clips -= tf.reduce_mean(clips, axis=-2, keepdims=True)
    scale = tf.sqrt(tf.reduce_mean(tf.square(clips), axis=(-2, -1), keepdims=True))
    return tf.math.divide_no_nan(clips, scale)
