"""Packed files: one recording of a `.gz` or `.zip`, unpacked into a folder that goes afterwards."""

import contextlib
import gzip
import lzma
import pathlib
import tempfile
import zipfile
import zlib
from collections.abc import Iterator

from simper_tf.tables.limits import MOST_VALUES
from simper_tf.utils import endings
from simper_tf.utils.errors import RawDataError, UnreadableError, is_full

_BLOCK = 2**20  # Bytes unpacked at a time: a bomb is noticed before it fills the disk.
_LETTERS = 16  # Of a number in a text, at most: more than so many for each value is no recording.


def members(path: str) -> Iterator[tuple[list[str], bytes]]:
    """Yields the names of recordings in a `.zip` file of several files, none of one that cannot be opened.

    It runs in the worker, whose answers are pairs.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = list(_files(archive))
    except (OSError, zipfile.BadZipFile):
        names = []
    headers = {name.removesuffix(".hea") for name in names if name.endswith(".hea")}
    samples = [name for name in names if name.endswith((".dat", ".mat")) and name[:-4] in headers]
    found = [name for name in names if name.lower().endswith(endings.SERIES) and name not in samples]
    yield (sorted(found) if len(names) > 1 else []), b""


@contextlib.contextmanager
def opened(path: pathlib.Path, member: str = "") -> Iterator[pathlib.Path]:
    """Yields a file, or the recording of a packed one, as a context.

    Args:
        path: The file.
        member: Its name in a `.zip`; "" for the only one.

    Raises:
        RawDataError: it is damaged, holds not one file, or more than a recording may have.
    """
    if path.suffix.lower() not in endings.PACKED:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            inner = pathlib.Path(folder, _unpack(path, folder, member))
        except (OSError, EOFError, RuntimeError, KeyError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            if is_full(error):
                raise
            found = f"what cannot be unpacked ({error or type(error).__name__})"
            raise UnreadableError(path, found, "a packed recording", "Unpack it, or copy it again.") from error
        try:
            yield inner
        except RawDataError as error:
            raise error.of(f"{path}: {inner.name}") from error


def _unpack(path, folder, member):
    """Writes one file that is packed, and returns its name."""
    if path.suffix.lower() == ".gz":
        with gzip.open(path) as file:
            return _copied(path, file, folder, path.stem)
    with zipfile.ZipFile(path) as archive:
        names = _files(archive)
        if not member and len(names) != 1:
            found = f"{len(names)} files in it, none of which is a series"
            raise RawDataError(path, found, "one or more", "Unpack it, and name the folder.")
        member = member or next(iter(names))
        stem = member.removesuffix(".hea")
        beside = [name for name in names if stem != member and name.startswith(stem) and name != member]
        for name in (*beside, member):  # The header of a WFDB record is read with its samples.
            with archive.open(names[name]) as file:
                unpacked = _copied(path, file, folder, pathlib.PurePosixPath(name).name)
        return unpacked


def _files(archive):
    """Returns the files of a `.zip` by their names; beside each of them a Mac packs one of its own."""
    names = {
        entry.filename: entry for entry in archive.infolist() if not entry.is_dir() and "__MACOSX" not in entry.filename
    }
    return {
        name: entry for name, entry in names.items() if (last := pathlib.PurePosixPath(name).name).strip(".") == last
    }


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
