"""Public films for the reader: which they are, and small gray copies of them.

The list is `films.csv`; the footage itself is fetched by whoever trains.
"""

import csv
import pathlib
from typing import NamedTuple

import numpy as np

from simper_tf.recordings.video import decoded
from simper_tf.signals.rhythm_form import SIDE
from simper_tf.utils.errors import RawDataError

LIST = pathlib.Path(__file__).with_name("films.csv")
# Seconds that are learned of a film, and that are read; and the most frames of a second.
LEARNED, LONGEST, MOST_FRAMES = 30.0, 60.0, 31.5
# Films that hold less than this are left out: seconds, frames, and gray levels by which a pixel changes.
SHORTEST, FEWEST, STILL = 1.5, 24, 0.3


class Film(NamedTuple):
    """A film of the list."""

    repository: str
    commit: str
    path: str
    license: str


def listed(path=LIST) -> list[Film]:
    """Returns the films of a list, a CSV file with a column for each field of `Film`."""
    with pathlib.Path(path).open(newline="") as file:
        return [Film(**row) for row in csv.DictReader(file)]


def raw_path(folder, film: Film) -> pathlib.Path:
    """Returns where a film is expected: `owner+name/path` in the folder."""
    return pathlib.Path(folder) / film.repository.replace("/", "+") / film.path


def small_frames(path, longest: float = LONGEST) -> tuple[np.ndarray, np.ndarray]:
    """Returns `(n,)` seconds and `(n, 32, 32)` uint8 gray frames of a film.

    Args:
        path: A video file.
        longest: Seconds from its beginning that are taken.

    Raises:
        RawDataError: it is no video that can be read.
    """
    times, frames = [], []
    for time, frame in decoded(path, 0.0, longest, (SIDE, SIDE)):
        if not times or time - times[-1] >= 1 / MOST_FRAMES:
            times.append(time)
            frames.append(np.rint(frame.mean(-1)).astype(np.uint8))
    return np.array(times), np.stack(frames)


def small(path) -> tuple[np.ndarray, float] | None:
    """Returns `(n, 32, 32)` uint8 gray frames of a film and frames per second; None where it is unfit.

    Args:
        path: A video file.
    """
    try:
        times, frames = small_frames(path, LEARNED)
    except RawDataError:
        return None
    if len(times) < FEWEST or times[-1] - times[0] < SHORTEST:
        return None
    changes = np.abs(np.diff(np.float32(frames[:: max(1, len(frames) // 60)]), axis=0))
    return (frames, (len(times) - 1) / (times[-1] - times[0])) if changes.mean() >= STILL else None


def few(frames: np.ndarray) -> np.ndarray:
    """Returns the eight of `(n, H, W)` frames by which a film is compared."""
    return frames[np.linspace(0, len(frames) - 1, 8).astype(int)]


def signature(frames: np.ndarray) -> np.ndarray:
    """Returns `few` frames of a film, each of mean 0 and length 1: products of two are correlations."""
    chosen = few(frames).reshape(8, -1).astype(np.float32)
    chosen -= chosen.mean(1, keepdims=True)
    return chosen / (np.linalg.norm(chosen, axis=1, keepdims=True) + 1e-6)


def alike(first: np.ndarray, second: np.ndarray) -> float:
    """Returns the highest correlation of any frame of two films, by their `signature`: 1 for the same picture."""
    return float((first @ second.T).max())


def found(folder) -> list[Film]:
    """Returns the films of the list that are in a folder, see `raw_path`.

    Raises:
        ValueError: none is there.
    """
    there = [film for film in listed() if raw_path(folder, film).is_file()]
    if not there:
        raise ValueError(f"{folder} holds none of the films of {LIST.name}, at owner+name/path. Fetch them first.")
    return there
