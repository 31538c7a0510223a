"""Lines of a spectrum at multiples of a frequency: whether they are its harmonics, or those of something faster."""

import math

import numpy as np

from simper_tf.signals import filters, samples

MULTIPLE = 0.04  # Share by which a multiple may be off.
FINER, _NO_LINE = 4, 0.01  # Bins to a cycle of a stretch, and share of the highest line below which there is none.
_FOLDS = 4  # Rates of samples up to which harmonics are folded back: beyond, they are weak.


def power_of(even):
    """Returns the power of all channels together, `(F,)`, the Hz from bin to bin, and the samples per second."""
    values = (even.values - even.values.mean(axis=0)) / np.maximum(even.values.std(axis=0), 1e-12)
    power = (np.abs(samples.hann_spectrum(values, FINER)) ** 2).sum(axis=1)
    return power, even.rate / (FINER * len(values)), even.rate


def is_part(hertz, power, spacing, rate):
    """Returns whether something faster repeats: all lines at multiples of a frequency are those of one multiple.

    Samples fold its harmonics above half the rate onto the others. They count as its own up to the height that a jump
    would give them, as nothing is rougher, and what is no line adds to their amplitude.
    """
    count = int(filters.HIGHEST_SHARE * rate / hertz) if hertz > 0 else 0
    if count < 2:
        return False
    numbers = np.arange(1, count + 1)
    lines, reach = _lines(numbers * hertz / spacing, power)
    strongest = int(lines.argmax()) + 1
    folded = _folded(strongest * hertz / rate, numbers * hertz / rate, reach * spacing / rate)
    is_own = lines < (math.sqrt(_NO_LINE) + folded) ** 2 * lines.max()
    return strongest > 1 and bool(is_own[numbers % strongest > 0].all())


def is_beside(hertz, highest, power, spacing, rate):
    """Returns whether a line lies beside all multiples of a frequency, and these show next to none.

    All are seen behind a filter of second order, forward and back, that passes what is slower than the highest.
    """
    if not 0 < 2 * hertz < filters.HIGHEST_SHARE * rate:
        return False
    power = power / (1 + (np.arange(len(power)) * spacing / highest) ** 4) ** 2
    lines, _ = _lines(np.arange(hertz, filters.HIGHEST_SHARE * rate, hertz) / spacing, power)
    return bool(lines.max() < _NO_LINE * power[int(hertz / 2 / spacing) :].max())


def _lines(at, power):
    """Returns the power of the highest line near each of some places in bins, and how near, `(N,)` each."""
    # Less than a half of the spacing, so that neighbors share no bin.
    reach = np.clip(MULTIPLE * at, FINER, 0.3 * at[0])
    return np.array([power[int(a) : int(b) + 2].max() for a, b in zip(at - reach, at + reach, strict=True)]), reach


def _folded(share, places, reach):
    """Returns amplitudes that samples make of a jump, over that of its first harmonic.

    Args:
        share: Of the rate, which its frequency is.
        places: `(N,)` shares of the rate at which they are told.
        reach: `(N,)` by which a harmonic may be off.
    """
    orders = np.arange(math.floor(0.5 / share) + 1, math.ceil(_FOLDS / share) + 1)
    folded = np.abs(orders * share - np.round(orders * share))
    return (np.abs(folded - places[:, None]) < reach[:, None]) @ (1 / orders)
