"""Samples of a wav file, of any width, that stay on disk until they are looked at.

Format: Microsoft and IBM, Multimedia Programming Interface and Data Specifications, chunks `fmt ` and `data`; other
chunks are passed over.
"""

import os
import struct
from typing import NamedTuple

import numpy as np

from simper_tf.recordings.errors import RawDataError

_INTEGERS, _FLOATS, _EXTENSIBLE = 1, 3, 0xFFFE
# Kind and bits of a sample -> how NumPy sees it; 24 bits are three bytes.
_KINDS = {(_INTEGERS, 8): "u1", (_INTEGERS, 16): "i2", (_INTEGERS, 24): "u1", (_INTEGERS, 32): "i4",
          (_FLOATS, 32): "f4", (_FLOATS, 64): "f8"}  # fmt: skip
_MOST_CHUNKS, _MOST_RATE = 1000, 10**6


class Wav(NamedTuple):
    """The samples of a wav file.

    Attributes:
        rate: Samples a second.
        raw: `(T, C)` as they are stored, or `(T, C, 3)` bytes of 24 bits, a map of the file.
        big: Whether the first byte of a sample is the highest.
    """

    rate: int
    raw: np.ndarray
    big: bool

    def __len__(self):
        return len(self.raw)

    def values(self, start: int = 0, end: int | None = None) -> np.ndarray:
        """Returns `(T, C)` float64 samples from one number to another, 0 in silence; integers are not scaled."""
        part = np.asarray(self.raw[start:end])
        if part.ndim == 3:
            parts = part.astype(np.int32)
            low, middle, high = (parts[..., k] for k in ((2, 1, 0) if self.big else (0, 1, 2)))
            return (low + (middle << 8) + ((high ^ 0x80) - 0x80 << 16)).astype(np.float64)
        return part.astype(np.float64) - (128.0 if part.dtype == np.uint8 else 0.0)


def read(path) -> Wav:
    """Returns the samples of a wav file.

    Raises:
        RawDataError: it is none, damaged, cut off, contradicts itself, or is compressed.
    """
    with path.open("rb") as file:
        start = file.read(12)
        big = start[:4] == b"RIFX"
        if start[:4] not in (b"RIFF", b"RIFX") or start[8:] != b"WAVE":
            raise _damaged(path, "no wav file")
        order = ">" if big else "<"
        size, about = os.fstat(file.fileno()).st_size, None
        for name, length in _chunks(file, order, size):
            if name == b"fmt ":
                about = _format(path, file.read(min(length, 40)), order)
            elif name == b"data" and about:
                return _samples(path, file.tell(), length, size, about, big)
    raise _damaged(path, "no samples" if about else "no header")


def _chunks(file, order, size):
    """Yields name and length of each chunk, with the file at what is in it."""
    place = 12
    for _ in range(_MOST_CHUNKS):
        if place + 8 > size:
            return
        file.seek(place)
        name, length = struct.unpack(f"{order}4sI", file.read(8))
        yield name, length
        place += 8 + length + length % 2


def _format(path, content, order):
    """Returns rate, channels, bits and kind of the samples, once they agree with one another."""
    if len(content) < 16:
        raise _damaged(path, f"a header of {len(content)} bytes")
    kind, channels, rate, speed, align, bits = struct.unpack_from(f"{order}HHIIHH", content)
    if kind == _EXTENSIBLE and len(content) >= 26:
        (kind,) = struct.unpack_from(f"{order}H", content, 24)
    if (kind, bits) not in _KINDS:
        found = f"samples of the format {kind:#x} with {bits} bits"
        expected = "whole numbers of 8, 16, 24 or 32 bits, or floats of 32 or 64"
        raise RawDataError(path, found, expected, "Save it again as PCM, which is not compressed.")
    # Bytes a second are needed for nothing but to tell a wrong rate, where they name one.
    other = bool(align and speed % align == 0 and speed not in (0, rate * align))
    if other or not channels or align != channels * bits // 8 or not 0 < rate <= _MOST_RATE:
        said = f"{channels} channels of {bits} bits, {align} bytes at once, {rate} times and {speed} bytes a second"
        raise _damaged(path, f"its header contradicts itself: {said}")
    return rate, channels, bits, kind


def _samples(path, place, length, size, about, big):
    rate, channels, bits, kind = about
    width = channels * bits // 8
    if place + length > size or not length or length % width:
        raise _damaged(path, f"{size - place} bytes of samples where its header states {length}")
    shape = (length // width, channels, 3) if bits == 24 else (length // width, channels)
    form = np.dtype(_KINDS[kind, bits]).newbyteorder(">" if big else "<")
    return Wav(rate, np.memmap(path, form, "r", place, shape), big)


def _damaged(path, found):
    return RawDataError(path, f"a damaged wav file ({found})", "a whole one", "Save it again.")
