"""Frames at their own times -> frames at equal steps of time."""

import itertools
import math

import cv2


def uniform(timed_frames, rate, longest_gap):
    """Yields a frame for each time k / rate, from the first frame's time on, up to that of the last, excluded.

    Args:
        timed_frames: Iterable of `(seconds, frame)`, times rising and frames `(H, W, C)` uint8 or float32;
            two are held at a time.
        rate: Frames per second of what comes out.
        longest_gap: Seconds between two frames above which what lies between them is not known, and left out.

    Yields:
        `(k, frame)`: the linear mixture of the two neighbors by time, of their type.
    """
    index, origin = 0, None
    for (before, earlier), (after, later) in itertools.pairwise(timed_frames):
        origin = before if origin is None else origin
        steps, end = (after - before) * rate, (after - origin) * rate
        # Times are rounded: what is a millionth of a step from a frame's own time is that frame.
        while index < end - 1e-6:
            share = 1 - (end - index) / steps
            if share * steps < 1e-6:
                yield index, earlier
            elif after - before <= longest_gap:
                yield index, cv2.addWeighted(earlier, 1 - share, later, share, 0)
            else:  # At once, because a damaged file can have a gap of years.
                index = math.ceil(end - 1e-6) - 1
            index += 1
