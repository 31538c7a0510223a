"""A video file opened by OpenCV, its frames one after another."""

import contextlib
import pathlib

import cv2
import numpy as np

from simper_tf.recordings import raw_files
from simper_tf.recordings.errors import RawDataError

# What is expected of a video, and what can be done about another.
REMEDY = _VIDEO, _AGAIN = "a complete video file that FFmpeg decodes", "Fetch it again, or leave it out."
_CONVERT = "Fetch it again, convert it to MP4 if its format may not be one of those that are read, or leave it out."


@contextlib.contextmanager
def opened(path, *parameters):
    """Opens a video file as a `cv2.VideoCapture`, with some parameters of OpenCV.

    Raises:
        RawDataError: it is missing, is no video, or states a frame too large for memory.
    """
    raw_files.refuse_unreadable(path, _VIDEO, _AGAIN)
    with contextlib.ExitStack() as stack:
        # CAP_FFMPEG, or OpenCV would try its image-sequence reader on names with digits.
        capture = cv2.VideoCapture(_safe_name(path, stack), cv2.CAP_FFMPEG, parameters)
        stack.callback(capture.release)
        if not capture.isOpened():
            raise unreadable(path, "it cannot be opened as a video", _CONVERT)
        height, width = capture.get(cv2.CAP_PROP_FRAME_HEIGHT), capture.get(cv2.CAP_PROP_FRAME_WIDTH)
        raw_files.refuse_huge(path, int(height), int(width), _AGAIN)
        yield capture


def _safe_name(path, stack):
    """Returns a name for a file as FFmpeg wants it: absolute, or what stands before a colon is taken for a protocol.

    One that is no text crashes OpenCV, so it gets another, for as long as the file is open.
    """
    path = pathlib.Path(path).absolute()
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return f"/proc/self/fd/{stack.enter_context(path.open('rb')).fileno()}"
    return str(path)


def first_frame(path):
    """Returns height and width of the first frame as shown, and how many frames the file states at which rate."""
    with opened(path) as capture:
        readable, frame = capture.read()
        if not readable:
            raise unreadable(path, "no frame in it can be decoded")
        return *frame.shape[:2], capture.get(cv2.CAP_PROP_FRAME_COUNT), capture.get(cv2.CAP_PROP_FPS)


def nobody():
    """Is told that decoding goes on, where nobody waits."""


def frame_times(capture, path, heard=nobody):
    """Yields the time in seconds of each frame, in the order shown, converting none of them to pixels.

    Args:
        capture: From `opened`.
        path: Of its file, for the message.
        heard: Called for each frame.

    Raises:
        RawDataError: a frame is not later than the one before it.
    """
    previous = -np.inf
    while capture.grab():
        time = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0
        # Also what ends a loop over a file whose damaged index never ends.
        if not time > previous:
            raise unreadable(path, f"its time goes from {previous:.3f} s to {time:.3f} s")
        heard()
        yield time
        previous = time


def small_frame(capture, path, shape, box):
    """Returns the frame that was grabbed last, `(*shape, 3)` uint8 RGB by area averaging, of a box in it or all of it.

    Raises:
        RawDataError: it cannot be decoded.
    """
    readable, frame = capture.retrieve()
    if not readable:
        raise unreadable(path, "a frame cannot be decoded")
    if box is not None:
        left, top, width, height = box
        frame = frame[top : top + height, left : left + width]
    return cv2.cvtColor(cv2.resize(frame, shape[::-1], interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)


def unreadable(path, found, action=_AGAIN):
    """Returns the error of a video in which that was found."""
    return RawDataError(path, found, _VIDEO, action)
