"""Where the face is, and the face cut out and shrunk.

One box serves a whole recording, found on its first frames: a box that follows the face would add its own jitter to
the colors in which the pulse is read.
"""

from typing import NamedTuple

import cv2
import numpy as np

NUM_FIRST_FRAMES = 30  # About a second, in which a face is looked for.
ENLARGEMENT = 1.5  # The detector's box ends at the brows and the lips; the forehead and the chin carry pulse too.


class Face(NamedTuple):
    """A box in pixels of the raw frame, and how it was found: "haar" or "centre"."""

    left: int
    top: int
    width: int
    height: int
    found: str


def find_face(frames):
    """Returns the face box of a recording.

    The box is the median, over the frames in which the detector sees any face, of the largest one; enlarged 1.5 times
    about its centre, then shifted inside the frame. Where no frame shows a face it is the central square.

    Args:
        frames: A non-empty sequence of `(H, W, 3)` uint8 RGB frames; up to 30 first frames of a recording.

    Returns:
        A `Face`. Its box is square, at most as large as the frame and entirely inside.

    Raises:
        ImportError: this OpenCV has no detector.
    """
    height, width = frames[0].shape[:2]
    detector = _detector()
    boxes = [box for frame in frames if (box := _largest_face(detector, frame)) is not None]
    if not boxes:
        side = min(height, width)
        return Face((width - side) // 2, (height - side) // 2, side, side, "centre")
    left, top, box_width, box_height = np.median(np.array(boxes, np.float64), axis=0)
    side = min(round(ENLARGEMENT * max(box_width, box_height)), height, width)
    return Face(
        _inside(left + box_width / 2, side, width), _inside(top + box_height / 2, side, height), side, side, "haar"
    )


def crop(frame, face, size):
    """Returns the box of a frame, shrunk to `(size, size, 3)` by averaging areas.

    Args:
        frame: `(H, W, 3)` uint8.
        face: A `Face`.
        size: Pixels a side. A box of exactly this size is returned unchanged.
    """
    box = frame[face.top : face.top + face.height, face.left : face.left + face.width]
    # INTER_AREA is the only choice that averages all pixels, and the average is what lifts the pulse above the noise.
    return cv2.resize(box, (size, size), interpolation=cv2.INTER_AREA)


def _detector():
    if not hasattr(cv2, "CascadeClassifier"):
        raise ImportError(
            f"OpenCV {cv2.__version__} has no Haar cascades; they left the main package with version 5. "
            'Install "opencv-python-headless>=4.10,<5".'
        )
    return cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_default.xml")


def _largest_face(detector, frame):
    """Returns (left, top, width, height) of the largest face in a frame, or None."""
    boxes = detector.detectMultiScale(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY))
    return max(boxes, key=lambda box: box[2] * box[3]) if len(boxes) else None


def _inside(centre, side, limit):
    """Returns where an interval of a length starts that is centered as near to `centre` as the frame allows."""
    return int(min(max(round(centre - side / 2), 0), limit - side))
