"""Videos of photographs that repeat a movement at a known frequency."""

import cv2
import numpy as np
from sklearn.datasets import load_sample_image

from datasets.countix import standin


def swinging(path, frequency, number, rate, seconds=30.0, size=(160, 120)):
    """Writes an mp4 file of a part of a photograph that swings by 15 degrees to either side, as a pendulum.

    Args:
        path: Where.
        frequency: Swings per second, Hz.
        number: Chooses the photograph, its part and the phase.
        rate: Frames per second of the file.
        seconds: Length.
        size: `(width, height)` in pixels.
    """
    picture = load_sample_image(("china.jpg", "flower.jpg")[number % 2])[40 * number :, 40 * number :][:240, :320]
    height, width = picture.shape[:2]
    times = np.arange(round(seconds * rate)) / rate

    def frame(time):
        angle = 15 * np.sin(2 * np.pi * frequency * time + number)
        turn = cv2.getRotationMatrix2D((width / 2, height / 6), angle, 1.0)
        turned = cv2.warpAffine(picture, turn, (width, height), borderMode=cv2.BORDER_REFLECT)
        return cv2.resize(turned, size, interpolation=cv2.INTER_AREA)

    standin.encode(path, map(frame, times), times)
