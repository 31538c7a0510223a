"""Repetition that is in the file or its pixels alone, told from what was filmed.

A still picture changes a little where the file stores whole frames, and in the pattern of frames that refer to others,
whose periods are known.
"""

import numpy as np

from simper_tf.reading import events, movement

# Root mean square in gray levels of what compression does to a still picture, at most.
FAINT = 1.0
# The same, half of that of rounding to gray levels, below which nothing is told.
ROUNDED = 0.15
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
    step = rate * float(np.median(np.diff(keys))) if len(keys) > 2 else np.inf
    return [
        one
        for one in ranked
        if not (_is_of_keys(one, pixels, step) or _is_pattern(one, pixels) or _is_fainter(one, pixels))
    ]


def _is_of_keys(one: movement.Candidate, pixels: int, step: float) -> bool:
    """Whether all that moves as fast is faint, and the tempo that of key frames so many frames apart, or a multiple."""
    number = one.hertz * step
    is_whole = np.isfinite(number) and abs(number - max(round(number), 1)) < 0.03 * number
    return bool(is_whole and one.run.course.rung.scores.var(0).sum() < pixels * FAINT**2)


def _is_pattern(one: movement.Candidate, pixels: int) -> bool:
    """Whether what returns is faint and has the tempo of a pattern of frames; other things may move as fast."""
    return has_pattern(one.hertz) and float(_returns(one).sum()) < pixels * FAINT**2


def _is_fainter(one: movement.Candidate, pixels: int) -> bool:
    """Whether what returns is fainter, in the tile where most does, than rounding to gray levels."""
    returns = _returns(one)
    return float(returns.max()) < pixels / len(returns) * ROUNDED**2


def _returns(one: movement.Candidate) -> np.ndarray:
    """Mean square of what returns in every tile, summed over its pixels, `(tiles,)`."""
    pairs = 2 * one.evidence.count - 3  # Of events that are one or two apart.
    return one.evidence.returning / (events.SAMPLES * pairs)


def has_pattern(hertz: float) -> bool:
    """Whether a tempo in cycles per frame is that of a pattern of predicted frames."""
    return any(abs(hertz * frames - 1) < 0.01 for frames in PATTERNS)
