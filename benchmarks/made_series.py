"""Windows of series, noise of any color with or without a wave in it, on which the scores of series are fitted."""

import math
from collections.abc import Iterator

import numpy as np

RATE, LENGTH, BAND = 30.0, 180, (0.4, 5.5)


def windows(count: int = 700, seed: int = 7) -> Iterator[tuple[float, np.ndarray]]:
    """Yields the frequency in Hz, NaN in every other window where nothing repeats, and `(LENGTH, channels)` values.

    The noise is autoregressive of first order; the wave has a second harmonic, and a height of its own in each channel.

    Args:
        count: How many.
        seed: Of all that is drawn.
    """
    random = np.random.default_rng(seed)
    for number in range(count):
        channels, memory = int(random.choice([1, 1, 2, 4])), random.choice([0, 0.5, 0.9, 0.97, 0.995])
        found = np.zeros((LENGTH, channels))
        for k, news in enumerate(random.normal(size=(LENGTH, channels))):
            found[k] = (memory * found[k - 1] if k else 0) + news
        found = (found - found.mean(axis=0)) / found.std(axis=0)
        if number % 2 == 0:
            yield math.nan, found
        else:
            frequency, wave = _wave(random)
            yield frequency, found + random.uniform(0.3, 4) * wave[:, None] * random.normal(size=channels)


def _wave(random):
    frequency = math.exp(random.uniform(math.log(0.45), math.log(3.5)))
    angles = 2 * np.pi * frequency * np.arange(LENGTH) / RATE + random.uniform(0, 6.28)
    return frequency, np.sin(angles) + random.uniform(0, 0.8) * np.sin(2 * angles + 1)
