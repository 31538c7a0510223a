"""A copy of a recording with count and phase drawn on its frames."""

import math
import pathlib
import uuid

import cv2
import numpy as np

from simper_tf.commands import mp4
from simper_tf.reading import answers, result
from simper_tf.reading.source_reader import Done, Wishes
from simper_tf.recordings import source_contract

_LONGEST_SIDE, _SHORTEST_SIDE = 1280, 320  # Pixels of the longer side, at most and at least.
_COLORS = ((0, 114, 178), (213, 94, 0), (0, 158, 115))  # RGB, told apart by the color-blind.


def refuse_unwritable(path: pathlib.Path, source: source_contract.Source):
    """Raises ValueError where a video cannot go: on the recording itself, into no folder, or under another ending.

    Args:
        path: Where the video is to go.
        source: The recording.
    """
    if path.suffix.lower() != ".mp4" or not path.parent.is_dir():
        raise ValueError(f"--video={path} must be an .mp4 file in a folder that is there.")
    if path.exists() and pathlib.Path(source.name).exists() and path.samefile(source.name):
        raise ValueError(f"--video={path} is the recording itself, which would be lost: name another file.")


def write(
    path: pathlib.Path, source: source_contract.Source, wishes: Wishes, done: Done, progress=lambda seconds: None
):
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
    info = done.info
    height, width = _even(info)
    shape = min(height, info.height), min(width, info.width)
    unfinished = path.with_name(f"{path.stem}.{uuid.uuid4().hex[:8]}.mp4")  # A name that no recording has.
    try:
        with mp4.Writer(unfinished, height, width) as out:
            for moment, frame in source.frames(wishes.start, wishes.end, shape, None):
                picture = cv2.resize(_rgb(frame), (width, height), interpolation=cv2.INTER_CUBIC)
                _draw(picture, done, moment, done.view, height / info.height)
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
    """Draws the answers that last at a moment: the box, a count, and a clock hand that goes round once a repetition."""
    height, width = picture.shape[:2]
    left, top, wide, high = [scale * edge for edge in box] if box else (0, 0, width, height)
    radius, thickness = max(min(height, width) // 18, 8), max(min(height, width) // 240, 1)
    for row, (answer, color) in enumerate(zip(done.reading.clear, _COLORS, strict=False)):
        if not answer.start <= moment < answer.end:
            continue
        place = answer.box
        corners = (place.left * wide, place.top * high), (place.right * wide - 1, place.bottom * high - 1)
        cv2.rectangle(picture, *[(int(left + x), int(top + y)) for x, y in corners], color, thickness)
        count, phase = counted(answer, moment)
        center = (3 * radius // 2, (3 + 5 * row) * radius // 2)
        _label(picture, f"{count}", (3 * radius, center[1]), radius)
        cv2.circle(picture, center, radius, color, -1, cv2.LINE_AA)
        angle = 2 * math.pi * phase
        hand = (int(center[0] + radius * math.sin(angle)), int(center[1] - radius * math.cos(angle)))
        cv2.line(picture, center, hand, (255, 255, 255), max(radius // 5, 1), cv2.LINE_AA)
    if not done.reading.clear:
        _label(picture, answers.lines(done)[0], (radius, height - 3 * radius // 2), radius)


def _label(picture, text, place, size):
    """Draws white letters on a dark plate, about as high as a size in pixels and no wider than the picture.

    Args:
        picture: `(H, W, 3)` uint8 that is drawn on.
        text: What is written.
        place: Left end and middle of the letters in pixels.
        size: Their height.
    """
    room = picture.shape[1] - place[0] - size // 2
    (wide, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 1)
    scale = min(size / 21, room / wide)  # Capitals are 21 pixels high at a scale of 1.
    thickness = max(round(2 * scale), 1)
    (wide, high), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thickness)
    left, base, rim = place[0], place[1] + high // 2, max(size // 3, 2)
    cv2.rectangle(picture, (left - rim, base - high - rim), (left + wide + rim, base + below), (0, 0, 0), -1)
    cv2.putText(picture, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), thickness, cv2.LINE_AA)


def _even(info):
    """Returns the `(height, width)` of the video; its codec wants even numbers."""
    longest = max(info.height, info.width)
    scale = min(max(longest, _SHORTEST_SIDE), _LONGEST_SIDE) / longest
    return tuple(max(2 * round(scale * size / 2), 2) for size in (info.height, info.width))


def _rgb(frame):
    frame = np.clip(frame, 0, 255).astype(np.uint8)
    return np.ascontiguousarray(frame if frame.shape[-1] == 3 else np.repeat(frame[..., :1], 3, axis=-1))
