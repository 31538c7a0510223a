"""Harmonic patterns: where the harmonics of what repeats show in clips of one kind, learned without labels.

Each harmonic of a cycle has directions, patterns of pixels or channels, in which it usually shows, and noise at each
frequency has others. Clips without labels tell both by expectation maximization:

1. A sum of harmonics guesses the frequency of every clip: of the power of the series, and of their components.
2. Noise is what clips have beside the harmonics of their frequencies. Patterns are what they have at these, beyond it.
3. The likelihood of a clip under both tells its frequency again. Steps 2 and 3 take turns.

Of the two guesses that counts after which all clips together are likelier. Wrong ones do little harm, as patterns are
those of most clips. A clip is then read by what its kind looks like:
noise that shows elsewhere counts for nothing, and half of a frequency has patterns that no clip shows. Filters learned
by the power in a band ([Nikulin et al., 2011](https://doi.org/10.1016/j.neuroimage.2011.01.057)) are near relatives.
They are told the frequency, and learn from one recording.
"""

from typing import NamedTuple

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage

from simper_tf.signals import harmonics

# Harmonics that have patterns: with ten, validation clips of digits are read alike.
_HARMONICS = 4
# Turns of both steps: guesses seldom change after three.
_ROUNDS = 6
# Principal components at most: 20 to 80 read validation clips of digits alike.
_MOST = 40
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
_AMPLITUDES = np.array([0.1, 0.2, 0.35, 0.6, 1.0, 1.7, 3.0])
# Neighboring bins of a Hann window share noise: so many bins hold one independent value.
_HANN_BINS = 1.5
# Share of a clip that patterns explain at most: a clip without noise would be infinitely likely.
_EXPLAINED = 0.999
# Clips that are transformed at once.
_AT_ONCE = 25


class Patterns(NamedTuple):
    """What clips of one kind look like.

    Attributes:
        axes: `(D, K)` float32, bring series to K components of variance 1.
        whitening: `(T // 2 + 1, K, K)` float32, bring the noise of components to variance 1 at each frequency.
        directions: Of each harmonic `(K, K)` float32, patterns in its columns.
        powers: Of each harmonic `(K,)`, the usual power of each pattern beside that of noise.
    """

    axes: np.ndarray
    whitening: np.ndarray
    directions: tuple[np.ndarray, ...]
    powers: tuple[np.ndarray, ...]


def learn(series: np.ndarray, rates: np.ndarray, band: tuple[float, float]) -> Patterns:
    """Learns patterns from clips of unknown frequencies.

    Args:
        series: `(N, T, D)` of clips of one kind; some tens of them are enough.
        rates: `(N,)` frames per second.
        band: `(low, high)` in Hz of the fundamental.

    Returns:
        Patterns, for clips of T frames.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> turns = 2 * np.pi * np.multiply.outer(np.linspace(1.0, 4.0, 40), np.arange(90) / 30)
        >>> clips = np.sin(turns)[..., None] * [1.0, 0.0] + rng.normal(0, [0.3, 30.0], (40, 90, 2))
        >>> rates = np.full(40, 30.0)
        >>> read(clips, learn(clips, rates, (0.5, 5.0)), rates, (0.5, 5.0))[[0, -1]].round(1)
        array([1., 4.])
    """
    rates = np.float64(rates)
    axes = _axes(series)
    clips = np.stack([_centered(clip) @ axes for clip in series])
    learned = [_learned(axes, clips, seen, rates, band) for seen in (series, clips)]
    return max(learned, key=lambda each: each[1])[0]


def _learned(axes, clips, seen, rates, band):
    """Returns the patterns to which guesses by the power of what is seen lead, and their odds over all clips."""
    frequencies = harmonics.comb_peak(harmonics.total_power(seen), rates, band) / rates
    for _ in range(_ROUNDS):
        found = _expected(axes, clips, frequencies)
        frequencies, odds = _likeliest(clips, found, rates, band)
    return found, odds.sum()


def read(series: np.ndarray, known: Patterns, rates: np.ndarray, band: tuple[float, float]) -> np.ndarray:
    """Reads the likeliest frequency of `(N, T, D)` clips of T frames as in `learn`, `(N,)` float64 in Hz.

    It is refined by the power of its harmonics in the series, less the noise by a Wiener filter.
    """
    rates = np.float64(rates)
    clips = np.stack([_centered(clip) @ known.axes for clip in series])
    found, _ = _likeliest(clips, known, rates, band)
    back = np.linalg.pinv(known.axes)
    refined = [
        harmonics.refined(frequency, _denoised(clip, frequency, known, back), np.array(band) / rate)
        for clip, frequency, rate in zip(clips, found, rates, strict=True)
    ]
    return rates * refined


def _denoised(clip, frequency, known, back):
    """Returns the autocorrelation of what a `(T, K)` clip has of each harmonic, `(harmonics, T)`, in the series."""
    lags = np.zeros((len(known.directions), len(clip)))
    for number, (directions, powers) in enumerate(zip(known.directions, known.powers, strict=True)):
        at = (number + 1) * frequency
        if at < 0.5:
            whitening = known.whitening[round(at * len(clip))].T
            shares = (directions * (powers / (1 + powers))) @ directions.T
            lags[number] = harmonics.lags_of(clip @ (whitening @ shares @ np.linalg.inv(whitening) @ back))
    return lags


def _axes(series):
    """Returns `(D, K)` principal components of all clips together, less those that are rounding, at variance 1."""
    clips = (_centered(clip).astype(np.float64) for clip in series)
    variances, axes = np.linalg.eigh(sum(clip.T @ clip for clip in clips) / (len(series) * series.shape[1]))
    kept = np.flatnonzero(variances > 1e-6 * max(variances[-1], np.finfo(float).tiny))[-_MOST:]
    return np.float32(axes[:, kept] / np.sqrt(variances[kept]))


def _expected(axes, clips, frequencies):
    """Returns the patterns of `(N, T, K)` clips whose frequencies, `(N,)` cycles a frame, are taken for true."""
    window = _window(clips.shape[1])
    whitening = _whitening(scipy.fft.rfft(clips * window, axis=1), frequencies * clips.shape[1])
    directions, powers = [], []
    for harmonic in range(1, _HARMONICS + 1):
        at = harmonic * frequencies
        seen = at < 0.5
        turns = np.exp(-2j * np.pi * np.multiply.outer(at[seen], np.arange(clips.shape[1])))
        lines = np.einsum("nt,ntk->nk", turns, clips[seen] * window)
        of_noise = whitening[np.rint(at[seen] * clips.shape[1]).astype(int)]
        lines = np.einsum("nk,njk->nj", lines, of_noise)
        variances, axes_of = np.linalg.eigh((lines.T @ lines.conj()).real / max(len(lines), 1))
        directions.append(np.float32(axes_of))
        powers.append(np.maximum(variances - 1.0, 0.0))
    return Patterns(axes, whitening, tuple(directions), tuple(powers))


def _whitening(spectra, cycles):
    """Returns `(F, K, K)` that bring to variance 1 what `(N, F, K)` spectra have beside harmonics of `(N,)` cycles."""
    bins = np.arange(spectra.shape[1])
    beside = np.ones(spectra.shape[:2], np.float32)
    for harmonic in range(1, _HARMONICS + 1):
        beside[np.abs(bins - harmonic * cycles[:, None]) < _SPREAD] = 0.0
    of_bins = (spectra * beside[..., None]).transpose(1, 2, 0) @ spectra.transpose(1, 0, 2).conj()
    sums = scipy.ndimage.gaussian_filter1d(of_bins.real, _SMOOTHED, axis=0)
    counts = scipy.ndimage.gaussian_filter1d(beside.sum(axis=0), _SMOOTHED)
    noise = sums / np.maximum(counts, 1.0)[:, None, None] + _LEAST_NOISE * np.eye(spectra.shape[2])
    return np.float32(np.linalg.inv(np.linalg.cholesky(noise)))


def _likeliest(clips, known, rates, band):
    """Returns the likeliest frequency of each clip in the band, `(N,)` cycles a frame, to a bin, and its odds."""
    length = _PADDING * clips.shape[1]
    edges = np.multiply.outer(length / rates, band)
    low, high = np.ceil(edges[:, 0]), np.maximum(np.ceil(edges[:, 0]), np.floor(edges[:, 1]))
    places = np.arange(low.min(), high.max() + 1).astype(int)
    found, highest = np.empty(len(clips)), np.empty(len(clips))
    for start in range(0, len(clips), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        odds = _odds(clips[part], known, places)
        inside = (places >= low[part, None]) & (places <= high[part, None])
        odds = np.where(inside, odds, -np.inf)
        found[part], highest[part] = places[odds.argmax(axis=1)], odds.max(axis=1)
    return found / length, highest


def _odds(clips, known, places):
    """Returns the logarithm of the odds of each bin to be the fundamental, `(N, places)`, by the amplitude that fits.

    The strength of noise differs between clips and is unknown: what matters is the share of a clip that is explained.
    """
    num_frames = clips.shape[1]
    spectra = scipy.fft.rfft(clips * _window(num_frames), _PADDING * num_frames, axis=1)
    nearest = np.minimum(np.rint(np.arange(spectra.shape[1]) / _PADDING).astype(int), len(known.whitening) - 1)
    white = (spectra.transpose(1, 0, 2) @ known.whitening[nearest].transpose(0, 2, 1)).transpose(1, 0, 2)
    explained = np.zeros((len(clips), len(places), len(_AMPLITUDES)))
    costs = np.zeros((len(places), len(_AMPLITUDES)))
    for harmonic, (directions, powers) in enumerate(zip(known.directions, known.powers, strict=True), start=1):
        seen = harmonic * places < white.shape[1]
        ratios = np.multiply.outer(powers, _AMPLITUDES)
        lines = np.abs(white[:, harmonic * places[seen]] @ directions) ** 2
        explained[:, seen] += lines @ (ratios / (1 + ratios))
        costs[seen] += np.log1p(ratios).sum(axis=0)
    independent = white[:, _PADDING::_PADDING]
    energy = (np.abs(independent) ** 2).sum(axis=(1, 2))[:, None, None] / _HANN_BINS
    shares = np.divide(explained, energy, out=np.zeros_like(explained), where=energy > 0)
    number = independent.shape[1] * independent.shape[2] / _HANN_BINS
    return (-number * np.log1p(-np.minimum(shares, _EXPLAINED)) - costs).max(axis=2)


def _window(num_frames):
    """Returns a Hann window, `(T, 1)`, after which noise of variance 1 has a power of 1 at each frequency."""
    window = np.hanning(num_frames).astype(np.float32)[:, None]
    return window / np.linalg.norm(window)


def _centered(clip):
    """Returns a `(T, D)` clip less the mean of each series, over the deviation of all: clips count alike."""
    clip = np.float32(clip)
    clip = clip - clip.mean(axis=0)
    return clip / max(np.sqrt(np.mean(np.square(clip))), np.finfo(np.float32).tiny)
