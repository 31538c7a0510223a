"""Windows of series, noise of any color with or without a wave in it, on which the scores of series are fitted."""

import math
from collections.abc import Iterator

import numpy as np

# Samples per second, samples of a window, and the band in Hz: of slow movements, and of hearts.
SETTINGS = (30.0, 180, (0.4, 5.5)), (28.0, 280, (0.6, 3.5)), (10.0, 240, (0.1, 0.5))


def windows(count: int = 900, seed: int = 7) -> Iterator[tuple[float, np.ndarray, float, tuple[float, float]]]:
    """Yields the frequency in Hz, NaN where nothing repeats, `(T, channels)` values, their rate and the band.

    The noise is autoregressive of first order; the wave, in every other window, has a second harmonic or is a row of
    spikes, has a height of its own in each channel, and every other one intervals that differ by up to a fifth.

    Args:
        count: How many.
        seed: Of all that is drawn.
    """
    random = np.random.default_rng(seed)
    for number in range(count):
        rate, length, band = SETTINGS[number % len(SETTINGS)]
        channels, memory = int(random.choice([1, 1, 2, 4])), random.choice([0, 0.5, 0.9, 0.97, 0.995])
        found = np.zeros((length, channels))
        for k, news in enumerate(random.normal(size=(length, channels))):
            found[k] = (memory * found[k - 1] if k else 0) + news
        found = (found - found.mean(axis=0)) / found.std(axis=0)
        frequency = math.nan
        if random.random() < 0.5:
            frequency, wave = _wave(random, np.arange(length) / rate, band)
            found += random.uniform(0.3, 4) * wave[:, None] * random.normal(size=channels)
        yield frequency, found, rate, band


def _wave(random, times, band):
    """Returns the mean frequency of a wave in Hz, and the wave."""
    # A window holds two periods and more.
    low, high = max(1.1 * band[0], 2.2 / times[-1]), 0.65 * band[1]
    frequency = math.exp(random.uniform(math.log(low), math.log(high)))
    cycles = frequency * times
    if random.random() < 0.5:
        lengths = random.uniform(0.8, 1.2, math.ceil(1.5 * cycles[-1]) + 2) / frequency
        cycles = np.interp(times, np.concatenate([[0], np.cumsum(lengths)]), np.arange(len(lengths) + 1))
        frequency = float(cycles[-1] / times[-1])
    angles = 2 * np.pi * cycles + random.uniform(0, 6.28)
    if random.random() < 0.3:
        return frequency, 2 * np.exp(random.uniform(3, 20) * (np.cos(angles) - 1))
    return frequency, np.sin(angles) + random.uniform(0, 0.8) * np.sin(2 * angles + 1)
