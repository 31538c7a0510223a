"""Stretches of a recording that are read at once, in the memory of a few.

A scene is read whole up to two minutes. A longer one is read in
stretches that overlap by an eighth, so an hour needs no more memory.
At a cut the picture changes several times more than in the moments
before and after it, the two frames have little in common, and it is
seen in much of the picture: a key frame that codes a flat picture anew
and a digit that counts down are no cuts.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np

# Six periods of the slowest frequency that is looked for.
LONGEST_SECONDS = 120.0
# Share of a stretch that the next one reads again: five repetitions at 0.33 Hz. The last one, which may be short, reads
# as much once more.
AGAIN = 1 / 8
# A cut changes the picture by this factor more than any frame near it.
JUMP = 4.0
# Frames on both sides of a cut correlate less than this.
COMMON = 0.85
# Cells a side of which a cut changes this share by more than so many gray levels. What a key frame changes of cells is
# about one level; large digits of a countdown cover a third of a picture.
CELLS, SEEN_SHARE, SEEN_LEVELS = 8, 0.4, 3.0
NEARBY_SECONDS = 0.25  # To either side of a cut that count as near it.
# A hole of as many seconds and steps between frames ends a scene, whether or not frames were lost in it.
HOLE_SECONDS, HOLE_STEPS = 5.0, 20
# Gray level below which all of a black frame lies, and share of a scene's light at which it has faded in.
BLACK, LIT = 16, 0.9


@dataclasses.dataclass(frozen=True)
class Stretch:
    """Frames of one scene.

    Attributes:
        scene: Index of the scene.
        times: `(T,)` seconds.
        frames: `(T, H, W, C)` uint8.
        rate: Frames per second.
    """

    scene: int
    times: np.ndarray
    frames: np.ndarray
    rate: float

    def evenly(self, values: np.ndarray) -> np.ndarray:
        """Returns values of its frames, `(T, ...)`, at evenly spaced times."""
        times = self.times
        even = np.arange(times[0], times[-1] + 1e-9, 1 / self.rate)
        if len(even) == len(times) and np.abs(even - times).max() < 0.1 / self.rate:
            return values
        at = np.interp(even, times, np.arange(len(times)))
        index = np.minimum(at.astype(int), len(times) - 2)
        part = (at - index).astype(np.float32).reshape(-1, *[1] * (values.ndim - 1))
        return values[index] * (1 - part) + values[index + 1] * part


def cut(frames: Iterable[tuple[float, np.ndarray]], longest_step: float = math.inf) -> Iterator[Stretch]:
    """Stretches of a recording in order, cut at its scenes and at its holes.

    Args:
        frames: Seconds and `(H, W, C)` uint8 of every frame.
        longest_step: Seconds from one frame to the next beyond which some were lost.
    """
    kept: list[tuple[float, np.ndarray]] = []
    scene = spare = 0
    for frame in frames:
        kept.append(frame)
        if kept[-1][0] - kept[spare][0] >= LONGEST_SECONDS:
            whole, kept, continued = _split(kept[spare:], longest_step)
            spare = len(kept) // 2 if continued else 0
            for piece in whole:
                yield _stretch(scene, piece)
                scene += not (continued and piece is whole[-1])
    pieces = _at_cuts(kept, longest_step)
    for piece in pieces:
        yield _stretch(scene, piece)
        scene += 1


def _split(kept: list, longest_step: float) -> tuple[list[list], list, bool]:
    """Pieces that are whole, what is kept for more, and whether the last goes on."""
    pieces = _at_cuts(kept, longest_step)
    if len(pieces) > 1:
        return pieces[:-1], pieces[-1], False
    return pieces, kept[-round(2 * AGAIN * len(kept)) :], True


def _at_cuts(kept: list, longest_step: float) -> list[list]:
    """Frames between the cuts and the holes."""
    if not kept:
        return []
    rate = _rate(kept)
    steps = np.diff([seconds for seconds, _ in kept])
    holes = np.flatnonzero(steps > min(longest_step, max(HOLE_SECONDS, HOLE_STEPS / rate))) + 1
    edges = {0, *cuts([frame for _, frame in kept], rate), *holes.tolist(), len(kept)}
    pieces = [kept[first:last] for first, last in itertools.pairwise(sorted(edges))]
    return [part for piece in pieces for part in _without_fades(piece)]


def _without_fades(piece: list) -> list[list]:
    """The fade from black that a piece opens with, the scene, and the fade to black; those that are there."""
    first, last = _faded(piece), len(piece) - _faded(piece[::-1])
    return [part for part in (piece[:first], piece[first:last], piece[last:]) if part]


def _faded(piece: list) -> int:
    """Frames up to the one that has faded in from black; 0 if the first is not black, or all are."""
    if piece[0][1].max() >= BLACK:
        return 0
    light = np.array([frame.mean() for _, frame in piece])
    lit = light >= max(LIT * np.median(light), BLACK)
    return int(lit.argmax())


def _rate(kept: list) -> float:
    """Frames per second by the median time between two."""
    steps = np.diff([seconds for seconds, _ in kept])
    steps = steps[steps > 0]
    return float(1 / np.median(steps)) if len(steps) else 1.0


def _stretch(scene: int, kept: list) -> Stretch:
    times = np.array([seconds for seconds, _ in kept], np.float64)
    return Stretch(scene, times, np.stack([frame for _, frame in kept]), _rate(kept))


def changes(frames: Sequence[np.ndarray]) -> np.ndarray:
    """Mean change of a pixel to the next frame, `(T - 1,)` gray levels."""
    return (
        np.array([cv2.norm(after, before, cv2.NORM_L1) for before, after in itertools.pairwise(frames)])
        / frames[0].size
    )


def correlation(before: np.ndarray, after: np.ndarray) -> float:
    """Correlation of two frames; flat frames correlate with nothing."""
    before, after = before - before.mean(), after - after.mean()
    power = np.sqrt((before**2).mean() * (after**2).mean())
    return float((before * after).mean() / (power + 1.0))


def cuts(frames: Sequence[np.ndarray], rate: float) -> list[int]:
    """Index of the first frame after each cut.

    Args:
        frames: T of `(H, W, C)` uint8.
        rate: Frames per second.
    """
    if len(frames) < 3:
        return []
    change = changes(frames)
    reach = max(3, round(NEARBY_SECONDS * rate))
    highest = np.lib.stride_tricks.sliding_window_view(np.pad(change, reach), reach).max(1)
    nearby = np.maximum(highest[: len(change)], highest[reach + 1 :])
    jumps = np.flatnonzero(change > JUMP * (nearby + 0.5))
    pairs = {int(at) + 1: np.array(frames[at : at + 2], float) for at in jumps}
    return [at for at, pair in pairs.items() if correlation(*pair) < COMMON and _is_seen(*pair)]


def _is_seen(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether much of the picture changes from a frame to the next, by the means of its cells."""
    change = after - before
    height, width = (max(side // CELLS, 1) for side in change.shape[:2])
    means = cv2.blur(change, (width, height), borderType=cv2.BORDER_REFLECT).reshape(change.shape)
    cells = means[height // 2 :: height, width // 2 :: width]
    return float((np.abs(cells).max(axis=2) > SEEN_LEVELS).mean()) >= SEEN_SHARE
