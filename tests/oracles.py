"""Losses written a second time, in plain NumPy loops, for tests of what uses them."""

import numpy as np


def softmax(x):
    weights = np.exp(x - x.max())
    return weights / weights.sum()


def unit(vectors):
    """Returns `(..., D)` vectors scaled to length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def largest_correlation(x, y):
    """Returns the largest normalized cross-correlation of two `(T,)` series over all lags."""
    x, y = [unit(series - np.mean(series)) for series in (np.float64(x), np.float64(y))]
    return np.correlate(x, y, mode="full").max()


def nt_xent(a, b, temperature):
    """Returns `(2N,)` losses of the anchors `a`, then `b`, and whether each finds its other view."""
    vectors, number = unit(np.concatenate([a, b])), len(a)
    losses, hits = [], []
    for i in range(2 * number):
        others = [j for j in range(2 * number) if j != i]
        scores, right = np.array([vectors[i] @ vectors[j] for j in others]), others.index((i + number) % (2 * number))
        losses.append(-np.log(softmax(scores / temperature)[right]))
        hits.append(np.argmax(scores) == right)
    return losses, hits


def queue_nce(queries, keys, queue, temperature):
    """Returns `(N,)` losses of finding each key among those of a queue, and whether it is the nearest."""
    losses, hits = [], []
    for query, key in zip(unit(np.asarray(queries)), unit(np.asarray(keys)), strict=True):
        scores = np.array([query @ key, *(query @ other for other in np.asarray(queue))])
        losses.append(-np.log(softmax(scores / temperature)[0]))
        hits.append(scores[0] == scores.max())
    return losses, hits


def psd_distance(x, y, band):
    """Returns the mean over pairs of `(V, T)` and `(W, T)` series of the mean squared difference of two spectra."""

    def spectrum(series):
        power = np.abs(np.fft.rfft(series - series.mean())) ** 2
        frequencies = np.fft.rfftfreq(len(series))
        kept = power[(frequencies >= band[0]) & (frequencies <= band[1])]
        return kept / kept.sum()

    return np.mean([np.mean((spectrum(a) - spectrum(b)) ** 2) for a in x for b in y])


def out_of_band_power(series, speed, band):
    """Returns the share of the power of a `(T,)` series outside of a band at a speed and the lobe of a Hann window."""
    length = len(series)
    power = np.abs(np.fft.rfft((series - np.mean(series)) * np.hanning(length), 4 * length)) ** 2
    frequencies = np.fft.rfftfreq(4 * length)
    outside = (frequencies < band[0] * speed - 2 / length) | (frequencies > band[1] * speed + 2 / length)
    return power[outside].sum() / power.sum()
