"""How alike the frames of a window are, two by two: all that training-free readouts of movement need.

The inner products of T frames, `(T, T)`, hold the power spectrum summed over pixels, the distance of frames to those a
lag later, and the share that a period explains. They cost one matrix product, whatever the number of pixels.
"""

import math

import numpy as np
import threadpoolctl

_THREADS = threadpoolctl.ThreadpoolController()  # Of what is behind NumPy, loaded by now; scikit-learn brings it.
_PADDING = 16  # As `spectrum.PADDING`, without TensorFlow.
_BRIGHTNESS_ALONE = 0.1  # Share of the changes below which what is no brightness does not count.
_FOLDED = (
    3  # Times as many multiples of what is fast, some above half a cycle per frame, are looked for where they are seen.
)
_LEAST_OVERLAP = 0.3  # Share of the window over which frames are compared with those a lag later.


def products(frames: np.ndarray) -> np.ndarray:
    """Returns the inner products of frames without the mean and the linear trend of each pixel.

    Args:
        frames: `(T, ...)` numbers, T at least 3.

    Returns:
        `(T, T)` float64, per value of a frame: the diagonal is the mean square of each.
    """
    flat = np.reshape(frames, (len(frames), -1)).astype(np.float32)
    flat -= flat.mean(axis=0)
    inner = (flat @ flat.T).astype(np.float64) / flat.shape[1]
    return without(inner, trend(len(frames)))


def of_frames(frames: np.ndarray) -> np.ndarray:
    """Returns `products` of what changes in frames beside their brightness, which drifts with the light.

    Where hardly anything but the brightness changes, as in a blinking lamp, it stays.

    Args:
        frames: `(T, H, W, C)` numbers.
    """
    whole = products(frames)
    frames = frames.astype(np.float32)
    beside = products(frames - frames.mean(axis=(1, 2), keepdims=True))
    return beside if np.trace(beside) >= _BRIGHTNESS_ALONE * np.trace(whole) else whole


def without(gram: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Returns `(T, T)` products after `(T, K)` orthonormal series have been taken out of every pixel."""
    left = gram - basis @ (basis.T @ gram)
    return left - (left @ basis) @ basis.T


def power(gram: np.ndarray, padding: int = _PADDING) -> np.ndarray:
    """Returns the power spectrum, summed over pixels, with a Hann window.

    Args:
        gram: `(T, T)` of `products`.
        padding: Bins per bin of the unpadded transform.

    Returns:
        `(padding * T // 2 + 1,)`; bin k stands for `k / (padding T)` cycles per frame.
    """
    size = len(gram)
    weights = np.hanning(size)
    lags = _along_lags(gram * weights * weights[:, None])
    # The transform of the correlation is the power: one transform instead of one a pixel.
    both = np.zeros(padding * size)
    both[:size] = lags
    both[-size + 1 :] += lags[:0:-1]
    return np.maximum(np.fft.rfft(both).real, 0.0)


def distances(gram: np.ndarray) -> np.ndarray:
    """Returns the mean squared distance of frames to those a lag later, `(L,)` for lags of 0 to L - 1 frames."""
    size = len(gram)
    own = np.diagonal(gram)
    squares = own[:, None] + own - 2 * gram
    counts = np.arange(size, 0, -1)
    return (_along_lags(np.maximum(squares, 0.0)) / counts)[: int((1 - _LEAST_OVERLAP) * size) + 1]


def explained(gram: np.ndarray, frequency: float, harmonics: int) -> float:
    """Returns the share of what changes that a frequency and its multiples explain, by least squares over all pixels.

    Args:
        gram: `(T, T)` of `products`.
        frequency: Cycles per frame.
        harmonics: How many multiples at most; those above half a cycle per frame are left out.
    """
    total = np.trace(gram)
    basis = _waves(len(gram), _multiples(frequency, harmonics))
    return float(np.sum((gram @ basis) * basis) / total) if total > 0 else 0.0


def added(gram: np.ndarray, frequency: float, line: float, harmonics: int) -> tuple[float, float]:
    """Returns the share that a frequency explains beside a faster one, and what of that noise alone would be.

    Multiples of it that cannot be told from a multiple of the faster one are not counted, wherever those above half a
    cycle per frame come back: what is fast and no sine leaves such aliases. The noise is the median of
    the spectrum: a drift, or repetitions of uneven length, are none.

    Args:
        gram: `(T, T)` of `products`.
        frequency, line: Cycles per frame, the line not below the other.
        harmonics: How many multiples of each, at most; those of the slower above half a cycle per frame are left out.
    """
    size = len(gram)
    total, fast = np.trace(gram), _folded(line, _FOLDED * harmonics, size)
    own = [one for one in _multiples(frequency, harmonics) if min(abs(one - other) for other in fast) > 0.5 / size]
    if not own or not total > 0:
        return 0.0, 0.0
    rest = without(gram, _waves(size, fast))
    basis, bins = _waves(size, own), power(rest, 1)
    energy = np.sum((rest @ basis) * basis)
    level = np.median(bins) / max(2 * bins.sum(), 1e-300) * np.trace(rest)
    # The level is that of a cosine or a sine; that of one series has a median of log 2 of its mean.
    return float(energy / total), float(2 * len(own) * level / math.log(2) / total)


def strongest(gram: np.ndarray) -> np.ndarray:
    """Returns the strongest common course of all pixels, `(T,)`, of deviation 1 and unknown sign; 0 where all is still.

    Args:
        gram: `(T, T)` of `products`.
    """
    values, vectors = eigen(np.linalg.eigh, gram)
    return vectors[:, -1] * np.sqrt(len(gram)) if values[-1] > 0 else np.zeros(len(gram))


def eigen(function, gram: np.ndarray):
    """Returns a function, such as `numpy.linalg.eigh`, of `(T, T)` products, computed in one thread.

    On matrices so small several threads gain nothing, and beside other work, waiting for each other, they take up to
    ten times as long.
    """
    with _THREADS.limit(limits=1, user_api="blas"):
        return function(gram)


def _multiples(frequency, harmonics):
    return [k * frequency for k in range(1, harmonics + 1) if k * frequency < 0.5]


def _folded(frequency, harmonics, size):
    """Returns where multiples of a frequency are seen, in cycles per frame, each place once and none a trend's."""
    places = [abs(k * frequency - round(k * frequency)) for k in range(1, harmonics + 1)]
    kept = []
    for place in places:
        if min([abs(place - other) for other in kept], default=1.0) * size > 0.1 and 0.5 / size < place < 0.5:
            kept.append(place)
    return kept


def _waves(size, frequencies):
    """Returns `(T, 2 K)` orthonormal series that hold K frequencies in cycles per frame, none of it a trend."""
    angles = 2 * np.pi * np.outer(np.arange(size), frequencies)
    slow = trend(size)
    waves = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    return np.linalg.qr(waves - slow @ (slow.T @ waves))[0]


def trend(size):
    """Returns `(T, 2)` orthonormal series: a constant and a slope."""
    return np.linalg.qr(np.stack([np.ones(size), np.linspace(-1, 1, size)], axis=1))[0]


def _along_lags(matrix):
    """Returns `(T,)` sums along the diagonals of a `(T, T)` matrix, from the main one outward."""
    size = len(matrix)
    rows, columns = np.indices(matrix.shape, sparse=True)
    lags = columns - rows + size - 1
    return np.bincount(lags.ravel(), np.ravel(matrix), 2 * size - 1)[size - 1 :]
