"""Pictures that look alike wherever they stand: the magnitudes of their Fourier transform.

A camera in a hand, or one that follows somebody, moves whole pictures, and its path cannot always be told. A shift
changes the phases of the transform alone. So what repeats in the magnitudes repeats in the scene.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np

from simper_tf.signals import samples

# Lowest frequencies that are kept, in cycles of the picture's height and width: finer ones are noise.
KEPT = 16
# Patterns of ten pixels and more, in cycles per pixel, and the share of what repeats that shows in them at least. Fine
# patterns rise and fall with every pixel that a sharp edge passes, coarse ones hardly.
COARSE, LEAST_COARSE = 0.1, 0.1
# Size of the pictures in which what repeats must be seen again. What drifts evenly passes fewer of these larger pixels,
# and no whole number of them is a whole number of those.
SMALLER = 2**-0.5
# Mean square of a Hann window over a picture, by which it weakens what it shows.
WINDOWED = (3 / 8) ** 2


def of(gray: np.ndarray) -> np.ndarray:
    """Magnitudes of frames, `(T, 2 * KEPT, KEPT, 1)` float32, or fewer of small frames.

    They are scaled to have the power of the pixels, so that gray levels hold for them as well. A window keeps what
    enters at the edges of the picture small.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    frames = gray[..., 0]
    height, width = frames.shape[1:]
    rows, columns = min(KEPT, height // 2), min(KEPT, width // 2 + 1)
    down = _waves(np.arange(-rows, rows), height) / math.sqrt(WINDOWED * height * width)
    along = np.ascontiguousarray(_waves(np.arange(columns), width).T)
    # Few of all frequencies are kept, so that products with their waves are quicker than a transform.
    lines = (frames.reshape(-1, width) @ along.view(np.float32).reshape(width, -1)).view(np.complex64)
    lines = lines.reshape(-1, height, columns) - frames.mean((1, 2))[:, None, None] * along.sum(0)
    return np.abs(down @ lines)[..., None]


def _waves(cycles: np.ndarray, length: int) -> np.ndarray:
    """Waves of so many cycles in a length under a Hann window, `(N, length)` complex64."""
    phases = np.outer(cycles, np.arange(length)) / length
    return (np.exp(-2j * np.pi * phases) * np.hanning(length)).astype(np.complex64)


def smaller(gray: np.ndarray) -> np.ndarray:
    """Frames of `SMALLER` size, `(T, h, w, 1)`, 8 pixels a side at least.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    height, width = (max(round(SMALLER * side), 8) for side in gray.shape[1:3])
    return np.stack([cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA) for frame in gray])[..., None]


def show_in_coarse(magnitudes: np.ndarray, hertz: Sequence[float], size: tuple[int, int]) -> list[bool]:
    """Whether what repeats shows in coarse patterns, and not in fine ones alone, as of a thing that drifts.

    Args:
        magnitudes: Of evenly spaced frames, see `of`.
        hertz: How often each thing repeats, in cycles per frame.
        size: Height and width of the frames.
    """
    changes = magnitudes[..., 0] - magnitudes[..., 0].mean(0)
    spectra = np.abs(samples.hann_spectrum(changes)) ** 2
    rows, columns = spectra.shape[1] // 2, spectra.shape[2]
    fineness = np.hypot(np.r_[-rows:0, 0:rows][:, None] / size[0], np.arange(columns) / size[1])
    coarse, power = spectra[:, fineness < COARSE].sum(1), spectra.sum((1, 2))
    at = np.fft.rfftfreq(len(changes))
    # The lobe of a Hann window is two bins wide; a tempo that varies by 15 % spreads its line as far.
    near = [np.abs(at - frequency) <= max(2 / len(changes), 0.15 * frequency) for frequency in hertz]
    return [bool(coarse[some].sum() >= LEAST_COARSE * power[some].sum()) for some in near]
