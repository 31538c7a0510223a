"""Frames as clients send them, good and bad, for requests at random."""

import numpy as np


def random_frames(rng, shape, value_range=None):
    """Returns frames of a shape, uint8 or floats in a range, or bad ones, and whether they are good; four in five are.

    Bad are other numbers of clips, frames, rows, columns, channels or axes, and floats that are NaN, infinite or out of
    range. What is good is decided here, from how they were made: a clip at least, of 8 frames or more.

    Args:
        rng: `numpy.random.Generator`.
        shape: `(B, T, H, W, C)`.
        value_range: `(low, high)` of floats; None for uint8.
    """
    wanted, shape, good = tuple(shape), list(shape), True
    if rng.random() < 0.2:
        good, kind = False, rng.integers(6)
        if kind == 5:
            shape = [shape[1:], [*shape, 1], shape[:1], []][rng.integers(4)]
        else:
            shape[kind] = [0, rng.integers(8), *rng.choice([0, 1, 2, 4, 7, 30], 3)][kind]
            good = tuple(shape[2:]) == wanted[2:] and shape[0] > 0 and shape[1] > 7
    frames = rng.integers(0, rng.choice([1, 2, 256]), shape, np.uint8)
    if value_range is None:
        return frames, good
    low, high = value_range
    frames = np.asarray(low + frames / 255 * (high - low), np.float32)
    if frames.size and rng.random() < 0.3:
        wrong = [np.nan, np.inf, -np.inf, high + 255, low - 1e30, low - 0.02 * (high - low)]
        frames[rng.random(frames.shape) < rng.choice([0.5, 1.0])] = rng.choice(wrong)
        frames.flat[0], good = rng.choice(wrong), False
    return frames, good
