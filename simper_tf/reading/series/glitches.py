"""Samples that a sensor made up: a few that lie far from all others, such as 65535 among hundreds."""

import numpy as np

_FAR = 20.0  # Times as far from the median as the next farthest sample: spikes of hearts are like one another.
# Places, and samples in all, that may be so: a rhythm has more.
_PLACES, _MOST = 3, 9
_AT_ONCE = 2**20  # Samples that are looked at: of all of a day differences would take as much memory again.


def mended(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Returns values without glitches, straight across them, and how many samples were one.

    Args:
        values: `(T, C)` numbers.

    Example:
        >>> mended(np.array([[1.0], [2.0], [900.0], [1.0], [2.0], [1.0], [2.0], [1.0], [2.0], [1.0], [2.0], [1.0]]))[1]
        1
    """
    found = {k: at for k in range(values.shape[1]) if len(at := _glitches(values[:, k]))}
    if found:
        values = values.copy()
    for k, at in found.items():
        rest = np.delete(np.arange(max(at[0] - 1, 0), min(at[-1] + 2, len(values))), at - max(at[0] - 1, 0))
        values[at, k] = np.interp(at, rest, values[rest, k])
    return values, len(set().union(*map(set, found.values())))


def _glitches(channel):
    """Returns the places of the samples that lie far from all others, rising."""
    if len(channel) <= _MOST + 1:
        return np.zeros(0, int)
    middle = np.median(channel[:: len(channel) // _AT_ONCE + 1])
    blocks = range(0, len(channel), _AT_ONCE)
    farthest = np.concatenate([first + _farthest(channel[first : first + _AT_ONCE] - middle) for first in blocks])
    farthest = farthest[_farthest(channel[farthest] - middle)]
    away = np.abs(channel[farthest] - middle)
    number = next((k for k in range(_MOST, 0, -1) if away[k - 1] > _FAR * away[k] > 0), 0)
    places = np.sort(farthest[:number])
    return places if np.count_nonzero(np.diff(places) > 1) < _PLACES else places[:0]


def _farthest(off):
    """Returns the places of the samples that are off the most, the farthest first, one more than may be glitches."""
    away, number = np.abs(off), min(_MOST + 1, len(off))
    places = np.argpartition(away, len(away) - number)[len(away) - number :]
    return places[np.argsort(-away[places])]
