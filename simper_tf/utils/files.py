"""Files that are whole or not there, and folders that one process at a time works in."""

import contextlib
import hashlib
import os
import pathlib
import re
import socket
import uuid

from simper_tf.utils import systems

_UNFINISHED = ".tmp"


class InUse(OSError):
    """Another process holds a lock; the text is who that is."""


@contextlib.contextmanager
def replacing(path, mode="w"):
    """Opens a new file that takes the place of another when the block ends well; else leaves what was there.

    It is written beside and renamed, under a name that no other writer has, so that neither a full disk nor a kill nor
    a second writer leaves half a file. What cannot be written is an OSError that names the path.
    """
    path = pathlib.Path(path)
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}{_UNFINISHED}")
    try:
        with naming(path), temporary.open(mode) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder):
    """Removes what killed writers have left in a folder that this process alone writes into."""
    for path in pathlib.Path(folder).glob(f"*{_UNFINISHED}"):
        if re.fullmatch(rf".+\.[0-9a-f]{{8}}{re.escape(_UNFINISHED)}", path.name):
            path.unlink(missing_ok=True)


def write_atomically(path, text):
    """Writes a whole text file or leaves what was there; raises OSError with the path where it cannot be written."""
    with replacing(path) as file:
        file.write(text)


def checksum(text: str) -> str:
    """Returns what tells a text from a damaged copy: 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextlib.contextmanager
def naming(path):
    """Gives a name to the system's errors that have none: a write that fails does not say to which file."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise


@contextlib.contextmanager
def without_empty(*folders):
    """Removes those of some folders and of their parents that a block has made, and that are empty at its end."""
    paths = {path for folder in folders for path in (pathlib.Path(folder), *pathlib.Path(folder).parents)}
    made = [path for path in paths if not path.exists()]
    try:
        yield
    finally:
        for path in sorted(made, reverse=True):  # What lies in a folder comes before it.
            with contextlib.suppress(OSError):
                path.rmdir()


@contextlib.contextmanager
def alone(path, wait=True):
    """Holds a lock that one process has at a time, for the time of a block.

    The system frees it however the process ends. The file goes at the end of the block; one that a killed process has
    left stands in nobody's way.

    Args:
        path: Path of the lock file; its folder is made where there is none.
        wait: Whether to wait for the process that holds it.

    Raises:
        InUse: another process holds it, and this one does not wait.
    """
    path = pathlib.Path(path)
    with contextlib.closing(_locked(path, wait)) as file:
        try:
            # Only so that others can say who it is: a full disk does not keep the lock from being held.
            with contextlib.suppress(OSError):
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}")
                file.flush()
            yield
        finally:
            with contextlib.suppress(PermissionError):  # Windows keeps what is open.
                path.unlink(missing_ok=True)


def _locked(path, wait):
    """Returns the open lock file, locked."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)  # Its holder may have removed the folder too.
        file = path.open("a+")
        try:
            systems.lock(file, wait)
        except BlockingIOError:
            file.seek(0)
            with file:
                raise InUse(file.read() or "another process") from None
        except BaseException:
            file.close()
            raise
        if _is_still(file, path):
            return file
        file.close()  # Its holder has removed it meanwhile, and a third may hold the new one.


def _is_still(file, path):
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
