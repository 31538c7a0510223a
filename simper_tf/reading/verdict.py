"""Evidence that events repeat, and a confidence made of it."""

import dataclasses

import numpy as np
from scipy import special

from simper_tf.reading import events

# Spread of the log duration from peak to peak of a drift.
CHANCE = 0.3
# Share of the mean squared speed of a run below which the scene stands still.
MOVES = 0.02
# Share of the movement that a tile must hold to speak, and share of it that must return in the best of them.
LEAST_ENERGY, RETURNS = 0.03, 0.4


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
    """

    count: int
    alike: float
    steady: float
    explained: float
    cover: float
    dimensions: float
    tiles: np.ndarray
    energy: np.ndarray


def evidence(run: events.Run) -> Evidence:
    """Evidence of a run."""
    shared, energy = returning(run)
    return Evidence(
        len(run.marks),
        float(np.diagonal(run.alike, 1).mean()),
        steadiness(np.log(events.steady_gaps(run.marks))),
        float(shared.sum() / energy.sum()),
        cover(run),
        run.course.rung.dimensions,
        shared / energy,
        energy,
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
    scores = run.course.rung.scores
    shape = scores.shape
    cycles, inside = events.stretched(scores.reshape(len(scores), -1), run.starts, run.marks, run.ends)
    cycles = cycles.reshape(*cycles.shape[:2], *shape[1:])
    power = (cycles**2).sum(3)
    shared, energy = np.zeros(shape[1]), np.full(shape[1], 1e-6)
    for step in range(1, min(3, len(cycles))):
        one, two = cycles[:-step], cycles[step:]
        shared += (one * two).sum((0, 1, 3))
        both = inside[:-step, :, None] & inside[step:, :, None]
        energy += ((power[:-step] + power[step:]) * both).sum((0, 1)) / 2
    return shared, energy


# Fitted by logistic regression over real recordings and generated
# ones, cross-validated over sources.
BIAS = -15.0
WEIGHTS = np.array([12.4, 0.6, 2.9, 4.2, 3.6])


def features(shown: Evidence) -> np.ndarray:
    """What the confidence is a logistic function of, `(5,)`."""
    return np.array(
        [
            shown.alike,
            np.clip(shown.steady, -2, 3),
            np.clip(shown.explained, -1, 1),
            np.log(np.clip(shown.cover, 0.01, 1)),
            np.log(min(shown.dimensions, 4)),
        ]
    )


def confidence(shown: Evidence) -> float:
    """Probability that the run is a repetition and its tempo is right.

    Somewhere in the picture the movement must come back: a course may
    repeat by chance while no tile does.
    """
    moves = shown.energy > LEAST_ENERGY * shown.energy.sum()
    returns = float(np.clip(shown.tiles[moves].max(initial=0) / RETURNS, 0, 1))
    return returns * float(special.expit(BIAS + WEIGHTS @ features(shown)))
