"""Movement of the camera, taken out.

Each textured tile tells its own shift from frame to frame by least
squares on the gradients (Lucas and Kanade, 1981). Only where most tiles
agree was it the camera that moved.
"""

import cv2
import numpy as np

from simper_tf.reading import courses

# Mean square of the gradient, in gray levels per pixel, of a tile that can tell its shift.
TEXTURE = 9.0
FEWEST_TILES = 10
# Share of the tiles' movement that must be common to them.
COMMON = 0.6
# Pixels by which a camera must move at all, and share of the picture by which it may.
LEAST, MOST = 0.3, 0.25


def steadied(gray: np.ndarray) -> tuple[np.ndarray, bool]:
    """Frames without the movement of the camera, and whether there was any.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    path = _path(gray[..., 0])
    reach = np.ptp(path, axis=0) if path is not None else np.zeros(2)
    if reach.max() < LEAST or (reach > MOST * np.array(gray.shape[1:3])).any():
        return gray, False
    path = path - np.median(path, axis=0)
    height, width = gray.shape[1:3]
    moved = [
        cv2.warpAffine(
            frame[..., 0],
            np.array([[1, 0, right], [0, 1, down]]),
            (width, height),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for frame, (down, right) in zip(gray, path, strict=True)
    ]
    return np.stack(moved)[..., None], True


def _path(gray: np.ndarray) -> np.ndarray | None:
    """Place of the camera at each frame, `(T, 2)` pixels down and right; None if tiles do not agree."""
    steps, texture = tile_steps(gray)
    told = texture > TEXTURE
    if told.sum() < FEWEST_TILES:
        return None
    steps = steps[:, told]
    common = np.median(steps, axis=1)
    rest = steps - common[:, None]
    # Tiles in which something moves by itself may be a third of them.
    apart = np.quantile((rest**2).sum((0, 2)), 2 / 3)
    if (common**2).sum() < COMMON * ((common**2).sum() + apart):
        return None
    return np.concatenate(([[0.0, 0.0]], np.cumsum(common, axis=0)))


def tile_steps(gray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shift of every tile from frame to frame, `(T - 1, tiles, 2)`, and its texture, `(tiles,)`."""
    soft = np.stack([cv2.GaussianBlur(frame, (0, 0), 1.0) for frame in gray])
    middle = (soft[1:] + soft[:-1]) / 2
    down, right = np.gradient(middle, axis=(1, 2))
    change = soft[1:] - soft[:-1]
    steps, texture = [], []
    for top, left, bottom, far in courses.boxes(*gray.shape[1:]):
        tile = np.s_[:, top:bottom, left:far]
        y, x, t = (part[tile].reshape(len(change), -1) for part in (down, right, change))
        yy, xx, xy = (y * y).mean(1) + 0.1, (x * x).mean(1) + 0.1, (x * y).mean(1)
        yt, xt = (y * t).mean(1), (x * t).mean(1)
        bottoms = yy * xx - xy * xy
        steps.append(np.stack((xy * xt - xx * yt, xy * yt - yy * xt), -1) / bottoms[:, None])
        texture.append(np.minimum(yy, xx).mean())
    return np.stack(steps, 1), np.array(texture)
