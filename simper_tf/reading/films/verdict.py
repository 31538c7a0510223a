"""Evidence that events repeat: what of the picture returns with them, and where; and a confidence made of it."""

import dataclasses
import itertools

import numpy as np

from simper_tf.reading import fitted, intervals
from simper_tf.reading.films import courses, events
from simper_tf.reading.films.rhythm_network import Heard
from simper_tf.recordings.boxes import WHOLE, Box
from simper_tf.signals import filters

# Spread of the log duration from peak to peak of a drift.
CHANCE = 0.3
# Share of the mean squared speed of a run below which the scene stands still.
MOVES = 0.02
# More cycles than these tell no more of the place.
CYCLES = 12
# Share of all movement that returns in cells that touch, without which they are noise.
LEAST = 0.02
# What `python -m benchmarks.fit` fits: of each of `features`, with the network as `both` and without it as `alone`, and
# the checksum of the network that was asked, `network`.
COEFFICIENTS = "confidence.json"


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What speaks for a run of repetitions.

    Attributes:
        count: Full cycles.
        alike: Mean correlation of neighbouring cycles on their own course.
        steady: By how much the durations of the cycles are more even than
            those of a drift, times the square root of their number.
        explained: Share of the movement of the whole picture, without what
            is slower, that comes back in the next cycles. 0 by chance,
            below where the picture contradicts.
        cover: Share that the run lasts of the time in which the scene moves.
        dimensions: Independent movements in the scene; peaks of a single
            one are alike whatever it does.
        tiles: `(tiles,)` explained share of every tile.
        energy: `(tiles,)` movement of every tile.
        chance: Mean chance of its tempo by the network; NaN where it was not asked.
        rival: That of the likeliest other tempo.
    """

    count: int
    alike: float
    steady: float
    explained: float
    cover: float
    dimensions: float
    tiles: np.ndarray
    energy: np.ndarray
    chance: float = np.nan
    rival: float = np.nan


def evidence(run: events.Run, heard: Heard, rate: float) -> Evidence:
    """Evidence of a run of samples at a rate, in a stretch that the network was asked about."""
    shared, energy = returning(run)
    return Evidence(
        len(run.marks),
        float(run.alike[0].mean()),
        steadiness(np.log(intervals.steady_gaps(run.marks))),
        float(shared.sum() / energy.sum()),
        cover(run),
        run.course.rung.dimensions,
        shared / energy,
        energy,
        *heard.of(intervals.frequency(run.marks) * rate, run.starts[0] / rate, run.ends[-1] / rate),
    )


def cover(run: events.Run) -> float:
    """Share of the scene that a run lasts, times before it and after it in which nothing moves left out."""
    speeds = run.course.rung.speeds
    first, last = (int(np.clip(edge, 0, len(speeds))) for edge in (run.starts[0], run.ends[-1]))
    moves = speeds > MOVES * speeds[first:last].mean()
    length = float(run.ends[-1] - run.starts[0])
    return length / (length + moves[:first].sum() + moves[last:].sum())


def steadiness(logs: np.ndarray) -> float:
    """Evidence of even durations: 0 for those of a drift, below for less even ones.

    One more duration at the usual distance is added: two that are alike may be chance.
    """
    spread = np.sqrt((((logs - logs.mean()) ** 2).sum() + CHANCE**2) / len(logs))
    return float(np.sqrt(len(logs)) * np.log(CHANCE / spread))


def returning(run: events.Run) -> tuple[np.ndarray, np.ndarray]:
    """Movement of every tile that returns in the next two cycles, and all of it."""
    cycles, inside = _cycles(run)
    power = np.einsum("nstk,nstk->nst", cycles, cycles)
    shared, energy = np.zeros(power.shape[2]), np.full(power.shape[2], 1e-6)
    for step in range(1, min(3, len(cycles))):
        cycle, later = cycles[:-step], cycles[step:]
        shared += np.einsum("nstk,nstk->nst", cycle, later).sum((0, 1))
        both = inside[:-step, :, None] & inside[step:, :, None]
        energy += ((power[:-step] + power[step:]) * both).sum((0, 1)) / 2
    return shared, energy


def in_step(run: events.Run, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Movement of every tile that all cycles of a run have in common, and all of it.

    A tempo a little beside that of a tile may return in the next two cycles. It does not keep step over all of them.
    """
    cycles, _ = _cycles(run, scores)
    own = (cycles**2).sum((0, 1, 3))
    return ((cycles.sum(0) ** 2).sum((0, 2)) - own) / (len(cycles) - 1), own + 1e-6


def _cycles(run: events.Run, scores: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Cycles of a run in all tiles, `(n, SAMPLES, tiles, K)`, and which of their samples lie in the scene."""
    scores = run.course.rung.scores if scores is None else scores
    cycles, inside = events.stretched(scores.reshape(len(scores), -1), run.starts, run.marks, run.ends)
    return cycles.reshape(*cycles.shape[:2], *scores.shape[1:]), inside


def box(frames: np.ndarray, run: events.Run, tiles: np.ndarray | None = None) -> Box:
    """Returns where it repeats, as shares of the picture.

    It holds the whole path of what moves, and a cell around it.

    Args:
        frames: `(T, H, W, C)` of the stretch that the run was found in.
        run: Repetitions.
        tiles: `(tiles,)` which of `courses.boxes` are their place; None for all.
    """
    height, width = frames.shape[1:3]
    shared = returning_cells(frames, run)
    if tiles is not None:
        for top, left, bottom, right in itertools.compress(courses.boxes(height, width), ~tiles):
            shared[top:bottom, left:right] = 0
    if not shared.any():
        return WHOLE
    cells = np.argwhere(_connected(shared))
    top, left = np.maximum(cells.min(0) - 1, 0)
    bottom, right = np.minimum(cells.max(0) + 2, (height, width))
    shares = left / width, top / height, (right - left) / width, (bottom - top) / height
    return Box(*map(float, shares))


def returning_cells(frames: np.ndarray, run: events.Run) -> np.ndarray:
    """Movement of every cell that returns in the next cycle, `(H, W)`; 0 where most does not.

    Args:
        frames: `(T, H, W, C)` of the stretch that the run was found in.
        run: Repetitions.
    """
    first = max((len(run.marks) - CYCLES) // 2, 0)
    starts, marks, ends = (edge[first : first + CYCLES] for edge in (run.starts, run.marks, run.ends))
    cycles, _ = events.stretched(frames.reshape(len(frames), -1), starts, marks, ends)
    returning = (cycles[:-1] * cycles[1:]).sum((0, 1)).reshape(*frames.shape[1:3], -1).sum(2)
    moving = (cycles**2).sum((0, 1)).reshape(*frames.shape[1:3], -1).sum(2) + 1e-9
    # Products of 11 pairs of cycles of slow noise scatter by 0.3 of its power; of a limb nearly all returns.
    return np.where(returning > 0.3 * moving, returning, 0)


def _connected(shared: np.ndarray) -> np.ndarray:
    """Cells, `(H, W)`, of a movement that returns, but for a few by themselves; gaps of two cells part none."""
    moves = shared > courses.FAINTEST * np.percentile(shared, 99)
    parts = courses.numbered(moves)
    weights = np.bincount(parts.ravel(), shared.ravel())
    return moves & (weights >= LEAST * shared.sum())[parts]


def features(shown: Evidence) -> dict[str, float]:
    """What the confidence is a logistic function of."""
    return {
        "alike": shown.alike,
        "steady": float(np.clip(shown.steady, -2, 3)),  # Of two cycles that are equal by chance it is infinite.
        "explained": float(np.clip(shown.explained, -1, 1)),
        "cover": float(np.log(np.clip(shown.cover, 0.01, 1))),  # A hundredth is none, as any less.
        "dimensions": float(np.log(min(shown.dimensions, 4))),  # More are as sure as four.
        "chance": shown.chance,
        "rival": shown.rival,
    }


def confidence(shown: Evidence) -> float:
    """Probability that the run is a repetition and its tempo is right."""
    return alone(shown) if np.isnan(shown.chance) else _logistic(shown, "both")


def alone(shown: Evidence) -> float:
    """The same probability without the network, which names one tempo at a time: of a second movement."""
    return _logistic(shown, "alone")


def _logistic(shown, kind):
    return filters.logistic(fitted.odds(COEFFICIENTS, kind, features(shown)))
