"""Frames of video files at their own times, decoded in another process.

Nothing here computes a time from a frame's number, but for streams that hold no times: the rate of footage from phones
and the web varies. Times are seconds from the first frame that can be decoded. Frames are decoded from the beginning,
without seeking. A rotation stored in the file is applied; both fields of an interlaced frame are averaged.
"""

import dataclasses
import functools
import math
import pathlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from simper_tf.recordings.boxes import Box
from simper_tf.utils import worker
from simper_tf.utils.errors import RawDataError

# Longest time (s) without a frame that is still taken for a running video. A longer silence, inside the interval or
# at its ends, can hide a quarter of a typical repetition of Countix, and is how truncation and damage show.
LONGEST_GAP = 0.25
_MOST_HOLES = 3  # That are named.
MAX_RATE = 1000.0  # Frames per second; more is a damaged header.
_DECODING, _PROBING = "simper_tf.recordings.decoding", "simper_tf.recordings.probing"


@dataclasses.dataclass
class Damage:
    """What of a video was lost, as far as it was read.

    Attributes:
        frames: How many cannot be decoded, or are built on such ones.
        lead: Seconds of them before the first that is shown, from which times count.
        holes: Spans without a frame where the file has some.
    """

    frames: int = 0
    lead: float = 0.0
    holes: list[tuple[float, float]] = dataclasses.field(default_factory=list)

    def notes(self) -> list[str]:
        """Returns it as sentences."""
        said = [f"{self.frames} frame{'s' * (self.frames > 1)} cannot be decoded."] if self.frames else []
        if self.lead:
            said.append(f"The first {self.lead:.2f} s cannot be decoded: times count from there.")
        if self.holes:
            spans = ", ".join(f"{start:.2f}-{end:.2f}" for start, end in self.holes[:_MOST_HOLES])
            more = len(self.holes) - _MOST_HOLES
            said.append(f"Nothing is known of {spans} s{f' and of {more} more holes' if more > 0 else ''}.")
        return said


class VideoInfo(NamedTuple):
    """What is known of a video from the times of all its frames."""

    width: int  # Pixels, as shown: after the rotation.
    height: int
    rate: float  # Frames per second, on average.
    seconds: float  # From the first frame to the end of the last.
    num_frames: int
    stated_frames: int  # By its header; 0 where that is silent.
    keys: Sequence[float]  # Seconds of frames stored as whole pictures, rising.
    bits: float  # Of the file, for each pixel of each frame.
    codec: str
    pixel_format: str
    longest_gap: float  # Seconds between two neighboring frames, at most, as filmed: none are lost between them.
    notes: Sequence[str]  # Sentences on what the file states and does not hold.
    at_once: int  # Frames, where all have one time; else 0.


def probe(path, rate: float | None = None, is_fallback: bool = False) -> VideoInfo:
    """Returns the `VideoInfo` of a file, by its packets; where these do not tell, after decoding all of it.

    Args:
        path: A video file.
        rate: Frames per second at which it was filmed: times are made slower or faster. None keeps them.
        is_fallback: Whether the rate is only for a file that holds no times.

    Raises:
        RawDataError: the file is missing, is no video of two frames or more, holds no times, or a single one, and no
            rate, or states more pixels than memory or its bytes can hold.
        OSError: the decoder cannot be started.
    """
    info = _measured(path, rate)
    if rate is None or is_fallback or math.isclose(info.rate, rate):
        return info
    longer = info.rate / rate
    keys = [longer * moment for moment in info.keys]
    note = f"Its {info.rate:.4g} frames a second are taken as filmed at {rate:.4g}, as asked for."
    return info._replace(
        rate=rate, seconds=longer * info.seconds, longest_gap=longer * info.longest_gap, keys=keys,
        notes=[*info.notes, note],
    )  # fmt: skip


def decoded(
    path,
    start: float = 0.0,
    end: float = math.inf,
    shape: tuple[int, int] | None = None,
    box: Box | None = None,
    rate: float | None = None,
    is_fallback: bool = False,
    damage: Damage | None = None,
) -> Iterator[tuple[float, np.ndarray]]:
    """Yields time and frame of each frame shown at `start <= time < end`, times rising.

    A frame that is earlier than the one before it is left out; those of one time are spread up to the next. One
    without a time lasts as long as the one before.

    Args:
        path: A video file.
        start, end: Seconds from the first frame of the file.
        shape: `(height, width)` of what comes out, `(height, width, 3)` uint8 RGB by area averaging; None for the
            size of the video, or of the box.
        box: `(left, top, width, height)` in pixels, as shown, of what is looked at; None for the whole frame.
        rate, is_fallback: As of `probe`.
        damage: Where to put what was lost, as it is come to; the hole at the end, when all is read.

    Raises:
        RawDataError: as `probe`, or a frame cannot be converted.
        OSError: the decoder cannot be started.

    Example:
        `colors = [frame.mean(axis=(0, 1)) for _, frame in decoded("me.mp4", shape=(36, 64))]`
    """
    info = probe(path, rate, is_fallback)
    longer = 1.0 if rate is None or is_fallback else _measured(path, rate).rate / rate
    if shape is None:
        shape = (box[3], box[2]) if box else (info.height, info.width)
    arguments = {"start": start / longer, "end": end / longer, "shape": tuple(shape), "box": box, "rate": rate}
    arguments["at_once"] = info.at_once
    damage, last, limit = damage if damage is not None else Damage(), None, longest_step(info)
    for facts, content in worker.answers(f"{_DECODING}:frames", path, **arguments):
        pictures = np.frombuffer(content, np.uint8).reshape(facts["shape"])
        for moment, picture in zip(facts["times"], pictures, strict=True):
            moment *= longer
            if last is not None and moment - last > limit:
                damage.holes.append((last, moment))
            last = moment
            yield moment, picture
        damage.frames, damage.lead = facts.get("lost", 0), longer * facts.get("lead", 0.0)
    if last is not None and min(end, info.seconds - 1 / info.rate) - last > limit:
        damage.holes.append((last, min(end, info.seconds)))


def longest_step(info: VideoInfo) -> float:
    """Returns the seconds from one frame to the next beyond which some are lost between them."""
    return max(1.01 * info.longest_gap, LONGEST_GAP, 2 / info.rate)


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


def _measured(path, rate):
    """Returns the `VideoInfo` by the file's own times; a file is looked at once until it changes."""
    try:
        state = pathlib.Path(path).stat()
    except OSError:
        return _kept.__wrapped__(path, rate)
    return _kept(path, rate, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _kept(path, rate, *_):
    ((facts, _),) = worker.answers(f"{_PROBING}:probe", path, rate=rate)
    return VideoInfo(**facts)
