"""Pictures of PNG, JPEG, TIFF, BMP and WebP files, and pages of TIFF stacks, decoded in the worker by Pillow.

Headers are looked at first: a file of half a megabyte can state a picture of a gigapixel.
"""

import contextlib
import pathlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from simper_tf.utils import raw_files, worker
from simper_tf.utils.errors import RawDataError

STACKS = (".tif", ".tiff", ".webp")  # Of which one file can hold many.
ANIMATED = ("PNG", "WEBP")  # Formats that say how long each page is shown.
_FORMATS = ("BMP", "JPEG", "PNG", "TIFF", "WEBP")  # Others start programs, or are hardly ever seen.
_IMAGE = "a whole PNG, JPEG, TIFF, BMP or WebP image"
_AGAIN = "Copy it again, or leave it out."
_PNG_END = b"IEND\xaeB`\x82"
# Of all pages of a file, and for each byte of it where there are more: Deflate makes 1032 bytes of one at most.
_MOST_PIXELS, _MOST_PIXELS_A_BYTE = 2**28, 1032
_MODULE = "simper_tf.recordings.pictures"


class Header(NamedTuple):
    """What a picture states before it is decoded."""

    width: int
    height: int
    pages: int
    format: str  # Such as PNG.


def headers(paths: Sequence) -> list[Header]:
    """Returns the `Header` of each file.

    Raises:
        RawDataError: one is no readable picture, is cut off (PNG), or states more than `raw_files.MAX_PIXELS`.
    """
    (answer,) = worker.answers(f"{_MODULE}:task_headers", list(map(str, paths)))
    return [Header(*header) for header in answer[0]]


def frames(
    paths: Sequence, first: int = 0, last: int | None = None, shape: tuple[int, int] | None = None, box=None
) -> Iterator[tuple[int, np.ndarray]]:
    """Yields number and picture of the pages `first` to `last`, excluded, of some files taken one after another.

    Args:
        paths: The files.
        first, last: Numbers from 0; None for all.
        shape: `(height, width)` of what comes out, by area averaging; None for the size of the page, or of the box.
        box: `(left, top, width, height)` in pixels of what is looked at; None for all.

    Yields:
        `(number, picture)`: `(H, W, 3)` uint8 RGB; of 16 bits or floats `(H, W, 1)` float32, levels from 0 to 255.

    Raises:
        RawDataError: as `headers`, or a picture is damaged.
    """
    arguments = {"first": first, "last": last, "shape": shape and tuple(shape), "box": box}
    for facts, content in worker.answers(f"{_MODULE}:task_frames", list(map(str, paths)), **arguments):
        yield facts["number"], np.frombuffer(content, facts["type"]).reshape(facts["shape"])


def durations(path) -> list[float]:
    """Returns the seconds that each page of an animated WebP or PNG file is shown.

    Raises:
        RawDataError: as `headers`, or a page is damaged.
    """
    (answer,) = worker.answers(f"{_MODULE}:task_durations", str(path))
    return answer[0]


def in_order(paths: Sequence[pathlib.Path]) -> list[pathlib.Path]:
    """Returns paths sorted as people count: 2 before 10."""
    return sorted(paths, key=lambda path: [(len(part), part) if part.isdecimal() else (0, part)
                                           for part in re.split(r"(\d+)", path.name)])  # fmt: skip


def task_headers(paths):
    """Yields what `headers` returns; runs in the worker."""
    headers = []
    for path in paths:
        with _opened(path) as image:
            headers.append((*image.size, _pages(path, image), image.format))
    yield headers, b""


def task_durations(path):
    """Yields what `durations` returns; runs in the worker."""
    shown = []
    with _opened(path) as image:
        for page in range(_pages(path, image)):
            worker.allow()
            image.seek(page)
            image.load()  # Of WebP it is known then.
            shown.append(image.info.get("duration", 0.0) / 1000)
    yield shown, b""


def task_frames(paths, first, last, shape, box):
    """Yields facts and bytes of what `frames` yields; runs in the worker."""
    number = 0
    for path in paths:
        with _opened(path) as image:
            for page in range(_pages(path, image)):
                if last is not None and number >= last:
                    return
                if number >= first:
                    worker.allow()
                    image.seek(page)
                    raw_files.refuse_huge(path, image.height, image.width, _AGAIN)
                    picture = _small(image, shape, box)
                    facts = {"number": number, "shape": picture.shape, "type": picture.dtype.str}
                    yield facts, memoryview(picture).cast("B")
                number += 1


def _pages(path, image):
    """Returns the number of pages; refuses more pixels than the bytes can hold, such as pages of one and the same."""
    count, size = getattr(image, "n_frames", 1), pathlib.Path(path).stat().st_size
    pixels = count * image.width * image.height
    if pixels > max(_MOST_PIXELS, _MOST_PIXELS_A_BYTE * size):
        found = f"a header of {count:,} pages of {image.width} x {image.height} pixels in {size:,} bytes"
        raise RawDataError(path, found, "no more than so few bytes can hold", _AGAIN)
    return count


@contextlib.contextmanager
def _opened(path):
    from PIL import Image  # Only where a picture is read, in the process that parses.

    Image.MAX_IMAGE_PIXELS = None  # Refused below, with a sentence.
    raw_files.refuse_unreadable(path, _IMAGE, _AGAIN)
    try:
        with Image.open(path, formats=_FORMATS) as image:
            raw_files.refuse_huge(path, image.height, image.width, _AGAIN)
            if image.format == "PNG":
                _check_png(path)
            yield image
    except (RawDataError, MemoryError):
        raise
    except Exception as error:  # Pillow reports damage through a dozen exception types.
        raise RawDataError(path, f"a damaged image or none ({type(error).__name__})", _IMAGE, _AGAIN) from error


def _check_png(path):
    """Raises an error where a PNG file is cut, or one of its checksums is wrong: decoding skips those of pixels."""
    with open(path, "rb") as file:  # noqa: PTH123  (as whoever calls names it)
        file.seek(max(file.seek(0, 2) - len(_PNG_END), 0))
        if file.read() != _PNG_END:
            raise RawDataError(path, "a truncated file", _IMAGE, _AGAIN)
    from PIL import Image

    with Image.open(path, formats=("PNG",)) as image:
        image.verify()


def _small(image, shape, box):
    """Returns a page, or a box in it, as `frames` does."""
    from PIL import Image, ImageOps

    is_deep = image.mode == "F" or image.mode.startswith("I")
    scale = 255.0 if image.mode == "F" else 1 / 257
    shown = image.convert("F") if is_deep else ImageOps.exif_transpose(image).convert("RGB")
    left, top, width, height = box or (0, 0, *shown.size)
    size = shape[::-1] if shape else (width, height)
    small = np.asarray(shown.resize(size, Image.Resampling.BOX, box=(left, top, left + width, top + height)))
    return np.ascontiguousarray(scale * small[..., None], np.float32) if is_deep else np.ascontiguousarray(small)
