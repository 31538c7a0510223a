"""Movement of the camera, taken out.

Each textured tile tells its own shift from frame to frame by least
squares on the gradients (Lucas and Kanade, 1981). Only where most tiles
agree was it the camera that moved. Small errors add up along the way, so
the path is mended by the shift of every frame against the median one.
"""

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np

from simper_tf.reading.films import courses, follow, magnitudes

# Mean square of the gradient, in gray levels per pixel, of a tile that can tell its shift.
TEXTURE = 9.0
# Tiles whose median step is believed whatever the path; fewer may tell a pan alone, see below.
FEWEST_TILES = 10
# Correlation with time of a path that fewer tiles may tell.
PAN = 0.95
# Share of the tiles' movement that must be common to them.
COMMON = 0.6
# Pixels by which a camera must move at all, and share of the picture by which it may.
LEAST, MOST = 0.3, 0.25
# Pixels over which a camera pans that brings other skin into view.
FAR = 2.0
# Rounds in which the path is mended, and the blur in pixels that hides how parts of a pixel are filled in.
ROUNDS, BLUR = 2, 0.7
Steps = tuple[np.ndarray, np.ndarray]  # Of `tile_steps`.
BLOCK = 64  # Frames whose shifts are told at once: with their gradients they stay in the cache of a core.

# Root mean square of edges that pass from pixel to pixel, at most, as share of that of the picture's second derivative.
EDGES = 0.1
# Root mean square in gray levels, half that of their rounding, below which nothing is told.
ROUNDED = 0.15


def steadied(gray: np.ndarray, steps: Steps | None = None) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Frames without the movement of the camera, and the shift of the scene by it; None if the camera stood.

    The shift is `(T, 2)` pixels down and right. Pixels that were out of view at times are 0 in all frames. There are
    no frames if the camera moved by more than a quarter of the picture.

    Args:
        gray: `(T, H, W, 1)` float32.
        steps: Of `tile_steps`, where they are known.
    """
    path = _path(gray[..., 0], steps)
    if path is None or np.ptp(path, axis=0).max() < LEAST:
        return gray, None
    if _is_too_far(path, gray):
        return None, path
    path = path - np.median(path, axis=0)
    for _ in range(ROUNDS):
        if (left := _left(_moved(gray, path))) is None:  # Nothing stays where it is: it was not the camera.
            return gray, None
        path = path + left
    steady = _moved(np.stack([_soft(frame, BLUR) for frame in gray]), path)
    return np.where(_always_seen(path, *gray.shape[1:3])[..., None], steady, 0), path


def pans(gray: np.ndarray) -> bool:
    """Whether the camera moves on and on, so that it shows other things in the end.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    path = _path(gray[..., 0])
    return path is not None and np.ptp(path, axis=0).max() >= FAR and _is_pan(path)


def faintest(steady: np.ndarray, is_steadied: bool) -> np.ndarray:
    """Mean square that pixels make of themselves in every tile, summed over it, `(tiles,)`.

    Gray levels are rounded. Under a camera that moves edges pass from pixel to pixel, as strong as they are bent.

    Args:
        steady: `(T, H, W, 1)` float32, without the movement of the camera.
        is_steadied: Whether there was any.
    """
    mean = steady[..., 0].mean(0)
    bends = sum(np.gradient(np.gradient(mean, axis=axis), axis=axis) ** 2 for axis in (0, 1))
    tiles = [bends[top:bottom, left:right] for top, left, bottom, right in courses.boxes(*mean.shape)]
    return np.array([tile.size * max(ROUNDED**2, EDGES**2 * tile.mean() * is_steadied) for tile in tiles])


def _always_seen(path: np.ndarray, height: int, width: int) -> np.ndarray:
    """Pixels that lie in the picture all along a path, `(H, W)` bool."""
    rows = np.arange(height)[:, None] + path[:, 0]
    columns = np.arange(width)[:, None] + path[:, 1]
    inside = [((at >= -0.5) & (at <= size - 0.5)).all(1) for at, size in ((rows, height), (columns, width))]
    return inside[0][:, None] & inside[1]


def _moved(gray: np.ndarray, path: np.ndarray) -> np.ndarray:
    """Frames shifted back along a path."""
    height, width = gray.shape[1:3]
    moved = [
        cv2.warpAffine(
            frame,
            np.array([[1, 0, right], [0, 1, down]]),
            (width, height),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        for frame, (down, right) in zip(gray, path, strict=True)
    ]
    return np.stack(moved)[..., None]


def _left(gray: np.ndarray) -> np.ndarray | None:
    """Shift of every frame against the median one, `(T, 2)`; None where no tile has a texture."""
    soft = np.stack([_soft(frame, 1.0) for frame in gray])
    shifts, texture = _shifts(soft, _soft(np.median(gray, axis=0), 1.0)[None])
    return np.median(shifts[:, texture > TEXTURE], axis=1) if (texture > TEXTURE).any() else None


def _soft(frame: np.ndarray, width: float) -> np.ndarray:
    """Frame blurred by a Gaussian of a pixel at most, `(H, W)`; seven taps take OpenCV half as long as nine."""
    return cv2.GaussianBlur(frame, (7, 7), width)


def _path(gray: np.ndarray, steps: Steps | None = None) -> np.ndarray | None:
    """Place of the camera at each frame, `(T, 2)` pixels down and right; None if tiles do not agree."""
    steps, texture = steps or tile_steps(gray)
    is_textured = texture > TEXTURE
    if not is_textured.any():
        return None
    steps = steps[:, is_textured]
    common = np.median(steps, axis=1)
    rest = steps - common[:, None]
    # Tiles in which something moves by itself may be a third of them.
    apart = np.quantile((rest**2).sum((0, 2)), 2 / 3)
    if (common**2).sum() < COMMON * ((common**2).sum() + apart):
        return None
    path = np.concatenate(([[0.0, 0.0]], np.cumsum(common, axis=0)))
    if is_textured.sum() >= FEWEST_TILES:
        return path
    return path if _is_pan(path) and not _is_too_far(path, gray) else None


def _is_too_far(path: np.ndarray, gray: np.ndarray) -> bool:
    """Whether a path leads over more of the picture than leaves something in view all along."""
    return bool((np.ptp(path, axis=0) > MOST * np.array(gray.shape[1:3])).any())


def _is_pan(path: np.ndarray) -> bool:
    """Whether a path leads on and on, which something that repeats in a few tiles does not."""
    far = path[:, np.ptp(path, axis=0).argmax()]
    return bool(np.ptp(far) >= LEAST and abs(np.corrcoef(far, np.arange(len(far)))[0, 1]) > PAN)


def tile_steps(gray: np.ndarray) -> Steps:
    """Shift of every tile from frame to frame, `(T - 1, tiles, 2)`, and its texture, `(tiles,)`."""
    soft = np.stack([_soft(frame, 1.0) for frame in gray])
    return _shifts(soft[1:], soft[:-1])


def tile_shifts(gray: np.ndarray, steps: Steps | None = None) -> np.ndarray:
    """Shift of every tile to each frame beside that of most tiles, `(T, tiles, 2)` float32, in gray levels it changes.

    So a camera that moves makes none, and a tile without texture, whose shift is noise, little.

    Args:
        gray: `(T, H, W, 1)` float32.
        steps: Of `tile_steps`, where they are known.
    """
    steps, texture = steps or tile_steps(gray[..., 0])
    if (is_textured := texture > TEXTURE).any():
        steps = steps - np.median(steps[:, is_textured], axis=1, keepdims=True)
    pixels = np.array([(bottom - top) * (far - left) for top, left, bottom, far in courses.boxes(*gray.shape[1:3])])
    levels = steps * np.sqrt(texture * pixels)[:, None]
    return np.concatenate((levels[:1], levels)).astype(np.float32)


def _shifts(frames: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shift of every tile of frames against others, `(T, tiles, 2)` down and right, and its texture, `(tiles,)`.

    The others are as many, or one.
    """
    blocks = [slice(first, first + BLOCK) for first in range(0, len(frames), BLOCK)]
    parts = [_shifts_of(frames[block], others[block] if len(others) > 1 else others) for block in blocks]
    shifts, texture = (np.concatenate(part) for part in zip(*parts, strict=True))
    return shifts, texture.mean(0)


def _shifts_of(frames: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shift of every tile, `(T, tiles, 2)`, and its texture in each frame, `(T, tiles)`."""
    y, x = np.gradient((frames + others) / 2, axis=(1, 2))
    t = frames - others
    yy, xx, xy, yt, xt = (_tile_means(first * second) for first, second in ((y, y), (x, x), (x, y), (y, t), (x, t)))
    yy, xx = yy + 0.1, xx + 0.1
    shifts = np.stack((xy * xt - xx * yt, xy * yt - yy * xt), -1) / (yy * xx - xy * xy)[..., None]
    return shifts, np.minimum(yy, xx)


def _tile_means(values: np.ndarray) -> np.ndarray:
    """Mean over every tile, `(T, tiles)`."""
    rows, columns = (courses.edges(side) for side in values.shape[1:])
    high, wide = np.diff(rows), np.diff(columns)
    # A product sums along a row in a third of the time of NumPy's sums.
    across = values.reshape(-1, columns[-1]) @ np.repeat(np.diag(1 / wide), wide, axis=0).astype(np.float32)
    across = across.reshape(len(values), rows[-1], -1)
    return (np.add.reduceat(across, rows[:-1], axis=1) / high[:, None]).reshape(len(values), -1)


class Look(NamedTuple):
    """A way to look at a stretch.

    Attributes:
        steady: Frames without what is taken out of them.
        seen: What of them is read: the frames, magnitudes of their transform, or the shifts of tiles.
        heard: Frames that the network is asked about.
        is_steadied: Whether the camera moved, and its movement was taken out.
        of_magnitudes: Whether magnitudes are read.
        of_shifts: Whether the shifts of tiles are read.
        fastest: Cycles per frame that are read at most of what goes through the picture and is followed; else None.
    """

    steady: np.ndarray
    seen: np.ndarray
    heard: np.ndarray
    is_steadied: bool = False
    of_magnitudes: bool = False
    of_shifts: bool = False
    fastest: float | None = None

    @property
    def is_in_place(self) -> bool:
        """Whether the whole picture is read, by its pixels or their magnitudes."""
        return not (self.of_shifts or self.fastest is not None)

    def scores(self) -> np.ndarray:
        """Returns what runs are looked for in, `(T, tiles, K)` float32."""
        return self.seen if self.of_shifts else courses.tile_scores(self.seen)


def looks(gray: np.ndarray) -> Iterator[Look]:
    """Yields ways to look at frames, the plainest first.

    Pixels show most. Where they do not, the picture may stand elsewhere in every frame, or hold
    something that goes through it. Where nothing of this repeats either, the way does that its parts move: a thin line
    or the spoke of a wheel passes a pixel too fast to be seen there again, and a camera that goes along shows all of
    it elsewhere.

    Args:
        gray: `(T, H, W, 1)` float32.
    """
    steps = tile_steps(gray[..., 0])
    steady, path = steadied(gray, steps)
    # Of a hand that shakes the network is surer without it. Of a pan edges that pass from pixel to pixel would be left.
    heard = gray if steady is None or path is None or _is_pan(path) else steady
    if steady is not None:
        yield Look(steady, steady, heard, path is not None)
        yield Look(steady, magnitudes.of(gray), heard, of_magnitudes=True)
        if (view := follow.followed(gray)) is not None:  # In the whole picture the network sees little of it.
            yield Look(gray, view.crops, view.crops, fastest=view.fastest)
    yield Look(gray, tile_shifts(gray, steps), heard, of_shifts=True)
