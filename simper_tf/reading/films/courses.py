"""Courses of movement: how the parts of a scene move in time.

A scene is cut into 4 x 4 tiles. Each keeps its strongest principal
components. Slow drift is taken out on a ladder of time spans, a third
of the last one each, because slow and fast movements need a different
filter. The principal components of what is left, of the whole picture
and of each tile, are the courses in which repetitions are looked for.
"""

import dataclasses
import functools
import itertools
from collections.abc import Iterator

import cv2
import numpy as np

from simper_tf.signals import filters

TILES = 4  # Along a side of the picture.
KEPT = 12  # Principal components of each tile that events are compared by.
SHORTEST_SPAN = 5  # Frames: two periods of the fastest tempo, 0.45 a frame, take 4.4.
# A ladder of spans that fall by more would miss periods between two rungs.
SPAN_STEP = 3.0
# Principal components that are counted in, of the whole picture and of each tile.
WHOLE_COURSES, TILE_COURSES = 6, 2
# Half of the tiles, those that move most, may show something of their own.
TILES_USED = 8
STATES = 4  # Components of a tile by which events of its courses are compared.
# Share of the strongest movement which a cell shows at least: hands and feet move few of its levels.
FAINTEST = 0.01
# Share of it up to which a tenth of the cells, twice their variance at most, shows nothing but noise.
NOISE = 0.05


@dataclasses.dataclass(frozen=True)
class Rung:
    """A scene without drift slower than one span.

    Attributes:
        scores: `(T, tiles, KEPT)` float32, high-passed and smoothed.
        span: Samples of the longest movement that is kept.
        whole: `(T, tiles, KEPT)` float32 as they were.
    """

    scores: np.ndarray
    span: float
    whole: np.ndarray

    def spanning(self, span: float) -> np.ndarray:
        """Scores of the same scene without drift slower than another span, `(T, tiles, KEPT)`."""
        return filters.smooth_twice(self.whole - filters.smooth_twice(self.whole, span / 2), self.span / 24)

    @functools.cached_property
    def dimensions(self) -> float:
        """Number of independent movements, by the spread of their powers.

        1 if all pixels follow one course, as with light that changes.
        """
        flat = self.scores.reshape(len(self.scores), -1).astype(np.float64)
        products = flat.T @ flat
        return float(np.trace(products) ** 2 / max((products**2).sum(), 1e-12))

    @functools.cached_property
    def power(self) -> float:
        """Mean square of the movement, over all pixels."""
        return float(self.scores.var(0).sum())

    @functools.cached_property
    def speeds(self) -> np.ndarray:
        """Squared change of all scores from each sample to the next, `(T - 1,)`."""
        return (np.diff(self.scores, axis=0) ** 2).sum((1, 2))


@dataclasses.dataclass(frozen=True)
class Course:
    """One way in which a part of the picture moves.

    Attributes:
        values: `(T,)` the course.
        states: `(T, K)` the other courses of the same part: two times at
            which the part looks alike have alike states.
        rung: What it was taken from.
        part: `(T, D)` scores of the part as they were.
    """

    values: np.ndarray
    states: np.ndarray
    rung: Rung
    part: np.ndarray


def boxes(height: int, width: int) -> list[tuple[int, int, int, int]]:
    """Top, left, bottom and right of every tile in pixels."""
    return [
        (top, left, bottom, right)
        for top, bottom in itertools.pairwise(edges(height))
        for left, right in itertools.pairwise(edges(width))
    ]


def edges(length: int) -> np.ndarray:
    """Pixels at which tiles begin along a side, and its length."""
    return np.linspace(0, length, min(TILES, length) + 1).astype(int)


def moving_parts(frames: np.ndarray) -> np.ndarray:
    """Number of the part of the picture that most of each tile moves in, `(tiles,)`: of cells that touch; 0 is none.

    Args:
        frames: `(T, H, W, C)`.
    """
    moving = frames.var(0).sum(2)
    # Percentiles, as single cells are noise: of 60 x 80 cells 1 % are 48.
    strongest, faintest = np.percentile(moving, (99, 10))
    moves = moving > max(FAINTEST * strongest, min(2 * faintest, NOISE * strongest))
    numbers = numbered(moves)
    weights = moving * moves
    return np.array([
        np.bincount(numbers[tile].ravel(), weights[tile].ravel()).argmax()
        for top, left, bottom, right in boxes(*moving.shape)
        for tile in [np.s_[top:bottom, left:right]]
    ])  # fmt: skip


def numbered(moves: np.ndarray) -> np.ndarray:
    """Number of the part that each cell is in, `(H, W)`, of cells that touch or have one between; 0 is none."""
    return cv2.connectedComponents(cv2.dilate(moves.astype(np.uint8), np.ones((3, 3))), connectivity=4)[1]


def tile_scores(frames: np.ndarray) -> np.ndarray:
    """Strongest components of every tile, `(T, tiles, KEPT)` float32."""
    corners = boxes(*frames.shape[1:3])
    scores = np.zeros((len(frames), len(corners), KEPT), np.float32)
    for index, (top, left, bottom, right) in enumerate(corners):
        pixels = frames[:, top:bottom, left:right].reshape(len(frames), -1)
        parts = components(pixels.astype(np.float32), KEPT)
        scores[:, index, : parts.shape[1]] = parts
    return scores


def components(series: np.ndarray, kept: int) -> np.ndarray:
    """Principal component scores of `(T, D)`, strongest first."""
    series = series - series.mean(0)
    if len(series) < series.shape[1]:
        powers, modes = _strongest(series @ series.T, kept)
        return modes * np.sqrt(np.maximum(powers, 0))
    return series @ _strongest(series.T @ series, kept)[1]


def _strongest(matrix: np.ndarray, kept: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues of a symmetric matrix and their vectors."""
    powers, modes = np.linalg.eigh(matrix)
    return powers[: -kept - 1 : -1], modes[:, : -kept - 1 : -1]


def rungs(scores: np.ndarray) -> Iterator[Rung]:
    """The scene on a ladder of time spans, the longest one first."""
    length = len(scores)
    ramp = (np.arange(length) - (length - 1) / 2).astype(np.float32)
    slope = np.tensordot(ramp, scores, (0, 0)) / (ramp @ ramp)
    passed = scores - scores.mean(0) - ramp[:, None, None] * slope
    span = float(length)
    while span >= SHORTEST_SPAN:
        yield Rung(filters.smooth_twice(passed, span / 24), span, scores)
        span /= SPAN_STEP
        passed = scores - filters.smooth_twice(scores, span / 2)


def courses(rung: Rung) -> Iterator[Course]:
    """Courses of the whole picture, then of the tiles that move most."""
    length = len(rung.scores)
    flat, whole = (scores.reshape(length, -1) for scores in (rung.scores, rung.whole))
    parts = [(components(flat, WHOLE_COURSES), WHOLE_COURSES, whole)]
    moving = np.argsort((rung.scores**2).sum((0, 2)))[::-1]
    for tile in moving[:TILES_USED]:
        parts.append((components(rung.scores[:, tile], STATES), TILE_COURSES, rung.whole[:, tile]))
    for states, kept, part in parts:
        for column in range(kept):
            if np.ptp(states[:, column]) > 1e-3:  # Gray levels: float32 rounds 255 of them to 2e-5.
                yield Course(states[:, column], states, rung, part)
