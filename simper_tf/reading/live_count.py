"""The count of a camera while it runs: its last seconds are read over and over, beside the recording of all."""

import collections
import concurrent.futures
from collections.abc import Callable

import numpy as np

from simper_tf.reading import result

# Seconds that are read at once, between two readings, and before the first.
_SECONDS, _EVERY, _FIRST = 20.0, 2.0, 4.0


class LiveCount:
    """Counts repetitions of frames as they come; what was counted before those that are read stays.

    Args:
        tell: Called with the number of repetitions so far, and the answer on the last seconds; None without one.
        band: `(low, high)` in Hz in which frequencies are sought; None for all.
    """

    def __init__(self, tell: Callable[[int, result.Answer | None], None], band: tuple[float, float] | None = None):
        self._tell, self._band = tell, band
        self._frames, self._counted, self._next = collections.deque(), [], _FIRST
        self._reader, self._work = concurrent.futures.ThreadPoolExecutor(1), None

    def __call__(self, moment: float, frame: np.ndarray):
        """Takes a frame, and tells what was read meanwhile; it never waits."""
        self._frames.append((moment, frame.copy()))
        while moment - self._frames[0][0] > _SECONDS:
            self._frames.popleft()
        if self._work and self._work.done():
            self._told(self._work.result())
            self._work = None
        if not self._work and moment - self._frames[0][0] >= _FIRST and moment >= self._next:
            self._next = moment + _EVERY
            self._work = self._reader.submit(self._read, list(self._frames))

    def _read(self, frames):
        from simper_tf.reading.films import film_reader  # A camera alone needs it.

        return film_reader.reading_of_frames(iter(frames), band=self._band).clear

    def _told(self, clear):
        if clear:
            # The first may be a part of one, which was seen whole before.
            whole = clear[0].repetitions[bool(self._counted) :]
            before = [middle for middle in self._counted if middle < whole[0][0]]
            self._counted = before + [(start + end) / 2 for start, end in whole]
        self._tell(len(self._counted), clear[0] if clear else None)
