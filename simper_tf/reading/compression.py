"""Repetition that is in the file alone, told from what was filmed.

A still picture changes a little where the file stores whole frames, and in the pattern of frames that refer to others,
whose periods are known.
"""

import numpy as np

from simper_tf.reading import events, movement

# Root mean square in gray levels of what compression does to a still picture, at most.
FAINT = 1.0
# Frames after which a pattern of predicted frames starts anew, as encoders have it by default.
PATTERNS = (1, 2, 3, 4, 5, 8)


def without(
    ranked: list[movement.Candidate], pixels: int, keys: tuple[float, ...], rate: float
) -> list[movement.Candidate]:
    """Candidates less those of the compression.

    Args:
        ranked: Candidates of one stretch.
        pixels: Pixels of its frames.
        keys: Seconds of the key frames; empty if they are not known.
        rate: Frames per second.
    """
    least, known = pixels * FAINT**2, rate * float(np.median(np.diff(keys))) if len(keys) > 2 else np.inf
    return [
        one for one in ranked
        if not (_power(one) < least and _is_whole(one.hertz * known))
        and not (_returns(one) < least and has_pattern(one.hertz))
    ]  # fmt: skip


def _power(one: movement.Candidate) -> float:
    """Mean square of the movement that is as fast, over all pixels."""
    return float(one.run.course.rung.scores.var(0).sum())


def _returns(one: movement.Candidate) -> float:
    """Mean square of what returns, over all pixels; other things may move as fast."""
    shown = one.evidence
    return shown.returning / (
        events.SAMPLES * (2 * shown.count - 3)
    )  # Of all pairs of events that are one or two apart.


def has_pattern(hertz: float) -> bool:
    """Whether a tempo in cycles per frame is that of a pattern of predicted frames."""
    return any(abs(hertz * frames - 1) < 0.01 for frames in PATTERNS)


def _is_whole(number: float) -> bool:
    """Whether a number of key frames is one or more, and whole but for a share of itself."""
    return bool(np.isfinite(number) and abs(number - max(round(number), 1)) < 0.03 * number)
