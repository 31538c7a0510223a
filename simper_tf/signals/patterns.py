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
from sklearn import linear_model

from simper_tf.signals import harmonics, pattern_reader

# Turns of both steps at most: guesses seldom change after three.
_ROUNDS = 6
# Principal components at most: 20 to 80 read validation clips of digits alike.
_MOST = 40
# Share of the largest variance below which a component is rounding.
_ROUNDING = 1e-6
# Cycles a clip on either side of a harmonic that a Hann window spreads it over: noise is measured beside these.
_SPREAD = 2.0
# Cycles a clip over which noise is smoothed: few clips tell little of each frequency.
_SMOOTHED = 2.0
# Least noise at any frequency, as a share of a component's variance. Clean clips would have none. 0.03 to 0.3 read
# validation clips of digits alike, and 0.01 misreads some that spin.
_LEAST_NOISE = 0.1
# Clips that teach the confidence, at most.
_ENOUGH = 100
# Share of shuffled clips that have a confidence of 0.5 or more, at most.
_BY_CHANCE = 0.05
# Clips that are read at once.
_AT_ONCE = 25


def learn(
    series: np.ndarray, rates: np.ndarray, band: tuple[float, float], confident: bool = False
) -> dict[str, np.ndarray]:
    """Learns patterns from clips of unknown frequencies.

    Args:
        series: `(N, T, D)` of clips of one kind; some tens of them are enough.
        rates: `(N,)` frames per second.
        band: `(low, high)` in Hz of the fundamental.
        confident: Whether to fit a confidence too, which takes up to as long again.

    Returns:
        Arrays for `pattern_reader.cycles_of`, float32. `axes` `(D, K)` bring series to components of variance 1, of
        which `deviations` `(K,)` are told in the unit of the series. `whitening` `(T // 2 + 1, K, K)` brings their
        noise at each frequency to variance 1. `directions` `(4, K, K)` have the patterns of each harmonic in their
        columns, and `powers` `(4, K)` what these usually have beside noise in clips of so many `frames`. `band` is
        `(2,)`; `sure`, `(2,)`, are bias and weight of the odds for `pattern_reader.answers_of`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> turns = 2 * np.pi * np.multiply.outer(np.linspace(1.0, 4.0, 40), np.arange(90) / 30)
        >>> clips = np.sin(turns)[..., None] * [1.0, 0.0] + rng.normal(0, [0.3, 30.0], (40, 90, 2))
        >>> rates = np.full(40, 30.0)
        >>> read(clips, learn(clips, rates, (0.5, 5.0)), rates)[[0, -1]].round(1)
        array([1., 4.])
    """
    rates, series = np.float64(rates), np.stack([pattern_reader.centered(np.float32(clip)) for clip in series])
    axes, deviations = _components(series)
    clips = series @ axes
    guesses = [harmonics.comb_peak(harmonics.total_power(seen), rates, band) / rates for seen in (series, clips)]
    learned = [_learned(clips, guess, rates, band) for guess in guesses]
    arrays, _ = max(learned, key=lambda each: each[1])
    known = {"axes": axes, "deviations": deviations, "band": np.float64(band), **arrays}
    return {**known, "sure": _sureness(series, rates, band)} if confident else known


def read(series: np.ndarray, known: Mapping[str, np.ndarray], rates: np.ndarray) -> np.ndarray:
    """Reads the likeliest frequency of `(N, T, D)` clips at `(N,)` rates by what was learned, `(N,)` float64 in Hz.

    Clips may be longer or shorter than those that were learned from.

    Example:
        >>> clips = np.sin(2 * np.pi * 2 * np.arange(90) / 30)[None, :, None] * [1.0, 0.5]
        >>> known = learn(clips, np.array([30.0]), (0.5, 5.0))
        >>> read(clips, known, np.array([30.0])).round(1)
        array([2.])
    """
    return np.float64(rates) * _in_parts(pattern_reader.cycles_of, known, series, rates)


def confidence(series: np.ndarray, known: Mapping[str, np.ndarray], rates: np.ndarray) -> np.ndarray:
    """Returns how likely frames of clips are in their order, and not shuffled, `(N,)`: from 0.5 on something repeats.

    Arguments are those of `read`; `known` was learned with a confidence.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> turns = 2 * np.pi * np.multiply.outer(np.linspace(1.0, 4.0, 40), np.arange(90) / 30)
        >>> clips, rates = np.sin(turns)[..., None] + rng.normal(0, 0.5, (40, 90, 1)), np.full(40, 30.0)
        >>> known = learn(clips, rates, (0.5, 5.0), confident=True)
        >>> shuffled = np.stack([rng.permutation(clip) for clip in clips])
        >>> *(float(np.mean(confidence(some, known, rates) >= 0.5).round(1)) for some in (clips, shuffled)),
        (1.0, 0.0)
    """
    return _in_parts(lambda *given: pattern_reader.answers_of(*given)[1], known, series, rates)


def _in_parts(function, known, series, rates):
    """Returns what a function of clips and their rates says of all, so many at once."""
    parts, rates = [slice(k, k + _AT_ONCE) for k in range(0, len(series), _AT_ONCE)], np.float64(rates)
    return np.concatenate([function(known, np.float32(series[part]), rates[part]).numpy() for part in parts])


def _sureness(series, rates, band):
    """Returns bias and weight by which odds tell clips from their own frames shuffled, `(2,)`.

    Each half of the clips is read by the patterns of the other half: those that clips taught would fit them too well.
    Few shuffled ones have a confidence of 0.5, whatever was learned. A single clip teaches nothing of others.
    """
    series, rates = series[:_ENOUGH], rates[:_ENOUGH]
    rng, odds, are_shuffled = np.random.default_rng(0), [], []
    is_even = np.arange(len(series)) % 2 == 0
    for kept in (is_even, ~is_even) if len(series) > 1 else ():
        known = learn(series[~kept], rates[~kept], band)
        shuffled = np.stack([rng.permutation(clip) for clip in series[kept]])
        for clips, is_shuffled in ((series[kept], False), (shuffled, True)):
            odds.append(_in_parts(lambda *given: pattern_reader.read(*given)[1], known, clips, rates[kept]))
            are_shuffled += [is_shuffled] * len(clips)
    if not odds:
        return np.float32([-pattern_reader.NO_TOP, 0.0])
    logs, are_shuffled = np.log1p(np.concatenate(odds)), np.array(are_shuffled)
    fitted = linear_model.LogisticRegression().fit(logs[:, None], ~are_shuffled)
    weight = float(fitted.coef_[0, 0])
    bias = min(float(fitted.intercept_[0]), -weight * float(np.quantile(logs[are_shuffled], 1 - _BY_CHANCE)))
    return np.float32([bias, weight] if weight > 0 else [-pattern_reader.NO_TOP, 0.0])


def _learned(clips, cycles, rates, band):
    """Returns the patterns to which guesses lead, in cycles a frame, and the odds of all clips together."""
    edges = np.divide.outer(1.0, rates)[:, None] * np.array(band)
    for _ in range(_ROUNDS):
        found, parts = _expected(clips, cycles), range(0, len(clips), _AT_ONCE)
        read_of = [pattern_reader.likeliest(found, clips[k : k + _AT_ONCE], edges[k : k + _AT_ONCE]) for k in parts]
        before = cycles
        cycles, odds, _ = (np.concatenate(values) for values in zip(*read_of, strict=True))
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
    windowed = clips * pattern_reader.window(num_frames).numpy()
    whitening = _whitening(scipy.fft.rfft(windowed, axis=1), cycles * num_frames)
    directions, powers = [], []
    for harmonic in range(1, pattern_reader.HARMONICS + 1):
        at = harmonic * cycles
        seen = at < 0.5
        turns = np.exp(-2j * np.pi * np.multiply.outer(at[seen], np.arange(num_frames)))
        lines = np.einsum("nt,ntk->nk", turns, windowed[seen])
        lines = np.einsum("nk,njk->nj", lines, whitening[np.rint(at[seen] * num_frames).astype(int)])
        variances, axes = np.linalg.eigh((lines.T @ lines.conj()).real / max(len(lines), 1))
        directions.append(np.float32(axes))
        powers.append(np.float32(np.maximum(variances - 1.0, 0.0)))
    learned = {"whitening": whitening, "directions": np.array(directions), "powers": np.array(powers)}
    return {**learned, "frames": np.float64(num_frames)}


def _whitening(spectra, cycles):
    """Returns `(F, K, K)` that bring to variance 1 what `(N, F, K)` spectra have beside harmonics of `(N,)` cycles."""
    beside = np.ones(spectra.shape[:2], np.float32)
    for harmonic in range(1, pattern_reader.HARMONICS + 1):
        beside[np.abs(np.arange(spectra.shape[1]) - harmonic * cycles[:, None]) < _SPREAD] = 0.0
    of_bins = (spectra * beside[..., None]).transpose(1, 2, 0) @ spectra.transpose(1, 0, 2).conj()
    sums = scipy.ndimage.gaussian_filter1d(of_bins.real, _SMOOTHED, axis=0)
    counts = scipy.ndimage.gaussian_filter1d(beside.sum(axis=0), _SMOOTHED)
    noise = sums / np.maximum(counts, 1.0)[:, None, None] + _LEAST_NOISE * np.eye(spectra.shape[2])
    return np.float32(np.linalg.inv(np.linalg.cholesky(noise)))
