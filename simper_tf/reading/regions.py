"""The part of the picture in which something repeats."""

import numpy as np

from simper_tf.reading import events

# More cycles than these tell no more of the place.
CYCLES = 12
# Share of what repeats that may lie outside of the box on each side.
TAIL = 0.03


def box(frames: np.ndarray, run: events.Run) -> tuple[float, float, float, float]:
    """Top, left, bottom and right of what repeats, as shares of the picture.

    Pixels count by how much of their movement returns in the next cycle.

    Args:
        frames: `(T, H, W, C)` of the stretch that the run was found in.
        run: Repetitions.
    """
    height, width = frames.shape[1:3]
    first = max((len(run.marks) - CYCLES) // 2, 0)
    starts, marks, ends = (edge[first : first + CYCLES] for edge in (run.starts, run.marks, run.ends))
    cycles, _ = events.stretched(frames.reshape(len(frames), -1), starts, marks, ends)
    returning = (cycles[:-1] * cycles[1:]).sum((0, 1)).reshape(height, width, -1).sum(2)
    moving = (cycles**2).sum((0, 1)).reshape(height, width, -1).sum(2) + 1e-9
    shared = np.where(returning > 0.3 * moving, returning, 0)
    if not shared.any():
        return 0.0, 0.0, 1.0, 1.0
    top, bottom = _middle(shared.sum(1))
    left, right = _middle(shared.sum(0))
    return top / height, left / width, bottom / height, right / width


def _middle(weights: np.ndarray) -> tuple[int, int]:
    """First and last cell that hold all but the tails of the weights."""
    summed = np.cumsum(weights) / weights.sum()
    return int(np.searchsorted(summed, TAIL)), int(np.searchsorted(summed, 1 - TAIL)) + 1
