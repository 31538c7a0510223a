"""PNG images, looked at before they are decoded: a file of half a megabyte can state a picture of a gigabyte.

Format: W3C, Portable Network Graphics Specification: eight bytes of signature, then the chunk IHDR, at the end IEND.
"""

import struct

import cv2
import numpy as np

from simper_tf.recordings import raw_files
from simper_tf.recordings.errors import RawDataError

_SIGNATURE, _END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_IMAGE = "a whole PNG image"


def refuse_damaged(path, action):
    """Refuses by its first and last bytes what is no whole PNG image, or one too large for memory.

    Args:
        path: Path of the file.
        action: What the user can do, for the message.

    Raises:
        RawDataError: it is no readable file, no PNG, truncated, or states more than `raw_files.MAX_PIXELS`.
    """
    raw_files.refuse_unreadable(path, _IMAGE, action)
    with path.open("rb") as file:
        head = file.read(24)
        file.seek(0, 2)
        file.seek(max(file.tell() - len(_END), 0))
        end = file.read()
    if end != _END:
        raise RawDataError(path, "a truncated file", _IMAGE, action)
    if head[:8] != _SIGNATURE or head[12:16] != b"IHDR":
        raise RawDataError(path, "another format", _IMAGE, action)
    width, height = struct.unpack(">II", head[16:24])
    raw_files.refuse_huge(path, height, width, action)


def read(path, action):
    """Returns the picture of a file, `(H, W, 3)` uint8 RGB.

    Raises:
        RawDataError: as `refuse_damaged`, or it cannot be decoded.
    """
    refuse_damaged(path, action)
    try:
        picture = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # Raised for an absurd size; other damage gives None.
        picture = None
    if picture is None:
        raise RawDataError(path, "a damaged image", _IMAGE, action)
    return cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
