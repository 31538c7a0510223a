"""The part of the picture in which something repeats."""

import itertools

import cv2
import numpy as np

from simper_tf.reading import courses, events

# More cycles than these tell no more of the place.
CYCLES = 12
# Share of the strongest movement that returns which a cell shows at least: hands and feet move few of its levels.
FAINTEST = 0.01
# Share of it up to which a tenth of the cells, twice their variance at most, shows nothing but noise.
NOISE = 0.05
# Share of all movement that returns in cells that touch, without which they are noise.
LEAST = 0.02


def box(frames: np.ndarray, run: events.Run, tiles: np.ndarray | None = None) -> tuple[float, float, float, float]:
    """Top, left, bottom and right of what repeats, as shares of the picture.

    It holds the whole path of what moves, and a cell around it.

    Args:
        frames: `(T, H, W, C)` of the stretch that the run was found in.
        run: Repetitions.
        tiles: `(tiles,)` which of `courses.boxes` are their place; None for all.
    """
    height, width = frames.shape[1:3]
    first = max((len(run.marks) - CYCLES) // 2, 0)
    starts, marks, ends = (edge[first : first + CYCLES] for edge in (run.starts, run.marks, run.ends))
    cycles, _ = events.stretched(frames.reshape(len(frames), -1), starts, marks, ends)
    returning = (cycles[:-1] * cycles[1:]).sum((0, 1)).reshape(height, width, -1).sum(2)
    moving = (cycles**2).sum((0, 1)).reshape(height, width, -1).sum(2) + 1e-9
    shared = np.where(returning > 0.3 * moving, returning, 0)
    if tiles is not None:
        for top, left, bottom, right in itertools.compress(courses.boxes(height, width), ~tiles):
            shared[top:bottom, left:right] = 0
    if not shared.any():
        return 0.0, 0.0, 1.0, 1.0
    cells = np.argwhere(_connected(shared))
    top, left = np.maximum(cells.min(0) - 1, 0)
    bottom, right = np.minimum(cells.max(0) + 2, (height, width))
    return float(top / height), float(left / width), float(bottom / height), float(right / width)


def parts(frames: np.ndarray) -> np.ndarray:
    """Number of the part of the picture that most of each tile moves in, `(tiles,)`: of cells that touch; 0 is none.

    Args:
        frames: `(T, H, W, C)`.
    """
    moving = frames.var(0).sum(2)
    strongest, faintest = np.percentile(moving, (99, 10))
    moves = moving > max(FAINTEST * strongest, min(2 * faintest, NOISE * strongest))
    numbers = _numbered(moves)
    weights = moving * moves
    return np.array([
        np.bincount(numbers[tile].ravel(), weights[tile].ravel()).argmax()
        for top, left, bottom, right in courses.boxes(*moving.shape)
        for tile in [np.s_[top:bottom, left:right]]
    ])  # fmt: skip


def _numbered(moves: np.ndarray) -> np.ndarray:
    """Number of the part that each cell is in, `(H, W)`, of cells that touch or have one between; 0 is none."""
    return cv2.connectedComponents(cv2.dilate(moves.astype(np.uint8), np.ones((3, 3))), connectivity=4)[1]


def _connected(shared: np.ndarray) -> np.ndarray:
    """Cells, `(H, W)`, of a movement that returns, but for a few by themselves; gaps of two cells part none."""
    moves = shared > FAINTEST * np.percentile(shared, 99)
    parts = _numbered(moves)
    weights = np.bincount(parts.ravel(), shared.ravel())
    return moves & (weights >= LEAST * shared.sum())[parts]


def shared(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """Share of the smaller of two boxes that lies in the other one."""
    corners = np.array((first, second))
    height, width = np.maximum(corners[:, 2:].min(0) - corners[:, :2].max(0), 0)
    return float(height * width / np.prod(corners[:, 2:] - corners[:, :2], 1).min())
