"""Frames of a video by their timestamps.

`index / rate` is wrong wherever the frame rate varies, as it does in much footage from phones and the web; so nothing
here computes a time from an index. Frames are decoded from the beginning, without seeking, because the seek of OpenCV
goes by the nominal rate. A rotation stored in the file is applied (OpenCV does so by itself; PyAV does not).
"""

import collections
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from simper_tf.recordings import avi, captures, mp4_times, retime, whole
from simper_tf.recordings.errors import RawDataError

# Longest time (s) without a frame that is still taken for a running video. A longer silence, inside the interval or
# at its ends, can hide a quarter of a typical repetition of Countix, and is how truncation and damage show.
LONGEST_GAP = 0.25


class VideoInfo(NamedTuple):
    """What the times of all frames of a video say."""

    rate: float  # Frames per second, on average.
    num_frames: int
    height: int  # Pixels, as shown: after the rotation.
    width: int
    seconds: float  # From the first frame to the end of the last.
    deviation: float  # Seconds by which a frame is at most off from where a constant rate would have it.
    longest_gap: float  # Seconds between two neighboring frames, at most.
    keys: Sequence[float] = ()  # Times of frames stored as whole pictures, as `decoded` has them, where known.


def probe(path, heard=captures.nobody):
    """Returns the `VideoInfo` of a file, from the tables of an mp4 file, or else after decoding all of its frames.

    Args:
        path: A video file.
        heard: Called for each frame, for whoever waits.

    Raises:
        RawDataError: the file is missing, is no video of two frames or more, is cut off, states a frame too large for
            memory, or shows two frames at one time.
    """
    height, width, stated, nominal = captures.first_frame(path)
    tables = mp4_times.read(path)
    if tables:
        times, keys = tables.shown, tables.keys - tables.shown[0]  # Of these files the decoder begins at 0.
        _refuse_contradiction(path, tables)
    else:
        # Recordings of browsers state nothing.
        if stated > 0 and 0 < nominal < np.inf and not whole.is_known_whole(path):
            _refuse_cut_off(path, stated, nominal, heard)
        times, keys = _decoded_times(path, heard)
    if len(times) < 2:
        raise captures.unreadable(path, "a single frame")
    gaps = np.diff(times)
    rate = len(gaps) / float(times[-1] - times[0])
    if rate > avi.MAX_RATE:
        raise captures.unreadable(path, f"{rate:g} frames per second")
    deviation = np.abs(times - times[0] - np.arange(len(times)) / rate).max()
    seconds = len(times) / rate
    return VideoInfo(rate, len(times), height, width, seconds, float(deviation), float(gaps.max()), keys.tolist())


def read_header(path):
    """Returns the `video.Header` of a file after decoding one frame: cheap, and so no proof that it is true.

    Raises:
        RawDataError: the file is missing, or is not a video with at least one frame.
    """
    height, width, count, rate = captures.first_frame(path)
    if not (count > 0 and 0 < rate < np.inf):
        raise captures.unreadable(path, f"its header states {count:g} frames at {rate} frames per second")
    return avi.Header(int(count), rate, width, height)


def windows(path, seconds, hop, size, rate=None):
    """Cuts a recording into clips of one length whose frames are equally spaced in time; memory is that of two clips.

    A frame between two of the file is their linear mixture by time, so a varying rate does no harm. What repeats faster
    than half the lower of the two rates shows as something slower. A clip is left out if the file shows no frame for
    more than `LONGEST_GAP` and more than two frames take, somewhere inside it.

    Args:
        path: A video file.
        seconds: Length of a clip.
        hop: Seconds from the start of a clip to the start of the next. Both are rounded to whole frames.
        size: Pixels a side, or `(height, width)`; the whole frame is resized by area averaging.
        rate: Frames per second of the clips; that of the file, on average, if None.

    Returns:
        An iterator of `(start, clip)`: seconds from the first frame of the file, and
        `(round(seconds * rate), height, width, 3)` uint8 RGB.

    Raises:
        RawDataError: as `probe`; while iterating: a frame cannot be decoded, or there is no clip at all.
        ValueError: a clip of less than two frames, a hop of less than one, or a size below one pixel.
    """
    info = probe(path)
    rate = info.rate if rate is None else rate
    shape = (size, size) if isinstance(size, int) else tuple(size)
    if not (1.5 <= seconds * rate < np.inf and 0.5 < hop * rate < np.inf and min(shape) > 0):
        raise ValueError(
            "Clips need two frames or more, a hop of one or more, and a pixel or more. "
            f"Received: {seconds} s every {hop} s at {rate:g} frames per second, of size {shape}."
        )
    return _cut(path, info, shape, rate, round(seconds * rate), round(hop * rate))


def _cut(path, info, shape, rate, length, step):
    """Yields what `windows` returns, for a clip of `length` frames every `step` frames."""
    latest, last, whole_from, found_any = collections.deque(maxlen=length), -1, 0, False
    frames = retime.uniform(_until_the_end(path, info, shape), rate, max(LONGEST_GAP, 2 / info.rate))
    for index, frame in frames:
        whole_from = whole_from if index == last + 1 else index
        latest.append(frame)
        last, start = index, index + 1 - length
        if start >= whole_from and start % step == 0:
            found_any = True
            yield start / rate, np.stack(latest)
    if not found_any:
        found = f"{info.seconds:.2f} s of video, up to {info.longest_gap:.2f} s without a frame"
        raise RawDataError(path, found, f"{length / rate:.2f} s without a hole", "Ask for shorter clips.")


def _until_the_end(path, info, shape):
    """Yields times and small frames of a whole file, and the last frame again at the time at which it ends."""
    for time, frame in decoded(path, -np.inf, np.inf, shape):
        yield time, frame
    yield time + 1 / info.rate, frame


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
    for time, frame in decoded(path, start, end, (size, size)):
        frames.append(frame)
        times.append(time)
    _check_continuous(path, start, end, times)
    return np.stack(frames), np.array(times)


def decoded(path, start, end, shape, box=None, heard=captures.nobody):
    """Yields time and small frame of each frame shown at `start <= time < end`; two large ones are held at a time.

    Args:
        path: A video file.
        start, end: Seconds from the first frame of the file.
        shape: `(height, width)` of what comes out, `(height, width, 3)` uint8 RGB, resized by area averaging.
        box: `(left, top, width, height)` in pixels, as shown, of what is looked at; None for the whole frame.
        heard: Called for each frame, also those before the start, for whoever waits.

    Raises:
        RawDataError: the file is missing, unreadable or damaged.
    """
    with captures.opened(path) as capture:
        try:
            for time in captures.frame_times(capture, path, heard):
                if time >= end:
                    break
                if time >= start:
                    yield time, captures.small_frame(capture, path, shape, box)
        except cv2.error as error:
            raise captures.unreadable(path, f"decoding failed: {error}") from error


def _decoded_times(path, heard):
    """Returns the times of all frames, and of those that are stored as whole pictures."""
    times, keys = [], []
    with captures.opened(path) as capture:
        for time in captures.frame_times(capture, path, heard):
            times.append(time)
            if capture.get(cv2.CAP_PROP_FRAME_TYPE) == ord("I"):
                keys.append(time)
    return np.array(times), np.array(keys)


def _refuse_contradiction(path, tables):
    """Raises RawDataError if the frames of an mp4 file take much more or less time than its headers say.

    Those that a file cut off no longer holds do not count as shown; `_is_less` says how many may be missing.
    """
    stored, shown = tables.stated
    found = float(np.ptp(tables.shown)) + tables.last + 1e-6
    if stored is not None and not (tables.seconds - 1) / 1.1 <= stored <= max(tables.seconds / 0.9, tables.seconds + 1):
        raise _contradiction(path, tables.seconds, stored)
    if shown is not None and _is_less(found, shown):
        raise _contradiction(path, found, shown)


def _is_less(found, stated):
    """Returns whether a video is shorter than stated, by more than headers are wrong of sound ones."""
    return found < min(0.9 * stated, stated - 1)  # The length of a file can be that of its sound.


def _contradiction(path, found, stated):
    return captures.unreadable(path, f"{found:.2f} s of video where its header states {stated:.2f} s")


def _refuse_cut_off(path, count, rate, heard):
    """Raises RawDataError if the file ends long before its header says; OpenCV ends such a file in silence."""
    times = []
    with captures.opened(path, *captures.AS_STORED) as capture:
        # Of what was trimmed but is still stored too: only here can it be compared with the header.
        while len(times) <= 2 * count and capture.grab():
            times.append(capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
            heard()
    found, stated = np.ptp(times or [0]) + 1 / rate, count / rate
    if len(times) < count and _is_less(found, stated):  # The last of all frames may be a long one.
        raise _contradiction(path, found, stated)


def _check_continuous(path, start, end, times):
    edges = np.array([start, *times, end])
    worst = int(np.argmax(np.diff(edges)))
    if not times or edges[worst + 1] - edges[worst] > LONGEST_GAP:
        raise RawDataError(
            path,
            f"no frame between {edges[worst]:.3f} s and {edges[worst + 1]:.3f} s",
            f"frames throughout {start:.3f} to {end:.3f} s, at most {LONGEST_GAP} s apart",
            "The file is truncated, has a hole, or is shorter than was asked for: fetch it again, or leave it out.",
        )
