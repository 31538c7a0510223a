"""Sample recording: somebody does nine jumping jacks, no two alike, with a rest after the fifth.

python -m docs.sample
"""

import itertools
import math
import pathlib
from collections.abc import Iterator

import cv2
import numpy as np

from simper_tf.commands import mp4
from simper_tf.commands.sample import PATH

# Seconds of each repetition, before and after the rest, and of standing at the start, in the rest and at the end.
BEFORE, AFTER = (1.45, 1.3, 1.6, 1.25, 1.5), (1.7, 1.4, 1.8, 1.55)
START, REST, END = 0.3, 3.5, 0.5
RATE = 25  # Frames per second.
_HEIGHT, _WIDTH = 240, 320
_FINER = 3  # Pixels a side of which one is averaged, so that edges are smooth.
_FLOOR, _MIDDLE = 214, 160  # Row on which the feet stand, and column of the body.
_SKIN, _SHIRT, _TROUSERS, _SHOES = (224, 172, 140), (0, 114, 178), (52, 60, 78), (213, 94, 0)


def repetitions() -> list[tuple[float, float]]:
    """Returns start and end in seconds of each repetition."""
    second = START + sum(BEFORE) + REST
    edges = [*itertools.accumulate(BEFORE, initial=START)], [*itertools.accumulate(AFTER, initial=second)]
    return [pair for part in edges for pair in itertools.pairwise(part)]


def frames() -> Iterator[tuple[float, np.ndarray]]:
    """Yields second and `(240, 320, 3)` uint8 RGB picture of each frame."""
    room, spans = _room(), repetitions()
    for number in range(round(RATE * (spans[-1][1] + END))):
        moment = number / RATE
        running = [(moment - start) / (end - start) for start, end in spans if start <= moment < end]
        picture = room.copy()
        _person(picture, math.sin(math.pi * running[0]) ** 2 if running else 0.0)
        yield moment, cv2.resize(picture, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA)


def write(path: pathlib.Path = PATH):
    """Writes the recording."""
    with mp4.Writer(path, _HEIGHT, _WIDTH) as out:
        for moment, picture in frames():
            out.add(moment, picture)


def _room():
    """Returns a wall with a window and a floor."""
    rows = np.linspace(0, 1, _FINER * _HEIGHT)[:, None, None]
    room = np.ascontiguousarray(np.broadcast_to(np.uint8((232, 226, 214) - 26 * rows), (len(rows), _FINER * _WIDTH, 3)))
    _box(room, (0, 196), (_WIDTH, _HEIGHT), (176, 148, 116))
    _box(room, (0, 193), (_WIDTH, 196), (245, 243, 238))
    _box(room, (18, 34), (82, 116), (245, 243, 238))
    for left, top in itertools.product((22, 52), (38, 77)):
        _box(room, (left, top), (left + 26, top + 35), (168, 204, 228))
    return room


def _person(picture, opened):
    """Draws somebody from the front, arms and legs closed (0) to wide open (1)."""
    leg, arm = math.radians(5 + 21 * opened), math.radians(14 + 148 * opened)
    hip = _FLOOR - 78 * math.cos(leg)
    _ellipse(picture, (_MIDDLE, _FLOOR + 4), (26 + 22 * opened, 5), (150, 124, 96))
    for side in (-1, 1):
        foot = (_MIDDLE + side * (7 + 78 * math.sin(leg)), _FLOOR - 2)
        shoulder, elbow = (_MIDDLE + side * 17, hip - 50), 27.0
        middle = (shoulder[0] + side * elbow * math.sin(arm), shoulder[1] + elbow * math.cos(arm))
        hand = (middle[0] + side * 25 * math.sin(1.06 * arm), middle[1] + 25 * math.cos(1.06 * arm))
        _line(picture, (_MIDDLE + side * 7, hip), foot, 13, _TROUSERS)
        _line(picture, foot, (foot[0] + side * 6, foot[1] + 1), 8, _SHOES)
        _line(picture, middle, hand, 8, _SKIN)
        _line(picture, shoulder, middle, 10, _SHIRT)
    for column in range(-10, 11, 5):
        _line(picture, (_MIDDLE + column, hip - 46), (_MIDDLE + 0.7 * column, hip), 16, _SHIRT)
    _line(picture, (_MIDDLE, hip - 58), (_MIDDLE, hip - 64), 9, _SKIN)
    _ellipse(picture, (_MIDDLE, hip - 75), (11, 14), _SKIN)
    _ellipse(picture, (_MIDDLE, hip - 84), (12, 7), (74, 52, 40))


def _line(picture, start, end, width, color):
    cv2.line(picture, _at(start), _at(end), color, round(_FINER * width), cv2.LINE_AA)


def _ellipse(picture, center, sizes, color):
    cv2.ellipse(picture, _at(center), _at(sizes), 0, 0, 360, color, -1, cv2.LINE_AA)


def _box(picture, start, end, color):
    cv2.rectangle(picture, _at(start), tuple(edge - 1 for edge in _at(end)), color, -1)


def _at(place):
    return tuple(round(_FINER * value) for value in place)


if __name__ == "__main__":
    write()
