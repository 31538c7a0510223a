"""Samples of series that are missing: how many are interpolated, and whether any may be."""

from simper_tf.recordings.source_contract import Info
from simper_tf.recordings.sources import Series
from simper_tf.utils.errors import RawDataError

CHOICES = ("interpolate", "refuse")
# Steps from one sample to the next from which on one is missing.
_MISSING = 1.75
# Share of the fastest period that a straight line may take the place of: two steps at `windows.FRAMES_A_PERIOD`, which
# rounding must not make too long.
_BRIDGED = 0.25 * (1 + 1e-6)


def longest(info: Info, band: tuple[float, float]) -> float:
    """Returns the seconds without a sample of a series up to which it is interpolated, whoever reads it for what.

    Args:
        info: Of the series.
        band: `(low, high)` in Hz: it is a quarter of the fastest period, or a single sample.
    """
    return max(info.longest_gap, _BRIDGED / band[1])


def check(source: Series, choice: str):
    """Refuses a series in which a sample is missing, where that is the choice.

    Raises:
        RawDataError: one is, or the series cannot be read.
    """
    hole, info = source.longest_hole(), source.info()
    if choice == "refuse" and hole * info.rate > _MISSING:
        found, expected = f"{hole:.3g} s without a sample", f"one every {1 / info.rate:.3g} s"
        raise RawDataError(source.name, found, expected, "Fill them, leave it out, or interpolate gaps.")
