"""Scenes of a recording: stretches between two cuts.

At a cut the picture changes several times more than in the moments
before and after it, and the two frames have little in common.
"""

import itertools

import numpy as np
from scipy import ndimage

# A cut changes the picture by this factor more than any frame near it.
JUMP = 4.0
# Frames on both sides of a cut correlate less than this.
COMMON = 0.85
NEARBY_SECONDS = 0.25


def changes(frames: np.ndarray) -> np.ndarray:
    """Mean change of a pixel to the next frame, `(T - 1,)` gray levels."""
    return np.array([np.abs(after.astype(np.int16) - before).mean() for before, after in itertools.pairwise(frames)])


def correlation(before: np.ndarray, after: np.ndarray) -> float:
    """Correlation of two frames; flat frames correlate with nothing."""
    before, after = before - before.mean(), after - after.mean()
    power = np.sqrt((before**2).mean() * (after**2).mean())
    return float((before * after).mean() / (power + 1.0))


def cuts(frames: np.ndarray, rate: float) -> list[int]:
    """Index of the first frame after each cut.

    Args:
        frames: `(T, H, W, C)` uint8.
        rate: Frames per second.
    """
    if len(frames) < 3:
        return []
    change = changes(frames)
    reach = max(3, round(NEARBY_SECONDS * rate))
    around = np.ones(2 * reach + 1, bool)
    around[reach] = False
    nearby = ndimage.maximum_filter(change, footprint=around, mode="constant")
    jumps = np.flatnonzero(change > JUMP * (nearby + 0.5))
    return [int(at) + 1 for at in jumps if correlation(frames[at].astype(float), frames[at + 1].astype(float)) < COMMON]
