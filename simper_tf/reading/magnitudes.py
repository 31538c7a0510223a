"""Pictures that look alike wherever they stand: the magnitudes of their Fourier transform.

A camera in a hand, or one that follows somebody, moves whole pictures, and its path cannot always be told. A shift
changes the phases of the transform alone. So what repeats in the magnitudes repeats in the scene.
"""

import numpy as np

# Lowest frequencies that are kept, in cycles of the picture's height and width: finer ones are noise.
KEPT = 16
# Mean square of a Hann window over a picture, by which it weakens what it shows.
WINDOWED = (3 / 8) ** 2


def of(gray: np.ndarray) -> np.ndarray:
    """Magnitudes of frames, `(T, 2 * KEPT, KEPT, 1)` float32, or fewer of small frames.

    They are scaled to have the power of the pixels, so that gray levels hold for them as well. A window keeps what
    enters at the edges of the picture small.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    frames = gray[..., 0] - gray[..., 0].mean((1, 2), keepdims=True)
    height, width = frames.shape[1:]
    window = np.hanning(height)[:, None] * np.hanning(width)
    spectra = np.abs(np.fft.rfft2(frames * window)) / np.sqrt(WINDOWED * height * width)
    rows = min(KEPT, height // 2)
    low = np.concatenate((spectra[:, -rows:, :KEPT], spectra[:, :rows, :KEPT]), axis=1)
    return low[..., None].astype(np.float32)
