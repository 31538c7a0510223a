"""Frames of an uncompressed AVI file, one at a time: memory does not grow with the file."""

import re
import struct
from typing import NamedTuple

import cv2

from simper_tf.recordings import raw_files
from simper_tf.recordings.errors import RawDataError

MAX_RATE = 1000.0  # Frames per second; more is a damaged header.
MAX_LISTS = 8  # One in another; AVI files need three.
UNCOMPRESSED = (0, cv2.VideoWriter.fourcc(*"DIB "))  # The two ways in which AVI files say so.
BGR24 = cv2.VideoWriter.fourcc(*"BGR\x18")  # OpenCV's name for the pixels of such files.
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
        RawDataError: no such file, no video in it, a nonsensical header, a compressed video, or one that is truncated
            or not made of whole frames of the size and number in its header.
    """
    capture = _open(path)
    try:
        header = Header(
            num_frames=int(capture.get(cv2.CAP_PROP_FRAME_COUNT)),
            rate=float(capture.get(cv2.CAP_PROP_FPS)),
            width=int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            height=int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        )
        codec = int(capture.get(cv2.CAP_PROP_FOURCC))
        pixels = int(capture.get(cv2.CAP_PROP_CODEC_PIXEL_FORMAT))
    finally:
        capture.release()
    raw_files.refuse_huge(path, header.height, header.width, DOWNLOAD_AGAIN)
    if not (header.num_frames > 0 and 1.0 <= header.rate <= MAX_RATE):
        raise RawDataError(path, f"the header {header}", "a playable video", DOWNLOAD_AGAIN)
    if codec not in UNCOMPRESSED or pixels != BGR24:
        found = f"pixels of the format {pixels:#x}, compressed as {codec:#x}"
        action = "Compression takes the pulse away, or the header is damaged: download the file again."
        raise RawDataError(path, found, "an uncompressed video, 24-bit BGR", action)
    _refuse_incomplete(path, header)
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


def _refuse_incomplete(path, header):
    """Raises RawDataError unless the file has all the frames of its header, each whole.

    OpenCV ends a truncated file silently, as if it were shorter, and shows bytes in the shape of whatever size the
    header states.
    """
    row = 3 * header.width
    whole = {0, header.height * row, header.height * (row + -row % 4)}  # A dropped frame is empty; rows may be padded.
    with path.open("rb") as file:
        frames = list(_frame_sizes(path, file, 0, path.stat().st_size))
    streams, sizes = {stream for stream, _ in frames}, {size for _, size in frames}
    if len(frames) != header.num_frames or len(streams) != 1 or not sizes <= whole:
        found = f"{len(frames)} frames of {sorted(sizes)[:3]} bytes in {len(streams)} streams"
        expected = f"{header.num_frames} frames of {header.width} x {header.height} x 3, by its header"
        raise RawDataError(path, found, expected, DOWNLOAD_AGAIN)


def _frame_sizes(path, file, start, end, in_movi=False, depth=0):
    """Yields the stream and the bytes of each frame in a stretch of an AVI file.

    It goes from chunk to chunk, each a name, a length and the content: lists (LIST, RIFF) hold chunks, the one called
    `movi` the frames. Format: Microsoft, AVI RIFF File Reference.
    """
    while start + 8 <= end:
        file.seek(start)
        name, length = struct.unpack("<4sI", file.read(8))
        stop = start + 8 + length
        if stop > end:
            raise RawDataError(path, f"{end} bytes, a truncated video", f"{stop} or more", DOWNLOAD_AGAIN)
        if name in (b"RIFF", b"LIST"):
            if depth == MAX_LISTS:
                raise RawDataError(path, f"lists in lists at byte {start}", f"{MAX_LISTS} at most", DOWNLOAD_AGAIN)
            yield from _frame_sizes(path, file, start + 12, stop, in_movi or file.read(4) == b"movi", depth + 1)
        elif in_movi and re.fullmatch(rb"\d\d(db|dc)", name):
            yield name[:2], length
        elif in_movi and not re.fullmatch(rb"JUNK|ix\d\d|\d\d(wb|tx)", name):
            raise RawDataError(path, f"{name} at byte {start}", "the next frame", DOWNLOAD_AGAIN)
        start = stop + length % 2


def _open(path):
    raw_files.refuse_unreadable(path, "a video", "Copy the recording again.")
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
