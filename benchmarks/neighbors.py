"""Rows of the search for nearest neighbors by cross-correlation, against a correlation of every pair."""

import functools

import numpy as np

from benchmarks import reference
from benchmarks.timing import Row, alternate
from simper_tf import neighbors


def search(number, draw):
    """Pairs a second of nearest neighbors by `mxcorr` among so many features for as many."""
    rng = np.random.default_rng(0)
    train, queries = [draw(rng, (number, 150, 4)).astype(np.float32) for _ in range(2)]
    # All pairs take as long for each query, so a few tell their speed.
    some = queries[:100]
    found = neighbors.nearest_neighbor(train, range(number), some)
    if np.any(found != reference.nearest_of_all(train, some)):
        raise ValueError("The two searches find different neighbors: they do not compute the same.")
    ours, other = alternate(
        lambda: neighbors.nearest_neighbor(train, range(number), queries),
        lambda: reference.nearest_of_all(train, some),
        repeats=3,
    )
    return number * number / ours, number * len(some) / other


def waves(rng, shape):
    """Returns features as encoders make them: a waveform a channel at a frequency and a phase a clip, with noise."""
    channels, phases = np.arange(shape[2]), rng.uniform(0, 2 * np.pi, (shape[0], 1, 1))
    angles = 2 * np.pi * rng.uniform(0.5, 5, (shape[0], 1, 1)) * np.arange(shape[1])[:, None] / 30 + phases
    series = np.sin(angles + channels) + 0.4 * np.sin(2 * angles + channels**2) + 0.2 * np.sin(3 * angles)
    return series + 0.2 * rng.standard_normal(shape)


ROWS = {
    "neighbors": Row(functools.partial(search, draw=waves), (1000, 4000), "training clips", "pairs/s"),
    "neighbors_noise": Row(
        functools.partial(search, draw=np.random.Generator.standard_normal), (250, 1000), "training clips", "pairs/s"
    ),
}
