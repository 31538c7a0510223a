"""Ways to look at a stretch of frames, the plainest first.

Pixels show most. Where they do not, the picture may be lit unevenly, stand elsewhere in every frame, or hold
something that goes through it. Where nothing of this repeats either, the way does that its parts move: a thin line or
the spoke of a wheel passes a pixel too fast to be seen there again, and a camera that goes along shows all of it
elsewhere.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simper_tf.reading import camera, courses, follow, magnitudes


class Look(NamedTuple):
    """A way to look at a stretch.

    Attributes:
        steady: Frames without what is taken out of them.
        seen: What of them is read: the frames, or magnitudes of their transform.
        is_steadied: Whether the camera moved, and its movement was taken out.
        of_magnitudes: Whether magnitudes are read.
        of_shifts: Whether the shifts of tiles are read.
        fastest: Cycles per frame that are read at most of what goes through the picture and is followed; else None.
    """

    steady: np.ndarray
    seen: np.ndarray
    is_steadied: bool = False
    of_magnitudes: bool = False
    of_shifts: bool = False
    fastest: float | None = None

    def scores(self) -> np.ndarray:
        """Returns what runs are looked for in, `(T, tiles, K)` float32."""
        return camera.tile_shifts(self.seen) if self.of_shifts else courses.tile_scores(self.seen)


def of(gray: np.ndarray) -> Iterator[Look]:
    """Yields ways to look at frames.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    steady = gray
    for steady, is_steadied in camera.views(gray):
        yield Look(steady, steady, is_steadied)
    if not camera.moves_as_one(gray):
        yield Look(steady, magnitudes.of(gray), of_magnitudes=True)
        if (view := follow.followed(gray)) is not None:
            yield Look(gray, view.crops, fastest=view.fastest)
    yield Look(gray, gray, of_shifts=True)
