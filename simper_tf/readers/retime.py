"""Frames at their own times -> frames at equal steps of time."""

import itertools

import cv2


def uniform(timed_frames, rate, longest_gap):
    """Yields a frame for each time k / rate, from the first frame's time on, up to that of the last, excluded.

    Args:
        timed_frames: Iterable of `(seconds, frame)`, times rising and frames `(H, W, C)` uint8; two are held at a time.
        rate: Frames per second of what comes out.
        longest_gap: Seconds between two frames above which what lies between them is not known.

    Yields:
        `(frame, bridges)`: the linear mixture of the two neighbours by time, uint8, and whether it had to bridge more
        than `longest_gap`.
    """
    index, origin = 0, None
    for (before, earlier), (after, later) in itertools.pairwise(timed_frames):
        origin = before if origin is None else origin
        # Times are rounded: what is a millionth of a gap from a frame's own time is that frame.
        while (share := (origin + index / rate - before) / (after - before)) < 1 - 1e-6:
            at_frame = share < 1e-6
            mixed = earlier if at_frame else cv2.addWeighted(earlier, 1 - share, later, share, 0)
            yield mixed, not at_frame and after - before > longest_gap
            index += 1
