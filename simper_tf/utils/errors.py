"""The one error every reader raises for raw data it cannot use, and how what is not to be trusted is shown."""

import contextlib
import errno
import importlib.util
import pathlib
import types
import unicodedata
from collections.abc import Sequence

# What joins letters or keeps them apart in Persian and in the scripts of India; of the marks that nobody sees these
# alone are spelling.
_JOINERS = "\u200c\u200d"

# Modules of the extra `train`, without which nothing learns.
LEARNING = ("tensorflow", "keras")

# Modules without which the package is not whole: its own, and those of packages that it always brings.
_OWN = "simper_tf"
_BROUGHT = ("PIL", "av", "cv2", "h5py", "joblib", "matplotlib", "numpy", "pandas", "pyedflib", "python_calamine",
            "scipy", "soundfile", "threadpoolctl", "wfdb")  # fmt: skip
# What a library says that has no room to be loaded: the fault of a file before it, and of no installation.
_NO_ROOM = "failed to map segment", "annot allocate memory"


def missing(modules: Sequence[str], extra: str) -> str:
    """Returns a sentence on modules that are not installed, and the extra that brings them; empty where all are."""
    absent = [name for name in modules if importlib.util.find_spec(name) is None]
    if not absent:
        return ""
    return f"{', '.join(absent)} {'are' if absent[1:] else 'is'} not installed. {install(extra)}"


def install(extra: str) -> str:
    """Returns how an extra is installed."""
    return f"Install the extra: pip install '.[{extra}]' in the folder of the checkout."


def printable(text: str) -> str:
    """Returns a text in which all that a terminal might obey or cannot show is spelled out: `\\x1b`, `\\n`, `\\u202e`.

    For all that is shown, in terminals, on pages and in pictures, and comes from others: names of files, of channels
    and of what is in them. Letters and spaces of any script stay.
    """
    return "".join(c if _is_shown(c) else c.encode("unicode_escape").decode() for c in text)


def _is_shown(letter):
    return letter.isprintable() or letter in _JOINERS or unicodedata.category(letter) == "Zs"


class RawDataError(ValueError):
    """A raw file or folder is missing, damaged or not in the documented format.

    Args:
        path: The file or folder at fault.
        found: What is there.
        expected: What the documented format has in its place.
        action: What the user can do about it.
    """

    def __init__(self, path, found, expected, action):
        super().__init__(printable(f"{path}: found {found}; expected {expected}. {action}"))
        self.path, self.found, self.expected, self.action = path, found, expected, action

    def of(self, path):
        """Returns the same of another path, under which somebody knows the file."""
        kind, (_, *parts) = self.__reduce__()
        return kind(path, *parts)

    def __reduce__(self):
        # Beam workers send errors as pickles, and the default one would call this class with the message alone.
        return type(self), (self.path, self.found, self.expected, self.action)


class UnreadableError(RawDataError):
    """A file whose content nobody can know: damaged, cut off, empty, or not to be opened."""


class FullDiskError(OSError):
    """There is no room left where something must be written: no fault of a recording."""


class BrokenInstallationError(ImportError):
    """A module is missing or damaged that every installation has: no fault of a recording.

    Args:
        said: What Python says of it.
    """

    def __init__(self, said: str):
        action = "Install it again, in a new environment: pip install . in the folder of the checkout."
        super().__init__(f"The installation is broken: {said.rstrip('.')}. {action}")
        self.said = said

    def __reduce__(self):
        return type(self), (self.said,)


def is_broken(error: BaseException) -> bool:
    """Returns whether an error says that a module which every installation has is missing, or not as it should be."""
    if isinstance(error, SyntaxError):  # Readers of text raise it, too, of no file.
        return _OWN in pathlib.Path(error.filename or "").parts
    named = ""
    if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
        named = error.obj.__name__
    elif isinstance(error, ImportError) and not any(words in str(error) for words in _NO_ROOM):
        named = error.name or ""
    return named.partition(".")[0] in (_OWN, *_BROUGHT)


def is_full(error: BaseException) -> bool:
    """Returns whether an error is that of a disk without room, or of a file as large as it may be."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NoRecordingError(RawDataError):
    """A name is that of no recording, which a sentence behind it says better than four parts."""

    def __init__(self, path, sentence):
        ValueError.__init__(self, printable(f"{path}{sentence}"))
        self.path, self.found, self.expected, self.action = path, sentence, "a recording", ""

    def __reduce__(self):
        return NoRecordingError, (self.path, self.found)


@contextlib.contextmanager
def guarding(name, *passing: type[Exception]):
    """Makes a `RawDataError` of whatever a block raises that reads a file of others, so that the next one is read.

    Errors of the types `passing`, and a full disk, are none of the file, and are raised as they are. Nor is a broken
    installation, which is a `BrokenInstallationError`.
    """
    try:
        yield
    except (RawDataError, FullDiskError, BrokenInstallationError, *passing):
        raise
    except MemoryError as error:
        raise UnreadableError(name, "more than fits into memory", "less", "Read a part of it.") from error
    except Exception as error:
        if is_broken(error):
            raise BrokenInstallationError(str(error)) from error
        import traceback  # Seldom needed, and slow to load.

        own = [at for at in traceback.extract_tb(error.__traceback__) if "simper_tf" in at.filename]
        where = f", in {pathlib.Path(own[-1].filename).name} at line {own[-1].lineno}" if own else ""
        said = (str(error).strip() or "no word").splitlines()[0].rstrip(".")
        found = f"what ends its reader ({type(error).__name__}: {said}{where})"
        action = "Leave it out, and send the file to whoever maintains this package."
        raise UnreadableError(name, found, "a recording that can be read", action) from error
