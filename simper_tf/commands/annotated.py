"""A copy of a recording with count and phase drawn on its frames."""

import math
import pathlib
import uuid

import cv2
import numpy as np

from simper_tf.commands import answers, mp4
from simper_tf.commands.readings import Done, Wishes
from simper_tf.reading import result
from simper_tf.recordings import sources

_LONGEST_SIDE = 1280
_COLORS = ((0, 114, 178), (213, 94, 0), (0, 158, 115))  # RGB, told apart by the color-blind.


def refuse_unwritable(path: pathlib.Path, source: sources.Source):
    """Raises ValueError where a video cannot go: on the recording itself, into no folder, or under another ending.

    Args:
        path: Where the video is to go.
        source: The recording.
    """
    if path.suffix.lower() != ".mp4" or not path.parent.is_dir():
        raise ValueError(f"--video={path} must be an .mp4 file in a folder that is there.")
    if path.exists() and pathlib.Path(source.name).exists() and path.samefile(source.name):
        raise ValueError(f"--video={path} is the recording itself, which would be lost: name another file.")


def write(path: pathlib.Path, source: sources.Source, wishes: Wishes, done: Done, progress=lambda seconds: None):
    """Writes the video; one that cannot be written whole is not left behind, and what was there before stays.

    Each frame keeps its own time.

    Args:
        path: Where, an .mp4 file.
        source: The recording, with pictures.
        wishes: What was read of it.
        done: What was read.
        progress: Called with the seconds that are written.

    Raises:
        OSError: it cannot be written.
        RawDataError: a frame cannot be read.
    """
    height, width = shape = _even(done.info)
    unfinished = path.with_name(f"{path.stem}.{uuid.uuid4().hex[:8]}.mp4")  # A name that no recording has.
    try:
        with mp4.Writer(unfinished, height, width) as out:
            for moment, frame in source.frames(wishes.start, wishes.end, shape, None):
                picture = _rgb(frame)
                _draw(picture, done, moment, wishes.box, height / done.info.height)
                out.add(moment, picture)
                progress(moment)
        unfinished.replace(path)
    except OSError as error:
        raise OSError(f"--video={path} could not be written: {error.strerror or error}. Name another place.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def counted(answer: result.Answer, moment: float) -> tuple[int, float]:
    """Returns how many repetitions are complete at a second, and which part of the next one has passed, in [0, 1)."""
    ended = sum(end <= moment for _, end in answer.repetitions)
    running = [(start, end) for start, end in answer.repetitions if start <= moment < end]
    phase = (moment - running[0][0]) / (running[0][1] - running[0][0]) if running else 0.0
    return ended, phase


def _draw(picture, done, moment, box, scale):
    """Draws the surest answers: the box, a count, and a clock hand that goes round once a repetition."""
    height, width = picture.shape[:2]
    left, top, wide, high = [scale * edge for edge in box] if box else (0, 0, width, height)
    for row, (answer, color) in enumerate(zip(done.reading.clear, _COLORS, strict=False)):
        a, b, c, d = answer.box
        corners = [(left + b * wide, top + a * high), (left + d * wide - 1, top + c * high - 1)]
        cv2.rectangle(picture, *[tuple(int(edge) for edge in corner) for corner in corners], color, 2)
        count, phase = counted(answer, moment)
        radius = max(height // 24, 5)
        center = (2 * radius, (2 + 3 * row) * radius)
        cv2.circle(picture, center, radius, color, -1, cv2.LINE_AA)
        angle = 2 * math.pi * phase
        hand = (int(center[0] + radius * math.sin(angle)), int(center[1] - radius * math.cos(angle)))
        cv2.line(picture, center, hand, (255, 255, 255), max(radius // 5, 1), cv2.LINE_AA)
        _label(picture, f"{count}", (4 * radius, center[1] + radius // 2), radius)
    if not done.reading.clear:
        _label(picture, answers.lines(done)[0], (8, height - 10), max(height // 30, 5))


def _label(picture, text, place, size):
    """Draws white letters with a dark rim, about as high as a size in pixels."""
    scale = size / 16
    for color, thickness in (((0, 0, 0), 4), ((255, 255, 255), 1)):
        width = max(round(thickness * scale), 1)
        cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, color, width, cv2.LINE_AA)


def _even(info):
    """Returns the `(height, width)` of the video; its codec wants even numbers."""
    scale = min(1.0, _LONGEST_SIDE / max(info.height, info.width))
    return tuple(max(2 * round(scale * size / 2), 2) for size in (info.height, info.width))


def _rgb(frame):
    frame = np.clip(frame, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(frame if frame.shape[-1] == 3 else np.repeat(frame[..., :1], 3, axis=-1))
