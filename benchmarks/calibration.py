"""Confidence against how often it is right: fitted, with every source left out in turn.

Readings of one source are not independent, so all sources weigh the same.
"""

import collections

import numpy as np
from sklearn import linear_model

from simper_tf.evaluation import tables
from simper_tf.reading import recording

# A wrong answer costs as much as so many that are not told.
COST = 2
THRESHOLDS = np.arange(0.4, 0.96, 0.05).round(2)


def odds(confidence: np.ndarray) -> np.ndarray:
    """Logarithm of the odds of confidences."""
    kept = np.clip(confidence, 1e-4, 1 - 1e-4)
    return np.log(kept / (1 - kept))


def fitted(rows: list[dict]) -> tuple[float, float]:
    """Slope and offset of the odds of being right over those that were told.

    Args:
        rows: `file`, `confidence` and `right` of readings.
    """
    number = collections.Counter(row["file"] for row in rows)
    weights = [1 / number[row["file"]] for row in rows]
    model = linear_model.LogisticRegression(C=1e9)
    told = odds(np.array([row["confidence"] for row in rows]))[:, None]
    model.fit(told, [row["right"] for row in rows], weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def held_out(rows: list[dict]) -> np.ndarray:
    """Confidence of every row by a fit without its source, `(N,)`."""
    confidence = np.array([row["confidence"] for row in rows])
    for source in {row["file"] for row in rows}:
        slope, offset = fitted([row for row in rows if row["file"] != source])
        mine = np.array([row["file"] == source for row in rows])
        confidence[mine] = 1 / (1 + np.exp(-slope * odds(confidence[mine]) - offset))
    return confidence


def threshold(confidence: np.ndarray, right: np.ndarray) -> float:
    """Highest confidence from which on answers are to be told, so that wrong ones and those not told cost least."""
    costs = [COST * ((confidence >= one) & ~right).sum() + ((confidence < one) & right).sum() for one in THRESHOLDS]
    return float(THRESHOLDS[np.flatnonzero(costs == np.min(costs))[-1]])


def outcomes(confidence: np.ndarray, right: np.ndarray, least: np.ndarray | float) -> list[str]:
    """Log loss, how many are told and right, told and wrong, and right but not told."""
    told = confidence >= least
    loss = -np.mean(np.log(np.where(right, confidence, 1 - confidence)))
    return [f"{loss:.3f}", str((told & right).sum()), str((told & ~right).sum()), str((~told & right).sum())]


def report(rows: list[dict]) -> str:
    """Markdown of the confidence as it is told and as fitted, and of the thresholds it may be told from."""
    slope, offset = fitted(rows)
    right = np.array([row["right"] for row in rows])
    told, refitted = np.array([row["confidence"] for row in rows]), held_out(rows)
    files = np.array([row["file"] for row in rows])
    chosen = np.array([threshold(told[files != source], right[files != source]) for source in files])
    lines = [
        [f"as told, from {recording.CLEAR:g}", *outcomes(told, right, recording.CLEAR)],
        ["as told, from a threshold chosen without its source", *outcomes(told, right, chosen)],
        ["fitted without its source, from 0.5", *outcomes(refitted, right, 0.5)],
        *([f"as told, from {one:g}", *outcomes(told, right, one)] for one in THRESHOLDS[::2]),
    ]
    head = ["confidence", "log loss", "right, told", "wrong, told", "right, not told"]
    sources = len({row["file"] for row in rows})
    fit = f"{len(rows)} answers of {sources} sources. Fitted to the odds: slope {slope:.2f}, offset {offset:+.2f}."
    best = f"Wrong answers counted {COST}-fold, the best threshold is {threshold(told, right):g}."
    return f"{fit} {best}\n\n{tables.markdown_table(head, lines)}"
