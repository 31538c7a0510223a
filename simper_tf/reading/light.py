"""Light that changes over the whole picture, taken out.

Lamps, exposure and sunlight multiply all pixels by one course. Most pixels
show a still background, so their median ratio to the mean picture tells it.
"""

import numpy as np

# Gray levels between which a pixel follows the light, and share of the picture that must lie there.
DARKEST, BRIGHTEST, FEWEST = 20, 235, 0.1
# Standard deviation of the light, as share of its mean, from which on it matters.
LEAST = 0.003


def evened(gray: np.ndarray) -> np.ndarray | None:
    """Frames under one light; None where the light changes too little to matter.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    mean = gray.mean(0)
    follows = (mean > DARKEST) & (mean < BRIGHTEST)
    if follows.mean() < FEWEST:
        return None
    light = np.median(gray[:, follows] / mean[follows], axis=1)
    if light.std() < LEAST:
        return None
    return gray / np.maximum(light, 0.1)[:, None, None, None]
