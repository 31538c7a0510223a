"""Confidence against how often it is right: fitted, with every source left out in turn.

Readings of one source are not independent, so all sources weigh the same.
"""

import collections

import numpy as np
from sklearn import linear_model

from simper_tf.evaluation import tables

# Confidence from which on an answer is told.
TOLD = 0.5


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


def report(rows: list[dict]) -> str:
    """Markdown of the confidence as it is told and as fitted."""
    slope, offset = fitted(rows)
    right = np.array([row["right"] for row in rows])
    lines = []
    for name, confidence in (
        ("as told", np.array([row["confidence"] for row in rows])),
        ("fitted without its source", held_out(rows)),
    ):
        told = confidence >= TOLD
        loss = -np.mean(np.log(np.where(right, confidence, 1 - confidence)))
        lines.append(
            [name, f"{loss:.3f}", str((told & right).sum()), str((told & ~right).sum()), str((~told & right).sum())]
        )
    head = ["confidence", "log loss", "right, told", "wrong, told", "right, not told"]
    sources = len({row["file"] for row in rows})
    fit = f"{len(rows)} answers of {sources} sources. Fitted to the odds: slope {slope:.2f}, offset {offset:+.2f}."
    return f"{fit}\n\n{tables.markdown_table(head, lines)}"
