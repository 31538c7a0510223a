"""Raw files before anything reads them: what would wait for ever or fill the memory is refused by its name."""

import codecs
import os
import pathlib
import stat

from simper_tf.utils.errors import RawDataError, UnreadableError

# Of one frame or image, 100 MB decoded: 8K video has 33.2 million. A header that states more is damaged or a trap.
MAX_PIXELS = 2**25
# What is found where nothing is.
MISSING = "no such file"
# What follows the name of a text that is named as a video.
TEXT = " is no recording: it is text."
# First bytes of a file that are looked at.
_HEAD = 512

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def refuse_unreadable(path, expected, action):
    """Refuses what is no regular file, or cannot be opened, by an `UnreadableError`; symbolic links are followed."""
    hindrance = _hindrance(path)
    if hindrance:
        raise UnreadableError(path, hindrance, expected, action)


def is_readable(path):
    """Returns whether `refuse_unreadable` has nothing against a file."""
    return not _hindrance(path)


def refuse_huge(path, height, width, action):
    """Refuses an image or video by the size in its header, with a `RawDataError`, before its pixels take memory."""
    if height <= 0 or width <= 0 or height * width > MAX_PIXELS:
        raise RawDataError(
            path, f"a header of {width} x {height} pixels", f"at most {MAX_PIXELS:,} pixels in all", action
        )


def entries(folder):
    """Returns the sorted paths of all in a folder; none if it is no folder. RawDataError if it may not be read."""
    try:
        return sorted(pathlib.Path(folder).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _unreadable_folder(folder, error) from error


def below(root, wanted):
    """Returns the sorted paths of all that lies in a folder at any depth and has a name of which `wanted` is true.

    Linked folders are not entered. A folder that may not be read is a `RawDataError`: what is in it would be missing.
    """

    def refuse(error):
        raise _unreadable_folder(error.filename, error) from error

    walk = os.walk(root, onerror=refuse)
    return sorted(
        pathlib.Path(folder, name) for folder, inner, names in walk for name in (*inner, *names) if wanted(name)
    )


def is_folder(path):
    """Returns whether a path leads to a folder; not if this process may not ask."""
    try:
        return pathlib.Path(path).is_dir()
    except OSError:
        return False


def _unreadable_folder(path, error):
    found = f"what cannot be listed ({error.strerror})"
    return RawDataError(path, found, "a folder that this user may read", "Change its permissions, or remove it.")


def _hindrance(path):
    """Returns what is there in place of a readable file, in words, or nothing."""
    path = pathlib.Path(path)
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
        if kind != stat.S_IFREG:  # Not opened: that would keep a pipe waiting for somebody who writes into it.
            return _KINDS.get(kind, "no regular file")
        path.open("rb").close()
    except FileNotFoundError:
        return "a link to nothing" if path.is_symlink() else MISSING
    except ValueError:  # A character of code 0, or a surrogate, which no name holds.
        return MISSING
    except OSError as error:  # A loop of links, no permission, a disk that fails.
        return f"what cannot be opened ({error.strerror})"
    return ""


def head(path: pathlib.Path) -> bytes:
    """Returns the first bytes of a file; raises OSError where it cannot be read."""
    with path.open("rb") as file:
        return file.read(_HEAD)


def is_text(head: bytes) -> bool:
    """Returns whether the first bytes of a file are text, of which the last letter may be cut off; nothing is none."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        text = head.decode("latin-1")  # Of which 65 bytes are letters of nobody's text.
    return bool(text) and all(letter.isprintable() or letter.isspace() for letter in text)
