"""Series like those of a pulse sensor, of a known frequency: a strong second harmonic, drift, noise, uneven times."""

import numpy as np


def pulse(frequency, seconds, rate, seed, channels=1):
    """Returns `(T,)` uneven times in seconds and `(T, channels)` values, in counts of a converter."""
    rng = np.random.default_rng(seed)
    times = (np.arange(round(seconds * rate)) + rng.uniform(-0.2, 0.2, round(seconds * rate))) / rate
    times -= times[0]
    angles = 2 * np.pi * frequency * times[:, None] + rng.uniform(0, 6, 1) + 0.5 * np.arange(channels)
    beat = np.sin(angles) + 0.9 * np.sin(2 * angles + 1) + 0.3 * rng.normal(size=angles.shape)
    return times, 3e5 + 1e4 * (beat + 2 * np.sin(2 * np.pi * 0.07 * times + 1)[:, None])


def write(path, times, values, lost=()):
    """Writes a table with a header; of the samples that are `lost` the cells are empty."""
    rows = [[f"{time:.5f}", *(f"{value:.9g}" for value in row)] for time, row in zip(times, values, strict=True)]
    for k in lost:
        rows[k][1:] = ["" for _ in rows[k][1:]]
    names = ["time", *(f"ppg {k}" for k in range(values.shape[1]))]
    path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
