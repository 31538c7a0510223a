"""Answers -> a copy of the recording with the reading drawn on its frames."""

import contextlib
import pathlib
import uuid

import cv2
import numpy as np

from simper_tf.reading import read
from simper_tf.recordings import sources, video
from simper_tf.recordings.errors import RawDataError
from trainers.predictions import tables

_LONGEST_SIDE = 1280


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


def write(path: pathlib.Path, opened: read.Opened, done: tables.Done, unit: str):
    """Writes an MPEG-4 video; one that cannot be written whole is not left behind, and what was there before stays.

    Its rate is constant, about that of the recording on average: each of its frames is the latest one at its time.

    Args:
        path: Where, an .mp4 file.
        opened: The recording, with pictures.
        done: What was read of it.
        unit: A flag's value.

    Raises:
        OSError: it cannot be written.
        RawDataError: a frame cannot be read.
    """
    height, width = shape = _even(opened.info)
    rate, count = _rate(opened.info), 0
    unfinished = path.with_name(f"{path.stem}.{uuid.uuid4().hex[:8]}.mp4")  # A name that no recording has.
    codec = cv2.VideoWriter.fourcc(*"mp4v")
    out = cv2.VideoWriter(str(unfinished), cv2.CAP_FFMPEG, codec, rate, (width, height))
    try:
        if not out.isOpened():
            raise OSError(f"--video={path} cannot be written.")
        box = _scaled(opened.box, height / opened.info.height)
        frames = opened.source.frames(opened.wishes.start, opened.wishes.end, shape, None)
        for moment, frame in _steady(frames, rate):
            picture = cv2.cvtColor(_rgb(frame), cv2.COLOR_RGB2BGR)
            if box:
                cv2.rectangle(picture, box[:2], (box[0] + box[2], box[1] + box[3]), (0, 160, 255), 1)
            _label(picture, said_at(done, moment, unit))
            out.write(picture)
            count += 1
        out.release()
        _check_whole(path, unfinished, count)
        unfinished.replace(path)
    finally:
        out.release()
        unfinished.unlink(missing_ok=True)


def _rate(info):
    """Returns frames per second with as many digits as MPEG-4 can hold: a fraction of numbers below 2 to the 16th."""
    return max(round(info.rate, 2 if info.rate < 655 else 1), 0.01)


def _check_whole(path, written, count):
    """Raises OSError unless so many frames are in the file that was written: OpenCV says nothing of a full disk."""
    found = 0
    with contextlib.suppress(RawDataError):
        found = video.probe(written).num_frames
    if found != count:
        raise OSError(
            f"--video={path} could not be written: {found} of {count} frames arrived. Is the disk full? Make room, or "
            "name another place."
        )


def said_at(done: tables.Done, moment: float, unit: str) -> str:
    """Returns what is drawn at a second: the reading of the window over it whose middle is nearest; "" without one."""
    over = [answer for answer in done.answers if answer.start <= moment < answer.end]
    if not over:
        return ""
    return tables.said(min(over, key=lambda each: abs((each.start + each.end) / 2 - moment)), unit)


def _steady(timed_frames, rate):
    """Yields a frame for each step of `1 / rate` from the first on: the latest one up to half a step after it."""
    count, began, held = 0, None, None
    for moment, frame in timed_frames:
        began = moment if began is None else began
        while held is not None and began + (count + 0.5) / rate <= moment:
            yield began + count / rate, held
            count += 1
        held = frame
    if held is not None:
        yield began + count / rate, held


def _even(info):
    """Returns the `(height, width)` of the video; its codec wants even numbers."""
    scale = min(1.0, _LONGEST_SIDE / max(info.height, info.width))
    return tuple(max(2 * round(scale * size / 2), 2) for size in (info.height, info.width))


def _scaled(box: sources.Box | None, scale):
    return box and tuple(int(scale * value) for value in box)


def _rgb(frame):
    frame = np.clip(frame, 0, 255).astype(np.uint8)
    return frame if frame.shape[-1] == 3 else np.repeat(frame[..., :1], 3, axis=-1)


def _label(picture, text):
    """Draws white letters with a dark rim, as high as a fifteenth of the picture."""
    scale = max(picture.shape[0] / 450, 0.3)
    place = (int(10 * scale), picture.shape[0] - int(12 * scale))
    for color, thickness in (((0, 0, 0), 4), ((255, 255, 255), 1)):
        width = max(round(thickness * scale), 1)
        cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, color, width, cv2.LINE_AA)
