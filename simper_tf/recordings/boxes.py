"""Rectangles of pictures, in one order: those that are looked at, and those in which something repeats."""

import numbers
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle of a picture: the corner it begins at, and its size.

    Those that are looked at, such as `crop`, are in pixels; those of answers are shares of what was looked at. A plain
    tuple of four numbers does as well.

    Attributes:
        left, top: From the left and from the top of the picture.
        width, height: Of the rectangle.

    Example:
        >>> half = Box(0.5, 0.0, 0.5, 1.0)
        >>> half.right, half.overlap(WHOLE)
        (1.0, 1.0)
        >>> half.pixels(Box(100, 20, 640, 480))
        Box(left=420, top=20, width=320, height=480)
    """

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends, from the left."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Where it ends, from the top."""
        return self.top + self.height

    def overlap(self, other: "Box") -> float:
        """Returns the share of the smaller of two boxes that lies in the other one."""
        width = max(min(self.right, other.right) - max(self.left, other.left), 0)
        height = max(min(self.bottom, other.bottom) - max(self.top, other.top), 0)
        return width * height / min(self.width * self.height, other.width * other.height)

    def pixels(self, view: "Box") -> "Box":
        """Returns shares of a view of a picture in pixels of the picture, a pixel wide and high at least."""
        left, right = (view.left + round(share * view.width) for share in (self.left, self.right))
        top, bottom = (view.top + round(share * view.height) for share in (self.top, self.bottom))
        return Box(left, top, max(right - left, 1), max(bottom - top, 1))


WHOLE = Box(0.0, 0.0, 1.0, 1.0)


def are_pixels(box) -> bool:
    """Returns whether something is a box of whole pixels, as `crop` takes it, and not of shares.

    Example:
        >>> are_pixels((0, 0, 4, 4)), are_pixels(WHOLE)
        (True, False)
    """
    if not isinstance(box, tuple | list) or len(box) != 4:
        return False
    return all(isinstance(edge, numbers.Integral) for edge in box) and min(box) >= 0 and min(box[2:]) >= 1
