"""Disturbances of a clip's pixels: changing light, things that move across it, and noise.

Nothing of it repeats: light and things follow random walks, so no line of a spectrum but the digit's own is true.
"""

import numpy as np

# Strength -> standard deviations of light (of its logarithm) and noise (gray levels), and number of things.
STRENGTHS = {"faint": (0.1, 20.0, 1), "low": (0.2, 40.0, 1), "middle": (0.5, 110.0, 3), "high": (0.7, 180.0, 5)}
RADII = (2.0, 4.0)  # Pixels, standard deviation of the Gaussian spots that pass.
PACE = 0.6  # Pixels that a spot walks in a frame, standard deviation.


def disturb(frames, strength, rng):
    """Returns `(T, H, W)` gray levels in changing light, behind moving spots and noise; they may leave [0, 255]."""
    light, noise, spots = STRENGTHS[strength]
    num_frames, *size = frames.shape
    for _ in range(spots):
        frames = np.maximum(frames, _spot(num_frames, size, rng))
    gain = np.exp(light * _standardized(walk(num_frames, rng)))
    return frames * gain[:, None, None] + noise * rng.standard_normal(frames.shape, np.float32)


def walk(num_frames, rng):
    """Returns `(T,)` positions of a random walk with steps of unit deviation, from 0."""
    steps = rng.standard_normal(num_frames)
    return np.cumsum(steps) - steps[0]


def _standardized(series):
    return (series - series.mean()) / series.std()


def _spot(num_frames, size, rng):
    """Returns `(T, H, W)` levels of a bright spot that walks and turns back at the rim."""
    radius, level = rng.uniform(*RADII), rng.uniform(100, 255)
    axes = []
    for side in size:
        path = rng.uniform(0, side) + PACE * walk(num_frames, rng)
        path = np.abs((path + side) % (2 * side) - side)  # Reflected into [0, side].
        axes.append(np.exp(-0.5 * np.square((np.arange(side) - path[:, None]) / radius)))
    return level * axes[0][:, :, None] * axes[1][:, None, :]
