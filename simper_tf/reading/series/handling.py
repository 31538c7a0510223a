"""Handling of a sensor before and after what it records, such as of a phone that is put on a belly."""

import itertools

import numpy as np

_BLOCKS = 40  # Of as many samples each, in which a series is looked at.
_LONGEST = 10  # Blocks at either end that may be handling: a quarter.
_STRONGER = 10.0  # Times the usual deviation of a block, from which on it is.


def outside(values: np.ndarray) -> slice:
    """Samples between the handling at both ends of a series; all of them where there is none.

    Args:
        values: `(T, C)` numbers.

    Example:
        >>> wave = np.sin(np.arange(400) / 5)
        >>> outside(np.where(np.arange(400) < 20, 50 * wave, wave)[:, None])
        slice(20, 400, None)
    """
    if len(values) < 2 * _BLOCKS:
        return slice(0, len(values))
    edges = np.linspace(0, len(values), _BLOCKS + 1).astype(int)
    spread = np.stack([values[first:last].std(axis=0) for first, last in itertools.pairwise(edges)])
    usual = np.median(spread, axis=0)
    is_handling = (spread > _STRONGER * usual).any(axis=1, where=usual > 0)
    first = max((k + 1 for k in range(_LONGEST) if is_handling[k]), default=0)
    last = min((k for k in range(_BLOCKS - _LONGEST, _BLOCKS) if is_handling[k]), default=_BLOCKS)
    return slice(int(edges[first]), int(edges[last]))
