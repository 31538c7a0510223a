"""Heart rates from photoplethysmograms (PPG), and PPGs at the times of video frames.

The chain follows the public rPPG-Toolbox (smoothness-priors detrending with lambda 100, first-order Butterworth
band-pass, arg-max of the spectrum) with two changes: a Hann window, and a finely interpolated peak. Its 256-point
periodogram has bins 7 beats per minute apart, which on 6-second windows is more than the errors being studied.
"""

import functools

import numpy as np

from simper_tf.signals import filters

LOW_HZ, HIGH_HZ = 0.6, 3.3  # Of hearts, from rest to sport.
RANGE_BPM = (60.0 * LOW_HZ, 60.0 * HIGH_HZ)  # 36 to 198 beats per minute.
DETREND_LAMBDA = 100.0  # Of smoothness priors (Tarvainen et al., 2002), at 30 frames a second.
SPECTRUM_LENGTH = 8192  # Bins 0.22 beats per minute apart at 30 Hz, before refinement.

# A sample this many interquartile ranges from the median is no pulse but a broken number: it would decide the spectrum.
MAX_SPIKE = 30.0
# Time stamps may be moved this far to make them increase. A larger step is a damaged file, not a jittering clock.
MAX_REPAIR_NS = 500_000_000
_PADDING = 9  # Samples by which the band-pass is led in: three times its coefficients.


def heart_rate(ppg, rate):
    """Returns the heart rate of a PPG, `(T,)` samples in any unit of 2 seconds or more, in beats per minute.

    It is the frequency of the strongest periodic component from 36 to 198. The error is below 0.2 on clean 6-second
    pulses of 45 to 150 beats per minute. A PPG that is too short, not finite, constant or dominated by a spike is a
    ValueError.
    """
    ppg = np.asarray(ppg, np.float64)
    _refuse_unusable(ppg, rate)
    filtered = filters.butterworth(detrend(ppg - ppg.mean()), rate, LOW_HZ, HIGH_HZ, 1, _PADDING)
    # Imported here: all else that reads raw files does without TensorFlow.
    from simper_tf.signals import spectrum

    padding = max(-(-SPECTRUM_LENGTH // len(ppg)), 4)
    power = spectrum.power(filtered / np.abs(filtered).max(), padding)[None]
    frequencies = np.arange(power.shape[1]) * rate / (padding * len(ppg))
    _, position = spectrum.peak(power, (frequencies >= LOW_HZ) & (frequencies <= HIGH_HZ))
    refined = float(position[0]) * rate / (padding * len(ppg))
    return float(60.0 * np.clip(refined, LOW_HZ, HIGH_HZ))


def detrend(series, strength=DETREND_LAMBDA):
    """Subtracts the smooth trend z that minimizes |x - z|^2 + strength^2 |second difference of z|^2.

    Args:
        series: `(T,)` floats, T >= 5.
        strength: The weight of smoothness. 100 removes what is slower than about 0.5 Hz at 30 samples per second.

    Reference: Tarvainen et al., An advanced detrending method, IEEE Trans. Biomed. Eng. 49(2), 2002.
    """
    diagonal, first, second = _factors(len(series), strength)
    trend, near, far = [], 0.0, 0.0
    for value, last, earlier in zip(
        np.asarray(series, float).tolist(), (0.0, *first), (0.0, 0.0, *second), strict=False
    ):
        near, far = value - last * near - earlier * far, near
        trend.append(near)
    near, far = 0.0, 0.0
    for place in range(len(trend) - 1, -1, -1):
        near, far = trend[place] / diagonal[place] - first[place] * near - second[place] * far, near
        trend[place] = near
    return series - np.array(trend)


@functools.lru_cache(maxsize=8)
def _factors(length, strength):
    """Returns d and two bands of L of L diag(d) L' = I + strength^2 D'D, where the rows of D are (1, -2, 1)."""
    # Of so narrow bands a loop is as fast as LAPACK by SciPy, which takes half a second to load.
    main, beside, far = np.full(length, 6.0), np.full(length, -4.0), np.ones(length)
    main[[0, -1]], main[[1, -2]], beside[[0, -2]] = 1.0, 5.0, -2.0
    beside[-1:], far[-2:] = 0.0, 0.0
    diagonal, first, second = [], [0.0, 0.0], [0.0, 0.0]
    before = [0.0, 0.0]
    for a, e, f in (strength**2 * np.stack([main, beside, far], axis=1)).tolist():
        d = 1 + a - first[-1] ** 2 * before[-1] - second[-2] ** 2 * before[-2]
        first.append((e - second[-1] * before[-1] * first[-1]) / d)
        second.append(f / d)
        before.append(d)
        diagonal.append(d)
    return diagonal, first[2:], second[2:]


def at_times(values, value_times, times):
    """Interpolates `(N,)` values at other `(T,)` times of the same clock, in nanoseconds, int64, that increase.

    Returns:
        `(T,)` float64 values, and a `(T,)` bool mask of the times within the series. Nothing is extrapolated: where
        the mask is false the value means nothing.
    """
    # 64-bit floats cannot hold nanoseconds since 1970 (they round to 256), but hold differences of days exactly.
    start = value_times[0]
    inside = (times >= start) & (times <= value_times[-1])
    return np.interp((times - start).astype(np.float64), (value_times - start).astype(np.float64), values), inside


def uniform(values, times):
    """Resamples `(T,)` values at increasing int64 nanoseconds to as many even samples over about the same span.

    Returns the `(T,)` float64 values and their rate in samples per second.
    """
    elapsed = (times - times[0]).astype(np.float64)
    # A fitted line, not the two end points: one repeated time stamp at an end would shift the rate by 1/T.
    step, start = np.polyfit(np.arange(len(times)), elapsed, 1)
    return np.interp(start + step * np.arange(len(times)), elapsed, values), float(1e9 / step)


def increasing(times):
    """Moves `(T,)` int64 nanoseconds forward, as little as possible, until each is later than the one before.

    Returns them and how many were moved. One that would have to move by more than half a second is a ValueError.
    """
    # With the index taken off, "later by at least 1 ns" becomes "not earlier", which a running maximum repairs.
    index = np.arange(len(times))
    repaired = np.maximum.accumulate(times - index) + index
    moved = repaired - times
    if moved.max(initial=0) > MAX_REPAIR_NS:
        worst = int(moved.argmax())
        raise ValueError(f"time stamp {worst} lies {moved[worst] * 1e-9:.3f} s before an earlier one")
    return repaired, int(np.count_nonzero(moved))


def _refuse_unusable(ppg, rate):
    if ppg.ndim != 1 or len(ppg) < 1.99 * rate:  # A measured rate may be a trifle higher than the nominal one.
        raise ValueError(f"a PPG of shape {ppg.shape} at {rate:.4g} Hz is shorter than 2 s")
    if not np.isfinite(ppg).all():
        raise ValueError(f"{np.count_nonzero(~np.isfinite(ppg))} of {len(ppg)} PPG samples are not finite")
    low, middle, high = np.percentile(ppg, [25, 50, 75])
    if high <= low or np.mean(np.diff(ppg) == 0.0) > 0.5:
        raise ValueError("the PPG is constant over more than half of its samples")
    spike = np.abs(ppg - middle).max() / (high - low)
    if spike > MAX_SPIKE:
        raise ValueError(f"a PPG sample lies {spike:.0f} interquartile ranges from the median")
