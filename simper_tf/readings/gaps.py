"""Samples of series that are missing: what becomes of them is somebody's choice."""

from simper_tf.readings.sources import Series
from simper_tf.recordings.errors import RawDataError

CHOICES = ("interpolate", "refuse")
# Steps from one sample to the next from which on one is missing.
_MISSING = 1.75


def check(source: Series, choice: str):
    """Refuses a series in which a sample is missing, where that is the choice.

    Raises:
        RawDataError: one is, or the series cannot be read.
    """
    hole, info = source.longest_hole(), source.info()
    if choice == "refuse" and hole * info.rate > _MISSING:
        found, expected = f"{hole:.3g} s without a sample", f"one every {1 / info.rate:.3g} s"
        raise RawDataError(source.name, found, expected, "Fill them, leave it out, or interpolate gaps.")
