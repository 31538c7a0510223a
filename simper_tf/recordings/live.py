"""A camera, as a source of frames with the times at which they came."""

import time

import cv2
import numpy as np

from simper_tf.recordings import video
from simper_tf.recordings.source_contract import Info, Source
from simper_tf.utils import quiet
from simper_tf.utils.errors import RawDataError


class Camera(Source):
    """A camera, by its number; it is recorded until the end that is asked for, or until it ends by itself."""

    is_live = True

    def __init__(self, number: int):
        super().__init__(f"camera {number}")
        self._number = number

    def info(self):
        with_times = [moment for moment, _ in zip(self._raw(), range(15), strict=False)]
        if len(with_times) < 2:
            raise RawDataError(self.name, "no picture", "a camera that sends pictures", "Name another number.")
        (first, _), (last, frame) = with_times[0], with_times[-1]
        rate = min((len(with_times) - 1) / max(last - first, 1e-3), video.MAX_RATE)
        return Info(rate, np.inf, *frame.shape[:2])

    def frames(self, start, end, shape, box):
        for moment, frame in self._raw():
            if moment >= end:
                return
            if moment >= start:
                left, top, width, height = box or (0, 0, frame.shape[1], frame.shape[0])
                part = frame[top : top + height, left : left + width]
                small = cv2.resize(part, shape[::-1], interpolation=cv2.INTER_AREA)
                yield moment, cv2.cvtColor(small, cv2.COLOR_BGR2RGB)

    def _raw(self):
        """Yields seconds since the first picture, by the clock of this machine, and BGR pictures."""
        with quiet.quietly():  # OpenCV complains in lines of its own.
            capture = cv2.VideoCapture(self._number)
        try:
            if not capture.isOpened():
                raise RawDataError(self.name, "none", "a camera of this number", "Plug one in, or name a file.")
            began = None
            while True:
                there, frame = capture.read()
                now = time.monotonic()
                began = now if began is None else began
                if not there:
                    return
                yield now - began, frame
        finally:
            capture.release()
