"""Counters and clocks that are drawn into a picture, told from what repeats.

The last digit comes back after ten steps. The digit before it moves on once in that time, at one moment, and does not
come back. Beside a movement that repeats nothing does so.
"""

import cv2
import numpy as np

from simper_tf.reading.films import events, verdict

# Share of the picture that returns at most. Digits of 6 % of the height are 0.3 %.
PLACE = 0.005
# Share of the strongest movement in a cell of a digit. Fainter cells return by chance where something drifts.
FAINTEST = 0.1
# Cells beside a last digit in which the one before it lies: of 60 rows a digit of 6 % takes four.
REACH = 4
# Moments of a cycle at which the digit may move on; whole cycles that are compared, at least and at most.
MOMENTS, FEWEST, MOST = 24, 3, 40
# Share of what returns that differs from cycle to cycle by noise, and where frames catch a step of a lamp: up to 0.15.
NOISE = 0.2
# Share of cycles that may differ otherwise, as by something that passes or a step between two like digits.
OTHERS = 1 / 3
# Share of what differs that moves on at one moment, at least. Of small things that repeat, drawn or filmed, it is 0.2
# at most, of two thirds of counters more.
MOVED_ON = 0.25


def is_counter(frames: np.ndarray, run: events.Run) -> bool:
    """Whether beside what returns, in little of the picture, something moves on at one moment of each cycle.

    Args:
        frames: `(T, H, W, C)` of evenly spaced times of the stretch that the run was found in.
        run: Repetitions.
    """
    returning = verdict.returning_cells(frames, run)
    if returning.sum() ** 2 > PLACE * returning.size * (returning**2).sum():  # As many cells, were all alike.
        return False
    return moved_on(frames, run, returning > FAINTEST * returning.max()) > MOVED_ON


def moved_on(frames: np.ndarray, run: events.Run, moves: np.ndarray) -> float:
    """Share of what differs from cycle to cycle, in and beside some cells, that moves on at one moment of the cycle.

    Most cycles that are cut at that moment are alike but for their means. Most that are cut at another are not. Noise
    and drift differ wherever they are cut, and what passes differs in a few cycles alone.

    Args:
        frames: `(T, H, W, C)`.
        run: Repetitions.
        moves: `(H, W)` bool.
    """
    beside = cv2.dilate(moves.astype(np.uint8), np.ones((2 * REACH + 1, 2 * REACH + 1))) > 0
    cells, first = frames[:, beside].reshape(len(frames), -1), max((len(run.marks) - MOST) // 2, 0)
    starts, marks, ends = (edge[first : first + MOST] for edge in (run.starts, run.marks, run.ends))
    differing, returning = [], []
    for moment in np.median(np.diff(marks)) * (np.arange(MOMENTS) / MOMENTS - 0.5):
        cycles, inside = events.stretched(cells, starts + moment, marks + moment, ends + moment)
        cycles = cycles[inside.all(1)]
        if len(cycles) >= FEWEST:
            mean = cycles.mean(0)
            differing.append(np.quantile(((cycles - mean) ** 2).sum((1, 2)), (OTHERS, 1 - OTHERS)))
            returning.append((mean**2).sum())
    if not differing:
        return 0.0
    least, most = np.transpose(differing)
    return float((least.max() - most.min()) / (least.max() + NOISE * max(returning) + 1e-6))
