"""Repetition that is in the file or its pixels alone, told from what was filmed.

A still picture changes a little where the file stores whole frames, and
in the pattern of frames that refer to others. Under a camera that moves
it changes as edges pass from pixel to pixel. All are faint, and their
periods are known: the key frames', the few frames of a pattern, a pixel.
"""

import numpy as np

from simper_tf.reading import events, movement

# Root mean square in gray levels of what compression does to a still picture, at most.
FAINT = 1.0
# Length of the mean of unit vectors, one for the place in its pixel at each mark, above which marks follow the pixels.
IN_STEP = 0.85
# The same for marks that are a whole number of pixels apart but for this, on a path that errs by parts of a pixel.
NEAR_STEP, WHOLE = 0.5, 0.02
# Root mean square in gray levels of edges that pass from pixel to pixel, at most.
EDGES = 3.0
# Frames after which a pattern of predicted frames starts anew, as encoders have it by default.
PATTERNS = (1, 2, 3, 4, 5, 8)


def without(
    ranked: list[movement.Candidate], pixels: int, keys: tuple[float, ...], rate: float, path: np.ndarray | None = None
) -> list[movement.Candidate]:
    """Candidates less those of the compression, and less sure ones at multiples of these.

    Args:
        ranked: Candidates of one stretch, the surest first.
        pixels: Pixels of its frames.
        keys: Seconds of the key frames; empty if they are not known.
        rate: Frames per second.
        path: `(T, 2)` place of the camera in pixels; None if it stood.
    """
    kept: list[movement.Candidate] = []
    tempos: list[float] = []
    for one in ranked:
        faint = _power(one) < pixels * FAINT**2
        steps = _power(one) < pixels * EDGES**2 and _in_step(one, path)
        if steps or (faint and _is_of_keys(one.hertz, keys, rate)) or _is_pattern(one, pixels):
            tempos.append(one.hertz)
        elif not faint or not _related(one.hertz, tempos):
            kept.append(one)
    return kept


def _power(one: movement.Candidate) -> float:
    """Mean square of the movement that is as fast, over all pixels."""
    return float(one.run.course.rung.scores.var(0).sum())


def _is_of_keys(hertz: float, keys: tuple[float, ...], rate: float) -> bool:
    """Whether a tempo in cycles per frame is that of the key frames, or a multiple of it."""
    return len(keys) > 2 and _is_whole(hertz * rate * float(np.median(np.diff(keys))), 0.03)


def _is_pattern(one: movement.Candidate, pixels: int) -> bool:
    """Whether what returns is faint and has the tempo of a pattern of frames; other things may move as fast."""
    shown = one.evidence
    samples = events.SAMPLES * (2 * shown.count - 3)  # Of all pairs of events that are one or two apart.
    returns = float(np.maximum(shown.tiles, 0) @ shown.energy) / samples
    return returns < pixels * FAINT**2 and has_pattern(one.hertz)


def has_pattern(hertz: float) -> bool:
    """Whether a tempo in cycles per frame is that of a pattern of predicted frames."""
    return any(abs(hertz * frames - 1) < 0.01 for frames in PATTERNS)


def _in_step(one: movement.Candidate, path: np.ndarray | None) -> bool:
    """Whether the camera moves by a whole pixel or more from mark to mark."""
    if path is None:
        return False
    at = path[np.clip(np.rint(one.run.marks).astype(int), 0, len(path) - 1)]
    steps = np.abs(np.diff(at, axis=0)).mean(0)
    in_phase = np.abs(np.exp(2j * np.pi * at).mean(0))
    limit = np.where(np.abs(steps - np.rint(steps)) < WHOLE, NEAR_STEP, IN_STEP)
    return bool(((steps > 0.5) & (in_phase > limit)).any())


def _is_whole(number: float, tolerance: float) -> bool:
    """Whether a number is one or more, and whole but for a share of itself."""
    return abs(number - max(round(number), 1)) < tolerance * number


def _related(hertz: float, tempos: list[float]) -> bool:
    """Whether a tempo is about one of others, or a simple multiple of one."""
    return any(np.abs(movement.MULTIPLES - np.log(hertz / tempo)).min() < movement.APART for tempo in tempos)
