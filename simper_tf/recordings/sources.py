"""Anybody's recordings, opened: videos, pictures, arrays and series, as frames with their own times."""

import math
import pathlib
from collections.abc import Sequence

import cv2
import numpy as np

from simper_tf.recordings import pictures, video
from simper_tf.recordings.source_contract import Info, Source
from simper_tf.tables import series_files
from simper_tf.utils import endings, raw_files
from simper_tf.utils.errors import NoRecordingError, RawDataError, UnreadableError

# Steps of a series from one sample to the next where a single one is lost, with some jitter.
_ONE_LOST = 2.5

# What makes levels from 0 to 255 of frames of integers; floats are from 0 to 1.
_SCALES = {np.dtype(np.uint8): 1.0, np.dtype(np.uint16): 1 / 257}

# Highest level of uint16 frames below which fewer than 32 levels of 255 are left of them.
_DARK = 2**13

_TIFF = b"II*\0", b"MM\0*"
_Y4M = b"YUV4MPEG2"  # Frames as they are, behind a line of words.


class Video(Source):
    """A video file in any container and codec that FFmpeg reads; see `video`.

    Args:
        path: The file.
        rate, is_fallback: As of `video.probe`.
    """

    def __init__(self, path, rate: float | None = None, is_fallback: bool = False):
        super().__init__(str(path))
        self._path, self._settings = path, {"rate": rate, "is_fallback": is_fallback}

    def info(self):
        header = video.probe(self._path, **self._settings)
        self.notes = tuple(header.notes)
        gap = max(video.LONGEST_GAP, 2 / header.rate)
        step = video.longest_step(header)
        return Info(header.rate, header.seconds, header.height, header.width, header.bits, gap, step, header.keys)

    def frames(self, start, end, shape, box):
        damage, notes = video.Damage(), video.probe(self._path, **self._settings).notes
        yield from video.decoded(self._path, start, end, shape, box, **self._settings, damage=damage)
        self.notes = (*notes, *damage.notes())


class Images(Source):
    """Pictures, or pages of TIFF files, one after another at a rate; pages of WebP and PNG files have their own times.

    Frames come out as uint8 RGB, or as float32 gray: of 16 bits over 257, floats times 255.

    Args:
        name: As it is printed.
        paths: The files, in order.
        rate: Frames per second; None for those of an animated file.
    """

    def __init__(self, name, paths: Sequence[pathlib.Path], rate):
        super().__init__(str(name))
        self._paths, self._rate, self._headers, self._edges = list(paths), rate, None, None

    def info(self):
        self._headers = self._headers or pictures.headers(self._paths)
        width, height = self._headers[0][:2]
        for path, header in zip(self._paths, self._headers, strict=True):
            if header[:2] != (width, height):
                found, expected = f"{header.width} x {header.height} pixels", f"{width} x {height}, as of the first"
                raise RawDataError(path, found, expected, "Leave it out, or read it by itself.")
        count = sum(header.pages for header in self._headers)
        if count < 2:
            raise RawDataError(self.name, "a single picture", "a recording", "Name a folder of pictures, or a video.")
        if self._edges is None:
            self._edges = self._starts(count)
        rate = count / self._edges[-1]
        return Info(rate, self._edges[-1], height, width, longest_gap=2 * np.diff(self._edges).max())

    def _starts(self, count):
        """Returns the second of each picture, and the end of the last."""
        if self._rate is None and len(self._paths) == 1 and self._headers[0].format in pictures.ANIMATED:
            shown = pictures.durations(self._paths[0])
            if min(shown) > 0:
                return np.append(0.0, np.cumsum(shown))
        _check_rate(self.name, self._rate)
        return np.arange(count + 1) / self._rate

    def frames(self, start, end, shape, box):
        self.info()
        first, last = np.searchsorted(self._edges[:-1], [start - 1e-9, end - 1e-9])
        for number, picture in pictures.frames(self._paths, int(first), int(last), shape, box):
            yield float(self._edges[number]), picture


class Frames(Source):
    """A `.npy` file of frames, `(T, H, W)` or `(T, H, W, C)`, C 1 or 3, that is not loaded as a whole.

    Frames come out as float32: uint8 as they are, floats times 255, uint16 over 257.

    Args:
        path: The file.
        rate: Frames per second.
    """

    def __init__(self, path, rate):
        super().__init__(str(path))
        self._path, self._rate, self._needed_by = path, rate, ""

    def info(self):
        _check_rate(self._path, self._rate)
        count, height, width = self._checked().shape[:3]
        raw_files.refuse_huge(self._path, height, width, "Make the frames smaller.")
        return Info(self._rate, count / self._rate, height, width, longest_gap=2 / self._rate)

    def require_pictures(self, what, twice=False):
        self._needed_by = what
        array = self._checked()
        if not (array.dtype.kind == "f" or array.dtype in _SCALES):
            raise self._unknown(f"frames of {array.dtype}")
        if array.dtype == np.uint16 and (highest := max(int(frame.max()) for frame in array)) < _DARK:
            raise RawDataError(
                self._path, f"uint16 frames up to {highest}, of 65535, as of a camera of 10 or 12 bits",
                "levels up to 65535: of these, 8 bits would keep few", "Save them as floats, such as frames / 4095.",
            )  # fmt: skip

    def frames(self, start, end, shape, box):
        array = self._checked()
        left, top, width, height = box or (0, 0, array.shape[2], array.shape[1])
        scale = 255.0 if array.dtype.kind in "fb" else _SCALES.get(array.dtype, 1.0)
        for number, frame in enumerate(array):
            if start <= number / self._rate < end:
                part = np.float32(scale) * frame[top : top + height, left : left + width].astype(np.float32)
                if not np.isfinite(part).all():
                    raise RawDataError(self._path, f"a frame {number} that is not finite", "numbers", "Leave it out.")
                if self._needed_by and not -0.5 <= part.min() <= part.max() <= 255.5:
                    raise self._unknown(f"floats from {part.min() / scale:.4g} to {part.max() / scale:.4g}")
                small = cv2.resize(part, shape[::-1], interpolation=cv2.INTER_AREA)
                yield number / self._rate, small.reshape(*shape, -1)

    def _checked(self):
        """Returns the array, unless its last axis is none of colors: each of another number would be a guess."""
        array = self._array()
        if array.ndim == 4 and array.shape[-1] not in (1, 3):
            action = "Save the one, or the three, that are to be looked at: np.save(..., frames[..., :3])."
            if array.shape[1] in (1, 3):
                action = "Save them with the channels last: np.save(..., np.moveaxis(frames, 1, -1))."
            raise RawDataError(self._path, f"frames of shape {array.shape}", "(T, H, W, C), C 1 or 3", action)
        return array

    def _array(self):
        return _array_file(self._path)

    def _unknown(self, found):
        expected = f"uint8, uint16, or floats from 0 to 1 for {self._needed_by}"
        return RawDataError(self._path, found, expected, f"Save them so, or leave {self._needed_by} out.")


class Series(Source):
    """Numbers over time, of one or more channels, as frames of one pixel.

    Args:
        path: A file with one of `endings.SERIES`.
        rate, is_fallback, time, columns, member: As of `series_files.series_of`.
    """

    has_pictures = False

    def __init__(self, path, rate=None, is_fallback=False, time="", columns=(), member=""):
        super().__init__(f"{path}/{member}" if member else str(path))
        self._path, self._wishes, self._read = path, (rate, is_fallback, time, columns, member), None
        self._span, self._seconds = (0.0, math.inf), math.nan

    def only(self, start, end):
        if (start, end) != self._span:
            self._span, self._read = (start, end), None

    def info(self):
        times, _ = self._samples()
        if len(times) < 3:
            is_part = self._span != (0.0, math.inf)
            action = "Change `start` and `end`, or leave them out." if is_part else "Record for longer."
            found = f"{len(times)} samples{' of the part' * is_part}"
            raise RawDataError(self._path, found, "three or more", action)
        step = series_files.usual_step(times)  # The mean would count holes.
        return Info(1 / step, self._seconds, 1, 1, longest_gap=_ONE_LOST * step)

    def frames(self, start, end, shape, box):
        for moment, value in zip(*self._samples(), strict=True):
            if start <= moment < end:
                yield float(moment), value.reshape(1, 1, -1)

    def part(self, start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Returns `(N,)` seconds and `(N, C)` values of the samples at `start <= seconds < end`, as they were taken."""
        times, values = self._samples()
        inside = slice(*np.searchsorted(times, (start, end)))
        return times[inside], values[inside]

    def channels(self) -> int:
        """Returns how many there are; raises what `info` does."""
        return self._samples()[1].shape[1]

    def longest_hole(self) -> float:
        """Returns the most seconds from one sample that is a number to the next; raises what `info` does."""
        return float(np.max(np.diff(self._samples()[0])))

    def size(self):
        return sum(part.nbytes for part in self._read or ())

    def forget(self):
        self._read = None

    def _samples(self):
        if self._read is None:
            self._read = self._load()
        return self._read

    def _load(self):
        return self._known(series_files.series_of(self._path, *self._wishes, *self._span))

    def _known(self, recording):
        self.notes, self.names, self._seconds = recording.notes, recording.names, recording.seconds
        return recording.times, recording.values


def open_file(
    path: pathlib.Path, rate: float | None = None, is_fallback: bool = False, time="", columns=(), member=""
) -> Source:
    """Returns the source for a file, by what is in it rather than by its name.

    Args:
        path: The file.
        rate: Frames or samples per second; held against what the file says, as of slow motion and of wrong headers.
        is_fallback: Whether the rate is only for a file that does not say.
        time, columns, member: Of a series, as of `series_files.series_of`.

    Raises:
        RawDataError: it is no readable file, or empty.

    Example:
        >>> np.save("bar.npy", np.zeros((100, 8, 8), np.uint8))
        >>> open_file(pathlib.Path("bar.npy"), rate=25).info().seconds
        4.0
    """
    try:
        raw_files.refuse_unreadable(path, "a recording", "Name a file that can be read.")
    except RawDataError as error:
        if error.found == raw_files.MISSING:
            raise NoRecordingError(path, ": no such file.") from error
        raise
    if path.stat().st_size == 0:
        raise UnreadableError(path, "an empty file", "a recording", "Record or copy it again.")
    head, wishes = raw_files.head(path), (rate, is_fallback, time, columns, member)
    start = head[:12]
    if start.startswith(b"\x93NUMPY"):
        return Frames(path, rate) if _array_file(path).ndim > 2 else Series(path, *wishes)
    if start.startswith(_TIFF) or (start[:4] == b"RIFF" and start[8:] == b"WEBP"):
        return Images(path, [path], rate)
    is_sound = start[:4] in (b"RIFF", b"RIFX") and start[8:] == b"WAVE"
    if is_sound or start.startswith(endings.ARRAYS) or path.suffix.lower() in (*endings.SERIES, *endings.PACKED):
        return Series(path, *wishes)
    if path.suffix.lower() in endings.OTHERS:
        expected = "a video, or a table as CSV, XLSX, Parquet, WAV, EDF, MATLAB or NumPy file"
        raise RawDataError(path, f"a {path.suffix.lower()} file", expected, endings.OTHERS[path.suffix.lower()])
    if raw_files.is_text(head) and not start.startswith(_Y4M):
        if series_files.is_table(path):
            return Series(path, *wishes)
        raise NoRecordingError(path, raw_files.TEXT)
    return Video(path, rate, is_fallback)


def _array_file(path):
    from simper_tf.tables.formats import array_files  # With pandas, which takes a second to load.

    return array_files.ArrayFile(path)


def _check_rate(path, rate):
    if rate is None:
        expected, action = "a rate in frames per second", "Name it, such as `rate=30`."
        raise RawDataError(path, "frames without their rate", expected, action)
