"""Arrays and tables at hand as recordings: pictures and series, of one rate or one each."""

import numbers
from collections.abc import Sequence

import numpy as np

from simper_tf.recordings.source_contract import Source
from simper_tf.recordings.sources import Frames, Series
from simper_tf.tables import series_files
from simper_tf.utils.errors import RawDataError

# Samples or frames of a recording, at least, and how many times as many as there are channels.
_FEWEST, _TIMES_CHANNELS = 16, 4
_AXES = "one recording an array: (T,), (T, C), (T, H, W) or (T, H, W, C)"
_STACKED = "recordings along the first axis: (N, T), (N, T, C), (N, T, H, W) or (N, T, H, W, C)"


def are_arrays(names) -> bool:
    """Returns whether what somebody gave is an array, or a list of nothing but arrays."""
    if isinstance(names, list | tuple):
        return bool(names) and all(hasattr(value, "__array__") for value in names)
    return hasattr(names, "__array__")


def sources(arrays, rate: float | Sequence[float] | None) -> list[Source]:
    """Returns the recordings that arrays hold.

    One array has its recordings along the first axis, `(N, T)`, `(N, T, C)`, `(N, T, H, W)` or `(N, T, H, W, C)`; in a
    list each array is one recording, `(T,)`, `(T, C)`, `(T, H, W)` or `(T, H, W, C)`, and lengths may differ. The
    number of axes says what it is; what would make little sense so is refused.

    Args:
        arrays: An array, or a list of arrays.
        rate: Frames or samples per second, one number or one for each recording.

    Raises:
        ValueError: the axes or the rates are not so; says what to give.
    """
    recordings = list(arrays) if isinstance(arrays, list | tuple) else _parts(np.asarray(arrays))
    recordings = [_filled(array) for array in recordings]
    for number, array in enumerate(recordings):
        _check(f"array {number}", array)
    rates = _rates(rate, len(recordings))
    kinds = [HeldFrames if array.ndim > 2 else HeldSeries for array in recordings]
    return [kind(number, *both) for number, (kind, *both) in enumerate(zip(kinds, recordings, rates, strict=True))]


class HeldFrames(Frames):
    """Frames at hand, `(T, H, W)` or `(T, H, W, C)`, with what `Frames` says of their values."""

    def __init__(self, number: int, array: np.ndarray, rate: float):
        super().__init__(f"array {number}", rate)
        self._held = array

    def _array(self):
        return self._held


class HeldSeries(Series):
    """A series at hand, `(T,)` or `(T, C)`."""

    def __init__(self, number: int, array: np.ndarray, rate: float):
        super().__init__(f"array {number}")
        self._held, self._rate = array, rate

    def _load(self):
        values = np.asarray(self._held, np.float64).reshape(len(self._held), -1)
        return self._known(series_files.normal(self.name, np.arange(len(values)) / self._rate, values))


class DataFrame(Series):
    """A pandas DataFrame or Series: its times are a column or the index, as `Series` finds them in a file."""

    def __init__(self, frame, rate: float | None, time="", columns=()):
        super().__init__("table")
        self._frame, self._asked = frame, (rate, time, columns)

    def _load(self):
        from simper_tf.tables import channels

        return self._known(channels.of_data_frame(self.name, self._frame, *self._asked))


def _filled(array):
    """Returns an array, in which what is masked of a series is missing."""
    if isinstance(array, np.ma.MaskedArray) and array.ndim < 3 and np.ma.is_masked(array):
        return array.astype(np.float64).filled(np.nan)
    return np.asarray(array)


def _parts(array):
    if not 2 <= array.ndim <= 5:
        raise ValueError(f"An array must have {_STACKED}. Received: shape {array.shape}. Give a single one as [array].")
    if array.ndim == 4 and array.shape[-1] in (1, 3):
        raise ValueError(
            f"An array of shape {array.shape} may be {array.shape[0]} recordings of gray frames that are "
            f"{array.shape[-1]} wide, or one recording with {array.shape[-1]} channels. Give [array] for one "
            "recording, or array[..., None] for many."
        )
    return list(array)


def _check(name, array):
    if array.dtype.kind not in "iufb" or not 1 <= array.ndim <= 4 or 0 in array.shape:
        raise RawDataError(name, f"{array.dtype} of shape {array.shape}", f"numbers, {_AXES}", "Give them so.")
    channels = array.shape[1] if array.ndim == 2 else 1
    if len(array) < max(_FEWEST, _TIMES_CHANNELS * channels if channels > 1 else 0):
        found = f"{len(array)} samples of {channels} channels" if array.ndim < 3 else f"{len(array)} frames"
        expected = f"time first, {_FEWEST} or more, and of series {_TIMES_CHANNELS} times as many as channels"
        raise RawDataError(name, found, expected, f"Turn its axes; a list has {_AXES}, and one array has {_STACKED}.")


def _rates(rate, number):
    rates = np.ravel(rate).tolist() * (number if np.ndim(rate) == 0 else 1)
    if len(rates) != number or not all(isinstance(one, numbers.Real) and 0 < one < np.inf for one in rates):
        raise ValueError(
            f"`rate` must be the samples or frames per second of the arrays, above 0: one number, or one for each of "
            f"{number}. Received: {rate!r}."
        )
    return [*map(float, rates)]
