"""Frames of an AVI file, one at a time: memory does not grow with the file."""

from typing import NamedTuple

import cv2

from simper_tf.readers.errors import RawDataError

MAX_SIDE = 8192  # Pixels; more is a damaged header, and would be allocated before it is found wrong.
UNCOMPRESSED = (0, cv2.VideoWriter.fourcc(*"DIB "))  # The two ways in which AVI files say so.
DOWNLOAD_AGAIN = "The copy is incomplete or damaged: download the file again."


class Header(NamedTuple):
    """What the container says of its video, without decoding it."""

    num_frames: int
    rate: float  # Frames per second.
    width: int
    height: int


def read_header(path):
    """Returns the `Header` of a video.

    Raises:
        RawDataError: no such file, no video in it, a nonsensical header, or an uncompressed video whose file is
            smaller than the frames it announces.
    """
    capture = _open(path)
    try:
        header = Header(
            num_frames=int(capture.get(cv2.CAP_PROP_FRAME_COUNT)),
            rate=float(capture.get(cv2.CAP_PROP_FPS)),
            width=int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            height=int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        )
        is_uncompressed = int(capture.get(cv2.CAP_PROP_FOURCC)) in UNCOMPRESSED
    finally:
        capture.release()
    sane = header.num_frames > 0 and 1.0 <= header.rate <= 1000.0
    if not sane or not (0 < header.width <= MAX_SIDE and 0 < header.height <= MAX_SIDE):
        raise RawDataError(path, f"the header {header}", "a playable video", DOWNLOAD_AGAIN)
    announced = header.num_frames * header.width * header.height * 3
    # OpenCV ends a truncated file silently, as if it were shorter; the size tells before anything is decoded.
    if is_uncompressed and path.stat().st_size < announced:
        raise RawDataError(
            path,
            f"{path.stat().st_size} bytes, a truncated video",
            f"at least {announced} for the {header.num_frames} frames of its header",
            DOWNLOAD_AGAIN,
        )
    return header


def read_frames(path, num_frames):
    """Yields exactly `num_frames` frames, `(H, W, 3)` uint8 RGB.

    Raises:
        RawDataError: the video ends or breaks earlier, or its frames change size.
    """
    capture = _open(path)
    try:
        shape = None
        for index in range(num_frames):
            frame = _decode(capture)
            if frame is None or frame.shape != (shape or frame.shape):
                found = f"only {index} decodable frames" if frame is None else f"frame {index} of shape {frame.shape}"
                raise RawDataError(path, found, f"{num_frames} frames of one size", DOWNLOAD_AGAIN)
            shape = frame.shape
            yield cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
    finally:
        capture.release()


def _open(path):
    if not path.is_file():
        raise RawDataError(path, "no such file", "a video", "Copy the recording again.")
    # Named, because OpenCV's other backends would try the path as a pattern of numbered images.
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise RawDataError(path, f"{path.stat().st_size} bytes without a video", "an AVI file", DOWNLOAD_AGAIN)
    return capture


def _decode(capture):
    try:
        decoded, frame = capture.read()
    except cv2.error:
        return None
    return frame if decoded else None
