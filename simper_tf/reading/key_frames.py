"""What compression alone makes repeat: pictures stored whole every so often, and little but repairs between them.

Each whole picture is a little off in its own way from those before it, so that of a still scene nothing is left but a
step at each, with a period that the file was told and that nobody filmed. Where pictures before a whole one refer to it
(open groups of pictures), the change is spread over them and their repairs, and such a file is not recognized.
"""

import bisect
import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from simper_tf.reading.scores import HARMONICS, SURE, Reading
from simper_tf.recordings.sources import Info
from simper_tf.recordings.windows import Window

# How much more the frames of a window change where whole pictures come than elsewhere: what moves by itself changes as
# much between them.
_MORE = 4
# Share of a step of the file by which times that are rounded overlap what they only touch.
_TOUCH = 0.1
# Levels, of 255, by which compression changes small frames of what is still, the root of the mean square: less than one
# in all files tried.
_FAINT = 1.0
# Of one over the seconds of a window, by which a reading is at most off from what repeats exactly.
_OFF = 0.1


def without(found: Sequence[Reading], window: Window, info: Info) -> list[Reading]:
    """Returns readings, of a score of 0 where they are of the whole pictures of a file and not of what it shows.

    Args:
        found: The readings of a window.
        window: Its frames, `(T, H, W, C)`.
        info: Of the recording.
    """
    if len(info.keys) < 3 or not any(each.score >= SURE for each in found):
        return list(found)
    multiples = np.arange(1, HARMONICS + 1) / spacing(info.keys)
    are_keys = [
        each.score >= SURE and bool(np.any(np.abs(multiples - each.frequency) < _OFF / window.seconds))
        for each in found
    ]  # fmt: skip
    if not any(are_keys) or not _are_seen(window, info.keys, 1 / info.rate):
        return list(found)
    return [
        dataclasses.replace(each, score=0.0, is_stored=True) if is_key else each
        for each, is_key in zip(found, are_keys, strict=True)
    ]


def spacing(keys: Sequence[float]) -> float:
    """Returns the seconds from one whole picture to the next, the median; NaN of fewer than three."""
    return float(np.median(np.diff(keys))) if len(keys) > 2 else math.nan


def _are_seen(window, keys, step):
    """Returns whether a window changes little, and most of that where whole pictures come.

    Args:
        window: Its frames.
        keys: Seconds of whole pictures, rising.
        step: Seconds from one frame of the file to the next.
    """
    frames = window.frames.reshape(len(window.frames), -1).astype(np.float32)
    if np.square(frames - frames.mean(axis=0)).mean() > _FAINT**2:
        return False
    change = np.square(np.diff(frames, axis=0)).sum(axis=1)
    # A whole picture comes a step of the file after the frame before it, in one step of the window or in several.
    begins = window.start + np.arange(len(change)) / window.rate
    near = slice(bisect.bisect_left(keys, begins[0]), bisect.bisect_right(keys, begins[-1] + 1 / window.rate + step))
    comes = np.asarray(keys[near])[:, np.newaxis]
    shared = np.minimum(begins + 1 / window.rate, comes) - np.maximum(begins, comes - step)
    is_at = (shared > _TOUCH * step).any(axis=0)
    return bool(is_at.any() and not is_at.all() and change[is_at].mean() > _MORE * change[~is_at].mean())
