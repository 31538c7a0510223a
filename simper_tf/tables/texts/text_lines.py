"""Lines of a text: its encoding, how much it holds, and its first lines."""

import codecs
import itertools
import pathlib
from collections.abc import Iterator

import numpy as np

from simper_tf.tables.limits import refuse_long
from simper_tf.tables.series_files import REMEDY
from simper_tf.tables.texts.layouts import LONGEST_LINE
from simper_tf.utils.errors import RawDataError

HEAD_LINES = 400  # That are looked at.


def measured(path: pathlib.Path, most: int | None = None) -> str:
    """Returns the encoding of a text, once so many of its lines, or all, are few enough and end.

    Raises:
        RawDataError: a line is too long, or there are too many values.
    """
    values = rest = lines = 0
    with path.open("rb") as file:
        start = file.peek(2)
        while block := file.read(LONGEST_LINE):
            block = block.replace(b"\r", b"\n")
            letters = np.frombuffer(block, np.uint8)  # They are counted in a third of the time.
            ends, *marks = (int(np.count_nonzero(letters == ord(mark))) for mark in "\n,;\t")
            rest += block.find(b"\n") if ends else len(block)
            if rest >= LONGEST_LINE:  # Lines within a block are shorter than it.
                raise RawDataError(path, f"a line of {LONGEST_LINE:,} letters or more", "text with columns", REMEDY)
            rest = len(block) - block.rfind(b"\n") - 1 if ends else rest
            values, lines = values + ends + sum(marks), lines + ends
            refuse_long(path, values)
            if most and lines > most + HEAD_LINES:
                break
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    try:
        with path.open(encoding="utf-8") as file:
            for _ in itertools.islice(file, HEAD_LINES):
                pass
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8-sig"


def numbered(path: pathlib.Path, encoding: str) -> Iterator[tuple[int, str]]:
    """Yields the number from 0 and the text of each line that is not blank."""
    with path.open(encoding=encoding, errors="strict" if encoding == "utf-16" else "replace") as file:
        for number, line in enumerate(file):
            if line.strip():
                yield number, line.rstrip("\r\n")


def head(path: pathlib.Path, encoding: str) -> list[tuple[int, str]]:
    """Returns the first of them."""
    return list(itertools.islice(numbered(path, encoding), HEAD_LINES))
