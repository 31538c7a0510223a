"""Repetition that is in the file or its pixels alone, told from what was filmed.

Pixels make something of themselves, as their gray levels are rounded. A still picture changes more where the file
stores whole frames, and in the pattern of frames that refer to others, whose periods are known. What is fainter, in
the tile where most returns, is no repetition.
"""

import numpy as np

from simper_tf.reading.films import events, movement

# Root mean square in gray levels of what compression does to a tile of a still picture, at most.
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
    """Candidates less those that are fainter than what the file or its pixels make at their tempo.

    Args:
        ranked: Candidates of one stretch, the surest first.
        pixels: Pixels of its frames.
        least: `(tiles,)` of `camera.faintest`.
        keys: Seconds of the key frames; empty if they are not known.
        rate: Frames per second.
    """
    of_file = np.maximum(least, FAINT**2 * pixels / len(least))
    return [
        candidate
        for candidate in ranked
        if not _is_fainter(candidate, of_file if _is_of_file(candidate.hertz, keys, rate) else least)
    ]


def _is_fainter(candidate: movement.Candidate, least: np.ndarray) -> bool:
    """Whether what returns is fainter than something, `(tiles,)`, in the tile where most does."""
    shown = candidate.evidence
    samples = events.SAMPLES * (2 * shown.count - 3)  # Of all pairs of events that are one or two apart.
    returns = np.maximum(shown.tiles, 0) * shown.energy / samples  # Mean squares, summed over pixels.
    return bool(returns.max() < least[returns.argmax()])


def _is_of_file(hertz: float, keys: tuple[float, ...], rate: float) -> bool:
    """Whether a tempo in cycles per frame is a multiple of that of the key frames, or that of a pattern of frames."""
    times = hertz * rate * float(np.median(np.diff(keys))) if len(keys) > 2 else 0.0
    # By eye: a tempo that is read of key frames errs by less.
    return abs(times - max(round(times), 1)) < 0.03 * times or has_pattern(hertz, keys, rate)


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
