"""A video file opened by OpenCV, its frames one after another."""

import contextlib
import pathlib

import cv2
import numpy as np

from simper_tf.recordings import raw_files
from simper_tf.recordings.errors import RawDataError

# What is expected of a video, and what can be done about another.
REMEDY = _VIDEO, _AGAIN = "a complete video file that FFmpeg decodes", "Fetch it again, or leave it out."
# How streams begin that hold no times, for which FFmpeg makes some up: JPEG pictures in a row, alone or as a server
# sends them, H.263 and AV1. Of H.264 and HEVC it says none.
_RAW = (b"\xff\xd8\xff", b"--", b"\0\0\x80", b"\0\0\x81", b"\0\0\x82", b"\0\0\x83", b"\x12\0")
_NO_TIMES = "frames without times", "a video that holds the times of its frames"
_CONTAIN = "Put them into a container at the rate at which they were recorded: ffmpeg -framerate 30 -i FILE out.mp4."
# Frames that a decoder may still hold at the end, which OpenCV then hands out with a time of 0: more are damage.
_MOST_DELAYED = 16
# Of `opened`, for what is stored, without decoding it.
AS_STORED = cv2.CAP_PROP_FORMAT, -1
_CONVERT = "Fetch it again, convert it to MP4 if its format may not be one of those that are read, or leave it out."


@contextlib.contextmanager
def opened(path, *parameters):
    """Opens a video file as a `cv2.VideoCapture`, with some parameters of OpenCV.

    Raises:
        RawDataError: it is missing, is no video, holds no times, or states a frame too large for memory.
    """
    raw_files.refuse_unreadable(path, _VIDEO, _AGAIN)
    _refuse_timeless(path)
    with contextlib.ExitStack() as stack:
        # CAP_FFMPEG, or OpenCV would try its image-sequence reader on names with digits.
        capture = cv2.VideoCapture(_safe_name(path, stack), cv2.CAP_FFMPEG, parameters)
        stack.callback(capture.release)
        if not capture.isOpened():
            raise unreadable(path, "it cannot be opened as a video", _CONVERT)
        height, width = capture.get(cv2.CAP_PROP_FRAME_HEIGHT), capture.get(cv2.CAP_PROP_FRAME_WIDTH)
        raw_files.refuse_huge(path, int(height), int(width), _AGAIN)
        yield capture


def _refuse_timeless(path):
    with open(path, "rb") as file:  # noqa: PTH123  (as whoever calls names it)
        if file.read(3).startswith(_RAW):
            raise RawDataError(path, *_NO_TIMES, _CONTAIN)


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

    The last frames of program streams, and of AVI files in which frames are stored in another order than they are
    shown in, come without a time: each lasts as long as the one before it.

    Args:
        capture: From `opened`.
        path: Of its file, for the message.
        heard: Called for each frame.

    Raises:
        RawDataError: a frame is not later than the one before it, or has no time.
    """
    previous, step, delayed = -np.inf, 0.0, 0
    while capture.grab():
        time = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0
        delayed = delayed + 1 if time == 0 and 0 < step < np.inf else 0
        if 0 < delayed <= _MOST_DELAYED:
            time = previous + step
        if time == previous == 0:
            raise RawDataError(path, *_NO_TIMES, _CONTAIN)
        # Also what ends a loop over a file whose damaged index never ends.
        if not time > previous:
            raise unreadable(path, f"its time goes from {previous:.3f} s to {time:.3f} s")
        heard()
        yield time
        previous, step = time, time - previous


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
