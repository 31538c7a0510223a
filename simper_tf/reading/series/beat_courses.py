"""Courses of a series on which beats stand out: its wave, how fast that changes, its steepest slopes, its energy.

Each shows what another one hides. A pulse wave is plain in the wave itself; a wide and noisy one in its speed; beats on
a drifting baseline in their steepest slopes; the spikes of an ECG in the energy above the band.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simper_tf.signals import filters

# Samples a second above which a series is thinned out first, and samples of the fastest period that courses keep.
TOP_RATE, _SAMPLES = 125.0, 10
FOLDS = 1.3  # Times as many: up to there what folds lands above 43 Hz, where beats have next to nothing.
# Ends of the pass bands, in ends of the band that is sought.
WAVE, _SPEED, _ENERGY = (0.7, 3.0), (1.2, 2.5), (2.0, 8.0)
# Share of the fastest period over which slopes and energy are smoothed.
_SLOPE_WIDTH, _ENERGY_WIDTH = 0.1, 0.14
_FEWEST_ENERGY = 9  # Samples of the fastest period from which on there is something above the band.
_MOST_CHANNELS = 8  # That are read by themselves too: the time to read grows with their number.
_FLAT = 0.1  # Share of its mean by which energy must differ to show beats.
_FAINT = 1e-3  # Share of a series below which what the filters leave is nothing.
# Steps without a sample above which there is a hole.
_HOLE = 4.0
_ORDER, _PADDING = 16, 15  # Of the filter before samples are left out, and samples by which it is led in.


class Even(NamedTuple):
    """Samples at even steps.

    Attributes:
        values: `(N, C)` numbers, straight across holes.
        holes: `(N,)` seconds of the hole that each lies in, 0 in none.
        rate: Hz.
        start: Second of the first.
    """

    values: np.ndarray
    holes: np.ndarray
    rate: float
    start: float


def evenly(times: np.ndarray, values: np.ndarray) -> Even:
    """Brings samples to even steps, at 125 a second or fewer.

    Args:
        times: `(T,)` seconds that rise; jitter and holes are fine.
        values: `(T, C)` numbers.
    """
    step = float(np.median(np.diff(times)))
    rate = min(1 / step, TOP_RATE)
    # Seconds of a day have a rounding error of 1e-11; a hole may not make a series 4,000 times as long.
    count = min(int((times[-1] - times[0]) * rate + 1e-6) + 1, 4000 * len(times))
    grid = times[0] + np.arange(max(count, 2)) / rate
    if 1 / step <= FOLDS * rate:
        even = _on(grid, times, values)
    elif count <= _PADDING:  # Of 1e8 samples a second, as of an oscilloscope, the filter rings for gigabytes.
        even = np.zeros((len(grid), values.shape[1]))  # No beat is as short.
    else:
        fine = np.arange(times[0], times[-1] + step / 2, step)
        samples = _on(fine, times, values)
        even = _on(grid, fine, filters.butterworth(samples, 1 / step, 0, 0.42 * rate, _ORDER, _PADDING))
        even *= even.std(axis=0) > _FAINT * samples.std(axis=0)  # Else what is left of a tone is folded down.
    after = np.clip(np.searchsorted(times, grid), 1, len(times) - 1)
    steps = times[after] - times[after - 1]
    return Even(even, np.where(steps > _HOLE * step, steps, 0.0), rate, float(times[0]))


def best(
    values: np.ndarray, rate: float, band: tuple[float, float]
) -> tuple[dict[str, np.ndarray], float, np.ndarray, int | None]:
    """Returns the courses, by name, of the channel that repeats most clearly, or of what channels have in common.

    Args:
        values: `(N, C)` at even steps.
        rate: Samples per second.
        band: `(low, high)` in Hz.

    Returns:
        `(M,)` a course, of deviation 1; their rate, ten samples to the fastest period; `(N,)` what they were made of;
        the number of the channel, None for what channels have in common.
    """
    thinned = max(int(rate / (_SAMPLES * band[1])), 1)
    sources = list(_sources(values, rate, band))
    tried = [dict(_courses(source, rate, band)) for _, source in sources]
    tried = [{name: course[thinned // 2 :: thinned] for name, course in group.items()} for group in tried]
    best_one = 0
    if len(tried) > 1:
        scores = [np.mean([height(course, rate / thinned, band) for course in group.values()]) for group in tried]
        best_one = int(np.argmax(scores))
    channel, source = sources[best_one]
    return tried[best_one], rate / thinned, source, channel


def autocorrelation(course: np.ndarray) -> np.ndarray:
    """Returns the correlation of a course with itself, `(M,)` by lag, each over the samples that overlap."""
    energy = np.cumsum(course**2)
    both = energy[::-1] * (energy[-1] - np.concatenate([[0], energy[:-1]]))
    return filters.autocorrelated(course) / np.maximum(np.sqrt(np.maximum(both, 0)), 1e-12)


def lags(course: np.ndarray, rate: float, band: tuple[float, float], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the lags of the highest peaks of the autocorrelation in a band, highest first, and their heights."""
    curve = autocorrelation(course)
    peaks = filters.tops(curve)
    # A lag is whole: 5 % is a sample of 20. Of a lag above 0.6 of the course less than two periods overlap.
    peaks = peaks[(peaks >= 0.95 * rate / band[1]) & (peaks <= min(1.05 * rate / band[0], 0.6 * len(course)))]
    peaks = peaks[np.argsort(-curve[peaks], kind="stable")][:most]
    return peaks, curve[peaks]


def height(course: np.ndarray, rate: float, band: tuple[float, float]) -> float:
    """Returns the height of the highest peak of the autocorrelation in a band, 0 without one."""
    _, heights = lags(course, rate, band, 1)
    return float(heights[0]) if len(heights) else 0.0


def _on(grid, times, values):
    return np.stack([np.interp(grid, times, channel) for channel in values.T], axis=1)


def _sources(values, rate, band) -> Iterator[tuple[int | None, np.ndarray]]:
    """Yields what courses are made of, `(N,)`: the strongest common part of all channels, and each of the first."""
    spread = values.std(axis=0)
    numbers = np.flatnonzero(spread > 0)
    values = (values - values.mean(axis=0))[:, numbers] / spread[numbers]
    if len(numbers) > 1:
        waves = np.stack([_passed(channel, rate, band, WAVE) for channel in values.T], axis=1)
        waves = waves / np.maximum(waves.std(axis=0), 1e-12)
        yield None, values @ np.linalg.svd(waves, full_matrices=False)[2][0]
    yield from zip(numbers[:_MOST_CHANNELS].tolist(), values.T, strict=False)


def _courses(source, rate, band):
    wave = _passed(source, rate, band, WAVE)
    yield "wave", wave
    yield "speed", _passed(np.gradient(_passed(source, rate, band, _SPEED)), rate, band, WAVE)
    slope = np.gradient(wave)
    slope = max((np.maximum(slope, 0), np.maximum(-slope, 0)), key=_peakedness)
    slope = filters.gaussian(slope, _SLOPE_WIDTH / band[1] * rate)
    yield "slope", _passed(slope, rate, band, WAVE)
    if rate > _FEWEST_ENERGY * band[1]:
        energy = np.abs(_passed(source, rate, band, _ENERGY))
        energy = filters.gaussian(energy, _ENERGY_WIDTH / band[1] * rate)
        is_flat = energy.std() < _FLAT * energy.mean()
        yield "energy", np.zeros_like(energy) if is_flat else _passed(energy, rate, band, WAVE)


def _peakedness(values):
    return np.mean(values**4) / max(np.mean(values**2), 1e-12) ** 2


def _passed(values, rate, band, ends):
    """Returns a series of deviation 1 without what is slower or faster than a band times its ends."""
    low, high = ends[0] * band[0], min(ends[1] * band[1], filters.HIGHEST_SHARE * rate)
    if ends is _ENERGY:
        low = ends[0] * band[1]
    padding = min(len(values) - 1, int(rate / low))
    passed = filters.butterworth(values - values.mean(), rate, low, high, 2, padding)
    deviation = passed.std()
    return passed / deviation if deviation > _FAINT * values.std() else np.zeros_like(passed)
