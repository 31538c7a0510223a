"""Recordings in noise, behind things or of low contrast, in which `pixels` errs at times, without compression."""

import pathlib

import cv2
import numpy as np
from sklearn.datasets import load_sample_image

from benchmarks.made_recordings import smooth
from benchmarks.scored import Made

KINDS = ("two-part", "occluded", "low-contrast")
RATE, SECONDS, SIZE = 24.0, 18.0, (120, 160)
BAND = (0.5, 2.5)  # Hz.
_NOISE = {"two-part": 60.0, "occluded": 40.0, "low-contrast": 8.0}  # Gray levels.
_CONTRAST = 0.01  # Of what has little of it.


def make(path: pathlib.Path, kind: str, number: int) -> Made:
    """Writes a recording, all of which follows from its kind and number.

    Args:
        path: Where.
        kind: One of `KINDS`: a movement up and then to the side in front of another photograph, while somebody walks
            by; a swing that a post hides in part, and so does somebody who walks by; a swing of little contrast.
        number: Which.
    """
    random = np.random.default_rng([11, KINDS.index(kind), number])
    times = np.arange(round(SECONDS * RATE)) / RATE
    hertz = np.exp(random.uniform(*np.log(BAND)))
    drift = random.uniform(-0.1, 0.1)
    turns = random.uniform() + hertz * (times + drift * (times**2 / (2 * times[-1]) - times / 2))
    front, back = [_part(random, name) for name in ("china.jpg", "flower.jpg")]
    height, width = SIZE
    mask = np.zeros(SIZE, np.float32)
    cv2.ellipse(mask, (width // 2, height // 2), (width // 4, height // 4), 0, 0, 360, 1.0, -1)
    shake = smooth(random, (len(times), 2), 1 / RATE, 0.3) * random.choice([0.0, 0.7])
    walker = 0.8 * width * smooth(random, (len(times), 1), 1 / RATE, 2.0)[:, 0]
    frames = []
    for turn, offset, place in zip(turns, shake, walker, strict=True):
        matrix = _matrix(kind, 2 * np.pi * turn)
        picture = cv2.warpAffine(front, matrix, SIZE[::-1], borderMode=cv2.BORDER_REFLECT)
        share = cv2.warpAffine(mask, matrix, SIZE[::-1])[..., None]
        picture = share * picture + (1 - share) * back
        if kind == "low-contrast":
            picture = 128 + _CONTRAST * (picture - 128)
        if kind == "occluded":
            picture[:, round(0.4 * width) : round(0.6 * width)] = 60
        if kind != "low-contrast":
            _walk_by(picture, width / 2 + place)
        picture = cv2.warpAffine(picture, np.float32([[1, 0, offset[0]], [0, 1, offset[1]]]), SIZE[::-1],
                                 borderMode=cv2.BORDER_REFLECT)  # fmt: skip
        picture = picture + _NOISE[kind] * random.standard_normal(picture.shape, np.float32)
        frames.append(np.clip(np.round(picture), 0, 255).astype(np.uint8))
    np.save(path, np.stack(frames))
    return Made(path, times, turns)


def _matrix(kind, phase):
    if kind == "two-part":
        return np.float32([[1, 0, 8 * max(-np.sin(phase), 0)], [0, 1, -10 * max(np.sin(phase), 0)]])
    return cv2.getRotationMatrix2D((SIZE[1] / 2, SIZE[0] / 6), 8 * np.sin(phase), 1.0)


def _walk_by(picture, place):
    """Puts somebody in front of a picture."""
    width = SIZE[1]
    left = int(np.clip(place - 0.15 * width, 0, width))
    picture[:, left : int(np.clip(place + 0.15 * width, 0, width))] = 110


def _part(random, name):
    picture = cv2.resize(load_sample_image(name), None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    top, left = [random.integers(0, size + 1) for size in np.subtract(picture.shape[:2], SIZE)]
    return picture[top : top + SIZE[0], left : left + SIZE[1]].astype(np.float32)
