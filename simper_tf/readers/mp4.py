"""Frames of a video between two times, by their timestamps.

`index / rate` is wrong wherever the frame rate varies, as it does in much footage from phones and the web; so nothing
here computes a time from an index. Frames are decoded from the beginning, without seeking, because the seek of OpenCV
goes by the nominal rate. A rotation stored in the file is applied (OpenCV does so by itself; PyAV does not).
"""

from typing import NamedTuple

import cv2
import numpy as np

from simper_tf.readers.errors import RawDataError

# Longest time (s) without a frame that is still taken for a running video. A longer silence, inside the interval or
# at its ends, can hide a quarter of a typical repetition of Countix, and is how truncation and damage show.
LONGEST_GAP = 0.25


class Video(NamedTuple):
    """What the header says, after one frame was decoded to see that the header is not all there is."""

    frames: int
    rate: float  # Frames per second, the mean one where it varies.
    duration: float  # Seconds.
    height: int  # Pixels, as decoded: after the rotation.
    width: int
    rotation: int  # Degrees clockwise that were applied: 0, 90, 180 or 270.


def probe(path):
    """Returns the `Video` of a file after decoding one frame: cheap, and so no proof that the rest can be decoded.

    Raises:
        RawDataError: the file is missing, or is not a video with at least one frame.
    """
    capture = _opened(path)
    try:
        readable, frame = capture.read()
        if not readable:
            raise _unreadable(path, "no frame in it can be decoded")
        frames, rate = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)), capture.get(cv2.CAP_PROP_FPS)
        if frames <= 0 or not 0 < rate < np.inf:
            raise _unreadable(path, f"its header states {frames} frames at {rate} frames per second")
        rotation = int(capture.get(cv2.CAP_PROP_ORIENTATION_META)) % 360
        return Video(frames, rate, frames / rate, *frame.shape[:2], rotation)
    finally:
        capture.release()


def read_interval(path, start, end, size):
    """Reads every frame shown at `start <= time < end`.

    Each frame is made small at once, so memory is that of the small frames and one large one. The whole frame is
    resized without keeping its aspect, by area averaging. Damage inside a frame goes unseen: the decoder patches it.

    Args:
        path: A video file.
        start: Seconds from the first frame of the file.
        end: Seconds; excluded.
        size: Side of the frames returned, in pixels.

    Returns:
        `(frames, times)`: `(n, size, size, 3)` uint8 RGB, and `(n,)` float64 seconds, strictly increasing.

    Raises:
        RawDataError: the file is missing, unreadable or damaged, or shows no frame for more than `LONGEST_GAP`
            seconds somewhere in the interval: then it is truncated, shorter than the interval, or has a hole.
    """
    frames, times = [], []
    capture = _opened(path)
    try:
        for time in _frame_times(capture, path):
            if time >= end:
                break
            if time >= start:
                frames.append(_small_frame(capture, path, size))
                times.append(time)
    except cv2.error as error:
        raise _unreadable(path, f"decoding failed: {error}") from error
    finally:
        capture.release()
    _check_continuous(path, start, end, times)
    return np.stack(frames), np.array(times)


def _opened(path):
    # CAP_FFMPEG, or OpenCV would try its image-sequence reader on names with digits.
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise _unreadable(path, "it cannot be opened as a video")
    return capture


def _frame_times(capture, path):
    """Yields the time in seconds of each frame, in the order shown, converting none of them to pixels."""
    previous = -np.inf
    while capture.grab():
        time = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0
        # Also what ends a loop over a file whose damaged index never ends.
        if not time > previous:
            raise _unreadable(path, f"its time goes from {previous:.3f} s to {time:.3f} s")
        yield time
        previous = time


def _small_frame(capture, path, size):
    readable, frame = capture.retrieve()
    if not readable:
        raise _unreadable(path, "a frame cannot be decoded")
    return cv2.cvtColor(cv2.resize(frame, (size, size), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)


def _check_continuous(path, start, end, times):
    edges = np.array([start, *times, end])
    worst = int(np.argmax(np.diff(edges)))
    if not times or edges[worst + 1] - edges[worst] > LONGEST_GAP:
        raise RawDataError(
            path,
            f"no frame between {edges[worst]:.3f} s and {edges[worst + 1]:.3f} s",
            f"frames throughout {start:.3f} to {end:.3f} s, at most {LONGEST_GAP} s apart",
            "The file is truncated, has a hole, or is shorter than its annotation: fetch it again, or leave it out.",
        )


def _unreadable(path, found):
    return RawDataError(path, found, "a complete video file that FFmpeg decodes", "Fetch it again, or leave it out.")
