"""Somebody who walks through a still picture, followed: crops in which the walker stays where the steps are.

In the picture as a whole each step is taken elsewhere, so no two are alike. The median picture stands still behind
what moves. What differs from it has a middle, which goes a smooth way, and a size.
"""

from typing import NamedTuple

import cv2
import numpy as np

# Frames of which the median is taken, and the largest difference: as many as tell them.
_FRAMES = 60
# Gray levels, and share of the largest difference, from which on a pixel is no part of the background.
_LEVELS, _SHARE = 4.0, 0.15
# Order of the way, a polynomial: whoever turns about or stops has one of the third order.
_ORDER = 3
# Side of a crop, in standard deviations of what moves, and pixels that its parts have at least in it.
_WIDE, _LEAST = 4.0, 14
# Pixels that it goes in a cycle, at least: its edges pass one after another, and look the same again.
_PIXELS = 4.0
# Share of its own side that it goes at least, and share of the picture that a crop takes at most.
_WAY, _MOST = 0.8, 0.6


class View(NamedTuple):
    """What goes through a picture.

    Attributes:
        crops: `(T, h, w, 1)` float32 around it, less the background.
        fastest: Cycles per frame that its edges do not make as they pass pixels.
    """

    crops: np.ndarray
    fastest: float


def followed(gray: np.ndarray) -> View | None:
    """Crops around what goes through the picture, less the background; None where nothing does.

    Args:
        gray: `(T, H, W, 1)` float32 of a camera that stands.
    """
    gray = gray[..., 0]
    few = slice(None, None, max(1, len(gray) // _FRAMES))
    moving = gray - np.median(gray[few], axis=0)
    # Blurred by a pixel: grain is averaged away, a limb of two pixels is not. Of 80 x 60 pixels 0.2 % are ten.
    blurred = np.stack([cv2.GaussianBlur(np.abs(frame), (7, 7), 1.0) for frame in moving])
    weights = np.where(blurred > max(_LEVELS, _SHARE * float(np.percentile(blurred[few], 99.8))), blurred, 0)
    total = weights.sum((1, 2))
    # By eye: who is half out of the picture shows more than a fifth of what they usually show.
    is_seen = total > 0.2 * np.median(total[total > 0]) if total.any() else np.zeros(len(total), bool)
    if is_seen.mean() < 0.5:
        return None
    ways, sides = zip(*(_along(weights.sum(2 - axis), is_seen, gray.shape[1 + axis]) for axis in (0, 1)), strict=True)
    is_far = any(np.ptp(way[is_seen]) >= _WAY * side for way, side in zip(ways, sides, strict=True))
    if not is_far or np.prod(sides) > _MOST * gray[0].size:
        return None
    crops = np.stack([_crop(frame, middle, sides) for frame, *middle in zip(moving, *ways, strict=True)])
    speed = np.median(np.hypot(*np.diff(ways))[is_seen[1:]])
    return View(crops[..., None], float(speed) / _PIXELS)


def _along(weights: np.ndarray, is_seen: np.ndarray, longest: int) -> tuple[np.ndarray, int]:
    """The way of what moves along a side of the picture, `(T,)` pixels, and the side of a crop around it."""
    places, total = np.arange(weights.shape[1]), weights.sum(1)
    middles = weights @ places / np.maximum(total, 1e-6)
    times = np.linspace(-1.0, 1.0, len(weights))
    way = np.polyval(np.polyfit(times[is_seen], middles[is_seen], _ORDER, w=np.sqrt(total[is_seen])), times)
    spread = np.sqrt((weights * (places - way[:, None]) ** 2).sum() / total.sum())
    return way, int(np.clip(_WIDE * spread, min(_LEAST, longest), longest))


def _crop(frame: np.ndarray, middle: list[float], sides: tuple[int, int]) -> np.ndarray:
    """Part of a frame of some sides around a middle; black beside the frame."""
    (down, right), (height, width) = middle, sides
    at = np.array([[1, 0, right - width / 2], [0, 1, down - height / 2]])
    return cv2.warpAffine(frame, at, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
