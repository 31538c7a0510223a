"""Packed files: the one table in a `.gz` or `.zip`, unpacked into a folder that goes afterwards."""

import contextlib
import gzip
import lzma
import pathlib
import tempfile
import zipfile
import zlib
from collections.abc import Iterator

from simper_tf.tables.delimited import MOST_VALUES
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError

_BLOCK = 2**20
_LETTERS = 16  # Of a number in a text, at most: more than so many for each value is no recording.


@contextlib.contextmanager
def unpacked(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the one file in a packed one, as a context.

    Raises:
        RawDataError: it is damaged, holds not one file, or more than a recording may have.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            inner = pathlib.Path(folder, _unpack(path, folder))
        except (OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            found = f"what cannot be unpacked ({error or type(error).__name__})"
            raise RawDataError(path, found, "a packed recording", "Unpack it, or copy it again.") from error
        try:
            yield inner
        except RawDataError as error:
            raise RawDataError(f"{path}: {inner.name}", error.found, error.expected, error.action) from error


def _unpack(path, folder):
    """Writes the one file that is packed, and returns its name."""
    if path.suffix.lower() == ".gz":
        with gzip.open(path) as file:
            return _copied(path, file, folder, path.stem)
    with zipfile.ZipFile(path) as archive:
        names = {one: pathlib.PurePosixPath(one.filename).name for one in archive.infolist() if not one.is_dir()}
        # Beside each file a Mac packs one of its own.
        members = [one for one, name in names.items() if name.strip(".") == name and "__MACOSX" not in one.filename]
        if len(members) != 1:
            raise RawDataError(path, f"{len(members)} files in it", "one", "Unpack it, and name the folder.")
        with archive.open(members[0]) as file:
            return _copied(path, file, folder, names[members[0]])


def _copied(path, file, folder, name):
    """Writes what a file holds, no more than a recording may have; its stated size may be wrong."""
    if name.lower().endswith(endings.PACKED):
        raise RawDataError(path, f"the packed file {name} in it", "a recording", "Unpack it.")
    size = 0
    with pathlib.Path(folder, name).open("wb") as target:
        while block := file.read(_BLOCK):
            size += len(block)
            if size > _LETTERS * MOST_VALUES:
                found = f"more than {_LETTERS * MOST_VALUES:,} bytes in it"
                raise RawDataError(path, found, "fewer", "Unpack it, and cut it into parts.")
            target.write(block)
    return name
