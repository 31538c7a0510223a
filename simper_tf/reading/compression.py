"""Repetition that is in the file or its pixels alone, told from what was filmed.

A still picture changes a little where the file stores whole frames, and
in the pattern of frames that refer to others, whose periods are known.
What is fainter than pixels make of themselves is no repetition either.
"""

import numpy as np

from simper_tf.reading import events, movement

# Root mean square in gray levels of what compression does to a still picture, at most.
FAINT = 1.0
# Frames after which a pattern of predicted frames starts anew, as encoders have it by default.
PATTERNS = (1, 2, 3, 4, 5, 8)
# Frames from one key frame to the next below which no frame refers to another: it is 1 but for rounding.
ALL_WHOLE = 1.5


def without(
    ranked: list[movement.Candidate],
    pixels: int,
    least: np.ndarray,
    keys: tuple[float, ...],
    rate: float,
) -> list[movement.Candidate]:
    """Candidates less those of the compression.

    Args:
        ranked: Candidates of one stretch, the surest first.
        pixels: Pixels of its frames.
        least: `(tiles,)` of `camera.faintest`.
        keys: Seconds of the key frames; empty if they are not known.
        rate: Frames per second.
    """
    return [
        candidate
        for candidate in ranked
        if not _is_of_keys(candidate, pixels, keys, rate)
        and not _is_pattern(candidate, pixels, keys, rate)
        and not _is_fainter(candidate, least)
    ]


def _is_of_keys(candidate: movement.Candidate, pixels: int, keys: tuple[float, ...], rate: float) -> bool:
    """Whether what is faint has the tempo of the key frames, or a multiple of it."""
    if len(keys) < 3 or candidate.run.course.rung.power >= pixels * FAINT**2:
        return False
    # By eye: a tempo that is read of key frames errs by less.
    return _is_whole(candidate.hertz * rate * float(np.median(np.diff(keys))), 0.03)


def _is_pattern(candidate: movement.Candidate, pixels: int, keys: tuple[float, ...], rate: float) -> bool:
    """Whether what returns is faint and has the tempo of a pattern of frames; other things may move as fast."""
    return float(_returns(candidate).sum()) < pixels * FAINT**2 and has_pattern(candidate.hertz, keys, rate)


def _returns(candidate: movement.Candidate) -> np.ndarray:
    """Mean square of what returns in every tile, summed over its pixels, `(tiles,)`."""
    shown = candidate.evidence
    samples = events.SAMPLES * (2 * shown.count - 3)  # Of all pairs of events that are one or two apart.
    return np.maximum(shown.tiles, 0) * shown.energy / samples


def has_pattern(hertz: float, keys: tuple[float, ...], rate: float) -> bool:
    """Whether a tempo in cycles per frame is that of a pattern of predicted frames; where all are whole there is none.

    Args:
        hertz: Cycles per frame.
        keys: Seconds of the key frames; empty if they are not known.
        rate: Frames per second.
    """
    are_all_whole = len(keys) > 2 and float(np.median(np.diff(keys))) * rate < ALL_WHOLE
    # Patterns are exact: what misses one by 1 % drifts by a frame in a hundred.
    return not are_all_whole and any(abs(hertz * frames - 1) < 0.01 for frames in PATTERNS)


def _is_fainter(candidate: movement.Candidate, least: np.ndarray) -> bool:
    """Whether what returns is fainter, in the tile where most does, than what pixels make of themselves."""
    returns = _returns(candidate)
    return bool(returns.max() < least[returns.argmax()])


def _is_whole(number: float, tolerance: float) -> bool:
    """Whether a number is one or more, and whole but for a share of itself."""
    return abs(number - max(round(number), 1)) < tolerance * number
